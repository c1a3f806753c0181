// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "plan/plan_command.hpp"

#include <algorithm>
#include <boost/json.hpp>
#include <exception>
#include <iterator>
#include <ostream>
#include <utility>

#include "ctl/client.hpp"
#include "plan/journal_state.hpp"
#include "plan/replayed_plan.hpp"
#include "run/complain.hpp"
#include "run/output_file.hpp"
#include "run/recorded_journal.hpp"
#include "run/refusal_json.hpp"
#include "run/run_policies.hpp"
#include "tenon/config/problems.hpp"
#include "tenon/config/queues.hpp"
#include "tenon/host/module_host.hpp"
#include "tenon/host/thread_role.hpp"

namespace tenon::cli {
namespace {

namespace json = boost::json;

// All that is said: `plans` has an object for each RM, docs/plan.md has its keys.
struct whole_plan {
  std::string file, against;
  std::vector<refusal> refusals;  // of the text; then there are no plans
  json::array plans;
  std::vector<std::string> with_their_own;  // RMs whose own configuration a reload leaves as it is
  std::optional<replayed_plan> replay;
};

bool has_some(const json::object &plan, std::string_view key) { return !plan.at(key).as_array().empty(); }

plan_exit exit_of_plans(const whole_plan &of) {
  plan_exit out = of.refusals.empty() ? plan_exit::nothing : plan_exit::loses;
  for (const json::value &one : of.plans) {
    const json::object &plan = one.as_object();
    plan_exit is = plan_exit::nothing;
    if (has_some(plan, "changes") || has_some(plan, "moves")) is = plan_exit::changes;
    if (!plan.at("refused").is_null() || has_some(plan, "losses")) is = plan_exit::loses;
    out = std::max(out, is);
  }
  return out;
}

plan_exit exit_of(const whole_plan &of) {
  return of.replay && !all_passed(of.replay->thresholds) ? plan_exit::worse : exit_of_plans(of);
}

std::string_view outcome_of(const whole_plan &of) {
  bool is_refused = !of.refusals.empty();
  for (const json::value &one : of.plans) is_refused |= !one.as_object().at("refused").is_null();
  if (is_refused) return "refused";
  const plan_exit code = exit_of_plans(of);
  return code == plan_exit::loses ? "loses" : code == plan_exit::changes ? "changes" : "nothing";
}

void print(std::ostream &out, const whole_plan &of) {
  out << of.file << " against " << of.against << '\n';
  for (const refusal &why : of.refusals) out << "would be refused: " << why.text() << '\n';
  for (const json::value &one : of.plans) {
    const json::object &plan = one.as_object();
    if (of.plans.size() > 1) out << "\nRM " << std::string(plan.at("rm").as_string()) << '\n';
    out << std::string(plan.at("text").as_string());
  }
  for (const std::string &rm : of.with_their_own)
    out << "RM " << rm << " has a configuration of its own, which a reload leaves as it is\n";
  if (of.replay) print(out, *of.replay);
}

std::string to_json(const whole_plan &of) {
  return json::serialize(
      json::object{{"file", of.file},
                   {"against", of.against},
                   {"outcome", outcome_of(of)},
                   {"refusals", refusals_json(of.refusals)},
                   {"plans", of.plans},
                   {"with_their_own", json::array(of.with_their_own.begin(), of.with_their_own.end())},
                   {"replay", of.replay ? json::value(json_of(*of.replay)) : json::value(nullptr)}});
}

result<std::string> read_text(const std::string &file, std::istream &in) {
  if (file == "-") return std::string(std::istreambuf_iterator<char>(in), {});
  return read_file(file);
}

// As whoever reloads is told: an empty file is one that is being written.
refusal without_content(const std::string &file) {
  return {file, "queues, as those that are in force", "a text without content",
          "write the whole text, a file by renaming a complete one to its name"};
}

std::string text_in(const json::object &of, std::string_view key) { return std::string(of.at(key).as_string()); }

// A plan is made in three parts: against a daemon, or the end of a journal, and with the load of that played again.
class planner {
 public:
  planner(const config_plan_options &options, const std::string &text, std::ostream &err)
      : options_(options), text_(text), err_(err) {
    out_.file = options.file == "-" ? "standard input" : options.file;
  }

