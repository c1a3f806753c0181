// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Events that are kept, a batch at a time.
#include "event_json.hpp"
#include "handlers.hpp"
#include "views.hpp"

namespace tenon::rest {

namespace json = boost::json;

json::object event_json(const tenon_event_record &r) {
  object_writer out;
  out.put("type", int64_t{r.type});
  out.put("objectID", r.object);
  out.put("message", r.message);
  out.put("timestampNano", r.timestamp_ns);
  out.put("eventChangeType", int64_t{r.change});
  out.put("eventChangeDetail", int64_t{r.detail});
  out.put("referenceID", r.reference);
  if (r.resource_count != 0) {
    json::object amounts;
    for (uint32_t i = 0; i < r.resource_count; ++i) {
      object_writer value;
      value.put("value", r.resource_values[i]);
      amounts[view(r.resource_types[i])] = value.take();
    }
    out.always("resource", json::object{{"resources", std::move(amounts)}});
  }
  return out.take();
}

answer get_event_batch(const context &c) {
  constexpr uint64_t most = 10'000;
  constexpr std::string_view off = "Event tracking is disabled";
  constexpr std::string_view fix = "list a sink that answers questions in events of the deployment, as tenon.ring";
  if (c.use.events == nullptr) return error_answer(500, off, fix);
  const auto count_text = c.asked.asked("count");
  if (count_text && *count_text == "0")
    throw refused{400, "0 is not a valid value for \"count\"", "ask for 1 or more, or leave it out for 10000"};
  const uint64_t count = std::min(c.asked.number("count", 1, UINT64_MAX).value_or(most), most);
  const uint64_t start = c.asked.number("start", 0, UINT64_MAX).value_or(0);
  tenon_events_range_out range{};
  range.size = sizeof range;
  const tenon_status known = c.use.events->range(c.use.host, &range);
  if (known == TENON_UNSUPPORTED) return error_answer(500, off, fix);
  if (known != TENON_OK) refuse(known, "events cannot be read now");
  json::object out{{"InstanceUUID", view(range.run)},
                   {"LowestID", range.lowest_id},
                   {"HighestID", range.highest_id},
                   {"EventRecords", nullptr}};
  if (range.lowest_id > range.highest_id || start > range.highest_id || (start != 0 && start < range.lowest_id)) {
    return json_answer(out);
  }
  struct collector {
    json::array records;
  } kept;
  text_buffer why;
  tenon_event_query_in in{};
  in.size = sizeof in;
  in.run = range.run;
  in.first_id = std::max(start, range.lowest_id);
  in.limit = count;
  tenon_event_query_out query{};
  query.size = sizeof query;
  query.taker = &kept;
  query.error = why.out();
  query.take = [](void *taker, const tenon_event_record *r) {
    try {
      static_cast<collector *>(taker)->records.push_back(event_json(*r));
      return TENON_OK;
    } catch (...) {
      return TENON_INTERNAL;
    }
  };
  const tenon_status status = c.use.events->query(c.use.host, &in, &query);
  if (status != TENON_OK) refuse(status, why.text());
  out["EventRecords"] = std::move(kept.records);
  return json_answer(out);
}

}  // namespace tenon::rest
