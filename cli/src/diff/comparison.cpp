// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "diff/comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <cmath>
#include <ostream>

#include "diff/policy_words.hpp"
#include "run/formats.hpp"
#include "run/text_table.hpp"

namespace tenon::cli {
namespace {

namespace json = boost::json;

std::string seconds_text(const figure &of) { return (of.at_least ? ">" : "") + decimal(of.value, 1); }
std::string part_text(double part) { return std::isnan(part) ? "-" : decimal(part * 100, 1) + "%"; }

template <class Value>
Value value_or_none(const std::map<std::string, Value> &of, const std::string &name) {
  const auto found = of.find(name);
  return found == of.end() ? Value() : found->second;
}

void add_waits(std::vector<figure_row> &to, const std::string &queue, const spread &a, const spread &b) {
  for (const auto &[name, part] :
       {std::pair{"p50", &spread::p50}, std::pair{"p90", &spread::p90}, std::pair{"p99", &spread::p99}}) {
    to.push_back(
        {"waiting " + std::string(name) + ", " + queue, seconds_text(a.*part) + " s", seconds_text(b.*part) + " s"});
  }
}

void print_side(std::ostream &out, const char *name, const compared_side &side) {
  out << name << ": ";
  const char *between = "";
  for (const auto &[what, how] : side.settings) {
    out << between << what << ' ' << how;
    between = ", ";
  }
  out << '\n';
}

void print_first(std::ostream &out, const comparison &of) {
  if (!of.first) {
    out << "\nall " << of.a.run.marks().size() << " decisions are equal\n";
    return;
  }
  out << "\nfirst difference: decision " << of.first->decision << ", after "
      << decimal(static_cast<double>(of.first->at_ms - of.by.first_ms) / 1000.0, 3) << " s\n";
  print_reason(out, "a", of.first->a);
  print_reason(out, "b", of.first->b);
}

void print_realigned(std::ostream &out, const comparison &of) {
  if (!of.realigned) return;
  const realigned_decisions &r = *of.realigned;
  out << "\nsame state, other decision: " << words_of(r) << '\n';
  for (const first_difference &one : r.first) {
    out << "  moment " << one.decision << ", after "
        << decimal(static_cast<double>(one.at_ms - of.by.first_ms) / 1000.0, 3) << " s\n";
    print_reason(out, "a", one.a);
    print_reason(out, "b", one.b);
  }
}

void print_placings(std::ostream &out, const comparison &of) {
  const placing_differences &p = of.placings;
  out << "\nallocations: " << p.same << " equal, " << p.other_time << " at another time, " << p.other_node
      << " on another node, " << p.only_a << " by a alone, " << p.only_b << " by b alone\n";
  for (const placing_difference &one : p.first) {
    out << "  " << shown_ask(one.known().ask) << ": a " << shown_place(one.a, of.by.first_ms) << "; b "
        << shown_place(one.b, of.by.first_ms) << '\n';
  }
}

void print_rows(std::ostream &out, const std::vector<figure_row> &rows) {
  for (const figure_row &row : rows) {
    out << "  " << row.name << std::string(row.name.size() < 36 ? 36 - row.name.size() : 0, ' ');
    for (const std::string *side : {&row.a, &row.b}) {
      out << ' ' << std::string(side->size() < 14 ? 14 - side->size() : 0, ' ') << *side;
    }
    out << '\n';
  }
}

json::value number_or_null(double value) { return std::isnan(value) ? json::value(nullptr) : json::value(value); }

json::object json_of(const spread &w) {
  json::array at_least;
  json::object out{{"placed", w.over}, {"never_placed", w.open}};
  for (const auto &[name, one] : {std::pair{"p50", w.p50}, std::pair{"p90", w.p90}, std::pair{"p99", w.p99}}) {
    out[name] = one.value;
    if (one.at_least) at_least.emplace_back(name);
  }
  out["at_least"] = std::move(at_least);
  return out;
}

json::object json_of(const evicted_figures &e) { return {{"count", e.count}, {"lost_seconds", e.lost_s}}; }

json::object json_of(const window_figures &f) {
  json::object waits, evicted, use;
  for (const auto &[queue, w] : f.waits) waits[queue] = json_of(w);
  for (const auto &[queue, e] : f.evicted) evicted[queue] = json_of(e);
  for (const auto &[type, u] : f.use) use[type] = u;
  return {{"from_seconds", f.from_s},
          {"to_seconds", f.to_s},
          {"placed", f.placed},
          {"waiting_seconds", std::move(waits)},
          {"waiting_seconds_of_all", json_of(f.all_waits)},
          {"jain", number_or_null(f.jain)},
          {"scattered", number_or_null(f.scattered)},
          {"largest_group", f.group},
          {"evictions", std::move(evicted)},
          {"evictions_of_all", json_of(f.all_evicted)},
          {"utilisation", std::move(use)}};
}

json::object json_of(const compared_side &side) {
  json::object settings;
  for (const auto &[what, how] : side.settings) settings[what] = how;
  json::array windows, modules;
  for (const window_figures &one : side.figures.windows) windows.push_back(json_of(one));
  for (const host::module_counters &one : side.calls) {
    modules.push_back(
        json::object{{"module", one.id},
                     {"provides", one.name},
                     {"calls", one.calls},
                     {"faults", one.faults},
                     {"nanoseconds_a_call",
                      one.measured == 0 ? json::value(nullptr) : json::value(one.measured_ns / one.measured)}});
  }
  const double decisions = static_cast<double>(std::max<uint64_t>(side.run.step_decisions(), 1));
  return {{"settings", std::move(settings)},
          {"decisions", side.run.marks().size()},
          {"pending", side.run.summary().pending},
          {"rejected", side.run.summary().rejected},
          {"whole", json_of(side.figures.whole)},
          {"windows", std::move(windows)},
          {"cost", json::object{{"step_decisions", side.run.step_decisions()},
                                {"scheduling_seconds", side.run.step_seconds()},
                                {"microseconds_a_decision", side.run.step_seconds() * 1e6 / decisions},
                                {"modules", std::move(modules)}}}};
}

json::value json_of(const placement *of) {
  if (of == nullptr) return nullptr;
  return json::object{{"at_ms", of->at_ms}, {"node", of->node}, {"queue", of->queue}};
}

json::object json_of(const amount_map &amounts) {
  json::object out;
  for (const auto &[type, amount] : amounts) out[type] = amount;
  return out;
}

json::object json_of(const policy_answer &said) {
  json::array key;
  for (const uint64_t word : said.key)
    key.push_back(json::object{{"word", hex_digits(word)}, {"number", number_in(word)}});
  json::object columns;
  for (const auto &[column, value] : said.columns) columns[column] = value;
  const auto text_or_null = [](const std::string &text) {
    return text.empty() ? json::value(nullptr) : json::value(text);
  };
  const bool is_held = said.not_before_ms != INT64_MIN, is_open = said.not_before_ms == TENON_NOT_NOW;
  return {{"kind", entry_of(said.kind).name()},
          {"policy", said.policy},
          {"among", text_or_null(said.among)},
          {"ask", text_or_null(said.ask)},
          {"item", said.item},
          {"failed", said.failed},
          {"key", std::move(key)},
          {"left_out", is_held},
          {"left_out_until_ms", is_held && !is_open ? json::value(said.not_before_ms) : json::value(nullptr)},
          {"verdict", text_or_null(said.verdict)},
          {"reason", text_or_null(said.reason)},
          {"columns", std::move(columns)}};
}

}  // namespace

void print_reason(std::ostream &out, const char *name, const side_reason &of) {
  out << "  " << name << ": " << (of.decision.empty() ? "decides no more" : of.decision) << '\n';
  for (const auto &[what, how] : of.policies) out << "     " << what << ": " << how << '\n';
  for (const seen_ask &ask : of.asks) {
    out << "     " << ask.application << '/' << ask.key << ", " << ask.why.before << " before it: ";
    for (const char c : ask.why.text) out << (c == '\n' ? ' ' : c);
    out << '\n';
  }
  for (const auto *seen : {&of.nodes, &of.queues}) {
    for (const seen_amounts &one : *seen) {
      out << "     " << one.name << ':';
      for (const auto &[column, amounts] : one.columns) out << ' ' << column << ' ' << words_of(amounts) << ';';
      out << '\n';
    }
  }
  for (const policy_answer &one : of.said) out << "     " << words_of(one) << '\n';
}

json::object json_of(const side_reason &of) {
  json::object policies, nodes, queues;
  json::array asks, said;
  for (const policy_answer &one : of.said) said.push_back(json_of(one));
  for (const auto &[what, how] : of.policies) policies[what] = how;
  for (const seen_ask &one : of.asks) {
    asks.push_back(json::object{
        {"application", one.application}, {"key", one.key}, {"before", one.why.before}, {"why", one.why.text}});
  }
  for (const auto &[seen, to] : {std::pair{&of.nodes, &nodes}, std::pair{&of.queues, &queues}}) {
    for (const seen_amounts &one : *seen) {
      json::object columns;
      for (const auto &[column, amounts] : one.columns) columns[column] = json_of(amounts);
      (*to)[one.name] = std::move(columns);
    }
  }
  return {{"decision", of.decision.empty() ? json::value(nullptr) : json::value(of.decision)},
          {"policies", std::move(policies)},
          {"asks", std::move(asks)},
          {"nodes", std::move(nodes)},
          {"queues", std::move(queues)},
          {"said", std::move(said)}};
}

std::string words_of(const amount_map &amounts) {
  std::string out;
  for (const auto &[type, amount] : amounts) out += (out.empty() ? "" : ", ") + type + " " + amount_text(type, amount);
  return out.empty() ? "nothing" : out;
}

std::string shown_ask(const std::string &ask_name) {
  const size_t partition = ask_name.find('\x1f'), application = ask_name.find('\x1f', partition + 1);
  return ask_name.substr(partition + 1, application - partition - 1) + "/" + ask_name.substr(application + 1);
}

std::string shown_place(const placement *of, int64_t first_ms) {
  if (of == nullptr) return "not at all";
  return of->node + " after " + decimal(static_cast<double>(of->at_ms - first_ms) / 1000.0, 3) + " s";
}

std::string words_of(const realigned_decisions &of) {
  std::string out =
      fmt::format("at {} moments of a, one after {} decisions each, b decides the same {} times, otherwise {} times",
                  of.moments, of.every, of.same, of.other());
  if (of.refused > 0) out += ", and its configuration is refused " + std::to_string(of.refused) + " times";
  return out;
}

bool comparison::passed() const { return all_passed(thresholds); }

std::vector<figure_row> figure_rows(const window_figures &a, const window_figures &b, const measure &by) {
  std::vector<figure_row> out;
  out.push_back({"placed", std::to_string(a.placed), std::to_string(b.placed)});
  const auto never = [](const window_figures &of) { return std::to_string(of.all_waits.open); };
  out.push_back({"never placed", never(a), never(b)});
  add_waits(out, "all", a.all_waits, b.all_waits);
  for (const std::string &queue : names_of_both(a.waits, b.waits)) {
    add_waits(out, queue, value_or_none(a.waits, queue), value_or_none(b.waits, queue));
  }
  for (const std::string &type : names_of_both(a.use, b.use)) {
    out.push_back({"use of " + type, part_text(value_or_none(a.use, type)), part_text(value_or_none(b.use, type))});
  }
  out.push_back({"Jain index of dominant shares", part_text(a.jain), part_text(b.jain)});
  out.push_back({"scattered " + by.type, part_text(a.scattered), part_text(b.scattered)});
  out.push_back({"largest group", decimal(a.group, 1), decimal(b.group, 1)});
  const auto evicted = [&](const std::string &of, const evicted_figures &one, const evicted_figures &other) {
    out.push_back({"evictions" + of, std::to_string(one.count), std::to_string(other.count)});
    out.push_back({"lost run time" + of, decimal(one.lost_s, 1) + " s", decimal(other.lost_s, 1) + " s"});
  };
  evicted("", a.all_evicted, b.all_evicted);
  for (const std::string &queue : names_of_both(a.evicted, b.evicted)) {
    evicted(", " + queue, value_or_none(a.evicted, queue), value_or_none(b.evicted, queue));
  }
  return out;
}

void print(std::ostream &out, const comparison &of) {
  out << "journal " << of.journal << ": " << of.load.commands << " commands\n";
  print_side(out, "a", of.a);
  print_side(out, "b", of.b);
  if (of.load.unmatched > 0) {
    out << "note: " << of.load.unmatched
        << " releases are of nothing that was placed in the replay: --recorded is not what the journal was recorded "
           "with\n";
  }
  print_first(out, of);
  print_realigned(out, of);
  print_placings(out, of);
  out << "\nwhole run, " << decimal(of.a.figures.whole.to_s, 1) << " s; a member of a group takes "
      << words_of(of.by.member) << '\n';
  print_rows(out, {{"", "a", "b"}});
  print_rows(out, figure_rows(of.a.figures.whole, of.b.figures.whole, of.by));
  const auto cost = [](const compared_side &side) {
    const double decisions = static_cast<double>(std::max<uint64_t>(side.run.step_decisions(), 1));
    return decimal(side.run.step_seconds() * 1e6 / decisions, 2) + " us";
  };
  print_rows(out, {{"time a decision", cost(of.a), cost(of.b)}});
  for (const auto &[name, side] : {std::pair{"a", &of.a}, std::pair{"b", &of.b}}) {
    for (const host::module_counters &one : side->calls) {
      if (one.calls == 0) continue;
      out << "  calls of " << one.id << " in " << name << ": " << one.calls;
      if (one.measured > 0) out << ", " << one.measured_ns / one.measured << " ns each";
      out << '\n';
    }
  }
  for (size_t i = 0; i < of.by.windows && of.by.windows > 1; ++i) {
    const window_figures &a = of.a.figures.windows[i];
    out << "\nwindow " << i + 1 << ", " << decimal(a.from_s, 1) << " to " << decimal(a.to_s, 1) << " s\n";
    print_rows(out, figure_rows(a, of.b.figures.windows[i], of.by));
  }
  print_verdict(out, of.thresholds, "a", "b");
}

std::string to_json(const comparison &of) {
  json::array first;
  for (const placing_difference &one : of.placings.first) {
    const std::string &ask = one.known().ask;
    first.push_back(json::object{{"partition", ask.substr(0, ask.find('\x1f'))},
                                 {"ask", shown_ask(ask)},
                                 {"allocation", one.known().nth + 1},
                                 {"a", json_of(one.a)},
                                 {"b", json_of(one.b)}});
  }
  json::value parting = nullptr;
  if (of.first) {
    parting = json::object{{"decision", of.first->decision},
                           {"at_ms", of.first->at_ms},
                           {"a", json_of(of.first->a)},
                           {"b", json_of(of.first->b)}};
  }
  json::value realigned = nullptr;
  if (of.realigned) {
    json::array differing;
    for (const first_difference &one : of.realigned->first) {
      differing.push_back(
          json::object{{"moment", one.decision}, {"at_ms", one.at_ms}, {"a", json_of(one.a)}, {"b", json_of(one.b)}});
    }
    realigned = json::object{{"every", of.realigned->every},     {"moments", of.realigned->moments},
                             {"same", of.realigned->same},       {"other", of.realigned->other()},
                             {"refused", of.realigned->refused}, {"first", std::move(differing)}};
  }
  return json::serialize(json::object{{"journal", of.journal},
                                      {"commands", of.load.commands},
                                      {"first_ms", of.by.first_ms},
                                      {"last_ms", of.by.last_ms},
                                      {"recording", json::object{{"asked_again", of.load.asked_again},
                                                                 {"bind_failures", of.load.bind_failures},
                                                                 {"refused_checks", of.load.refused_checks},
                                                                 {"unmatched_releases", of.load.unmatched}}},
                                      {"main_type", of.by.type},
                                      {"group_member", json_of(of.by.member)},
                                      {"a", json_of(of.a)},
                                      {"b", json_of(of.b)},
                                      {"first_difference", std::move(parting)},
                                      {"realigned", std::move(realigned)},
                                      {"allocations", json::object{{"equal", of.placings.same},
                                                                   {"other_time", of.placings.other_time},
                                                                   {"other_node", of.placings.other_node},
                                                                   {"only_a", of.placings.only_a},
                                                                   {"only_b", of.placings.only_b},
                                                                   {"first", std::move(first)}}},
                                      {"thresholds", json_of(of.thresholds, "a", "b")},
                                      {"passed", of.passed()}});
}

}  // namespace tenon::cli
