// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "serve/control_handler.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <boost/json.hpp>
#include <utility>

#include "control/control_json.hpp"
#include "control/protocol.hpp"
#include "run/refusal_json.hpp"
#include "run/shadow_words.hpp"
#include "serve/actions.hpp"
#include "serve/event_answers.hpp"
#include "serve/explained.hpp"
#include "tenon/abi/host_read.h"
#include "tenon/config/problems.hpp"
#include "tenon/config/queues.hpp"
#include "tenon/host/module_host.hpp"
#include "tenon/json/state_json.hpp"
#include "tenon/kernel/audit.hpp"
#include "tenon/kernel/partition_name.hpp"
#include "tenon/kernel/state_tables.hpp"

namespace tenon::cli {
namespace {

namespace json = boost::json;
using config::in_quotes;
using outcome = result<json::object>;
using std::chrono::milliseconds;

constexpr std::array<std::string_view, 18> commands{"queues", "apps",   "nodes",  "rms",    "explain",  "modules",
                                                    "health", "events", "reload", "act",    "config",   "step",
                                                    "whatif", "plan",   "shadow", "canary", "snapshot", "check"};
constexpr std::array<std::string_view, 29> fields{
    "version",  "id",       "command",  "partition",    "queue",       "state",  "user",   "name",
    "ended",    "limit",    "key",      "node",         "application", "types",  "run",    "object",
    "first_id", "since_ms", "until_ms", "wait_ms",      "action",      "target", "reason", "policy_group",
    "rm",       "forced",   "text",     "applications", "within_ms"};
constexpr uint64_t most_explanations = 20;

// Why what needs the scheduler's thread has no answer.
refusal no_answer_of(service::scheduler &scheduler) {
  for (const host::long_call &one : scheduler.modules().long_calls())
    if (one.role == host::thread_role::cycle)
      return {"", "a daemon that schedules", "one whose cycle thread waits for a module: " + one.text(),
              "health and modules say more; take the module out of the deployment and start the daemon again"};
  return {"", "a daemon that schedules", "one that stops, or has no time to answer", "ask again when it is up again"};
}

struct request {
  json::object given;
  json::value id;
  std::string command, application, key;
  state_filter which;
};

std::string word_of(const json::object &from, std::string_view key) {
  const json::value *found = from.if_contains(key);
  if (found == nullptr) return {};
  return std::string(found->as_string());  // throws where it is something else
}

result<request> read(std::string_view line) {
  try {
    json::object from = json::parse(line).as_object();
    for (const auto &entry : from)
      if (std::find(fields.begin(), fields.end(), entry.key()) == fields.end())
        return refusal{"request", "fields of version " + std::to_string(control_version),
                       "unknown field " + in_quotes(entry.key()), config::suggestion(entry.key(), fields)};
    request out;
    if (const json::value *id = from.if_contains("id")) out.id = *id;
    const json::value *version = from.if_contains("version");
    if (version == nullptr || version->to_number<int64_t>() != control_version)
      return refusal{"request", "version " + std::to_string(control_version),
                     version == nullptr ? "none" : json::serialize(*version), "use the tenon of this daemon"};
    out.command = word_of(from, "command");
    if (std::find(commands.begin(), commands.end(), out.command) == commands.end())
      return refusal{"request", "a command", in_quotes(out.command), config::suggestion(out.command, commands)};
    out.application = word_of(from, "application");
    out.key = word_of(from, "key");
    out.which.partition = word_of(from, "partition");
    out.which.queue = word_of(from, "queue");
    out.which.state = word_of(from, "state");
    out.which.user = word_of(from, "user");
    out.which.name = word_of(from, "name");
    if (const json::value *ended = from.if_contains("ended")) out.which.ended = ended->as_bool();
    if (const json::value *limit = from.if_contains("limit")) out.which.limit = limit->to_number<uint64_t>();
    out.given = std::move(from);
    return out;
  } catch (const std::exception &wrong) {
    return refusal{"request", "a JSON object on one line", wrong.what(), "see docs/control-socket.md"};
  }
}

std::string finished(const json::value &id, json::object rest) {
  rest["version"] = control_version;
  if (!id.is_null()) rest["id"] = id;
  return json::serialize(rest);
}

std::string refusing(const json::value &id, const refusal &why) {
  return finished(id, {{"ok", false}, {"error", refusal_json(why)}});
}

json::array calls_of(const std::string &module, const std::vector<host::long_call> &calls) {
  json::array out;
  for (const host::long_call &one : calls)
    if (one.module == module)
      out.push_back(json::object{{"interface", one.interface},
                                 {"name", one.name},
                                 {"slot", one.slot},
                                 {"items", one.items},
                                 {"thread", host::role_name(one.role)},
                                 {"lasts_ms", one.lasts.count()}});
  return out;
}

json::object object_of(const host::module_status &module, const std::vector<host::long_call> &calls) {
  json::array provides;
  for (const auto &one : module.provides) provides.push_back(json::string(one.interface + " " + one.name));
  return {{"id", module.id},
          {"version", module.version},
          {"description", module.description},
          {"provides", std::move(provides)},
          {"built_in", module.built_in},
          {"listed", module.listed},
          {"loaded", module.loaded},
          {"calls", module.counters.calls},
          {"faults", module.counters.faults},
          {"overruns", module.counters.overruns},
          {"quarantine", module.counters.quarantine},
          {"fallback", module.counters.in_fallback},
          {"isolation", module.counters.isolated ? "process" : "none"},
          {"processes", module.counters.usage.processes},
          {"threads", module.counters.usage.threads},
          {"memory_bytes", module.counters.usage.memory_bytes},
          {"processor_ms", module.counters.usage.processor_ns / 1'000'000},
          {"digest", module.digest},
          {"before", module.before},
          {"swaps", module.swaps},
          {"waited_ms", module.counters.usage.waited_ns / 1'000'000},
          {"long_calls", calls_of(module.id, calls)}};
}

}  // namespace

struct control_handler::impl {
  service::scheduler &scheduler;
  surroundings around;
  std::atomic<bool> given_up{false};  // waiting for events

