// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "rm_events.hpp"

#include <pthread.h>

#include "tenon/host/thread_role.hpp"
#include "tenon/kernel/partition_name.hpp"
#include "translate.hpp"

namespace tenon::service {
namespace {

constexpr uint64_t most_waiting = 10'000;
constexpr uint64_t most_at_once = 256;
constexpr uint32_t wait_ms = 100;

}  // namespace

rm_events::rm_events(events::event_hub &hub, teller tell) : hub_(hub), tell_(std::move(tell)) {
  const tenon_events_subscribe_in in{sizeof in, 0, most_waiting, 0, nullptr, nullptr};
  tenon_events_subscribe_out out{sizeof out, 0, 0};
  if (hub_.subscribe(in, out) != TENON_OK) return;
  subscription_ = out.subscription;
  thread_ = std::thread([this] { run(); });
}

rm_events::~rm_events() {
  if (subscription_ != 0) hub_.unsubscribe(subscription_);
  if (thread_.joinable()) thread_.join();
}

void rm_events::run() {
  const host::role_guard io(host::thread_role::io);
  pthread_setname_np(pthread_self(), "tenon-rm-events");
  const tenon_events_take_in in{sizeof in, wait_ms, subscription_, most_at_once};
  for (;;) {
    kept_.clear();
    memory_.reset();
    tenon_events_take_out out{sizeof out, 0, keep, this, 0};
    const tenon_status status = hub_.take(in, out);
    if (!kept_.empty()) tell_(kept_);
    if (status != TENON_OK) return;
  }
}

// Records about no RM's partition are people's alone.
tenon_status rm_events::keep(void *context, const tenon_event_record *record) {
  auto &self = *static_cast<rm_events *>(context);
  const auto partition = read_partition_name(view_of(record->partition));
  if (!partition) return TENON_OK;
  const auto copied = [&](const tenon_text &from) {
    const std::string_view kept = self.memory_.copy(view_of(from));
    return tenon_text{kept.data(), kept.size()};
  };
  event_for_rm out{self.memory_.copy(partition->rm), {}};
  out.event.size = sizeof out.event;
  out.event.type = TENON_RM_EVENT;
  out.event.object = copied(record->object);
  out.event.group = copied(record->group);
  out.event.reference = copied(record->reference);
  out.event.reason = copied(record->reason);
  out.event.words = copied(record->message);
  out.event.at_ns = record->timestamp_ns;
  out.event.of = record->type;
  out.event.change = record->change;
  out.event.change_detail = record->detail;
  const auto types = self.memory_.array<tenon_text>(record->resource_count);
  const auto values = self.memory_.array<int64_t>(record->resource_count);
  for (uint32_t i = 0; i < record->resource_count; ++i) {
    types[i] = copied(record->resource_types[i]);
    values[i] = record->resource_values[i];
  }
  out.event.resources = {types.data(), values.data(), record->resource_count, 1};
  self.kept_.push_back(out);
  return TENON_OK;
}

}  // namespace tenon::service
