// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "tenon/events/record_batch.hpp"

#include <cstring>

namespace tenon::events {
namespace {

std::string_view view(const tenon_text &t) {
  return t.length == 0 ? std::string_view{} : std::string_view(t.data, t.length);
}

}  // namespace

tenon_text record_batch::keep(std::string_view text) {
  if (text.empty()) return {nullptr, 0};
  char *to = allocate<char>(text.size());
  std::memcpy(to, text.data(), text.size());
  return {to, text.size()};
}

tenon_event_record &record_batch::add(uint64_t id, std::string_view run) {
  if (view(run_) != run) run_ = keep(run);
  tenon_event_record &out = records_.emplace_back();
  out = {};
  out.size = sizeof out;
  out.id = out.last_id = id;
  out.run = run_;
  return out;
}

void record_batch::add_copy(const tenon_event_record &of) {
  tenon_event_record &out = add(of.id, view(of.run));
  const tenon_text run = out.run;
  out = of;
  out.size = sizeof out;
  out.run = run;
  for (tenon_text *t : {&out.partition, &out.object, &out.reference, &out.group, &out.reason, &out.message,
                        &out.application, &out.queue, &out.node})
    *t = keep(view(*t));
  auto *types = allocate<tenon_text>(of.resource_count);
  auto *values = allocate<int64_t>(of.resource_count);
  for (uint32_t i = 0; i < of.resource_count; ++i) {
    types[i] = keep(view(of.resource_types[i]));
    values[i] = of.resource_values[i];
  }
  out.resource_types = types;
  out.resource_values = values;
}

}  // namespace tenon::events