  // Shared with those who read over REST: the scheduler's thread makes what changed, and this one puts it together.
  [[nodiscard]] std::shared_ptr<const kernel_snapshot> look(uint32_t wanted) const {
    return around.people.look(wanted, {}, answer_deadline);
  }

  static uint32_t parts_of(const request &what) {
    if (what.command == "queues" || what.command == "canary") return TENON_READ_QUEUES;
    const uint32_t of_nodes = TENON_READ_NODES | observe::services::read_contents;
    if (what.command == "nodes")
      return what.which.name.empty() ? of_nodes : of_nodes | TENON_READ_APPLICATIONS | TENON_READ_ALLOCATIONS;
    const uint32_t of_queues = what.which.queue.empty() ? 0 : TENON_READ_QUEUES;  // to know whether it is there
    return of_queues | (what.which.ended ? TENON_READ_ENDED : TENON_READ_APPLICATIONS) | TENON_READ_ASKS |
           TENON_READ_ALLOCATIONS;
  }

  // Why there is no object of that name, with the most similar one, or all where they are few.
  static std::optional<refusal> missing(const std::string &object, const std::string &wanted, const char *command,
                                        const std::vector<std::string_view> &known) {
    if (wanted.empty() || std::find(known.begin(), known.end(), wanted) != known.end()) return std::nullopt;
    std::string_view near = config::closest(wanted, known);
    for (const std::string_view one : known)
      if (one.ends_with("." + wanted)) near = one;  // the last part of a path
    constexpr size_t few = 12;
    const std::string fix = !near.empty()                         ? "did you mean " + in_quotes(near) + "? "
                            : known.size() > few || known.empty() ? std::string()
                                                                  : config::suggestion(wanted, known) + "; ";
    return refusal{object, (object == "application" || object == "ask" ? "an " : "a ") + object + " that is there",
                   "no " + object + ' ' + in_quotes(wanted), fix + "`tenon ctl " + command + "` lists all"};
  }

