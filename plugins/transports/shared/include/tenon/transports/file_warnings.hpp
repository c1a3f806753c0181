// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What an operator is to be told of the files that a transport's configuration names: secrets that others may read, and
// certificates that nobody accepts today.
#pragma once

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <sys/stat.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::transports {

using warnings = std::vector<std::string>;

// A file of tokens or a private key; no path: nothing.
inline void look_at_secret(std::string_view key, const std::string &path, warnings &to) {
  struct stat found {};
  if (path.empty() || stat(path.c_str(), &found) != 0 || (found.st_mode & (S_IROTH | S_IWOTH)) == 0) return;
  to.push_back(std::string(key) + ": everybody on this machine may " +
               ((found.st_mode & S_IWOTH) != 0 ? "write " : "read ") + path + ", which is a secret; chmod o-rwx " +
               path);
}

// A PEM file of certificates; no path: nothing. What is no certificate is for others to refuse.
inline void look_at_certificates(std::string_view key, const std::string &path, warnings &to) {
  if (path.empty()) return;
  const std::unique_ptr<BIO, decltype(&BIO_free)> reader(BIO_new_file(path.c_str(), "r"), BIO_free);
  const auto next = [&] {
    return std::unique_ptr<X509, decltype(&X509_free)>(
        reader == nullptr ? nullptr : PEM_read_bio_X509(reader.get(), nullptr, nullptr, nullptr), X509_free);
  };
  const auto time_of = [](const ASN1_TIME *time) {
    const std::unique_ptr<BIO, decltype(&BIO_free)> out(BIO_new(BIO_s_mem()), BIO_free);
    ASN1_TIME_print(out.get(), time);
    char *text = nullptr;
    const long size = BIO_get_mem_data(out.get(), &text);
    return std::string(text, static_cast<size_t>(size));
  };
  size_t number = 0;
  for (auto one = next(); one != nullptr; one = next()) {
    const std::string which = std::string(key) + ": certificate " + std::to_string(++number) + " of " + path;
    if (X509_cmp_current_time(X509_get0_notAfter(one.get())) < 0) {
      to.push_back(which + " has expired, " + time_of(X509_get0_notAfter(one.get())) + "; nobody accepts it, renew it");
    } else if (X509_cmp_current_time(X509_get0_notBefore(one.get())) > 0) {
      to.push_back(which + " is valid from " + time_of(X509_get0_notBefore(one.get())) +
                   " on; nobody accepts it before, look at the clock");
    }
  }
  ERR_clear_error();  // the end of the file
}

}  // namespace tenon::transports
