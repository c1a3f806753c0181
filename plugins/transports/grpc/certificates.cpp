// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "certificates.hpp"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>

#include <array>
#include <memory>
#include <string_view>
#include <vector>

#include "files.hpp"

namespace tenon::grpc_transport {
namespace {

struct freed {
  void operator()(BIO *it) const { BIO_free(it); }
  void operator()(X509 *it) const { X509_free(it); }
  void operator()(EVP_PKEY *it) const { EVP_PKEY_free(it); }
  void operator()(SSL_CTX *it) const { SSL_CTX_free(it); }
};
template <class T>
using owned = std::unique_ptr<T, freed>;

// What OpenSSL says of the last failure, in its buffer. Leaves none for others to find.
std::string why() {
  std::array<char, 256> buffer{};
  ERR_error_string_n(ERR_peek_last_error(), buffer.data(), buffer.size());
  ERR_clear_error();
  const std::string_view all(buffer.data());
  return std::string(all.substr(all.rfind(':') + 1));
}

[[noreturn]] void refuse(std::string_view key, const std::string &file, const std::string &want,
                         const std::string &have, const std::string &remedy) {
  throw sdk::invalid_config(std::string(key) + ", file " + file + ": want " + want + ", have " + have + "; " + remedy);
}

owned<BIO> reader_of(const std::string &text) {
  return owned<BIO>(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

// All certificates of the file: one at least.
std::vector<owned<X509>> certificates_in(const std::string &text, std::string_view key, const std::string &file) {
  const owned<BIO> reader = reader_of(text);
  char no_password[] = "";
  std::vector<owned<X509>> out;
  ERR_clear_error();
  while (owned<X509> one{PEM_read_bio_X509(reader.get(), nullptr, nullptr, no_password)}) out.push_back(std::move(one));
  const bool ended = ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE;
  if (out.empty() && ended) {
    refuse(key, file, "a certificate in PEM", "a text without -----BEGIN CERTIFICATE-----",
           "name the file of the certificate, and convert it where it is DER");
  }
  if (!ended) {
    refuse(key, file, "certificates in PEM", "a damaged one, number " + std::to_string(out.size() + 1) + ": " + why(),
           "write the file anew");
  }
  ERR_clear_error();
  return out;
}

owned<EVP_PKEY> key_in(const std::string &text, const std::string &file) {
  const owned<BIO> reader = reader_of(text);
  char no_password[] = "";
  ERR_clear_error();
  owned<EVP_PKEY> out(PEM_read_bio_PrivateKey(reader.get(), nullptr, nullptr, no_password));
  if (out) return out;
  if (ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE) {
    refuse("tls_key", file, "a private key in PEM", "a text without one",
           "name the file of the key that belongs to tls_certificate");
  }
  refuse("tls_key", file, "a private key in PEM without a passphrase", "one that cannot be read: " + why(),
         "write the file anew; openssl pkey -in FILE -out NEW takes a passphrase away");
}

void check_pair(const settings &with, const pem_texts &texts) {
  const auto chain = certificates_in(texts.certificate, "tls_certificate", with.certificate);
  const owned<EVP_PKEY> key = key_in(texts.key, with.key);
  if (X509_check_private_key(chain.front().get(), key.get()) != 1) {
    ERR_clear_error();
    refuse("tls_key", with.key, "the key of the certificate in " + with.certificate, "the key of another one",
           "name the two that were made together; the server's own certificate comes first in its file");
  }
  // As the server will use it: keys that are too short for this machine's policy are refused here.
  const owned<SSL_CTX> use(SSL_CTX_new(TLS_server_method()));
  if (use && SSL_CTX_use_certificate(use.get(), chain.front().get()) != 1) {
    refuse("tls_certificate", with.certificate, "a certificate that TLS takes", "one that it refuses: " + why(),
           "make one with a longer key or a newer signature");
  }
}

}  // namespace

pem_texts read_certificates(const settings &with) {
  pem_texts out;
  if (with.certificate.empty()) return out;
  out.certificate = file_text(with.certificate, "tls_certificate");
  out.key = file_text(with.key, "tls_key");
  check_pair(with, out);
  if (with.client_ca.empty()) return out;
  out.client_ca = file_text(with.client_ca, "tls_client_ca");
  certificates_in(out.client_ca, "tls_client_ca", with.client_ca);
  return out;
}

}  // namespace tenon::grpc_transport
