// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "settings.hpp"

#include <openssl/crypto.h>
#include <unistd.h>
#include <yaml-cpp/yaml.h>

#include <array>
#include <boost/asio/ip/address.hpp>
#include <charconv>

#include "path_names.hpp"
#include "tenon/transports/sha256.hpp"

namespace tenon::rest {
namespace {

[[noreturn]] void refuse_tokens(const std::string &file, const std::string &why) {
  throw sdk::invalid_config("configuration key \"tokens\", file " + file + ": " + why);
}

token token_of(const std::string &file, const YAML::Node &entry) {
  token out;
  for (const auto &pair : entry) {
    const auto key = pair.first.as<std::string>();
    if (key == "token") {
      const auto text = pair.second.as<std::string>();
      if (text.size() < 16) refuse_tokens(file, "want tokens of 16 characters or more, have a shorter one");
      out.digest = transports::sha256_hex(text);
    } else if (key == "sha256") {
      out.digest = pair.second.as<std::string>();
      if (out.digest.size() != 64 || out.digest.find_first_not_of("0123456789abcdef") != std::string::npos) {
        refuse_tokens(file, "sha256: want 64 hexadecimal digits in lower case");
      }
    } else if (key == "user") {
      out.whose.user = pair.second.as<std::string>();
    } else if (key == "groups") {
      out.whose.groups = pair.second.as<std::vector<std::string>>();
    } else if (key == "all") {
      out.whose.all = pair.second.as<bool>();
    } else {
      refuse_tokens(file, "unknown key '" + key + "'; one of: token, sha256, user, groups, all");
    }
  }
  out.whose.known = true;
  if (out.digest.empty()) refuse_tokens(file, "want token or sha256 in every entry");
  if (out.whose.user == "anonymous" || out.whose.user.empty()) refuse_tokens(file, "want a user in every entry");
  return out;
}

std::vector<token> tokens_of(const std::string &file) {
  std::vector<token> out;
  try {
    const YAML::Node all = YAML::LoadFile(file);
    if (!all.IsSequence()) refuse_tokens(file, "want a list of {token, user, groups, all}");
    for (const auto &entry : all) out.push_back(token_of(file, entry));
  } catch (const YAML::BadFile &) {
    refuse_tokens(file,
                  "want a file that can be read, have none; write it, or correct the name: it is relative to the "
                  "folder in which the scheduler was started");
  } catch (const YAML::Exception &e) {
    refuse_tokens(file, e.what());
  }
  return out;
}

}  // namespace

settings::settings(const sdk::config &from) {
  const std::string listen = from.text("listen", "127.0.0.1:9080");
  const size_t colon = listen.rfind(':');
  const std::string_view number =
      colon == std::string::npos ? std::string_view{} : std::string_view(listen).substr(colon + 1);
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), port);
  if (number.empty() || error != std::errc{} || end != number.data() + number.size()) {
    sdk::config::refuse("listen", "ADDRESS:PORT, as 127.0.0.1:9080 or [::1]:9080, have \"" + listen + "\"");
  }
  address = listen.substr(0, colon);
  if (address.starts_with('[') && address.ends_with(']')) address = address.substr(1, address.size() - 2);
  boost::system::error_code problem;
  const auto parsed = boost::asio::ip::make_address(address, problem);
  if (problem)
    sdk::config::refuse("listen",
                        "an IP address before the port, as 127.0.0.1 for this machine alone, have \"" + address + "\"");
  address_file = from.text("address_file", "");
  certificate = from.text("tls_certificate", "");
  key = from.text("tls_key", "");
  if (certificate.empty() != key.empty())
    sdk::config::refuse("tls_certificate", "both tls_certificate and tls_key, or none");
  tokens_file = from.text("tokens", "");
  if (!tokens_file.empty()) tokens = tokens_of(tokens_file);
  token_to_read = from.flag("token_to_read", false);
  if (token_to_read && tokens.empty()) sdk::config::refuse("token_to_read", "tokens, of which one could be sent");
  wide_open = from.flag("serve_everybody_without_tls_and_token", false);
  if (!parsed.is_loopback() && !(tls() && token_to_read) && !wide_open) {
    sdk::config::refuse("listen",
                        "a loopback address, or TLS (tls_certificate, tls_key) with token_to_read: true, or "
                        "serve_everybody_without_tls_and_token: true; have \"" +
                            listen + "\"");
  }
  origin = from.text("origin", "");
  hosts = from.texts("hosts", {});
  for (std::string &each : hosts) each = lower_case(each);
  hosts.emplace_back("localhost");
  std::array<char, 256> own{};
  if (gethostname(own.data(), own.size() - 1) == 0) hosts.push_back(lower_case(own.data()));
  const auto count = [&](std::string_view name, uint64_t otherwise, int64_t least, int64_t most) {
    return static_cast<uint64_t>(from.whole(name, static_cast<int64_t>(otherwise), least, most));
  };
  workers = count("workers", workers, 1, 256);
  most_connections = count("max_connections", most_connections, 1, 65'536);
  most_connections_of_client = count("max_connections_per_client", most_connections_of_client, 1, 65'536);
  most_streams = count("max_streams", most_streams, 0, 65'536);
  most_streams_of_client = count("max_streams_per_client", most_streams_of_client, 0, 65'536);
  requests_a_second = count("requests_per_second_per_client", requests_a_second, 0, 1'000'000);
  most_body = count("max_body_bytes", most_body, 1024, int64_t{1} << 30);
}

const identity *owner_of(const std::vector<token> &tokens, std::string_view text) {
  const std::string digest = transports::sha256_hex(text);
  const identity *found = nullptr;
  for (const token &one : tokens) {  // all of them, whichever it is: how long it takes says nothing
    if (CRYPTO_memcmp(one.digest.data(), digest.data(), digest.size()) == 0) found = &one.whose;
  }
  return found;
}

}  // namespace tenon::rest
