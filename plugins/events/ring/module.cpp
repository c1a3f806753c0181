// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The newest records, in memory: the oldest gives way.
#include <deque>
#include <string>
#include <vector>

#include "tenon/sdk/event_sink.hpp"

namespace {

using namespace tenon::sdk;

// A record with its texts, one after the other in `room`.
class kept_record {
 public:
  explicit kept_record(const tenon_event_record &from) : record_(from) {
    size_t bytes = 0;
    for_each_text(from, [&](const tenon_text &t) { bytes += t.length; });
    room_.reserve(bytes);
    types_.assign(from.resource_types, from.resource_types + from.resource_count);
    values_.assign(from.resource_values, from.resource_values + from.resource_count);
    for_each_text(record_, [&](tenon_text &t) { move_in(t); });
    for (tenon_text &t : types_) move_in(t);
  }

  kept_record(kept_record &&) = default;
  kept_record(const kept_record &) = delete;

  // Where the record lies now.
  [[nodiscard]] tenon_event_record view() const {
    tenon_event_record out = record_;
    out.resource_types = types_.data();
    out.resource_values = values_.data();
    return out;
  }

 private:
  template <class Record, class F>
  static void for_each_text(Record &record, F &&f) {
    for (auto *t : {&record.run, &record.partition, &record.object, &record.reference, &record.group, &record.reason,
                    &record.message, &record.application, &record.queue, &record.node})
      f(*t);
    if constexpr (std::is_const_v<Record>)
      for (uint32_t i = 0; i < record.resource_count; ++i) f(record.resource_types[i]);
  }
  void move_in(tenon_text &t) {
    const size_t at = room_.size();
    room_.insert(room_.end(), t.data, t.data + t.length);
    t.data = room_.data() + at;
  }

  tenon_event_record record_;
  std::vector<char> room_;  // never grows once reserved: texts point into it
  std::vector<tenon_text> types_;
  std::vector<int64_t> values_;
};

struct ring {
  static constexpr std::string_view name = "ring";

  explicit ring(const config &settings)
      : capacity_(static_cast<size_t>(settings.whole("capacity", 100'000, 1, 10'000'000))) {}

  void emit(const event_batch &records) {
    for (const event record : records) {
      if (kept_.size() == capacity_) {
        kept_.pop_front();
        ++first_;
      }
      kept_.emplace_back(record.raw());
    }
  }

  // Positions count what was ever kept, from 1.
  uint64_t query(const event_query &wanted, const event_taker &take) const {
    uint64_t given = 0;
    for (uint64_t at = std::max(wanted.after + 1, first_); at < first_ + kept_.size(); ++at) {
      const tenon_event_record record = kept_[at - first_].view();
      if (!fits(wanted, event(record))) continue;
      if (wanted.limit != 0 && given == wanted.limit) return at - 1;
      if (!take(record)) return at;
      ++given;
    }
    return 0;
  }

 private:
  size_t capacity_;
  uint64_t first_ = 1;  // position of the oldest record
  std::deque<kept_record> kept_;
};

}  // namespace

TENON_MODULE(event_sink<ring>)
