// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// A sink of event records from a plain struct:
//
//   struct to_pager {
//     static constexpr std::string_view name = "pager";
//     void emit(const event_batch &records) {
//       for (const event record : records) page(record.object(), record.message());
//     }
//   };
//   TENON_MODULE(tenon::sdk::event_sink<to_pager>)
//
// emit keeps all records of the batch or none; it may wait. It throws unavailable where it cannot keep them now (they
// come again) and declined where it never will. Optional: query (below); a constructor from const config & or const
// setup &; init(host_services &), activate(), deactivate().
//
//   uint64_t query(const event_query &wanted, const event_taker &take);
//
// gives take each record that fits, in the order in which they came, until take says false or wanted.limit of them are
// given; it returns from where the next query goes on (`wanted.after`), or 0 where there is no more. Records are
// borrowed: whoever keeps one copies it.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string_view>

#include "tenon/abi/event_sink.h"
#include "tenon/sdk/module.hpp"
#include "tenon/sdk/unavailable.hpp"

namespace tenon::sdk {

// Thrown by emit(): this batch is not for the sink, for this reason.
struct declined : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// One record; a view for the call.
class event {
 public:
  explicit event(const tenon_event_record &record) : record_(&record) {}

  [[nodiscard]] const tenon_event_record &raw() const { return *record_; }
  [[nodiscard]] uint64_t id() const { return record_->id; }
  [[nodiscard]] uint64_t last_id() const { return record_->last_id; }
  [[nodiscard]] bool is_loss() const { return type() == TENON_EVENT_SYSTEM && reason() == "EventsLost"; }
  [[nodiscard]] int64_t timestamp_ns() const { return record_->timestamp_ns; }
  [[nodiscard]] uint32_t type() const { return record_->type; }
  [[nodiscard]] uint32_t change() const { return record_->change; }
  [[nodiscard]] uint32_t detail() const { return record_->detail; }
  [[nodiscard]] std::string_view run() const { return view(record_->run); }
  [[nodiscard]] std::string_view partition() const { return view(record_->partition); }
  [[nodiscard]] std::string_view object() const { return view(record_->object); }
  [[nodiscard]] std::string_view reference() const { return view(record_->reference); }
  [[nodiscard]] std::string_view group() const { return view(record_->group); }
  [[nodiscard]] std::string_view reason() const { return view(record_->reason); }
  [[nodiscard]] std::string_view message() const { return view(record_->message); }
  [[nodiscard]] std::string_view application() const { return view(record_->application); }
  [[nodiscard]] std::string_view queue() const { return view(record_->queue); }
  [[nodiscard]] std::string_view node() const { return view(record_->node); }
  [[nodiscard]] uint32_t resource_count() const { return record_->resource_count; }
  [[nodiscard]] std::string_view resource_type(uint32_t i) const { return view(record_->resource_types[i]); }
  [[nodiscard]] int64_t resource_value(uint32_t i) const { return record_->resource_values[i]; }

 private:
  const tenon_event_record *record_;
};

// Records in the order of their ids.
class event_batch {
 public:
  explicit event_batch(const tenon_event_emit_in &in) : in_(&in) {}

  class iterator {
   public:
    iterator(const event_batch *batch, uint64_t at) : batch_(batch), at_(at) {}
    event operator*() const { return (*batch_)[at_]; }
    iterator &operator++() {
      ++at_;
      return *this;
    }
    bool operator==(const iterator &) const = default;

   private:
    const event_batch *batch_;
    uint64_t at_;
  };

  [[nodiscard]] uint64_t size() const { return in_->record_count; }
  [[nodiscard]] event operator[](uint64_t i) const {
    const char *first = reinterpret_cast<const char *>(in_->records);
    return event(*reinterpret_cast<const tenon_event_record *>(first + i * in_->record_stride));
  }
  [[nodiscard]] iterator begin() const { return {this, 0}; }
  [[nodiscard]] iterator end() const { return {this, size()}; }