  struct known_names {
    std::vector<std::string_view> queues, applications, nodes, users;
    std::vector<std::string_view> partitions;  // all, by their plain and their full names
  };
  static known_names names_in(const request &what, const kernel_snapshot &from) {
    known_names out;
    for (const partition_snapshot &p : from.partitions) {
      out.partitions.insert(out.partitions.end(), {plain_partition(p.name), p.name});
      if (!is_partition(p.name, what.which.partition)) continue;
      for (const queue_snapshot &one : p.queues) out.queues.push_back(one.path);
      for (const node_snapshot &one : p.nodes) out.nodes.push_back(one.id);
      for (const application_snapshot &one : what.which.ended ? p.ended : p.applications) {
        out.applications.push_back(one.id);
        if (std::find(out.users.begin(), out.users.end(), one.user) == out.users.end()) out.users.push_back(one.user);
      }
    }
    return out;
  }

  // What is asked for by its name is to be there, and a state is to be one.
  static std::optional<refusal> refuse_filters(const request &what, const kernel_snapshot &from) {
    const known_names known = names_in(what, from);
    if (auto no = missing("queue", what.which.queue, "queues", known.queues)) return no;
    if (what.command == "nodes") return missing("node", what.which.name, "nodes", known.nodes);
    if (what.command != "apps") return std::nullopt;
    const auto &states = machine<application_state>::state_names;
    if (!what.which.state.empty() && std::find(states.begin(), states.end(), what.which.state) == states.end())
      return refusal{"state", "a state of applications", in_quotes(what.which.state),
                     config::suggestion(what.which.state, states)};
    const char *command = what.which.ended ? "apps --ended" : "apps";
    if (auto no = missing("user", what.which.user, command, known.users)) return no;
    return missing("application", what.which.name, command, known.applications);
  }

  outcome acted(const request &what, const observe::caller &who) {
    return act(around.people.admin(), who, what.given, [&](const std::string &kind, const std::string &name) {
      const auto from = look(TENON_READ_QUEUES | TENON_READ_APPLICATIONS | TENON_READ_NODES);
      const known_names known = from == nullptr ? known_names() : names_in(what, *from);
      const auto rms = scheduler.rms();
      std::vector<std::string_view> ids;
      for (const auto &one : rms) ids.push_back(one.id);
      auto no = kind == "node"        ? missing(kind, name, "nodes", known.nodes)
                : kind == "rm"        ? missing("resource manager", name, "rms", ids)
                : kind == "queue"     ? missing(kind, name, "queues", known.queues)
                : kind == "partition" ? missing(kind, name, "queues", known.partitions)
                                      : missing(kind, name, "apps", known.applications);
      return no ? no->fix : "try again";  // it came meanwhile
    });
  }

  outcome of_state(const request &what) {
    const auto from = look(parts_of(what));
    if (from == nullptr) return no_answer_of(scheduler);
    if (from->partitions.empty() && !what.which.partition.empty())
      return refusal{"partition", "a partition; no resource manager has registered", in_quotes(what.which.partition),
                     "start one, or leave --partition out"};
    if (auto no = missing("partition", what.which.partition, "queues", names_in(what, *from).partitions)) return *no;
    if (auto no = refuse_filters(what, *from)) return *no;
    if (what.command == "queues") return queues_json(*from, what.which);
    if (what.command == "canary") return canaries_json(*from, what.which);
    if (what.command == "apps") return with_holds(applications_json(*from, what.which));
    return nodes_json(*from, what.which);
  }

  // What holds whole partitions up, which their asks do not say.
  json::object with_holds(json::object applications) {
    const auto rms = scheduler.rms();
    for (json::value &one : applications.at("partitions").as_array()) {
      json::object &partition = one.as_object();
      std::string hold = short_hold(rms, std::string(partition.at("name").as_string()));
      if (partition.at("state").as_string() == name(object_state::stopped)) hold = "the partition is stopped";
      if (hold.empty() && scheduler.is_manual()) hold = "a step: nothing moves by itself";
      partition["held_by"] = hold;
    }
    return applications;
  }

  static bool is_placed(const kernel_snapshot &from, const std::string &application, const std::string &key) {
    for (const partition_snapshot &p : from.partitions)
      for (const application_snapshot &app : p.applications)
        for (const allocation_snapshot &one : app.allocations)
          if (app.id == application && one.key == key) return true;
    return false;
  }