  std::optional<refusal> make() {
    if (options_.live.empty() && options_.journal.empty())
      return refusal{"tenon config plan", "--live SOCKET, --journal FILE, or both", "neither", "say against what"};
    const auto thresholds = parse_thresholds(options_.fail_if);
    if (!thresholds) return thresholds.why();
    if (!thresholds->empty() && (options_.journal.empty() || !options_.replay))
      return refusal{"--fail-if", "a journal that is played again", options_.replay ? "none" : "--no-replay",
                     "name one with --journal, without --no-replay"};
    if (!options_.live.empty()) {
      if (auto why = ask_daemon()) return why;
    }
    if (options_.journal.empty()) return std::nullopt;
    auto policies = open_policies({options_.deployment, options_.module_path});
    if (!policies) return policies.why();
    const auto journal = read_recorded(options_.journal, journal_start::empty, *policies, err_);
    if (!journal) return journal.why();
    const config::known_policies known =
        options_.deployment.empty() ? policies->known_without_users() : policies->known;
    config::parsed_queues parsed =
        config::parse_queues(text_, out_.file, {.known = known, .max_queue_depth = 32, .limits = {}});
    if (options_.live.empty()) {
      if (auto why = plan_at_end(journal->bytes, parsed, *policies->source)) return why;
    }
    const std::string_view outcome = outcome_of(out_);
    if (!options_.replay || !parsed.config || outcome == "nothing" || outcome == "refused") return std::nullopt;
    auto replayed =
        replay_plan(journal->bytes, *parsed.config, {options_.hours, options_.rm, *thresholds}, *policies->source);
    if (!replayed) return replayed.why();
    out_.replay = std::move(*replayed);
    return std::nullopt;
  }

  [[nodiscard]] const whole_plan &made() const { return out_; }

 private:
  std::optional<refusal> ask_daemon() {
    control_client client({.control = options_.live, .deployment = {}, .timeout_s = options_.timeout_s});
    json::object request{{"command", "plan"}, {"text", text_}, {"name", out_.file}};
    if (!options_.policy_group.empty()) request["policy_group"] = options_.policy_group;
    control_answer answer = client.ask(std::move(request));
    if (auto *no = std::get_if<no_answer>(&answer)) return std::move(no->why);
    const json::object &said = std::get<json::object>(answer);
    out_.against = "the daemon of " + options_.live;
    for (const json::value &one : said.at("refusals").as_array()) {
      const json::object &why = one.as_object();
      out_.refusals.push_back({text_in(why, "where"), text_in(why, "want"), text_in(why, "have"), text_in(why, "fix")});
    }
    for (const json::value &one : said.at("with_their_own").as_array())
      out_.with_their_own.emplace_back(one.as_string());
    for (const json::value &one : said.at("plans").as_array())
      if (options_.rm.empty() || text_in(one.as_object(), "rm") == options_.rm) out_.plans.push_back(one);
    if (!out_.plans.empty() || !out_.refusals.empty() || options_.rm.empty()) return std::nullopt;
    return refusal{options_.live, "a resource manager that a reload concerns",
                   "no RM " + config::in_quotes(options_.rm), "name another one with --rm"};
  }

  std::optional<refusal> plan_at_end(std::string_view journal, const config::parsed_queues &parsed,
                                     policy_source &policies) {
    const host::role_guard cycle(host::thread_role::cycle);
    auto at_end = read_journal_state(journal, policies);
    if (!at_end) {
      refusal why = at_end.why();
      why.where = options_.journal + ": " + why.where;
      return why;
    }
    out_.against = "the end of " + options_.journal + ", " + std::to_string(at_end->commands) + " commands";
    std::erase_if(at_end->in_force, [&](const auto &one) { return !options_.rm.empty() && one.first != options_.rm; });
    if (at_end->in_force.empty()) {
      return refusal{options_.journal, "a resource manager that is there at its end",
                     options_.rm.empty() ? "none" : "no RM " + config::in_quotes(options_.rm),
                     "name another journal, or another RM with --rm"};
    }
    out_.refusals = parsed.refusals;
    if (!parsed.config) return std::nullopt;
    const bool is_empty = std::any_of(at_end->in_force.begin(), at_end->in_force.end(), [&](const auto &one) {
      return !parsed.has_content && !observe::differences(one.second, *parsed.config).empty();
    });
    if (is_empty) {
      out_.refusals.push_back(without_content(out_.file));
      return std::nullopt;
    }
    for (const auto &[rm, in_force] : at_end->in_force) {
      out_.plans.push_back(observe::plan_json(
          observe::plan_configuration(*at_end->state, rm, in_force, *parsed.config, at_end->submissions)));
    }
    return std::nullopt;
  }

  const config_plan_options &options_;
  const std::string &text_;
  std::ostream &err_;
  whole_plan out_;
};

}  // namespace

plan_exit run_config_plan(const config_plan_options &options, std::istream &in, std::ostream &out, std::ostream &err) {
  const auto fails = [&](const refusal &why) {
    complain(err, why);
    return plan_exit::failed;
  };
  try {
    const auto text = read_text(options.file, in);
    if (!text) return fails(text.why());
    planner plan(options, *text, err);
    if (const auto why = plan.make()) return fails(*why);
    if (options.json)
      out << to_json(plan.made()) << '\n';
    else
      print(out, plan.made());
    return exit_of(plan.made());
  } catch (const std::exception &wrong) {
    return fails({"tenon config plan", "", std::string("an unexpected fault: ") + wrong.what(), "please report it"});
  }
}

}  // namespace tenon::cli
