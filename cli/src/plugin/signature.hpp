// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Ed25519 signatures by keys in PEM files, as `openssl genpkey -algorithm ed25519` writes them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tenon/kernel/refusal.hpp"

namespace tenon::cli {

// Returns the signature of the bytes, 64 bytes, by the private key of a file. Refuses a file without such a key.
[[nodiscard]] result<std::string> signature_of(std::string_view bytes, const std::string &key_file);

// Returns the refusal where the signature is not that of the bytes by the public key of a file. `where` names the
// signature.
[[nodiscard]] std::optional<refusal> check_signature(std::string_view bytes, std::string_view signature,
                                                     const std::string &key_file, std::string where);

}  // namespace tenon::cli