  // Every waiting ask of the application where no key is given.
  outcome explain(request what) {
    if (what.application.empty())
      return refusal{"explain", "an application", "none", "give application, and key for one of its asks"};
    const auto from = look(TENON_READ_APPLICATIONS | TENON_READ_ASKS);
    if (from == nullptr) return no_answer_of(scheduler);
    find_application(*from, what.which.partition, what.application, what.key);
    std::vector<std::pair<std::string, std::string>> wanted;  // partition, key
    bool known = false;
    std::vector<std::string_view> keys;
    for (const partition_snapshot &partition : from->partitions) {
      if (!is_partition(partition.name, what.which.partition)) continue;
      for (const application_snapshot &one : partition.applications) {
        if (one.id != what.application) continue;
        known = true;
        if (!what.key.empty()) wanted.emplace_back(partition.name, what.key);
        for (const ask_snapshot &ask : one.asks) keys.push_back(ask.key);
        for (const ask_snapshot &ask : one.asks)
          if (what.key.empty() && ask.pending_count > 0) wanted.emplace_back(partition.name, ask.key);
      }
    }
    if (!known) return *missing("application", what.application, "apps", names_in(what, *from).applications);
    if (auto no = missing("ask", what.key, ("explain " + what.application).c_str(), keys)) {
      const auto placed = look(TENON_READ_APPLICATIONS | TENON_READ_ALLOCATIONS);  // of which nothing waits
      if (placed == nullptr || !is_placed(*placed, what.application, what.key)) return *no;
    }
    const uint64_t most = what.which.limit == 0 ? most_explanations : std::min(what.which.limit, most_explanations);
    bool more = wanted.size() > most;
    if (more) wanted.resize(most);
    json::array explanations;
    const auto until = std::chrono::steady_clock::now() + answer_deadline;
    for (const auto &[partition, key] : wanted) {
      std::optional<explanation> why;
      const auto left = std::chrono::duration_cast<milliseconds>(until - std::chrono::steady_clock::now());
      if (!around.people.explain(partition, what.application, key, left, why)) {
        if (explanations.empty()) return no_answer_of(scheduler);
        more = true;  // others who read were here before
        break;
      }
      if (!why) continue;
      explanations.push_back(state_json::write(*why, {state_json::explanation_old_keys}));
    }
    return json::object{{"explanations", std::move(explanations)}, {"more", more}};
  }

  // A user who is not named is who asks.
  outcome what_if(const request &what, const observe::caller &who) {
    observe::what_if_said said = around.people.what_if(what.given, who.user, answer_deadline);
    if (said.status == TENON_OK) return std::move(said.answer);
    return said.status == TENON_RETRY ? no_answer_of(scheduler) : said.why;
  }

  // The file as people replaced it would be in the way of a reload with the same text.
  static std::optional<refusal> in_the_way(const service::scheduler &of, const observe::plan_wish &wish) {
    const std::string checksum = config::queues_checksum(wish.text);
    for (const service::configuration_revision &one : of.revisions()) {
      if (one.policy_group != wish.policy_group || one.by.empty() || one.of_file != checksum) continue;
      return refusal{wish.place, "a file that was changed since",
                     "revision " + std::to_string(one.number) + ", which " + one.by +
                         " sent, is in force, and the file " + "is as it was before that",
                     "write the file anew, or force the reload"};
    }
    return std::nullopt;
  }

  outcome plan(const json::object &given) {
    observe::plan_wish wish{word_of(given, "text"), word_of(given, "name"), word_of(given, "policy_group")};
    if (wish.policy_group.empty()) wish.policy_group = "default";
    observe::plan_said said = around.people.plan(wish, answer_deadline);
    if (said.status == TENON_RETRY) return no_answer_of(scheduler);
    if (said.status != TENON_OK) return said.why;
    if (const auto why = in_the_way(scheduler, wish)) said.answer["refusals"].as_array().push_back(refusal_json(*why));
    return std::move(said.answer);
  }

  outcome snapshot(const observe::caller &who) {
    const observe::saved_outcome made = around.people.admin().save(who, answer_deadline, most_saved_bytes);
    if (made.status == TENON_RETRY) return no_answer_of(scheduler);
    if (made.status != TENON_OK) return made.why;
    return saved_json(made);
  }

