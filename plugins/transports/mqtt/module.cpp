// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The transport tenon.mqtt: RMs by way of a message broker.
#include <memory>

#include "exchange.hpp"
#include "tenon/sdk/transport.hpp"
#include "tenon/transports/file_warnings.hpp"

namespace {

using namespace tenon;

class carrier {
 public:
  static constexpr std::string_view name = "mqtt";

  explicit carrier(const sdk::config &from) : settings_(from) {}

  void init(sdk::host_services &host) {
    host_ = host;
    transports::warnings found;
    transports::look_at_secret("tls_key", settings_.key, found);
    transports::look_at_secret("password_file", settings_.password_file, found);
    transports::look_at_certificates("tls_certificate", settings_.certificate, found);
    transports::look_at_certificates("tls_ca", settings_.ca, found);
    if (!settings_.password_file.empty() && settings_.ca.empty())
      found.push_back(
          "password_file: want a connection that nobody reads, have none (no tls_ca): the password goes to " +
          settings_.host + " as it is; set tls_ca, unless only this machine sees it");
    for (const std::string &each : found) host_.log(TENON_LOG_WARNING, each);
  }

  void start(uint64_t transport) {
    auto made = std::make_unique<mqtt::exchange>(settings_, host_, transport);
    made->start();
    exchange_ = std::move(made);
  }

  void stop(std::chrono::milliseconds drain) {
    if (exchange_) exchange_->stop(drain);
    exchange_.reset();
  }

  // Not before start returned, nor after stop did.
  tenon_status deliver(const tenon_transport_deliver_in &answers, uint64_t &taken) {
    return exchange_ ? exchange_->deliver(answers, taken) : TENON_DECLINED;
  }

  void ended(tenon_rm_session session, uint32_t why) {
    if (exchange_) exchange_->ended(session, why);
  }

 private:
  mqtt::settings settings_;
  sdk::host_services host_;
  std::unique_ptr<mqtt::exchange> exchange_;
};

}  // namespace

TENON_MODULE(tenon::sdk::transport<carrier>)
