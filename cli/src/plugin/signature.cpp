// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "plugin/signature.hpp"

#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>

#include <memory>

#include "tenon/host/text_file.hpp"

namespace tenon::cli {
namespace {

using key_handle = std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)>;
using digest_handle = std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)>;

// A key behind a password is refused: nobody is asked for one.
int no_password(char *, int, int, void *) { return -1; }

const unsigned char *signed_bytes(std::string_view of) { return reinterpret_cast<const unsigned char *>(of.data()); }

result<key_handle> read_key(const std::string &file, bool is_private) {
  const auto text = host::read_text_file(file);
  if (!text) return text.why();
  const std::unique_ptr<BIO, decltype(&BIO_free)> from(BIO_new_mem_buf(text->data(), static_cast<int>(text->size())),
                                                       BIO_free);
  auto *read = is_private ? PEM_read_bio_PrivateKey : PEM_read_bio_PUBKEY;
  key_handle key(read(from.get(), nullptr, no_password, nullptr), EVP_PKEY_free);
  ERR_clear_error();
  if (key && EVP_PKEY_get_id(key.get()) == EVP_PKEY_ED25519) return key;
  const std::string make =
      is_private ? "openssl genpkey -algorithm ed25519 -out " : "openssl pkey -in PRIVATE -pubout -out ";
  return refusal{file, is_private ? "a private Ed25519 key as PEM, without a password" : "a public Ed25519 key as PEM",
                 key ? "a key of another kind" : "no such key", "make one with " + make + file};
}

}  // namespace

result<std::string> signature_of(std::string_view bytes, const std::string &key_file) {
  const auto key = read_key(key_file, true);
  if (!key) return key.why();
  const digest_handle digest(EVP_MD_CTX_new(), EVP_MD_CTX_free);
  std::string out(64, '\0');
  size_t size = out.size();
  if (!digest || EVP_DigestSignInit(digest.get(), nullptr, nullptr, nullptr, key->get()) != 1 ||
      EVP_DigestSign(digest.get(), reinterpret_cast<unsigned char *>(out.data()), &size, signed_bytes(bytes),
                     bytes.size()) != 1)
    return refusal{key_file, "a key that signs", "a key with which OpenSSL does not sign", "take another key"};
  out.resize(size);
  return out;
}

std::optional<refusal> check_signature(std::string_view bytes, std::string_view signature, const std::string &key_file,
                                       std::string where) {
  const auto key = read_key(key_file, false);
  if (!key) return key.why();
  const digest_handle digest(EVP_MD_CTX_new(), EVP_MD_CTX_free);
  const bool good =
      digest && EVP_DigestVerifyInit(digest.get(), nullptr, nullptr, nullptr, key->get()) == 1 &&
      EVP_DigestVerify(digest.get(), signed_bytes(signature), signature.size(), signed_bytes(bytes), bytes.size()) == 1;
  ERR_clear_error();
  if (good) return std::nullopt;
  return refusal{std::move(where), "a signature by the key " + key_file,
                 "a signature by another key, or of other bytes",
                 "take the pack and the key again from the vendor, by two ways"};
}

}  // namespace tenon::cli