 private:
  const tenon_event_emit_in *in_;
};

// What a query wants; empty texts and zeros ask for nothing.
struct event_query {
  uint32_t types = 0;  // 1 << type for each wanted
  std::string_view run, partition, object, application, queue, node;
  int64_t since_ns = 0, until_ns = 0;
  uint64_t first_id = 0, last_id = 0;
  uint64_t after = 0, limit = 0;
};

// All but `after` and `limit`.
[[nodiscard]] inline bool fits(const event_query &wanted, const event &record) {
  const auto same = [](std::string_view want, std::string_view have) { return want.empty() || want == have; };
  return (wanted.types == 0 || (record.type() < 32 && (wanted.types >> record.type() & 1U) != 0)) &&
         record.last_id() >= wanted.first_id && (wanted.last_id == 0 || record.id() <= wanted.last_id) &&
         record.timestamp_ns() >= wanted.since_ns &&
         (wanted.until_ns == 0 || record.timestamp_ns() < wanted.until_ns) && same(wanted.object, record.object()) &&
         same(wanted.application, record.application()) && same(wanted.queue, record.queue()) &&
         same(wanted.node, record.node()) && same(wanted.partition, record.partition()) &&
         same(wanted.run, record.run());
}

// Where the records of a query go.
class event_taker {
 public:
  explicit event_taker(const tenon_event_query_out &out) : out_(&out) {}
  // False: enough.
  bool operator()(const tenon_event_record &record) const { return out_->take(out_->taker, &record) == TENON_OK; }

 private:
  const tenon_event_query_out *out_;
};

namespace internal {

template <class P>
concept answers_queries = requires(P &policy, const event_query &wanted, const event_taker &take) {
  { policy.query(wanted, take) } -> std::convertible_to<uint64_t>;
};

template <class P>
struct sink_slots {
  // What a sink throws about its outside is said in the caller's words, and is no fault.
  template <class Body>
  static tenon_status run(tenon_instance *self, tenon_message *error, Body &&body) noexcept {
    return instance<P>::io(self, [&](P &policy) {
      try {
        body(policy);
        return TENON_OK;
      } catch (const unavailable &e) {
        explain(error, e.what());
        return TENON_RETRY;
      } catch (const declined &e) {
        explain(error, e.what());
        return TENON_DECLINED;
      }
    });
  }

  static tenon_status emit(tenon_instance *self, const tenon_event_emit_in *in, tenon_event_emit_out *out) noexcept {
    if (in == nullptr || out == nullptr || !TENON_COVERS(in, tenon_event_emit_in, record_count) ||
        !TENON_COVERS(out, tenon_event_emit_out, error)) {
      return TENON_UNSUPPORTED;
    }
    return run(self, out->error, [&](P &policy) { policy.emit(event_batch(*in)); });
  }

  static tenon_status query(tenon_instance *self, const tenon_event_query_in *in, tenon_event_query_out *out) noexcept {
    if (in == nullptr || out == nullptr || !TENON_COVERS(in, tenon_event_query_in, limit) ||
        !TENON_COVERS(out, tenon_event_query_out, error)) {
      return TENON_UNSUPPORTED;
    }
    return run(self, out->error, [&](P &policy) {
      const event_query wanted{
          in->types,      view(in->run), view(in->partition), view(in->object), view(in->application), view(in->queue),
          view(in->node), in->since_ns,  in->until_ns,        in->first_id,     in->last_id,           in->after,
          in->limit};
      out->next = policy.query(wanted, event_taker(*out));
    });
  }

  static constexpr tenon_event_sink_v1 make() {
    tenon_event_sink_v1 table{sizeof(tenon_event_sink_v1), 0, emit, nullptr};
    if constexpr (answers_queries<P>) table.query = query;
    return table;
  }
  static constexpr tenon_event_sink_v1 slots = make();
};

}  // namespace internal

template <class P>
struct event_sink {
  static constexpr std::string_view interface_id = TENON_EVENT_SINK;

  static tenon_description describe() noexcept { return internal::describe_common<P>(); }
  static tenon_status make(const tenon_create_in &in, tenon_create_out &out) noexcept {
    static_assert(
        requires(P & policy, const event_batch &records) { policy.emit(records); },
        "a sink has: void emit(const event_batch &records)");
    return internal::create<P>(in, out, internal::sink_slots<P>::slots, [](const P &) { return 0U; });
  }
};

}  // namespace tenon::sdk
