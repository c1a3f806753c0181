// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "record_maker.hpp"

#include <algorithm>
#include <map>
#include <string>

#include "tenon/events/trigger.hpp"
#include "tenon/kernel/messages.hpp"
#include "texts.hpp"

namespace tenon::events {
namespace {

std::string amounts_text(const queued_amounts &amounts) {
  amount_map named;
  amounts.for_each([&](std::string_view type, int64_t amount) { named.emplace(type, amount); });
  return messages::amounts(named);
}

std::string field(const queued_fact &from, std::string_view name) {
  const fact &what = from.what;
  if (name == "key") return std::string(what.key);
  if (name == "application") return std::string(what.application);
  if (name == "node") return std::string(what.node);
  if (name == "queue") return std::string(what.queue);
  if (name == "other_queue") return std::string(what.other_queue);
  if (name == "text") return std::string(what.text);
  if (name == "flag") return what.flag ? "true" : "false";
  return amounts_text(name == "available" ? from.available : from.amounts);
}

std::string filled_in(std::string_view pattern, const queued_fact &from) {
  std::string out;
  while (!pattern.empty()) {
    const size_t open = pattern.find('{');
    out += pattern.substr(0, open);
    if (open == std::string_view::npos) break;
    const size_t close = pattern.find('}', open);
    out += field(from, pattern.substr(open + 1, close - open - 1));
    pattern.remove_prefix(close + 1);
  }
  return out;
}

std::string message_of(const trigger &row, const queued_fact &from) {
  const fact &what = from.what;
  if (row.kind != fact_kind::preempted) return row.message.empty() ? std::string{} : filled_in(row.message, from);
  if (what.other_key.empty()) {
    return "Preempted by Quota change enforcement process in " + std::string(what.other_queue);
  }
  return "Preempted by " + std::string(what.other_key) + " from application " + std::string(what.other_application) +
         " in " + std::string(what.other_queue);
}

uint32_t number_of(application_state s) {
  switch (s) {
    case application_state::new_:
      return 203;
    case application_state::accepted:
      return 204;
    case application_state::starting:
      return 205;
    case application_state::running:
      return 206;
    case application_state::completing:
      return 207;
    case application_state::completed:
      return 208;
    case application_state::failing:
      return 209;
    case application_state::failed:
      return 210;
    case application_state::resuming:
      return 211;
    case application_state::expired:
      return 212;
    case application_state::rejected:
      return 202;
  }
  return 0;
}

uint32_t number_of(const fact &what) {
  if (what.flag) return 504;
  switch (what.why) {
    case termination::preempted_by_scheduler:
      return 501;
    case termination::timeout:
      return 502;
    case termination::placeholder_replaced:
      return 503;
    default:
      return 500;
  }
}

uint32_t detail_of(const trigger &row, const fact &what) {
  switch (row.rule) {
    case detail_by::number:
      return row.detail;
    case detail_by::state:
      return number_of(what.state);
    case detail_by::release:
      return number_of(what);
    case detail_by::ask_end:
      return what.why == termination::timeout ? 102 : 100;
    case detail_by::queue_kind:
      return what.flag ? 0 : 401;
    case detail_by::hold:
      return row.detail + (what.flag ? 2 : 0);
  }
  return 0;
}

uint32_t change_of(const trigger &row, const fact &what) {
  if (row.change == add_by_flag) return what.flag ? TENON_EVENT_ADD : TENON_EVENT_REMOVE;
  if (row.change == set_by_flag) return what.flag ? TENON_EVENT_SET : TENON_EVENT_REMOVE;
  return row.change;
}

// The texts of a fact, each kept once for all of its records.
struct kept_texts {
  kept_texts(record_batch &to, const fact &what)
      : all{tenon_text{nullptr, 0}, to.keep(what.application), to.keep(what.key),   to.keep(what.node),
            to.keep(what.queue),    to.keep(what.user),        to.keep(what.group), to.keep(what.partition)} {}
  [[nodiscard]] tenon_text of(source s) const { return all[static_cast<size_t>(s)]; }
  tenon_text all[8];
};

}  // namespace

void add_records(record_batch &to, const queued_fact &from, std::string_view run) {
  const fact &what = from.what;
  const kept_texts texts(to, what);
  const tenon_text *types = nullptr;
  const int64_t *values = nullptr;
  const uint32_t count = from.amounts.count();
  if (count != 0) {
    std::pair<std::string_view, int64_t> sorted[64];
    uint32_t at = 0;
    from.amounts.for_each([&](std::string_view type, int64_t amount) { sorted[at++] = {type, amount}; });
    std::sort(sorted, sorted + at);
    auto *type_memory = to.allocate<tenon_text>(count);
    auto *value_memory = to.allocate<int64_t>(count);
    for (uint32_t i = 0; i < count; ++i) {
      type_memory[i] = to.keep(sorted[i].first);
      value_memory[i] = sorted[i].second;
    }
    types = type_memory;
    values = value_memory;
  }
  uint64_t id = from.first_id;
  for (const trigger &row : triggers_of(what.kind)) {
    if (row.only_with_group && what.group.empty()) continue;
    tenon_event_record &out = to.add(id++, run);
    out.type = row.type;
    out.timestamp_ns = what.now_ms * 1'000'000;
    out.change = change_of(row, what);
    out.detail = detail_of(row, what);
    out.partition = texts.of(source::partition);
    out.object = texts.of(row.object);
    out.reference = texts.of(row.reference);
    out.group = texts.of(row.group);
    out.reason = {row.reason.data(), row.reason.size()};
    out.message = to.keep(shortened(message_of(row, from)));
    out.application = texts.of(source::application);
    out.queue = texts.of(source::queue);
    out.node = texts.of(source::node);
    if (!row.resource) continue;
    out.resource_types = types;
    out.resource_values = values;
    out.resource_count = count;
  }
}

void add_loss(record_batch &to, uint64_t first, uint64_t last, std::string_view run, int64_t timestamp_ns,
              std::string_view why) {
  tenon_event_record &out = to.add(first, run);
  out.last_id = last;
  out.type = TENON_EVENT_SYSTEM;
  out.timestamp_ns = timestamp_ns;
  out.reason = {"EventsLost", 10};
  out.message =
      to.keep("events " + std::to_string(first) + ".." + std::to_string(last) + " are lost: " + std::string(why));
}

}  // namespace tenon::events
