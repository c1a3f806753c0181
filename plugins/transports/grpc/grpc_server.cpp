// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "grpc_server.hpp"

#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>

#include "certificates.hpp"
#include "rm_stream.hpp"
#include "tenon/abi/host_metrics.h"
#include "tenon/sdk/unavailable.hpp"
#include "unary.hpp"
#include "unix_socket.hpp"

namespace tenon::grpc_transport {
namespace {

constexpr std::chrono::milliseconds farewell{500};  // for calls under way, once no RM waits for answers any more
// So long after the registry, which has an error of its own, whatever reads no first request ends.
constexpr std::chrono::seconds behind{5};

// Registrations and questions at one time, beside streams that have not said whose they are.
constexpr size_t single_calls = 64;

// Clients that were made from the schema as it is installed call the later methods here.
constexpr char later_path[] = "/tenon.si.v1later.Scheduler/";

const std::vector<std::string> own = {
    "si.v1.Scheduler",        "tenon.si.v1later.Scheduler", "tenon.v1.Admin",   "tenon.v1.Checks",
    "tenon.v1.Configuration", "tenon.v1.Recovery",          "tenon.v1.Reports", "tenon.v1.WhatIf"};

std::vector<std::string> with_standard(std::vector<std::string> names) {
  for (const char *each :
       {"grpc.health.v1.Health", "grpc.reflection.v1.ServerReflection", "grpc.reflection.v1alpha.ServerReflection"})
    names.emplace_back(each);
  return names;
}

limits limits_of(const settings &with) {
  limits out;
  out.connections = with.connections;
  out.connections_of_client = with.connections_of_client;
  out.strangers = with.unnamed_streams + single_calls;
  out.calls = with.rms * with.streams_per_rm + out.strangers;
  out.message = with.message_bytes;
  out.first_message = with.connect_timeout + behind;
  out.keepalive = with.keepalive;
  out.keepalive_timeout = with.keepalive_timeout;
  return out;
}

std::shared_ptr<SSL_CTX> tls(const settings &with) {
  const pem_texts texts = read_certificates(with);
  if (texts.certificate.empty()) return nullptr;
  try {
    return tls_of(texts);
  } catch (const std::runtime_error &e) {
    throw sdk::unavailable("tls_certificate, tls_key, tls_client_ca: want TLS with them, have: " +
                           std::string(e.what()));
  }
}

// Asks the host whether the scheduler does its work. Empty: that does not say.
std::function<bool()> well_of(const sdk::host_services &host) {
  const auto *metrics = host.find<tenon_host_metrics>(TENON_HOST_METRICS);
  if (metrics == nullptr) return {};
  return [metrics, handle = host.handle()] {
    tenon_metrics_open_in in{sizeof in, TENON_METRICS_HEALTH};
    tenon_metrics_open_out out{};
    out.size = sizeof out;
    if (metrics->open(handle, &in, &out) != TENON_OK) return true;  // too many ask at once
    const bool well = !TENON_COVERS(out.reading, tenon_reading, healthy) || out.reading->healthy != 0;
    const tenon_metrics_close_in close{sizeof close, 0, out.id};
    metrics->close(handle, &close);
    return well;
  };
}

}  // namespace

server::server(const settings &with, const sdk::host_services &host, uint64_t transport)
    : settings_(with),
      host_(host),
      log_("connection", [this](const std::string &line) { host_.log(TENON_LOG_WARNING, line); }),
      registry_(with, host_, transport),
      admin_(with, host),
      what_if_(with, host, registry_, admin_),
      health_(own, well_of(host)),
      reflection_(with_standard(own)),
      endpoint_(limits_of(with),
                {&methods_, &admin_.methods(), &what_if_.methods(), &health_.methods(), &reflection_.methods()}, log_) {
  add_methods();
  listen();
}

void server::listen() {
  std::vector<listener> all;
  for (const std::string &address : settings_.listen) {
    const std::string path = socket_path(address);
    if (!path.empty()) check_socket(path);
    all.push_back(path.empty() ? listen_on_tcp(address) : listen_on_unix(path, settings_.socket_mode));
  }
  std::vector<std::string> opened;
  const auto secured = tls(settings_);
  for (const listener &each : all) {
    opened.push_back("listens on " + each.address + (secured && each.path.empty() ? " with TLS" : ""));
  }
  endpoint_.open(std::move(all), secured);
  for (const std::string &each : opened) host_.log(TENON_LOG_INFO, each);
}

void server::add_methods() {
  for (const auto &[path, checks] : {std::pair{scheduler, false}, {later_path, false}, {checks_service, true}}) {
    methods_.add(std::string(path) + "RegisterResourceManager", settings_.message_bytes,
                 [this, checks = checks](std::unique_ptr<incoming> opened) {
                   begin_unary(&registry_.registering(), std::move(opened), {},
                               [this, checks](const call &from, std::string_view request, std::string &) {
                                 return register_rm(from, request, checks);
                               });
                 });
  }
  for (size_t i = 0; i < method_count; ++i) {
    const auto open = [this, i](std::unique_ptr<incoming> opened) {
      std::make_shared<stream>(registry_, i, std::move(opened))->open();
    };
    const method &each = stream_methods[i];
    methods_.add(std::string(each.service) + each.name, settings_.message_bytes, open);
    if (each.spoken == wire::dialect::later)
      methods_.add(std::string(later_path) + each.name, settings_.message_bytes, open);
  }
}

rpc_status server::register_rm(const call &from, std::string_view request, bool checks) {
  std::string refusal;
  size_t config_bytes = 0;
  if (!wire::is_moderate_registration(request, config_bytes, refusal))
    return status_of(status_code::invalid_argument, refusal);
  // One that is too large whoever it is of is not even taken apart.
  if (const rpc_status fits = registry_.may_configure(from, {}, config_bytes); !fits.ok()) return fits;
  // The later message has all that the first one has, under the same numbers.
  wire::arena arena;
  wire::batch batch;
  if (!wire::read(wire::schema_of(wire::dialect::later, "RegisterResourceManagerRequest"), request, arena, batch,
                  refusal)) {
    return status_of(status_code::invalid_argument, refusal);
  }
  const auto &registration = *reinterpret_cast<const tenon_rm_registration *>(batch.messages.front());
  const std::string rm(sdk::view(registration.rm));
  if (rm.empty()) return {status_code::invalid_argument, "want the RM's name, have none; set rmID"};
  const rpc_status may = registry_.may_speak_for(from, rm);
  if (!may.ok()) return may;
  const rpc_status fits = registry_.may_configure(from, rm, config_bytes);
  if (!fits.ok()) return fits;
  rpc_status entered = registry_.enter(registration, checks);
  if (entered.ok()) registry_.has_configured(from, rm, config_bytes);
  return entered;
}

void server::stop(std::chrono::milliseconds drain) {
  health_.stop_serving();
  reflection_.stop_serving();
  registry_.shut_down();
  registry_.wait_empty(drain);
  // Connections without a stream of an RM have nothing to wait for.
  endpoint_.shut_down(farewell);
}

}  // namespace tenon::grpc_transport
