// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "listeners.hpp"

#include <sys/stat.h>

#include <cerrno>
#include <cstring>

#include "certificates.hpp"
#include "tcp_address.hpp"
#include "tenon/sdk/unavailable.hpp"
#include "unix_socket.hpp"

namespace tenon::grpc_transport {
namespace {

std::shared_ptr<grpc::ServerCredentials> credentials(const settings &with) {
  pem_texts texts = read_certificates(with);
  if (texts.certificate.empty()) return grpc::InsecureServerCredentials();
  grpc::SslServerCredentialsOptions options(texts.client_ca.empty()
                                                ? GRPC_SSL_DONT_REQUEST_CLIENT_CERTIFICATE
                                                : GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY);
  options.pem_key_cert_pairs.push_back({std::move(texts.key), std::move(texts.certificate)});
  options.pem_root_certs = std::move(texts.client_ca);
  return grpc::SslServerCredentials(options);
}

}  // namespace

void add_listeners(const settings &with, grpc::ServerBuilder &builder, std::vector<int> &ports) {
  ports.assign(with.listen.size(), 0);
  const auto secured = credentials(with);
  for (size_t i = 0; i < with.listen.size(); ++i) {
    const std::string path = socket_path(with.listen[i]);
    if (path.empty()) {
      check_tcp_address(with.listen[i]);
      builder.AddListeningPort(with.listen[i], secured, &ports[i]);
    } else {
      check_socket(path);
      builder.AddListeningPort("unix:" + path, grpc::InsecureServerCredentials(), &ports[i]);
    }
  }
}

void refuse_listeners(const settings &with, const std::vector<int> &ports) {
  for (size_t i = 0; i < ports.size(); ++i) {
    if (ports[i] != 0) continue;  // they are opened in turn, up to one that cannot be
    throw sdk::unavailable("listen: want " + with.listen[i] +
                           " to be free, have one that cannot be opened; see who listens there, this process under "
                           "another of the addresses or another one, and whether this process may");
  }
  throw sdk::unavailable("listen: want a server on all addresses, have one that gRPC does not start; see its log");
}

std::vector<std::string> opened_listeners(const settings &with, const std::vector<int> &ports) {
  std::vector<std::string> out;
  for (size_t i = 0; i < with.listen.size(); ++i) {
    const std::string &address = with.listen[i];
    const std::string path = socket_path(address);
    if (!path.empty() && chmod(path.c_str(), with.socket_mode) != 0) {
      throw sdk::unavailable("listen: want to set the mode of " + path + ", have: " + std::strerror(errno) +
                             "; choose a folder of this user");
    }
    out.push_back(path.empty() ? address.substr(0, address.rfind(':') + 1) + std::to_string(ports[i]) : address);
  }
  return out;
}

}  // namespace tenon::grpc_transport
