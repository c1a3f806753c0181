// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The transport tenon.grpc: one server for RMs of both dialects, and for those who administer it.
#include <memory>

#include "grpc_server.hpp"
#include "tenon/sdk/transport.hpp"
#include "tenon/transports/file_warnings.hpp"

namespace {

using namespace tenon;

class carrier {
 public:
  static constexpr std::string_view name = "grpc";

  explicit carrier(const sdk::config &from) : settings_(from) {}

  void init(sdk::host_services &host) {
    host_ = host;
    transports::warnings found;
    transports::look_at_secret("tls_key", settings_.key, found);
    transports::look_at_secret("admin_token_file", settings_.admin_token_file, found);
    transports::look_at_certificates("tls_certificate", settings_.certificate, found);
    transports::look_at_certificates("tls_client_ca", settings_.client_ca, found);
    for (const std::string &each : found) host_.log(TENON_LOG_WARNING, each);
  }

  void start(uint64_t transport) {
    server_ = std::make_unique<tenon::grpc_transport::server>(settings_, host_, transport);
  }

  void stop(std::chrono::milliseconds drain) {
    if (server_) server_->stop(drain);
    server_.reset();
  }

  // Not before start returned, nor after stop did.
  tenon_status deliver(const tenon_transport_deliver_in &answers, uint64_t &taken) {
    return server_ ? server_->deliver(answers, taken) : TENON_DECLINED;
  }

  void ended(tenon_rm_session session, uint32_t why) {
    if (server_) server_->ended(session, why);
  }

 private:
  tenon::grpc_transport::settings settings_;
  sdk::host_services host_;
  std::unique_ptr<tenon::grpc_transport::server> server_;
};

}  // namespace

TENON_MODULE(tenon::sdk::transport<carrier>)
