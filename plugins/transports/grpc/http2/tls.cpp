// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "tls.hpp"

#include <arpa/inet.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string_view>

namespace tenon::grpc_transport {
namespace {

template <auto Free>
struct freed {
  template <class T>
  void operator()(T *it) const {
    Free(it);
  }
};
template <class T, auto Free>
using owned = std::unique_ptr<T, freed<Free>>;
using bio = owned<BIO, BIO_free>;
using x509 = owned<X509, X509_free>;

constexpr std::string_view http2 = "\x02h2";  // as TLS lists protocols

bio reader_of(const std::string &text) { return bio(BIO_new_mem_buf(text.data(), static_cast<int>(text.size()))); }

char no_password[] = "";

std::vector<x509> certificates_in(const std::string &text) {
  const bio reader = reader_of(text);
  std::vector<x509> out;
  while (x509 one{PEM_read_bio_X509(reader.get(), nullptr, nullptr, no_password)}) out.push_back(std::move(one));
  ERR_clear_error();  // it ends with one that is not there
  return out;
}

void expect(bool held) {
  if (!held) throw std::runtime_error(tls_problem());
}

// Those who speak another protocol are told so; who names none is taken for one who knows.
int choose_protocol(SSL *, const unsigned char **chosen, unsigned char *length, const unsigned char *offered,
                    unsigned int offered_length, void *) {
  unsigned char *found = nullptr;
  if (SSL_select_next_proto(&found, length, reinterpret_cast<const unsigned char *>(http2.data()),
                            static_cast<unsigned>(http2.size()), offered, offered_length) != OPENSSL_NPN_NEGOTIATED) {
    return SSL_TLSEXT_ERR_ALERT_FATAL;
  }
  *chosen = found;
  return SSL_TLSEXT_ERR_OK;
}

std::string text_of(const ASN1_STRING *from) {
  return {reinterpret_cast<const char *>(ASN1_STRING_get0_data(from)), static_cast<size_t>(ASN1_STRING_length(from))};
}

std::string ip_text(const ASN1_OCTET_STRING *from) {
  std::array<char, INET6_ADDRSTRLEN> buffer{};
  const int family = ASN1_STRING_length(from) == 4 ? AF_INET : AF_INET6;
  if (family == AF_INET6 && ASN1_STRING_length(from) != 16) return "";
  return inet_ntop(family, ASN1_STRING_get0_data(from), buffer.data(), buffer.size()) != nullptr ? buffer.data() : "";
}

void add_alternatives(const X509 *of, std::vector<std::string> &to) {
  const owned<GENERAL_NAMES, GENERAL_NAMES_free> all(
      static_cast<GENERAL_NAMES *>(X509_get_ext_d2i(of, NID_subject_alt_name, nullptr, nullptr)));
  for (int i = 0; all && i < sk_GENERAL_NAME_num(all.get()); ++i) {
    const GENERAL_NAME *one = sk_GENERAL_NAME_value(all.get(), i);
    switch (one->type) {
      case GEN_DNS:
      case GEN_EMAIL:
      case GEN_URI:
        to.push_back(text_of(one->d.ia5));
        break;
      case GEN_IPADD:
        to.push_back(ip_text(one->d.iPAddress));
        break;
      default:
        break;
    }
  }
}

}  // namespace

std::string tls_problem() {
  std::array<char, 256> buffer{};
  ERR_error_string_n(ERR_peek_last_error(), buffer.data(), buffer.size());
  ERR_clear_error();
  const std::string_view all(buffer.data());
  return std::string(all.substr(all.rfind(':') + 1));
}

std::shared_ptr<SSL_CTX> tls_of(const pem_texts &texts) {
  ERR_clear_error();
  std::shared_ptr<SSL_CTX> out(SSL_CTX_new(TLS_server_method()), SSL_CTX_free);
  expect(out != nullptr);
  expect(SSL_CTX_set_min_proto_version(out.get(), TLS1_2_VERSION) == 1);
  SSL_CTX_set_options(out.get(), SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_TICKET | SSL_OP_NO_COMPRESSION);
  SSL_CTX_set_session_cache_mode(out.get(), SSL_SESS_CACHE_OFF);
  expect(SSL_CTX_set_num_tickets(out.get(), 0) == 1);
  SSL_CTX_set_mode(out.get(), SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_alpn_select_cb(out.get(), choose_protocol, nullptr);
  const std::vector<x509> chain = certificates_in(texts.certificate);
  expect(!chain.empty() && SSL_CTX_use_certificate(out.get(), chain.front().get()) == 1);
  for (size_t i = 1; i < chain.size(); ++i) expect(SSL_CTX_add1_chain_cert(out.get(), chain[i].get()) == 1);
  const bio key_text = reader_of(texts.key);
  const owned<EVP_PKEY, EVP_PKEY_free> key(PEM_read_bio_PrivateKey(key_text.get(), nullptr, nullptr, no_password));
  expect(key && SSL_CTX_use_PrivateKey(out.get(), key.get()) == 1);
  if (texts.client_ca.empty()) return out;
  for (const x509 &each : certificates_in(texts.client_ca)) {
    expect(X509_STORE_add_cert(SSL_CTX_get_cert_store(out.get()), each.get()) == 1);
    expect(SSL_CTX_add_client_CA(out.get(), each.get()) == 1);
  }
  SSL_CTX_set_verify(out.get(), SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
  return out;
}

std::vector<std::string> names_of_client(const SSL *connection) {
  std::vector<std::string> out;
  const X509 *shown = SSL_get0_peer_certificate(connection);
  if (shown == nullptr || SSL_get_verify_result(connection) != X509_V_OK) return out;
  const X509_NAME *subject = X509_get_subject_name(shown);
  for (int at = -1; (at = X509_NAME_get_index_by_NID(subject, NID_commonName, at)) >= 0;) {
    out.push_back(text_of(X509_NAME_ENTRY_get_data(X509_NAME_get_entry(subject, at))));
  }
  add_alternatives(shown, out);
  std::erase(out, "");
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

}  // namespace tenon::grpc_transport
