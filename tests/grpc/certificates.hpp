// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Certificates for tests of TLS, made by the program openssl; and a port to use them on.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace tenon::testing {

// A certificate: the common name, which is the name of its files too, and alternative names.
struct certified {
  std::string name;
  std::vector<std::string> also;
};

// Makes ca.pem, ca.key and for each name NAME.pem and NAME.key in the folder; gives the text of ca.pem. Throws where
// openssl is absent or fails.
std::string make_certificates(const std::filesystem::path &folder, const std::vector<certified> &names);

std::string text_of(const std::filesystem::path &file);

// A TCP port of 127.0.0.1 that nobody uses at the moment.
int free_port();

}  // namespace tenon::testing
