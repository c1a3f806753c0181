// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "tune/outcome.hpp"

#include <boost/json.hpp>
#include <cmath>
#include <ostream>
#include <utility>

#include "run/text_table.hpp"

namespace tenon::cli {
namespace {

namespace json = boost::json;

constexpr load_part tuned_part{.reported = false, .halved = 0}, reported_part{.reported = true, .halved = 0};

std::vector<json::value> values_of(const search_space &space, const tried_point &of) {
  return of.point ? space.values_of(*of.point) : space.usual_values();
}

// { pressure_part: 0.4, resourceweights: { vcore: 0.8 } }
std::string flow_yaml(const json::value &value) {
  std::string out;
  if (const json::object *map = value.if_object()) {
    for (const auto &[key, below] : *map) out += (out.empty() ? "" : ", ") + std::string(key) + ": " + flow_yaml(below);
    return out.empty() ? "{}" : "{ " + out + " }";
  }
  return value.is_double() ? shown_value(value) : json::serialize(value);
}

json::object object_of(const measured_point &values, const std::vector<measure_words> &measures) {
  json::object out;
  for (size_t i = 0; i < values.size(); ++i)
    out[measures[i].name] = std::isnan(values[i]) ? json::value(nullptr) : json::value(values[i]);
  return out;
}

json::object settings_of(const search_space &space, const tried_point &of) {
  json::object out;
  const auto values = values_of(space, of);
  for (size_t i = 0; i < values.size(); ++i) out[space.dimensions()[i].name()] = values[i];
  return out;
}

class printed_outcome {
 public:
  printed_outcome(const tune_outcome &of, const tune_plan &plan, const trials &on)
      : of_(of), plan_(plan), on_(on), measures_(on.measures()) {}

  void print(std::ostream &out) const {
    out << plan_.module << ": " << of_.tried.size() - 1 << " configurations beside the usual one, "
        << (plan_.halving ? "successive halving" : "each on the whole half") << ", " << of_.runs << " runs\n"
        << "tuned on " << on_.words_for(tuned_part) << "; reported on " << on_.words_for(reported_part) << "\n\n";
    print_table(out);
    print_verdict(out);
  }

 private:
  void print_table(std::ostream &out) const {
    std::vector<column> columns{{""}};
    for (const dimension &one : plan_.space->dimensions()) columns.push_back({one.name(), true});
    for (const char *half : {"tuned", "reported"})
      for (const measure_words &one : measures_) columns.push_back({one.name + ", " + half, true});
    table rows(std::move(columns));
    rows.add(row("usual", of_.tried.front(), of_.usual_reported));
    for (const front_point &one : of_.front) {
      if (one.tried == 0) continue;
      rows.add(row(one.better ? "better" : "front", of_.tried[one.tried], one.reported));
    }
    rows.print(out);
    for (const front_point &one : of_.front) {
      if (one.as_good.empty()) continue;
      out << "\nas good as " << words_for(one.tried) << " on the half that is tuned on:";
      for (size_t i = 0; i < one.as_good.size() && i < shown_as_good; ++i)
        out << (i == 0 ? " " : "; ") << words_for(one.as_good[i]);
      if (one.as_good.size() > shown_as_good) out << "; and " << one.as_good.size() - shown_as_good << " more";
      out << '\n';
    }
  }

  [[nodiscard]] std::vector<std::string> row(const char *mark, const tried_point &of,
                                             const measured_point &reported) const {
    std::vector<std::string> out{mark};
    for (const json::value &value : values_of(*plan_.space, of)) out.push_back(shown_value(value));
    for (const measured_point *half : {&of.tuned, &reported})
      for (size_t i = 0; i < measures_.size(); ++i) out.push_back(shown_measure((*half)[i], measures_[i].unit));
    return out;
  }

  [[nodiscard]] std::string words_for(size_t tried) const {
    if (tried == 0) return "the usual one";
    std::string out;
    const auto values = values_of(*plan_.space, of_.tried[tried]);
    for (size_t i = 0; i < values.size(); ++i)
      out += (i == 0 ? "" : ", ") + plan_.space->dimensions()[i].name() + " " + shown_value(values[i]);
    return out;
  }

  void print_verdict(std::ostream &out) const {
    size_t better = 0;
    for (const front_point &one : of_.front) better += one.better;
    if (better == 0) {
      out << "\nverdict: none found better than the usual one\n";
      return;
    }
    out << "\nverdict: " << better << " of the front better than the usual one; the first of them in a deployment:\n"
        << "  - { id: " << plan_.module
        << ", config: " << flow_yaml(plan_.space->configuration_of(*of_.tried[of_.found()->tried].point)) << " }\n";
  }

  static constexpr size_t shown_as_good = 3;

  const tune_outcome &of_;
  const tune_plan &plan_;
  const trials &on_;
  const std::vector<measure_words> measures_;
};

}  // namespace

void print(std::ostream &out, const tune_outcome &of, const tune_plan &plan, const trials &on) {
  printed_outcome(of, plan, on).print(out);
}

std::string to_json(const tune_outcome &of, const tune_plan &plan, const trials &on) {
  const std::vector<measure_words> measures = on.measures();
  json::array names, tried, front;
  for (const measure_words &one : measures)
    names.push_back(json::object{{"name", one.name}, {"better", one.better_low ? "low" : "high"}});
  for (const tried_point &one : of.tried) {
    tried.push_back(json::object{{"settings", settings_of(*plan.space, one)},
                                 {"usual", !one.point},
                                 {"halved", one.halved},
                                 {"tuned", object_of(one.tuned, measures)}});
  }
  for (const front_point &one : of.front) {
    const tried_point &point = of.tried[one.tried];
    json::array as_good;
    for (const size_t other : one.as_good) as_good.push_back(settings_of(*plan.space, of.tried[other]));
    front.push_back(json::object{{"settings", settings_of(*plan.space, point)},
                                 {"usual", !point.point},
                                 {"as_good", std::move(as_good)},
                                 {"tuned", object_of(point.tuned, measures)},
                                 {"reported", object_of(one.reported, measures)},
                                 {"better", one.better}});
  }
  json::object usual{{"settings", settings_of(*plan.space, of.tried.front())},
                     {"tuned", object_of(of.tried.front().tuned, measures)},
                     {"reported", object_of(of.usual_reported, measures)}};
  const front_point *found = of.found();
  return json::serialize(json::object{
      {"module", plan.module},
      {"search", plan.halving ? "halving" : "grid"},
      {"tuned_on", on.words_for(tuned_part)},
      {"reported_on", on.words_for(reported_part)},
      {"measures", std::move(names)},
      {"runs", of.runs},
      {"usual", std::move(usual)},
      {"tried", std::move(tried)},
      {"front", std::move(front)},
      {"found", found == nullptr ? json::value(nullptr)
                                 : json::value(plan.space->configuration_of(*of.tried[found->tried].point))}});
}

}  // namespace tenon::cli
