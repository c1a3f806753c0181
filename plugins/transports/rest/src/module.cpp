// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// tenon.rest: what people and their tools see of the scheduler, and what they may change.
#include <memory>

#include "server.hpp"
#include "tenon/sdk/transport.hpp"
#include "tenon/transports/file_warnings.hpp"

namespace {

namespace rest = tenon::rest;
namespace sdk = tenon::sdk;

struct rest_transport {
  static constexpr std::string_view name = "rest";

  explicit rest_transport(const sdk::config &c) : settings_(c) {}

  void init(const sdk::host_services &host) {
    use_.host = host.handle();
    use_.log = host;
    use_.read = host.find<tenon_host_read>(TENON_HOST_READ);
    use_.events = host.find<tenon_host_events>(TENON_HOST_EVENTS);
    use_.metrics = host.find<tenon_host_metrics>(TENON_HOST_METRICS);
    use_.explain = host.find<tenon_host_explain>(TENON_HOST_EXPLAIN);
    use_.admin = host.find<tenon_host_admin>(TENON_HOST_ADMIN);
    tenon::transports::warnings found;
    tenon::transports::look_at_secret("tls_key", settings_.key, found);
    tenon::transports::look_at_secret("tokens", settings_.tokens_file, found);
    tenon::transports::look_at_certificates("tls_certificate", settings_.certificate, found);
    for (const std::string &each : found) host.log(TENON_LOG_WARNING, each);
  }

  void start(uint64_t) {
    server_ = std::make_unique<rest::server>(settings_, use_);
    server_->start();
  }
  void stop(std::chrono::milliseconds drain) {
    if (server_ != nullptr) server_->stop(drain);
    server_.reset();
  }
  // No RM comes in here.
  tenon_status deliver(const tenon_transport_deliver_in &, uint64_t &) { return TENON_DECLINED; }

 private:
  rest::settings settings_;
  rest::services use_;
  std::unique_ptr<rest::server> server_;
};

}  // namespace

TENON_MODULE(sdk::transport<rest_transport>)
