// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "service_guards.hpp"

#include "path_names.hpp"
#include "views.hpp"

namespace tenon::rest {

void refuse(tenon_status status, std::string_view why, std::string fix) {
  const auto say = [&](std::string_view otherwise) { return std::string(why.empty() ? otherwise : why); };
  switch (status) {
    case TENON_DECLINED:
      throw refused{
          403, say("not allowed"),
          "ask somebody whom an adminacl of the queue, or of one above it, names, or whose token has all: true"};
    case TENON_UNRESOLVABLE:
      throw refused{404, say("not found"), std::move(fix)};
    case TENON_UNSCHEDULABLE:
      throw refused{409, say("not possible now"), std::move(fix)};
    case TENON_INVALID_CONFIG:
      throw refused{400, say("refused")};
    case TENON_RETRY:
    case TENON_EXHAUSTED:
      throw refused{503, say("the scheduler is busy"), "try again after a second"};
    case TENON_UNSUPPORTED:
      throw refused{501, say("this scheduler cannot do that")};
    default:
      throw refused{500, say("internal error")};
  }
}

snapshot::snapshot(const services &s, uint32_t wanted, std::string_view partition) : services_(s) {
  if (s.read == nullptr) throw refused{503, "the scheduler gives no snapshots"};
  text_buffer why;
  tenon_read_open_in in{};
  in.size = sizeof in;
  in.wanted = wanted;
  in.partition = sdk::text(partition);
  tenon_read_open_out out{};
  out.size = sizeof out;
  out.error = why.out();
  const tenon_status status = s.read->open(s.host, &in, &out);
  if (status != TENON_OK) refuse(status, why.text());
  id_ = out.snapshot;
  view_ = out.view;
}

snapshot::~snapshot() {
  const tenon_read_close_in in{sizeof in, 0, id_};
  services_.read->close(services_.host, &in);
}

template <class Open>
void reading::open(Open &&open) {
  text_buffer why;
  tenon_metrics_open_out out{};
  out.size = sizeof out;
  out.error = why.out();
  if (const tenon_status status = open(out); status != TENON_OK) refuse(status, why.text());
  id_ = out.id;
  reading_ = out.reading;
}

reading::reading(const services &s, uint32_t wanted) : services_(s) {
  if (s.metrics == nullptr) throw refused{503, "the scheduler gives no metrics"};
  const tenon_metrics_open_in in{sizeof in, wanted};
  open([&](tenon_metrics_open_out &out) { return s.metrics->open(s.host, &in, &out); });
}

reading::reading(const services &s, std::string_view partition, std::string_view queue) : services_(s) {
  if (s.metrics == nullptr || !TENON_COVERS(s.metrics, tenon_host_metrics, open_queue_curve))
    throw refused{503, "the scheduler keeps no history of queues"};
  const tenon_queue_curve_in in{sizeof in, 0, sdk::text(partition), sdk::text(queue)};
  open([&](tenon_metrics_open_out &out) { return s.metrics->open_queue_curve(s.host, &in, &out); });
}

reading::~reading() {
  const tenon_metrics_close_in in{sizeof in, 0, id_};
  services_.metrics->close(services_.host, &in);
}

std::string full_name(const services &s, std::string_view name) {
  const snapshot all(s, 0);
  nearest_name near(name);
  for (const auto &p : listed<tenon_view_partition>(all->partitions)) {
    near.look_at(view(p.short_name));
    if (view(p.short_name) == name || view(p.name) == name) return std::string(view(p.name));
  }
  throw near.not_found("Partition");
}

partition_view::partition_view(const services &s, std::string_view name, uint32_t wanted)
    : full_name_(full_name(s, name)), whole_(s, wanted, full_name_) {
  for (const auto &p : listed<tenon_view_partition>(whole_->partitions)) {
    if (view(p.name) == full_name_) partition_ = &p;
  }
  if (partition_ == nullptr) throw refused{404, "Partition not found", "it has gone while it was read"};
}

}  // namespace tenon::rest
