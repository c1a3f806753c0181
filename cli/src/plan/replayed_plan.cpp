// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "plan/replayed_plan.hpp"

#include <algorithm>
#include <boost/json.hpp>
#include <cmath>
#include <map>
#include <ostream>
#include <set>
#include <unordered_map>
#include <utility>

#include "diff/comparison.hpp"
#include "diff/recorded_load.hpp"
#include "run/engine.hpp"
#include "run/formats.hpp"
#include "run/text_table.hpp"

namespace tenon::cli {
namespace {

namespace json = boost::json;

constexpr size_t most_named = 5;  // of asks that are not placed any more
constexpr double ms_an_hour = 3'600'000;

std::vector<never_placed> never_any_more(const side_run &now, const side_run &then) {
  std::set<std::string_view> placed;
  for (const placement &one : then.placements()) placed.insert(one.ask);
  std::vector<never_placed> out;
  std::set<std::string_view> told;
  for (const placement &one : now.placements()) {
    if (placed.contains(one.ask) || !told.insert(one.ask).second) continue;
    out.push_back({shown_ask(one.ask), one.queue});
  }
  return out;
}

template <class Value>
Value value_in(const std::map<std::string, Value> &of, const std::string &name) {
  const auto found = of.find(name);
  return found == of.end() ? Value() : found->second;
}

std::set<std::string> queues_of(const replayed_plan &of) {
  std::set<std::string> out;
  for (const replayed_side *side : {&of.now, &of.then}) {
    for (const auto &[queue, waits] : side->figures.waits) out.insert(queue);
    for (const auto &[queue, share] : side->figures.shares)
      if (share > 0) out.insert(queue);
    for (const auto &[queue, evicted] : side->figures.evicted) out.insert(queue);
  }
  return out;
}

std::string arrow(const std::string &a, const std::string &b) { return a == b ? a : a + " -> " + b; }

std::string part_text(double part) { return std::isnan(part) ? "-" : decimal(part * 100, 1) + "%"; }

std::string waits_text(const spread &a, const spread &b, figure spread::*part) {
  const auto text = [&](const spread &of) {
    if (of.count() == 0) return std::string("-");
    return ((of.*part).at_least ? ">" : "") + decimal((of.*part).value, 1);
  };
  return arrow(text(a), text(b));
}

// Of a queue, or of all.
struct row {
  std::string name;
  spread waits_now, waits_then;
  evicted_figures evicted_now, evicted_then;
  double share_now = std::nan(""), share_then = std::nan("");
};

std::vector<row> rows_of(const replayed_plan &of) {
  const window_figures &a = of.now.figures, &b = of.then.figures;
  std::vector<row> out;
  out.push_back({"all", a.all_waits, b.all_waits, a.all_evicted, b.all_evicted});
  for (const std::string &queue : queues_of(of)) {
    out.push_back({queue, value_in(a.waits, queue), value_in(b.waits, queue), value_in(a.evicted, queue),
                   value_in(b.evicted, queue), value_in(a.shares, queue), value_in(b.shares, queue)});
  }
  return out;
}

json::object json_of(const spread &waits, const evicted_figures &evicted, double share) {
  json::array at_least;
  json::object seconds;
  for (const auto &[name, one] :
       {std::pair{"p50", waits.p50}, std::pair{"p90", waits.p90}, std::pair{"p99", waits.p99}}) {
    seconds[name] = waits.count() == 0 ? json::value(nullptr) : json::value(one.value);
    if (one.at_least) at_least.emplace_back(name);
  }
  seconds["at_least"] = std::move(at_least);
  return {{"placed", waits.over},
          {"never_placed", waits.open},
          {"waiting_seconds", std::move(seconds)},
          {"evictions", evicted.count},
          {"lost_seconds", evicted.lost_s},
          {"share", std::isnan(share) ? json::value(nullptr) : json::value(share)}};
}

struct changed_wait {
  std::string queue;
  std::string_view percentile;  // by which it changed
  std::string text;
};

// Queues that wait longer, or shorter, than they did: by the first of p90, p99 and p50 that is another one.
std::vector<changed_wait> changed_waits(const replayed_plan &of, bool longer) {
  std::vector<changed_wait> out;
  for (const row &one : rows_of(of)) {
    if (one.name == "all" || one.waits_now.count() == 0 || one.waits_then.count() == 0) continue;
    for (const auto &[name, part] :
         {std::pair{"p90", &spread::p90}, std::pair{"p99", &spread::p99}, std::pair{"p50", &spread::p50}}) {
      const double now = (one.waits_now.*part).value, then = (one.waits_then.*part).value;
      if (now == then) continue;
      if ((then > now) == longer) out.push_back({one.name, name, waits_text(one.waits_now, one.waits_then, part)});
      break;
    }
  }
  return out;
}

void print_never(std::ostream &out, const std::vector<never_placed> &never) {
  out << "  asks that ran and would not: " << never.size() << ", as";
  for (size_t i = 0; i < std::min(never.size(), most_named); ++i)
    out << (i == 0 ? " " : ", ") << never[i].ask << " of " << never[i].queue;
  out << '\n';
}

json::value number_or_null(double value) { return std::isnan(value) ? json::value(nullptr) : json::value(value); }

json::object json_of(const replayed_side &side) {
  json::object use;
  for (const auto &[type, part] : side.figures.use) use[type] = part;
  return {{"jain", number_or_null(side.figures.jain)},
          {"utilisation", std::move(use)},
          {"placed", side.figures.placed},
          {"rejected", side.rejected}};
}

}  // namespace

result<replayed_plan> replay_plan(std::string_view journal, const cluster_config &config, const replay_wish &wish,
                                  policy_source &policies) {
  const engine_factory make_engine = kernel_factory();
  const auto load = read_recorded_load(journal, make_engine(policies));
  if (!load) return load.why();
  replayed_plan out;
  out.from_ms = load->first_ms;
  out.to_ms = load->last_ms;
  side_configuration changed;
  changed.config = config;
  changed.rm = wish.rm;
  const double last_ms = wish.hours.value_or(0) * ms_an_hour;
  if (wish.hours && last_ms < static_cast<double>(load->last_ms - load->first_ms)) {
    out.is_whole = false;
    changed.from_ms = out.from_ms = load->last_ms - static_cast<int64_t>(last_ms);
  }
  side_run now, then;
  if (const auto refused = now.play(*load, {}, make_engine(policies), {})) {
    return refusal{"the journal", "a recording that can be played again", *refused,
                   "name the deployment that it was recorded with"};
  }
  if (auto refused = then.play(*load, changed, make_engine(policies), {})) {
    out.refused = std::move(*refused);
    for (const threshold &one : wish.thresholds)
      out.thresholds.push_back({one.text(), {std::nan(""), std::nan(""), false}});
    return out;
  }
  measure by = measure_of(now, then, 1);
  by.first_ms = std::max(by.first_ms, out.from_ms);
  out.to_ms = by.last_ms;
  out.now = {figure_side(now, by).whole, now.summary().rejected};
  out.then = {figure_side(then, by).whole, then.summary().rejected};
  out.never = never_any_more(now, then);
  auto checked = check_all(wish.thresholds, out.now.figures, out.then.figures);
  if (!checked) return checked.why();
  out.thresholds = std::move(*checked);
  return out;
}

void print(std::ostream &out, const replayed_plan &of) {
  const double hours = static_cast<double>(of.to_ms - of.from_ms) / ms_an_hour;
  out << "\nplayed again, " << (of.is_whole ? "all " : "the last ") << decimal(hours, 2)
      << " hours: as it was -> with the new configuration\n";
  if (!of.refused.empty()) {
    out << "  the reload would have been refused then: " << of.refused << '\n';
    print_verdict(out, of.thresholds, "now", "then");
    return;
  }
  table rows({{"  QUEUE"},
              {"WAITS P50, s", true},
              {"P90", true},
              {"P99", true},
              {"NEVER PLACED", true},
              {"EVICTED", true},
              {"SHARE", true}});
  for (const row &one : rows_of(of)) {
    rows.add({"  " + one.name, waits_text(one.waits_now, one.waits_then, &spread::p50),
              waits_text(one.waits_now, one.waits_then, &spread::p90),
              waits_text(one.waits_now, one.waits_then, &spread::p99),
              arrow(std::to_string(one.waits_now.open), std::to_string(one.waits_then.open)),
              arrow(std::to_string(one.evicted_now.count), std::to_string(one.evicted_then.count)),
              arrow(part_text(one.share_now), part_text(one.share_then))});
  }
  rows.print(out);
  for (const bool longer : {true, false}) {
    out << "  waits " << (longer ? "longer: " : "shorter: ");
    const std::vector<changed_wait> queues = changed_waits(of, longer);
    for (const changed_wait &one : queues)
      out << (&one == queues.data() ? "" : ", ") << one.queue << " (" << one.percentile << ' ' << one.text << " s)";
    out << (queues.empty() ? "no queue\n" : "\n");
  }
  out << "  Jain index of shares " << arrow(part_text(of.now.figures.jain), part_text(of.then.figures.jain));
  for (const auto &[type, part] : of.now.figures.use)
    out << ", use of " << type << ' ' << arrow(part_text(part), part_text(value_in(of.then.figures.use, type)));
  out << ", refused " << arrow(std::to_string(of.now.rejected), std::to_string(of.then.rejected)) << '\n';
  if (!of.never.empty()) print_never(out, of.never);
  print_verdict(out, of.thresholds, "now", "then");
}

json::object json_of(const replayed_plan &of) {
  json::object out{{"from_ms", of.from_ms},
                   {"to_ms", of.to_ms},
                   {"whole", of.is_whole},
                   {"refused", of.refused.empty() ? json::value(nullptr) : json::value(of.refused)},
                   {"thresholds", json_of(of.thresholds, "now", "then")},
                   {"passed", all_passed(of.thresholds)}};
  if (!of.refused.empty()) return out;
  json::array queues, never;
  for (const row &one : rows_of(of)) {
    json::object both{{"now", json_of(one.waits_now, one.evicted_now, one.share_now)},
                      {"then", json_of(one.waits_then, one.evicted_then, one.share_then)}};
    if (one.name == "all") {
      out["all"] = std::move(both);
      continue;
    }
    both["queue"] = one.name;
    queues.push_back(std::move(both));
  }
  for (const never_placed &one : of.never) never.push_back(json::object{{"ask", one.ask}, {"queue", one.queue}});
  out["queues"] = std::move(queues);
  out["now"] = json_of(of.now);
  out["then"] = json_of(of.then);
  out["no_longer_placed"] = std::move(never);
  for (const bool longer : {true, false}) {
    json::array names;
    for (const changed_wait &one : changed_waits(of, longer)) names.emplace_back(one.queue);
    out[longer ? "waits_longer" : "waits_shorter"] = std::move(names);
  }
  return out;
}

}  // namespace tenon::cli