  outcome modules() {
    json::array listed, transports;
    const auto calls = scheduler.modules().long_calls();
    for (const auto &one : scheduler.modules().modules()) listed.push_back(object_of(one, calls));
    for (const auto &one : scheduler.transports())
      transports.push_back(json::object{{"module", one.module},
                                        {"name", one.name},
                                        {"running", one.running},
                                        {"faults", one.faults},
                                        {"restarts", one.restarts},
                                        {"words", one.message}});
    return json::object{{"modules", std::move(listed)},
                        {"transports", std::move(transports)},
                        {"shadows", shadows_json(scheduler.modules().shadows())}};
  }

  outcome health() {
    const observe::health_report now = around.people.health().look();
    json::array checks;
    for (const observe::health_check &one : now.checks)
      checks.push_back(json::object{{"name", one.name},
                                    {"state", observe::name(one.is)},
                                    {"healthy", one.is != observe::health_check::state::fails},
                                    {"meaning", one.meaning},
                                    {"words", one.diagnosis}});
    return json::object{{"healthy", now.healthy}, {"checks", std::move(checks)}};
  }

  outcome check() {
    const auto from = look(TENON_READ_ALL | observe::services::read_contents);
    if (from == nullptr) return no_answer_of(scheduler);
    json::array wrong;
    for (const audit_finding &one : audit(*from)) wrong.push_back(json::string(text_of(one)));
    uint64_t applications = 0, asks = 0, allocations = 0, nodes = 0;
    for (const partition_snapshot &p : from->partitions) {
      nodes += p.nodes.size();
      applications += p.applications.size();
      for (const application_snapshot &a : p.applications) {
        asks += a.asks.size();
        allocations += a.allocations.size();
      }
    }
    return json::object{{"healthy", wrong.empty()},
                        {"now_ms", from->now_ms},
                        {"partitions", from->partitions.size()},
                        {"nodes", nodes},
                        {"applications", applications},
                        {"asks", asks},
                        {"allocations", allocations},
                        {"wrong", std::move(wrong)}};
  }

  outcome shadow() {
    if (!around.shadow)
      return refusal{"shadow", "a deployment with a shadow", "one without",
                     "add `shadow: {}` and what of it is to be otherwise, and restart the daemon with --record"};
    return around.shadow();
  }

  outcome rms() {
    json::array out;
    for (const auto &one : scheduler.rms()) out.push_back(state_json::write(one));
    return json::object{{"rms", std::move(out)}};
  }

  outcome events(const request &what, bool may_wait) {
    if (scheduler.events() == nullptr)
      return refusal{"events", "a deployment that keeps events", "one without a sink",
                     "list one in events, as tenon.ring, and restart the daemon"};
    try {
      auto found = events_json(*scheduler.events(), what.given, may_wait ? &given_up : nullptr);
      // Who follows may wait for what is to come.
      if (found && found->at("records").as_array().empty() && !what.given.contains("wait_ms")) {
        if (auto no = refuse_event_filters(what)) return *no;
      }
      return found;
    } catch (const std::exception &wrong) {
      return refusal{"request", "texts and numbers as docs/control-socket.md has them", wrong.what(),
                     "write each key with the type of its row there"};
    }
  }

  // Why there are no records: what a filter names is not there. Records may be of what has gone.
  std::optional<refusal> refuse_event_filters(const request &what) const {
    constexpr auto soon = std::chrono::seconds(1);  // events are answered whatever the scheduler does
    constexpr uint32_t wanted = TENON_READ_QUEUES | TENON_READ_APPLICATIONS | TENON_READ_ENDED | TENON_READ_NODES;
    const auto from = around.people.look(wanted, {}, soon);
    if (from == nullptr) return std::nullopt;
    request ended = what;
    ended.which.ended = true;
    known_names known = names_in(what, *from);
    const known_names gone = names_in(ended, *from);
    known.applications.insert(known.applications.end(), gone.applications.begin(), gone.applications.end());
    if (auto no = missing("queue", what.which.queue, "queues", known.queues)) return no;
    if (auto no = missing("node", word_of(what.given, "node"), "nodes", known.nodes)) return no;
    return missing("application", what.application, "apps", known.applications);
  }

