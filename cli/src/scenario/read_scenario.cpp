// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <filesystem>
#include <limits>
#include <string>

#include "scenario/scenario_reader.hpp"
#include "scenario/terminations.hpp"
#include "tenon/text/letters.hpp"

namespace tenon::cli {
namespace {

using config::boolean_of;
using config::count_of;
using config::problems;
using config::text_of;
using config::yaml_node;
using kind = yaml_node::kind;

// Of a key in seconds.
int64_t milliseconds_of(const yaml_node &item, std::string_view key, problems &report) {
  const double seconds = config::number_of(item, key, 0);
  constexpr double limit = 1e9;
  if (seconds >= 0 && seconds <= limit) return static_cast<int64_t>(seconds * 1000.0 + 0.5);
  report.refuse(item.find(key)->at, std::string(key) + ": " + item.find(key)->describe(),
                "seconds from 0 to 1000000000");
  return 0;
}

// Reads the items of a step; partition names default to the step's.
class step_reader {
 public:
  step_reader(const yaml_node &node, problems &report)
      : node_(node), report_(report), partition_(text_of(node, "partition", "default")) {}

  scenario_step read() {
    step_.at = node_.at;
    step_.restart = boolean_of(node_, "restart", false);
    read_predicate_failures();
    read_reload();
    read_actions();
    for_each("add_nodes", [this](const yaml_node &n) { step_.add_nodes.push_back(read_node(n)); });
    for_each("update_nodes", [this](const yaml_node &n) { step_.update_nodes.push_back(read_node_update(n)); });
    read_names("drain_nodes", step_.drain_nodes);
    read_names("undrain_nodes", step_.undrain_nodes);
    read_names("remove_nodes", step_.remove_nodes);
    for_each("add_apps", [this](const yaml_node &n) { step_.add_apps.push_back(read_application(n)); });
    read_names("remove_apps", step_.remove_apps);
    for_each("add_asks", [this](const yaml_node &n) { step_.add_asks.push_back(read_ask(n)); });
    for_each("put_allocs", [this](const yaml_node &n) {
      step_.put_allocs.push_back({read_ask(n), text_of(n, "node"), boolean_of(n, "foreign", false)});
      step_.put_allocs.back().what.detail = text_of(n, "detail");
    });
    for_each("release_asks", [this](const yaml_node &n) { step_.release_asks.push_back(read_release(n)); });
    for_each("release_allocs", [this](const yaml_node &n) { step_.release_allocs.push_back(read_release(n)); });
    read_confirm();
    step_.answer = boolean_of(node_, "answer", false);
    step_.recovery_done = boolean_of(node_, "recovery_done", false);
    if (step_.recovery_done) step_.recovery_done_at = node_.find("recovery_done")->at;
    read_schedule();
    read_advance();
    step_.inspect = boolean_of(node_, "inspect", false);
    if (const yaml_node *expect = node_.find("expect")) step_.expect = read_expectations(*expect, report_);
    return std::move(step_);
  }

 private:
  template <class F>
  void for_each(std::string_view key, F &&take) {
    const yaml_node *list = node_.find(key);
    if (list == nullptr) return;
    for (const yaml_node &item : list->items) take(item);
  }

  std::string partition_of(const yaml_node &item) const { return text_of(item, "partition", partition_); }

  amount_map amounts_of(const yaml_node &item, std::string_view key) {
    const yaml_node *found = item.find(key);
    return found == nullptr ? amount_map{} : read_amounts(*found, report_);
  }
  std::optional<amount_map> given_amounts(const yaml_node &item, std::string_view key) {
    if (item.find(key) == nullptr) return std::nullopt;
    return amounts_of(item, key);
  }
  text_map texts_of(const yaml_node &item, std::string_view key) {
    const yaml_node *found = item.find(key);
    return found == nullptr ? text_map{} : read_texts(*found, report_);
  }

  // A count below the limit; nothing where it is absent.
  std::optional<uint32_t> bounded(const yaml_node &item, std::string_view key, uint64_t limit) {
    const yaml_node *found = item.find(key);
    if (found == nullptr) return std::nullopt;
    const uint64_t n = count_of(item, key, 0);
    if (n > limit) {
      report_.refuse(found->at, std::string(key) + ": " + found->describe(), "at most " + std::to_string(limit));
    }
    return static_cast<uint32_t>(std::min(n, limit));
  }

  int64_t milliseconds(const yaml_node &item, std::string_view key) { return milliseconds_of(item, key, report_); }

