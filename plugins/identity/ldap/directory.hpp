// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// A connection to an LDAP directory: opened and closed with its scope, errors as exceptions in why.
#pragma once

#include <ldap.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bounded_io.hpp"
#include "directory_settings.hpp"
#include "tenon/sdk/unavailable.hpp"

namespace tenon::identity_ldap {

// What libldap or the directory says is wrong; `code` is LDAP_*.
struct directory_error : sdk::unavailable {
  directory_error(int code_given, const std::string &why) : unavailable(why), code(code_given) {}
  int code;
};

struct entry {
  std::string name;                 // its distinguished name
  std::vector<std::string> values;  // of the attribute that was asked for, in the directory's order
};

struct found_entries {
  std::vector<entry> entries;
  int elsewhere = 0;  // parts of the tree that other directories have, who are not asked
};

class directory {
 public:
  // Connects, encrypts and binds as the settings say, which are borrowed. Throws directory_error.
  explicit directory(const settings &how);

  // What fits below `base`. Throws directory_error, also where the directory does not give all of it.
  [[nodiscard]] found_entries search(const std::string &base, const std::string &filter, const std::string &attribute);

 private:
  struct unbind {
    void operator()(LDAP *it) const { ldap_unbind_ext_s(it, nullptr, nullptr); }
  };

  void prepare();
  void start_tls();
  void bind();
  void check(int code, const std::string &doing) const;
  [[nodiscard]] entry read(LDAPMessage *found, const std::string &attribute) const;

  const settings &how_;
  bounded_io time_;  // outlives the connection
  std::unique_ptr<LDAP, unbind> it_;
};

// The group that a value names: of a distinguished name its first part, else the value.
[[nodiscard]] std::string group_named_by(const std::string &value);

}  // namespace tenon::identity_ldap