  // What changes something, or says what people may change.
  outcome administered(const request &what, const observe::caller &who) {
    try {
      if (what.command == "act") return acted(what, who);
      if (what.command == "step") return step(around.people.admin(), who, what.given);
      if (what.command == "config") return configurations(scheduler, what.given);
      if (what.command == "plan") return plan(what.given);
      return reload(what.given, who);
    } catch (const std::exception &wrong) {
      return refusal{"request", "values as docs/control-socket.md has them", wrong.what(),
                     "write each key with the type of its row there"};
    }
  }

  // Returns a plan for each RM, of the files as they are before a reload reads them. Where a plan is not made in time,
  // it and the rest are left out: the reload does not depend on them.
  json::array plans_of_files(const std::string &only_group) {
    json::array out;
    for (const auto &[group, in_force] : scheduler.policy_groups()) {
      if (!only_group.empty() && only_group != group) continue;
      const auto source = scheduler.source_of(group);
      if (!source) continue;
      observe::plan_said said = around.people.plan({source->text, source->place, group}, answer_deadline);
      if (said.status == TENON_RETRY) break;  // whoever is too busy for one plan is so for the next
      if (said.status != TENON_OK) continue;
      for (json::value &one : said.answer.at("plans").as_array()) out.push_back(std::move(one));
    }
    return out;
  }

  outcome reload(const json::object &given, const observe::caller &who) {
    observe::configuration_change wish;
    wish.policy_group = word_of(given, "policy_group");
    if (auto no = unknown_group(scheduler, wish.policy_group)) return *no;
    json::array plans = plans_of_files(wish.policy_group);
    if (const json::value *forced = given.if_contains("forced")) wish.forced = forced->as_bool();
    const observe::configuration_outcome made = around.reload(who, wish);
    if (made.why) return *made.why;
    if (made.how.status != TENON_OK) return refused("reload", {}, made.how);
    json::array warnings(made.notes.begin(), made.notes.end());
    for (const std::string &one : scheduler.configuration_warnings()) warnings.push_back(json::string(one));
    return json::object{{"reloaded", true},
                        {"revision", made.revision},
                        {"plans", std::move(plans)},
                        {"warnings", std::move(warnings)}};
  }

  outcome answer(const request &what, const observe::caller &who, bool may_wait) {
    for (const std::string_view one : {"act", "step", "config", "reload", "plan"})
      if (what.command == one) return administered(what, who);
    if (what.command == "explain") return explain(what);
    if (what.command == "whatif") return what_if(what, who);
    if (what.command == "snapshot") return snapshot(who);
    if (what.command == "modules") return modules();
    if (what.command == "health") return health();
    if (what.command == "check") return check();
    if (what.command == "rms") return rms();
    if (what.command == "shadow") return shadow();
    if (what.command == "events") return events(what, may_wait);
    return of_state(what);
  }
};

control_handler::control_handler(service::scheduler &scheduler, surroundings around)
    : impl_(new impl{scheduler, std::move(around)}) {}
control_handler::~control_handler() = default;

bool control_handler::waits(std::string_view line) {
  const auto what = read(line);
  return what && what->command != "health" && what->command != "modules" && what->command != "shadow";
}

bool control_handler::waits_for_events(std::string_view line) {
  const auto what = read(line);
  return what && what->command == "events" && what->given.contains("wait_ms");
}

void control_handler::give_up() {
  impl_->given_up = true;
  if (impl_->scheduler.events() != nullptr) impl_->scheduler.events()->wake_waiting();
}

std::string control_handler::answer(std::string_view line, const observe::caller &who, bool may_wait) {
  const auto what = read(line);
  if (!what) return refusing({}, what.why());
  auto found = impl_->answer(*what, who, may_wait);
  if (!found) return refusing(what->id, found.why());
  std::string out = finished(what->id, {{"ok", true}, {"result", std::move(*found)}});
  if (out.size() <= most_answer_bytes) return out;
  return refusing(what->id, {"answer", "at most " + std::to_string(most_answer_bytes) + " bytes",
                             std::to_string(out.size()), "ask for one partition or queue, or give a limit"});
}

std::string refusing_answer(const refusal &why) { return refusing({}, why); }

}  // namespace tenon::cli
