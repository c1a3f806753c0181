// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// A hub over a sink in the test itself.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <mutex>
#include <vector>

#include "tenon/events/event_hub.hpp"

namespace tenon::testing {

inline std::string owned(const tenon_text &t) { return t.length == 0 ? std::string() : std::string(t.data, t.length); }

struct seen_record {
  uint64_t id, last_id;
  uint32_t type, change, detail;
  std::string object, reference, group, reason, message, application, queue, node, partition;
  std::vector<std::pair<std::string, int64_t>> resource;
  int64_t timestamp_ns;

  explicit seen_record(const tenon_event_record &r)
      : id(r.id),
        last_id(r.last_id),
        type(r.type),
        change(r.change),
        detail(r.detail),
        object(owned(r.object)),
        reference(owned(r.reference)),
        group(owned(r.group)),
        reason(owned(r.reason)),
        message(owned(r.message)),
        application(owned(r.application)),
        queue(owned(r.queue)),
        node(owned(r.node)),
        partition(owned(r.partition)),
        timestamp_ns(r.timestamp_ns) {
    for (uint32_t i = 0; i < r.resource_count; ++i)
      resource.emplace_back(owned(r.resource_types[i]), r.resource_values[i]);
  }
};

// What all instances of a sink in the test share.
struct sink_in_test {
  std::mutex mutex;
  std::vector<seen_record> seen;
  uint32_t made = 0;
  // Asked before each batch is kept; the status of emit.
  std::function<tenon_status()> answer = [] { return TENON_OK; };

  host::listed_module listed();
  std::vector<seen_record> all() {
    const std::lock_guard lock(mutex);
    return seen;
  }
};

inline host::listed_module sink_in_test::listed() {
  struct bound : host::bound_module {
    explicit bound(sink_in_test &of) {
      static constexpr tenon_event_sink_v1 table{sizeof table, 0, emit, nullptr};
      instance = reinterpret_cast<tenon_instance *>(&of);
      sink = &table;
    }
    static tenon_status emit(tenon_instance *self, const tenon_event_emit_in *in, tenon_event_emit_out *out) {
      auto &to = *reinterpret_cast<sink_in_test *>(self);
      const tenon_status status = to.answer();
      if (status != TENON_OK) {
        static constexpr std::string_view text = "as the test says";
        std::copy(text.begin(), text.end(), out->error->data);
        out->error->length = text.size();
        return status;
      }
      const std::lock_guard lock(to.mutex);
      for (uint64_t i = 0; i < in->record_count; ++i) to.seen.emplace_back(in->records[i]);
      return TENON_OK;
    }
  };
  return {"test.sink", "test", [this]() -> result<std::unique_ptr<host::bound_module>> {
            ++made;
            return std::unique_ptr<host::bound_module>(std::make_unique<bound>(*this));
          }};
}

inline std::unique_ptr<events::event_hub> started(std::vector<host::listed_module> sinks,
                                                  events::hub_options options = {}) {
  auto hub = events::event_hub::start(std::move(sinks), std::move(options));
  if (!hub) throw std::runtime_error(hub.why().text());
  return std::move(*hub);
}

}  // namespace tenon::testing
