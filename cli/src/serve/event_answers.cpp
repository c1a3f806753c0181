// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "serve/event_answers.hpp"

#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <chrono>
#include <deque>
#include <string>
#include <thread>
#include <vector>

#include "tenon/config/problems.hpp"
#include "tenon/events/trigger.hpp"

namespace tenon::cli {
namespace {

namespace json = boost::json;

constexpr uint64_t usual_records = 100, most_records = 10'000;
constexpr std::chrono::seconds longest_wait{10};
constexpr std::chrono::milliseconds breath{10};  // between looks, where much happens that nobody asked for
constexpr uint32_t type_count = TENON_EVENT_USERGROUP + 1;

std::string_view view_of(const tenon_text &text) {
  return text.length == 0 ? std::string_view() : std::string_view(text.data, text.length);
}

json::object object_of(const tenon_event_record &r) {
  json::object resource;
  for (uint32_t i = 0; i < r.resource_count; ++i) resource[view_of(r.resource_types[i])] = r.resource_values[i];
  return {{"id", r.id},
          {"last_id", r.last_id},
          {"run", view_of(r.run)},
          {"time_ms", r.timestamp_ns / 1'000'000},
          {"type", events::type_name(r.type)},
          {"change", events::change_name(r.change)},
          {"detail", events::detail_name(r.detail)},
          {"partition", view_of(r.partition)},
          {"object", view_of(r.object)},
          {"reference", view_of(r.reference)},
          {"reason", view_of(r.reason)},
          {"group", view_of(r.group)},
          {"message", view_of(r.message)},
          {"application", view_of(r.application)},
          {"queue", view_of(r.queue)},
          {"node", view_of(r.node)},
          {"resource", std::move(resource)}};
}

// A filter's fields out of the request, and the texts that they borrow.
class wish {
 public:
  explicit wish(const json::object &request) : request_(request) { in_.size = sizeof in_; }

  tenon_text text(std::string_view key) const {
    const json::value *found = request_.if_contains(key);
    if (found == nullptr) return {nullptr, 0};
    const json::string &given = found->as_string();
    return {given.data(), given.size()};
  }
  template <class Number>
  Number number(std::string_view key) const {
    const json::value *found = request_.if_contains(key);
    return found == nullptr ? 0 : found->to_number<Number>();
  }

  std::optional<refusal> read() {
    if (const json::value *types = request_.if_contains("types"))
      for (const json::value &each : types->as_array())
        if (auto why = add_type(std::string_view(each.as_string()))) return why;
    in_.run = text("run");
    in_.partition = text("partition");
    if (const std::string_view partition = view_of(in_.partition); !partition.empty() && !partition.starts_with('['))
      return refusal{"partition", "its full name, [RM]NAME, as records have it", config::in_quotes(partition),
                     "`tenon ctl queues` shows full names"};
    in_.object = text("object");
    in_.application = text("application");
    in_.queue = text("queue");
    in_.node = text("node");
    in_.since_ns = number<int64_t>("since_ms") * 1'000'000;
    in_.until_ns = number<int64_t>("until_ms") * 1'000'000;
    in_.first_id = number<uint64_t>("first_id");
    return std::nullopt;
  }
  tenon_event_query_in &filter() { return in_; }

 private:
  std::optional<refusal> add_type(std::string_view word) {
    std::array<std::string_view, type_count> known;
    for (uint32_t i = 0; i < type_count; ++i) known[i] = events::type_name(i);
    const auto found = std::find(known.begin(), known.end(), word);
    if (found == known.end())
      return refusal{"types", "a type of events", config::in_quotes(word), config::suggestion(word, known)};
    in_.types |= 1U << static_cast<uint32_t>(found - known.begin());
    return std::nullopt;
  }

  const json::object &request_;
  tenon_event_query_in in_{};
};

struct taken {
  std::deque<json::object> records;
  uint64_t most = 0;
  bool last_ones = false, more = false;

  static tenon_status take(void *self, const tenon_event_record *record) {
    auto &to = *static_cast<taken *>(self);
    if (to.records.size() == to.most) {
      to.more = true;
      if (!to.last_ones) return TENON_DECLINED;
      to.records.pop_front();
    }
    to.records.push_back(object_of(*record));
    return TENON_OK;
  }
};

result<json::object> found_now(events::event_hub &hub, const json::object &request) {
  wish wanted(request);
  if (auto why = wanted.read()) return *why;
  tenon_event_query_in &filter = wanted.filter();
  tenon_events_range_out range{};
  range.size = sizeof range;
  if (hub.range(range) == TENON_UNSUPPORTED)
    return refusal{"events", "a sink that answers questions", "none in events of the deployment",
                   "list one that does, as tenon.ring, and restart the daemon"};
  taken to;
  to.last_ones = filter.first_id == 0;
  const uint64_t limit = wanted.number<uint64_t>("limit");
  to.most = std::min(limit == 0 ? usual_records : limit, most_records);
  std::array<char, 512> buffer{};
  tenon_message error{sizeof error, static_cast<uint32_t>(buffer.size()), buffer.data(), 0};
  tenon_event_query_out out{};
  out.size = sizeof out;
  out.take = taken::take;
  out.taker = &to;
  out.error = &error;
  do {
    filter.after = out.next;
    out.next = 0;
    const tenon_status status = hub.query(filter, out);
    if (to.more && !to.last_ones) break;
    if (status != TENON_OK)
      return refusal{"events", "a sink that answers",
                     error.length == 0 ? "one that cannot now" : std::string(buffer.data(), error.length),
                     "ask again; tenon ctl health says more"};
  } while (out.next != 0);
  uint64_t next = std::max(filter.first_id, range.highest_id + 1);
  if (!to.records.empty() && to.records.back().at("run").as_string() == view_of(range.run)) {
    const uint64_t after = to.records.back().at("last_id").to_number<uint64_t>() + 1;
    next = to.more && !to.last_ones ? after : std::max(next, after);
  }
  const uint64_t gone =
      filter.first_id != 0 && range.lowest_id > filter.first_id ? range.lowest_id - filter.first_id : 0;
  json::array records;
  for (json::object &one : to.records) records.push_back(std::move(one));
  return json::object{{"run", view_of(range.run)},
                      {"records", std::move(records)},
                      {"more", to.more},
                      {"next_id", next},
                      {"gone", gone}};
}

}  // namespace

result<json::object> events_json(events::event_hub &hub, json::object request, const std::atomic<bool> *given_up) {
  const auto wait = std::chrono::milliseconds(wish(request).number<uint32_t>("wait_ms"));
  const auto until = std::chrono::steady_clock::now() + std::min<std::chrono::milliseconds>(wait, longest_wait);
  for (;;) {
    auto found = found_now(hub, request);
    if (!found || given_up == nullptr || wait.count() == 0 || *given_up || !request.contains("first_id")) return found;
    const uint64_t next = found->at("next_id").to_number<uint64_t>();
    const bool other_run = request.contains("run") && request["run"] != found->at("run");
    const bool some = !found->at("records").as_array().empty() || found->at("gone").to_number<uint64_t>() != 0;
    if (some || other_run || !hub.wait_for(next, until, *given_up)) return found;
    request["first_id"] = next;
    std::this_thread::sleep_for(breath);
  }
}

}  // namespace tenon::cli