  void read_names(std::string_view key, std::vector<named_item> &into) {
    for_each(key, [&](const yaml_node &id) { into.push_back({id.at, partition_, id.text}); });
  }

  void read_predicate_failures() {
    const yaml_node *found = node_.find("predicate_failures");
    if (found == nullptr) return;
    step_.predicate_failures.emplace();
    if (found->what != kind::map) {
      report_.refuse(found->at, "predicate_failures: " + found->describe(), "a map of nodes to lists of ask keys",
                     "write {node: [key]}");
      return;
    }
    for (const auto &[node, keys] : found->entries) {
      (*step_.predicate_failures)[node.text] = read_text_list(keys, report_);
    }
  }

  void read_reload() {
    const yaml_node *found = node_.find("reload");
    if (found == nullptr) return;
    step_.reload.emplace(reload_item{found->at, text_of(*found, "config"), std::nullopt});
    if (found->find("expect_error") != nullptr) step_.reload->expect_error = text_of(*found, "expect_error");
  }

  void read_actions() {
    using what = action_item::kind;
    constexpr std::pair<std::string_view, what> of_partitions[] = {{"stop_partitions", what::stop_partition},
                                                                   {"start_partitions", what::start_partition},
                                                                   {"drain_partitions", what::drain_partition}};
    for (const auto &[key, done] : of_partitions)
      for_each(key, [&, what_is_done = done](const yaml_node &n) {
        step_.actions.push_back({n.at, what_is_done, n.text, {}, {}});
      });
    for (const auto &[key, done] : {std::pair("stop_queues", what::stop_queue), {"start_queues", what::start_queue}})
      for_each(key, [&, what_is_done = done](const yaml_node &n) {
        step_.actions.push_back({n.at, what_is_done, partition_, n.text, {}});
      });
    for_each("move_apps", [&](const yaml_node &n) {
      step_.actions.push_back({n.at, what::move_application, partition_of(n), text_of(n, "id"), text_of(n, "queue")});
    });
    for_each("kill_apps", [&](const yaml_node &n) {
      step_.actions.push_back({n.at, what::kill_application, partition_of(n), text_of(n, "id"), text_of(n, "reason")});
    });
    const yaml_node *refused = node_.find("expect_error");
    if (refused == nullptr) return;
    step_.expect_error = refused->text;
    if (step_.actions.empty())
      report_.refuse(refused->at, "expect_error in a step in which nobody does anything",
                     "one of stop_partitions to kill_apps beside it", "of a reload it stands in reload");
  }

