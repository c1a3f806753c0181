// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "listeners.hpp"

#include <sys/stat.h>

#include <cstring>
#include <fstream>
#include <iterator>

#include "tenon/sdk/unavailable.hpp"
#include "unix_socket.hpp"

namespace tenon::grpc_transport {
namespace {

std::shared_ptr<grpc::ServerCredentials> credentials(const settings &with) {
  if (with.certificate.empty()) return grpc::InsecureServerCredentials();
  grpc::SslServerCredentialsOptions options(with.client_ca.empty()
                                                ? GRPC_SSL_DONT_REQUEST_CLIENT_CERTIFICATE
                                                : GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY);
  options.pem_key_cert_pairs.push_back(
      {file_text(with.key, "tls_key"), file_text(with.certificate, "tls_certificate")});
  if (!with.client_ca.empty()) options.pem_root_certs = file_text(with.client_ca, "tls_client_ca");
  return grpc::SslServerCredentials(options);
}

}  // namespace

std::string file_text(const std::string &path, std::string_view key) {
  std::ifstream file(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (!file || text.empty()) {
    throw sdk::invalid_config(std::string(key) + ": want a file that can be read, have " + path + ": " +
                              std::strerror(errno) + "; give its path and the right to read it");
  }
  return text;
}

void add_listeners(const settings &with, grpc::ServerBuilder &builder, std::vector<int> &ports) {
  ports.assign(with.listen.size(), 0);
  const auto secured = credentials(with);
  for (size_t i = 0; i < with.listen.size(); ++i) {
    const std::string path = socket_path(with.listen[i]);
    if (path.empty()) {
      builder.AddListeningPort(with.listen[i], secured, &ports[i]);
    } else {
      check_socket(path);
      builder.AddListeningPort("unix:" + path, grpc::InsecureServerCredentials(), &ports[i]);
    }
  }
}

std::vector<std::string> opened_listeners(const settings &with, const std::vector<int> &ports) {
  std::vector<std::string> out;
  for (size_t i = 0; i < with.listen.size(); ++i) {
    const std::string &address = with.listen[i];
    const std::string path = socket_path(address);
    if (ports[i] == 0) {
      throw sdk::unavailable("listen: want " + address +
                             " to be free, have one that cannot be opened; see who listens "
                             "there, and whether this process may");
    }
    if (!path.empty() && chmod(path.c_str(), with.socket_mode) != 0) {
      throw sdk::unavailable("listen: want to set the mode of " + path + ", have: " + std::strerror(errno) +
                             "; choose a folder of this user");
    }
    out.push_back(path.empty() ? address.substr(0, address.rfind(':') + 1) + std::to_string(ports[i]) : address);
  }
  return out;
}

}  // namespace tenon::grpc_transport
