// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "loaded_transport.hpp"

#include <dlfcn.h>

#include <array>
#include <stdexcept>
#include <utility>

#include "tenon/sdk/error.hpp"

namespace tenon::testing {
namespace {

// Room for text_buffer of the module.
struct text_buffer {
  std::array<char, 4096> buffer{};
  tenon_message message{sizeof(tenon_message), static_cast<uint32_t>(buffer.size()), buffer.data(), 0};
  [[nodiscard]] std::string said() const { return {buffer.data(), message.length}; }
};

constexpr tenon_nothing nothing{sizeof(tenon_nothing), 0};

}  // namespace

loaded_transport::loaded_transport(const std::string &configuration,
                                   std::map<std::string, const void *, std::less<>> services)
    : services_(std::move(services)) {
  log_service_ = {sizeof log_service_, 0, write_log};
  host_.size = sizeof(tenon_host);
  host_.abi_epoch = TENON_ABI_EPOCH;
  host_.get_service = get_service;
  host_.owner = this;
  services_.emplace(TENON_HOST_LOG, &log_service_);
  void *library = dlopen(TENON_GRPC_MODULE, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (library == nullptr) throw std::runtime_error(dlerror());
  module_ = static_cast<const tenon_module *>(dlsym(library, TENON_MODULE_SYMBOL));
  const tenon_module_init_in init{sizeof init, TENON_ABI_EPOCH, &host_};
  module_->init(&init, nullptr);
  const tenon_get_factory_in wanted{sizeof wanted, 0, sdk::text(TENON_TRANSPORT)};
  tenon_get_factory_out found{sizeof found, 0, nullptr};
  if (module_->get_factory(&wanted, &found) != TENON_OK) throw std::runtime_error("no transport in the module");
  text_buffer said;
  tenon_create_in in{};
  in.size = sizeof in;
  in.configuration = sdk::text(configuration);
  in.host = &host_;
  made_.size = sizeof made_;
  made_.error = &said.message;
  if (found.factory->create(found.factory, &in, &made_) != TENON_OK ||
      made_.lifecycle->init(made_.instance, &nothing, &said.message) != TENON_OK ||
      made_.lifecycle->activate(made_.instance, &nothing, &said.message) != TENON_OK) {
    refusal_ = said.said();
    return;
  }
  slots_ = static_cast<const tenon_transport_v1 *>(made_.interface_table);
}

loaded_transport::~loaded_transport() {
  stop();
  if (slots_) made_.lifecycle->deactivate(made_.instance, &nothing, nullptr);
  if (made_.instance) made_.lifecycle->destroy(made_.instance, &nothing, nullptr);
  module_->deinit(&nothing, nullptr);
}

std::string loaded_transport::start(uint64_t transport) {
  text_buffer said;
  const tenon_transport_start_in in{sizeof in, 0, transport};
  if (slots_->start(made_.instance, &in, &said.message) != TENON_OK) return said.said();
  started_ = true;
  return "";
}

void loaded_transport::stop(uint32_t drain_ms) {
  if (!std::exchange(started_, false)) return;
  const tenon_transport_stop_in in{sizeof in, drain_ms};
  slots_->stop(made_.instance, &in, nullptr);
}

tenon_status loaded_transport::deliver(const tenon_transport_deliver_in &in, uint64_t &taken) {
  tenon_transport_deliver_out out{sizeof out, 0, 0};
  const tenon_status status = slots_->deliver(made_.instance, &in, &out);
  taken = out.taken;
  return status;
}

std::vector<std::string> loaded_transport::log() {
  const std::lock_guard lock(mutex_);
  return log_;
}

std::vector<std::string> loaded_transport::addresses() {
  constexpr std::string_view before = "listens on ";
  std::vector<std::string> out;
  for (const std::string &line : log()) {
    if (line.starts_with(before))
      out.push_back(line.substr(before.size(), line.find(' ', before.size()) - before.size()));
  }
  return out;
}

tenon_status loaded_transport::get_service(const tenon_host *self, const tenon_get_service_in *in,
                                           tenon_get_service_out *out) {
  const auto &services = static_cast<const host *>(self)->owner->services_;
  const auto at = services.find(sdk::view(in->id));
  out->service = at == services.end() ? nullptr : at->second;
  return out->service ? TENON_OK : TENON_UNSUPPORTED;
}

tenon_status loaded_transport::write_log(const tenon_host *self, const tenon_log_in *in) {
  loaded_transport &owner = *static_cast<const host *>(self)->owner;
  const std::lock_guard lock(owner.mutex_);
  owner.log_.emplace_back(sdk::view(in->line));
  return TENON_OK;
}

}  // namespace tenon::testing
