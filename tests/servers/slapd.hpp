// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// A directory: OpenLDAP's server over the entries that a test gives it.
#pragma once

#include <filesystem>
#include <string>

#include "server_process.hpp"

namespace tenon::testing {

class slapd {
 public:
  [[nodiscard]] static bool is_installed();

  // `entries` is LDIF below dc=example,dc=com, whose manager is cn=admin with password "secret". Nobody reads anything
  // without a password. `folder` has localhost.pem, localhost.key and ca.pem where it is to speak TLS.
  slapd(std::filesystem::path folder, const std::string &entries);

  void start();
  void stop() { process_.end(15); }
  void kill() { process_.kill(); }
  void pause() const { process_.pause(); }
  void go_on() const { process_.go_on(); }
  void set_password(const std::string &password);  // of the manager, after stop()

  [[nodiscard]] std::string url() const { return "ldap://localhost:" + std::to_string(port_); }
  [[nodiscard]] std::string tls_url() const { return "ldaps://localhost:" + std::to_string(tls_port_); }
  [[nodiscard]] std::string socket_url() const;
  [[nodiscard]] int port() const { return port_; }

 private:
  void write_configuration(const std::string &password) const;

  std::filesystem::path folder_;
  bool tls_;
  int port_, tls_port_;
  server_process process_;
};

}  // namespace tenon::testing
