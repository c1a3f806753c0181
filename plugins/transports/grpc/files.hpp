// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Texts of files that the configuration names.
#pragma once

#include <string>
#include <string_view>

namespace tenon::grpc_transport {

// `key`: that of the configuration which names the file. Throws sdk::invalid_config where there is no text to read.
std::string file_text(const std::string &path, std::string_view key);

// The token of admin_token_file; "" gives "". Throws sdk::invalid_config.
std::string token_in(const std::string &path);

}  // namespace tenon::grpc_transport
