// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "mqtt_settings.hpp"

#include <charconv>

namespace tenon::mqtt {
namespace {

using sdk::invalid_config;

void split_address(const std::string &address, std::string &host, int &port) {
  const size_t colon = address.rfind(':');
  host = address.substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  if (colon != std::string::npos) {
    const char *end = address.data() + address.size();
    const auto [last, error] = std::from_chars(address.data() + colon + 1, end, port);
    if (error != std::errc() || last != end) port = 0;
  }
  const bool is_bare_v6 = host.find(':') != std::string::npos && address.front() != '[';
  if (host.empty() || is_bare_v6 || port < 1 || port > 65'535)
    throw invalid_config("broker: want HOST:PORT or [V6]:PORT, have \"" + address + "\"; write 127.0.0.1:1883");
}

void want_together(const char *key, const std::string &one, const char *other_key, const std::string &other) {
  if (one.empty() || !other.empty()) return;
  throw invalid_config(std::string(other_key) + ": want a file, have none, while " + key + " is set; set both");
}

std::chrono::milliseconds duration(const sdk::config &from, std::string_view key, int64_t otherwise, int64_t least) {
  return std::chrono::milliseconds(from.whole(key, otherwise, least, 3'600'000));
}

size_t count(const sdk::config &from, std::string_view key, int64_t otherwise, int64_t least, int64_t most) {
  return static_cast<size_t>(from.whole(key, otherwise, least, most));
}

}  // namespace

settings::settings(const sdk::config &from)
    : topics(from.text("topics", "tenon")),
      client_id(from.text("client_id", "tenon-scheduler")),
      user(from.text("user", "")),
      password_file(from.text("password_file", "")),
      ca(from.text("tls_ca", "")),
      certificate(from.text("tls_certificate", "")),
      key(from.text("tls_key", "")),
      connect_timeout(duration(from, "connect_timeout_ms", 5'000, 1)),
      retry(duration(from, "retry_ms", 1'000, 10)),
      ask_again(duration(from, "ask_again_ms", 10'000, 10)),
      keepalive(duration(from, "keepalive_ms", 20'000, 5'000)),
      rms(count(from, "max_rms", 64, 1, 100'000)),
      message_bytes(count(from, "max_message_bytes", 4 << 20, 1 << 10, 268'435'455)),
      queue_bytes(count(from, "queue_bytes", 1 << 20, 1 << 12, 1 << 30)) {
  split_address(from.text("broker", "127.0.0.1:1883"), host, port);
  want_together("tls_key", key, "tls_certificate", certificate);
  want_together("tls_certificate", certificate, "tls_key", key);
  want_together("tls_certificate", certificate, "tls_ca", ca);
  want_together("password_file", password_file, "user", user);
}

}  // namespace tenon::mqtt
