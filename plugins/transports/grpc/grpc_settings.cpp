// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "grpc_settings.hpp"

#include <charconv>
#include <set>
#include <string_view>

#include "certificates.hpp"
#include "files.hpp"
#include "unix_socket.hpp"

namespace tenon::grpc_transport {
namespace {

using sdk::invalid_config;

// One address may be written as a text.
std::vector<std::string> addresses(const sdk::config &from) {
  try {
    return {from.text("listen", "127.0.0.1:9444")};
  } catch (const invalid_config &) {
    return from.texts("listen", {});
  }
}

bool is_loopback(std::string_view address) {
  const size_t colon = address.rfind(':');
  std::string_view host = address.substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  return host == "localhost" || host == "::1" ||
         (host.starts_with("127.") && host.find_first_not_of("0123456789.") == std::string_view::npos);
}

void check_address(const std::string &address, bool open_to_all) {
  if (!socket_path(address).empty()) return;
  const size_t colon = address.rfind(':');
  const std::string_view host = std::string_view(address).substr(0, colon);
  const bool bare_v6 = host.find(':') != std::string_view::npos && !(host.starts_with('[') && host.ends_with(']'));
  uint32_t port = 65'536;
  if (colon != std::string::npos && colon > 0 && !bare_v6) {
    const char *end = address.data() + address.size();
    const auto [last, error] = std::from_chars(address.data() + colon + 1, end, port);
    if (error != std::errc() || last != end) port = 65'536;
  }
  if (port > 65'535) {
    throw invalid_config("listen: want HOST:PORT, [V6]:PORT or unix:PATH, have \"" + address +
                         "\"; write 127.0.0.1:9444, or unix:/run/tenon/tenon.sock");
  }
  if (open_to_all && !is_loopback(address)) {
    throw invalid_config("listen: want a loopback address while clients need no certificate, have \"" + address +
                         "\"; set tls_certificate, tls_key and tls_client_ca, or write insecure_listen: true to let "
                         "everyone in who reaches this address");
  }
}

void check_once(const std::vector<std::string> &listen) {
  std::set<std::string> seen;
  for (const std::string &address : listen) {
    const std::string path = socket_path(address);
    if (!seen.insert(path.empty() ? address : path).second) {
      throw invalid_config("listen: want each address once, have \"" + address + "\" twice; leave one out");
    }
  }
}

// What is wrong with them is said before anything starts. The start reads them again.
void check_files(const settings &with) {
  for (const std::string &address : with.listen) {
    if (const std::string path = socket_path(address); !path.empty()) check_socket_path(path);
  }
  read_certificates(with);
  token_in(with.admin_token_file);
}

uint32_t mode_of(const std::string &octal) {
  uint32_t mode = 0;
  const auto [last, error] = std::from_chars(octal.data(), octal.data() + octal.size(), mode, 8);
  if (error != std::errc() || last != octal.data() + octal.size() || mode > 0777) {
    throw invalid_config("socket_mode: want an octal mode up to 0777, have \"" + octal + "\"; write \"0660\"");
  }
  return mode;
}

size_t count(const sdk::config &from, std::string_view key, int64_t otherwise, int64_t least, int64_t most) {
  return static_cast<size_t>(from.whole(key, otherwise, least, most));
}

std::chrono::milliseconds duration(const sdk::config &from, std::string_view key, int64_t otherwise, int64_t least) {
  return std::chrono::milliseconds(from.whole(key, otherwise, least, 86'400'000));
}

}  // namespace

std::string socket_path(const std::string &address) {
  constexpr std::string_view scheme = "unix:";
  if (!address.starts_with(scheme)) return "";
  std::string path = address.substr(scheme.size());
  if (path.starts_with("///")) path = path.substr(2);
  return path;
}

settings::settings(const sdk::config &from)
    : listen(addresses(from)),
      socket_mode(mode_of(from.text("socket_mode", "0600"))),
      certificate(from.text("tls_certificate", "")),
      key(from.text("tls_key", "")),
      client_ca(from.text("tls_client_ca", "")),
      admin_token_file(from.text("admin_token_file", "")),
      admin_certificates(from.texts("admin_certificates", {})),
      connections(count(from, "max_connections", 1'024, 1, 65'536)),
      connections_of_client(count(from, "max_connections_per_client", 256, 1, 65'536)),
      rms(count(from, "max_rms", 64, 1, 100'000)),
      streams_per_rm(count(from, "max_streams_per_rm", 7, 1, 1'000)),
      unnamed_streams(count(from, "max_unnamed_streams", 448, 1, 100'000)),
      anonymous_config(count(from, "max_anonymous_config", 40 << 10, 0, 1 << 30)),
      message_bytes(count(from, "max_message_bytes", 4 << 20, 1 << 10, 1 << 30)),
      queue_bytes(count(from, "queue_bytes", 1 << 20, 1 << 12, 1 << 30)),
      settle_bytes(count(from, "settle_bytes", 512 << 10, 0, 1 << 30)),
      connect_timeout(duration(from, "connect_timeout_ms", 30'000, 1)),
      keepalive(duration(from, "keepalive_ms", 20'000, 1'000)),
      keepalive_timeout(duration(from, "keepalive_timeout_ms", 10'000, 100)) {
  if (listen.empty()) throw invalid_config("listen: want an address, have none; write 127.0.0.1:9444");
  if (certificate.empty() != key.empty()) {
    throw invalid_config("tls_certificate and tls_key: want both or none, have one; set the other");
  }
  if (!client_ca.empty() && certificate.empty()) {
    throw invalid_config("tls_client_ca: want tls_certificate and tls_key beside it, have none; set them");
  }
  if (!admin_certificates.empty() && client_ca.empty()) {
    throw invalid_config(
        "admin_certificates: want tls_client_ca beside it, have none; name who signs the certificates of clients");
  }
  const bool open_to_all = client_ca.empty() && !from.flag("insecure_listen", false);
  for (const std::string &address : listen) check_address(address, open_to_all);
  check_once(listen);
  check_files(*this);
}

}  // namespace tenon::grpc_transport
