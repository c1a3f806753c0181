// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "ctl/events_command.hpp"

#include <algorithm>
#include <boost/json.hpp>
#include <chrono>
#include <ostream>
#include <thread>

#include "ctl/answer_fields.hpp"
#include "run/complain.hpp"
#include "run/text_table.hpp"
#include "tenon/text/utc.hpp"

namespace tenon::cli {
namespace {

namespace json = boost::json;
using answer_fields::text;

// An answer is waited for by the daemon. Where it came at once and brought nothing, too many wait there already; where
// it brought something, more is about to come.
constexpr std::chrono::milliseconds longest_wait{10'000}, follow_every{250}, breath{20};

json::object request_of(const events_options &o) {
  json::object out{{"command", "events"}};
  const auto put = [&](std::string_view key, const std::string &word) {
    if (!word.empty()) out[key] = word;
  };
  put("partition", o.partition);
  put("object", o.object);
  put("application", o.application);
  put("queue", o.queue);
  put("node", o.node);
  put("run", o.run);
  if (!o.types.empty()) out["types"] = json::array(o.types.begin(), o.types.end());
  if (o.limit != 0) out["limit"] = o.limit;
  if (o.since_ms != 0) out["since_ms"] = o.since_ms;
  if (o.until_ms != 0) out["until_ms"] = o.until_ms;
  return out;
}

void print(const json::array &records, bool as_json, bool titles, std::ostream &out) {
  if (as_json) {
    for (const json::value &one : records) out << json::serialize(one) << '\n';
    return;
  }
  table all({{"TIME"}, {"ID", true}, {"TYPE"}, {"CHANGE"}, {"DETAIL"}, {"OBJECT"}, {"REFERENCE"}, {"MESSAGE"}});
  for (const json::value &value : records) {
    const json::object &one = value.as_object();
    all.add({utc_text(one.at("time_ms").to_number<int64_t>()), std::to_string(one.at("id").to_number<uint64_t>()),
             text(one, "type"), text(one, "change"), text(one, "detail"), text(one, "object"), text(one, "reference"),
             text(one, "message")});
  }
  all.print(out, titles);
}

}  // namespace

int print_events(const events_options &o, std::ostream &out, std::ostream &err) {
  control_client client(o.choice);
  json::object request = request_of(o);
  if (o.follow && request.size() > 1) request["wait_ms"] = 0;  // what a filter names may be to come
  for (bool first = true;; first = false) {
    const auto asked = std::chrono::steady_clock::now();
    const control_answer answer = client.ask(request);
    if (const auto *no = std::get_if<no_answer>(&answer)) {
      complain(err, no->why);
      return static_cast<int>(no->code);
    }
    const auto &result = std::get<json::object>(answer);
    const json::array &records = result.at("records").as_array();
    if (const auto gone = result.at("gone").to_number<uint64_t>(); gone != 0)
      err << "tenon: " << gone << " records are gone before they were asked for\n";
    if (first && records.empty() && request.size() > 1 && !o.follow)
      err << "tenon: no record that is kept is like that; leave a filter out to see others\n";
    if (first || !records.empty()) print(records, o.as_json, first, out);
    out.flush();
    if (!o.follow || !out) return static_cast<int>(exit_code::ok);
    const std::string run = text(result, "run");
    const bool same_run = first || request.at("run").as_string() == run;
    request["run"] = run;
    request["first_id"] = same_run ? result.at("next_id") : json::value(1);
    request["limit"] = 1000;
    request["wait_ms"] = std::min<int64_t>(longest_wait.count(), o.choice.timeout_s * 500);
    request.erase("since_ms");
    if (first || result.at("more").as_bool()) continue;
    std::this_thread::sleep_until(asked + (records.empty() ? follow_every : breath));
  }
}

}  // namespace tenon::cli
