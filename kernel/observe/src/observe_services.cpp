// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "tenon/observe/observe_services.hpp"

#include <algorithm>
#include <cstring>

#include "services_impl.hpp"
#include "tenon/host/offered_service.hpp"

namespace tenon::observe {

void say(tenon_message *to, std::string_view text) {
  if (to == nullptr || to->data == nullptr) return;
  to->length = std::min<uint64_t>(text.size(), to->capacity);
  std::memcpy(to->data, text.data(), to->length);
}

snapshot_keeper::clock::time_point deadline(uint32_t timeout_ms) {
  return snapshot_keeper::clock::now() + std::chrono::milliseconds(timeout_ms == 0 ? 10'000 : timeout_ms);
}

services::services(kernel_access &to, host::module_host &modules, std::chrono::milliseconds memory,
                   uint64_t most_objects)
    : impl_(std::make_unique<impl>(to, modules, memory, most_objects)) {}
services::~services() = default;

void services::offer() {
  impl_->modules.offer({TENON_HOST_READ, &read_table(), impl_.get()});
  impl_->modules.offer({TENON_HOST_EXPLAIN, &explain_table(), impl_.get()});
  impl_->modules.offer({TENON_HOST_METRICS, &metrics_table(), impl_.get()});
  impl_->modules.offer({TENON_HOST_ADMIN, &admin_table(), impl_.get()});
}

health_checks &services::health() { return impl_->health; }
void services::close() {
  impl_->copies.close();
  impl_->health.close();
  impl_->metrics.close();
}
administration &services::admin() { return impl_->admin; }

std::shared_ptr<const kernel_snapshot> services::look(uint32_t wanted, std::string_view partition,
                                                      std::chrono::milliseconds within) {
  auto view = impl_->keeper.get(wanted, partition, snapshot_keeper::clock::now() + within);
  if (view == nullptr) return nullptr;
  const kernel_snapshot *state = &view->state;
  return {std::move(view), state};
}

bool services::explain(std::string_view partition, std::string_view application, std::string_view key,
                       std::chrono::milliseconds within, std::optional<explanation> &out) {
  refusal unmeant;
  return impl_->explain(partition, application, key, snapshot_keeper::clock::now() + within, out, unmeant);
}

void services::count(std::span<const decision_view> decisions, const kernel &k) { impl_->metrics.count(decisions, k); }
void services::cycle_took(double seconds, uint64_t decisions) { impl_->metrics.cycle_took(seconds, decisions); }

namespace {

tenon_status open_snapshot(const tenon_host *host, const tenon_read_open_in *in, tenon_read_open_out *out) {
  auto *s = static_cast<services::impl *>(host::service_context(host, TENON_HOST_READ));
  if (s == nullptr || in == nullptr || out == nullptr || !TENON_COVERS(in, tenon_read_open_in, partition) ||
      !TENON_COVERS(out, tenon_read_open_out, error)) {
    return TENON_UNSUPPORTED;
  }
  if ((in->wanted & ~TENON_READ_ALL) != 0) {
    say(out->error, "want parts of a snapshot that this scheduler knows");
    return TENON_UNSUPPORTED;
  }
  const uint32_t timeout = TENON_COVERS(in, tenon_read_open_in, timeout_ms) ? in->timeout_ms : 0;
  auto view = s->keeper.get(in->wanted, view_of(in->partition), deadline(timeout));
  if (view == nullptr) {
    say(out->error, "there is no snapshot now, try again");
    return TENON_RETRY;
  }
  out->view = &view->view;
  out->snapshot = s->views.keep(std::move(view));
  if (out->snapshot != 0) return TENON_OK;
  out->view = nullptr;
  say(out->error, "too many snapshots are open");
  return TENON_EXHAUSTED;
}

tenon_status close_snapshot(const tenon_host *host, const tenon_read_close_in *in) {
  auto *s = static_cast<services::impl *>(host::service_context(host, TENON_HOST_READ));
  if (s == nullptr || in == nullptr || !TENON_COVERS(in, tenon_read_close_in, snapshot)) return TENON_UNSUPPORTED;
  return s->views.close(in->snapshot) ? TENON_OK : TENON_UNSUPPORTED;
}

}  // namespace

const tenon_host_read &read_table() {
  static constexpr tenon_host_read table{sizeof(tenon_host_read), 0, open_snapshot, close_snapshot};
  return table;
}

}  // namespace tenon::observe
