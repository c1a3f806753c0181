// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "services_impl.hpp"
#include "tenon/host/offered_service.hpp"
#include "view_text.hpp"

namespace tenon::observe {
namespace {

services::impl *self(const tenon_host *host) {
  return static_cast<services::impl *>(host::service_context(host, TENON_HOST_METRICS));
}

tenon_status hand_over(services::impl &s, std::shared_ptr<const metrics_view> made, tenon_metrics_open_out &out) {
  out.reading = &made->flat;
  out.id = s.readings.keep(std::move(made));
  if (out.id != 0) return TENON_OK;
  out.reading = nullptr;
  say(out.error, "too many readings are open");
  return TENON_EXHAUSTED;
}

tenon_status open_reading(const tenon_host *host, const tenon_metrics_open_in *in, tenon_metrics_open_out *out) {
  services::impl *s = self(host);
  if (s == nullptr || in == nullptr || out == nullptr || !TENON_COVERS(in, tenon_metrics_open_in, wanted) ||
      !TENON_COVERS(out, tenon_metrics_open_out, error)) {
    return TENON_UNSUPPORTED;
  }
  return hand_over(*s, s->metrics.read(in->wanted), *out);
}

tenon_status open_queue_curve(const tenon_host *host, const tenon_queue_curve_in *in, tenon_metrics_open_out *out) {
  services::impl *s = self(host);
  if (s == nullptr || in == nullptr || out == nullptr || !TENON_COVERS(in, tenon_queue_curve_in, queue) ||
      !TENON_COVERS(out, tenon_metrics_open_out, error)) {
    return TENON_UNSUPPORTED;
  }
  return hand_over(*s, s->metrics.read_queue_curve(text(in->partition), text(in->queue)), *out);
}

tenon_status close_reading(const tenon_host *host, const tenon_metrics_close_in *in) {
  services::impl *s = self(host);
  if (s == nullptr || in == nullptr || !TENON_COVERS(in, tenon_metrics_close_in, id)) return TENON_UNSUPPORTED;
  return s->readings.close(in->id) ? TENON_OK : TENON_UNSUPPORTED;
}

}  // namespace

const tenon_host_metrics &metrics_table() {
  static constexpr tenon_host_metrics table{sizeof(tenon_host_metrics), 0, open_reading, close_reading,
                                            open_queue_curve};
  return table;
}

}  // namespace tenon::observe