  ask_item read_ask(const yaml_node &n) {
    ask_item ask;
    ask.at = n.at;
    ask.partition = partition_of(n);
    ask.application = text_of(n, "app");
    ask.key = text_of(n, "key");
    ask.resources = amounts_of(n, "resources");
    ask.count = bounded(n, "count", 100'000);
    ask.max_allocations = static_cast<int32_t>(bounded(n, "max_allocations", 1'000'000).value_or(1));
    if (const yaml_node *priority = n.find("priority")) {
      ask.priority = static_cast<int32_t>(priority->as_integer().value_or(0));
    }
    ask.timeout_ms = milliseconds(n, "timeout_s");
    ask.task_group = text_of(n, "task_group");
    ask.required_node = text_of(n, "required_node");
    ask.tags = texts_of(n, "tags");
    ask.placeholder = boolean_of(n, "placeholder", false);
    ask.originator = boolean_of(n, "originator", false);
    ask.allow_preempt_self = boolean_of(n, "allow_preempt_self", true);
    ask.allow_preempt_other = boolean_of(n, "allow_preempt_other", false);
    return ask;
  }

  node_item read_node(const yaml_node &n) {
    node_item node;
    node.at = n.at;
    node.partition = partition_of(n);
    node.id = text_of(n, "id");
    node.resources = amounts_of(n, "resources");
    node.attributes = texts_of(n, "attributes");
    node.schedulable = boolean_of(n, "schedulable", true);
    node.existing_from_rm = boolean_of(n, "existing_from_rm", false);
    if (const yaml_node *existing = n.find("existing")) {
      for (const yaml_node &item : existing->items) {
        node.existing.push_back(read_ask(item));
        node.existing.back().detail = text_of(item, "detail");
        if (item.find("partition") == nullptr) node.existing.back().partition = node.partition;
      }
    }
    return node;
  }

  node_update_item read_node_update(const yaml_node &n) {
    node_update_item node{n.at, partition_of(n), text_of(n, "id"), {}, {}, {}};
    node.resources = given_amounts(n, "resources");
    node.occupied = given_amounts(n, "occupied");
    if (n.find("attributes") != nullptr) node.attributes = texts_of(n, "attributes");
    return node;
  }

  application_item read_application(const yaml_node &n) {
    application_item app;
    app.at = n.at;
    app.partition = partition_of(n);
    app.id = text_of(n, "id");
    app.queue = text_of(n, "queue");
    app.user = text_of(n, "user", app.user);
    if (n.find("groups") != nullptr) app.groups = config::texts_of(n, "groups");
    app.tags = texts_of(n, "tags");
    const yaml_node *gang = n.find("gang");
    if (gang == nullptr) return app;
    app.placeholder_ask = amounts_of(*gang, "placeholder_ask");
    app.timeout_ms = milliseconds(*gang, "timeout_s");
    const std::string style = lower_case(text_of(*gang, "style", "Soft"));
    if (style != "soft" && style != "hard") {
      report_.refuse(gang->find("style")->at, "style: " + gang->find("style")->describe(), "Soft or Hard",
                     "write style: Soft, or style: Hard");
    }
    app.hard_gang = style == "hard";
    return app;
  }

  termination termination_from(const yaml_node &at, const std::string &text) {
    if (const auto known = termination_of(text)) return *known;
    std::vector<std::string_view> names;
    for (const termination t : all_terminations) names.push_back(name(t));
    report_.refuse(at.at, "unknown termination type " + config::in_quotes(text), "a termination type",
                   config::suggestion(text, names));
    return termination::unknown;
  }

  release_item read_release(const yaml_node &n) {
    release_item release;
    release.at = n.at;
    release.partition = partition_of(n);
    release.application = text_of(n, "app");
    release.key = text_of(n, "key");
    release.count = bounded(n, "count", std::numeric_limits<uint32_t>::max());
    if (const yaml_node *type = n.find("type")) release.why = termination_from(*type, type->text);
    release.unknown = boolean_of(n, "unknown", false);
    return release;
  }

  void read_confirm() {
    const yaml_node *found = node_.find("confirm");
    if (found == nullptr) return;
    step_.confirm.emplace(confirm_item{found->at, {}, bounded(*found, "limit", std::numeric_limits<uint32_t>::max())});
    if (const yaml_node *types = found->find("types")) {
      for (const yaml_node &type : types->items) step_.confirm->types.push_back(termination_from(type, type.text));
    }
  }

  void read_schedule() {
    const yaml_node *found = node_.find("schedule");
    if (found == nullptr) return;
    step_.schedule.emplace(schedule_item{found->at, std::nullopt});
    if (found->what == kind::scalar && found->text == "quiescent") return;
    const auto cycles = found->type() == config::scalar_type::integer ? found->as_count() : std::nullopt;
    if (cycles && *cycles <= 1'000'000) {
      step_.schedule->cycles = static_cast<uint32_t>(*cycles);
    } else {
      report_.refuse(found->at, "schedule: " + found->describe(), "a number of cycles up to 1000000, or quiescent",
                     "write schedule: 1");
    }
  }

  void read_advance() {
    if (node_.find("advance") != nullptr) step_.advance_ms = milliseconds(node_, "advance");
  }

  const yaml_node &node_;
  problems &report_;
  std::string partition_;
  scenario_step step_;
};

}  // namespace

std::optional<scenario> read_scenario(const std::string &file, std::string_view text, problems &report) {
  const auto root = config::read_yaml(text, report);
  if (!root || !config::check_shape(*root, scenario_shape(), report)) return std::nullopt;
  scenario out;
  out.file = file;
  out.name = text_of(*root, "name", std::filesystem::path(file).stem().string());
  out.title = text_of(*root, "title");
  out.config = text_of(*root, "config");
  out.config_at = root->find("config")->at;
  out.deployment = text_of(*root, "deployment");
  out.check_deadline_ms = milliseconds_of(*root, "check_deadline", report);
  out.checks_reservations = boolean_of(*root, "check_reservations", false);
  out.recovery_hold = boolean_of(*root, "recovery_hold", false);
  for (const yaml_node &step : root->find("steps")->items) {
    out.steps.push_back(step_reader(step, report).read());
    if (out.steps.back().recovery_done && !out.recovery_hold)
      report.refuse(out.steps.back().recovery_done_at, "recovery_done of an RM that is not held",
                    "recovery_hold: true beside config", "without it placements are made from the start");
  }
  if (report.refused()) return std::nullopt;
  return out;
}

}  // namespace tenon::cli
