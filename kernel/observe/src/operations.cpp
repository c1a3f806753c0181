// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "tenon/observe/operations.hpp"

#include <array>

#include "snapshot_keeper.hpp"
#include "tenon/config/queues.hpp"
#include "tenon/kernel/messages.hpp"
#include "tenon/kernel/partition_name.hpp"
#include "tenon/service/ignored_settings.hpp"

namespace tenon::observe {
namespace {

// What an action acts on: whose admin ACL counts.
enum class realm : uint8_t { everything, partition, node, queue, application };

struct known_action {
  uint32_t what;
  std::string_view name;
  realm on;
  // "queue" of "stop queue"
  [[nodiscard]] std::string_view kind() const { return name.substr(name.find(' ') + 1); }
};
constexpr std::array<known_action, 13> known_actions{{
    {TENON_ADMIN_RECOVERY_DONE, "recovery done", realm::everything},
    {TENON_ADMIN_DRAIN_NODE, "drain node", realm::node},
    {TENON_ADMIN_UNDRAIN_NODE, "undrain node", realm::node},
    {TENON_ADMIN_STOP_QUEUE, "stop queue", realm::queue},
    {TENON_ADMIN_START_QUEUE, "start queue", realm::queue},
    {TENON_ADMIN_KILL_APPLICATION, "kill application", realm::application},
    {TENON_ADMIN_MOVE_APPLICATION, "move application", realm::application},
    {TENON_ADMIN_LOG_LEVEL, "log level", realm::everything},
    {TENON_ADMIN_STOP_PARTITION, "stop partition", realm::partition},
    {TENON_ADMIN_START_PARTITION, "start partition", realm::partition},
    {TENON_ADMIN_DRAIN_PARTITION, "drain partition", realm::partition},
    {TENON_ADMIN_CANARY_BACK, "canary back", realm::partition},
    {TENON_ADMIN_CANARY_AGAIN, "canary again", realm::partition},
}};

const known_action *find(uint32_t what) {
  for (const known_action &one : known_actions)
    if (one.what == what) return &one;
  return nullptr;
}

outcome stopping() { return {TENON_RETRY, "the scheduler stops"}; }

outcome from(const configured &c) {
  switch (c.what) {
    case configured::outcome::done:
      return {};
    case configured::outcome::refused:
      return {TENON_INVALID_CONFIG, c.message};
    case configured::outcome::unknown:
      return {TENON_UNRESOLVABLE, c.message};
    case configured::outcome::in_the_way:
      return {TENON_UNSCHEDULABLE, c.message};
    case configured::outcome::stopping:
      break;
  }
  return {TENON_RETRY, c.message};
}

std::vector<std::string_view> groups_of(const caller &who) { return {who.groups.begin(), who.groups.end()}; }

outcome missing(std::string_view kind, const std::string &name, const std::string &partitions) {
  const std::string object(kind);
  return {TENON_UNRESOLVABLE, "there is no " + object + " '" + name + "' in partition " + partitions, object, name};
}

// Of queues, and of applications through their queues: of both where one is moved.
outcome may_act_on(const kernel &k, const caller &who, const named_partition &where, const std::string &queue) {
  const auto may = k.may_administer(where.id, queue, who.user, groups_of(who));
  if (!may) return missing("queue", queue, where.name);
  if (who.all || *may) return {};
  return {TENON_DECLINED, "the admin ACL of queue " + queue + " does not name " + who.user};
}

uint8_t event_of(object_event event) { return static_cast<uint8_t>(event); }

// "by alice: made a mistake": what the resource manager and its users read.
std::string who_and_why(const caller &who, const action &a) {
  return "by " + (who.user.empty() ? "nobody" : who.user) + (a.reason.empty() ? "" : ": " + a.reason);
}

// `text` outlives the command.
command wanted_by(const action &a, uint32_t what, const std::string &text) {
  switch (what) {
    case TENON_ADMIN_DRAIN_NODE:
      return change_node{a.partition, a.object, static_cast<uint8_t>(node_event::drain), true};
    case TENON_ADMIN_UNDRAIN_NODE:
      return change_node{a.partition, a.object, static_cast<uint8_t>(node_event::undrain), true};
    case TENON_ADMIN_STOP_QUEUE:
      return change_queue{a.partition, a.object, event_of(object_event::stop)};
    case TENON_ADMIN_START_QUEUE:
      return change_queue{a.partition, a.object, event_of(object_event::start)};
    case TENON_ADMIN_MOVE_APPLICATION:
      return move_application{a.partition, a.object, a.target};
    case TENON_ADMIN_STOP_PARTITION:
      return change_partition{a.partition, event_of(object_event::stop)};
    case TENON_ADMIN_START_PARTITION:
      return change_partition{a.partition, event_of(object_event::start)};
    case TENON_ADMIN_DRAIN_PARTITION:
      return change_partition{a.partition, event_of(object_event::remove)};
    case TENON_ADMIN_CANARY_BACK:
      return change_canary{a.partition, canary_turn::back, text};
    case TENON_ADMIN_CANARY_AGAIN:
      return change_canary{a.partition, canary_turn::again, text};
    default:
      return fail_application{a.partition, a.object, text};
  }
}

bool has_object(const kernel &k, partition_id partition, const std::string &object, realm on) {
  switch (on) {
    case realm::node:
      return k.state_of_node(partition, object).has_value();
    case realm::queue:
      return k.may_administer(partition, object, {}, {}).has_value();
    case realm::application:
      return k.place_of(partition, object).has_value();
    default:
      return true;
  }
}

std::string listed(const std::vector<named_partition> &all) {
  std::string out;
  for (const named_partition &one : all) out += (out.empty() ? "" : ", ") + one.name;
  return out;
}

// Those that a full name, a plain one or none may mean.
std::vector<named_partition> partitions_named(const kernel &k, const std::string &name) {
  std::vector<named_partition> out = k.partitions();
  std::erase_if(out, [&](const named_partition &one) { return !is_partition(one.name, name); });
  return out;
}

outcome no_partition(const kernel &k, const std::string &name) {
  const std::string there = listed(k.partitions());
  return {TENON_UNRESOLVABLE,
          "there is no partition" + (name.empty() ? "" : " '" + name + "'") +
              (there.empty() ? "; no resource manager has registered" : ", but " + there),
          there.empty() ? "" : "partition", name};
}

outcome several(const std::vector<named_partition> &meant) {
  return {TENON_INVALID_CONFIG, "partition: want one of them, named in full: " + listed(meant)};
}

// The one that a name means, where it is one alone.
outcome find_partition(const kernel &k, const std::string &name, named_partition &out) {
  const auto named = partitions_named(k, name);
  if (named.empty()) return no_partition(k, name);
  if (named.size() > 1) return several(named);
  out = named.front();
  return {};
}

// The same where only one partition that is meant has what the action acts on. Puts its full name into the action.
outcome find_partition(const kernel &k, action &a, const known_action &known, named_partition &out) {
  const auto named = partitions_named(k, a.partition);
  if (named.empty()) return no_partition(k, a.partition);
  std::vector<named_partition> meant = named;
  std::erase_if(meant, [&](const named_partition &one) { return !has_object(k, one.id, a.object, known.on); });
  if (meant.size() > 1) return several(meant);
  if (named.size() == 1) a.partition = named.front().name;
  if (meant.empty()) return missing(known.kind(), a.object, listed(named));
  out = meant.front();
  a.partition = out.name;
  return {};
}

// Whether the caller may.
outcome may_do(const kernel &k, const caller &who, const action &a, const named_partition &where, realm on) {
  switch (on) {
    case realm::queue:
      return may_act_on(k, who, where, a.object);
    case realm::application: {
      outcome may = may_act_on(k, who, where, k.place_of(where.id, a.object)->queue);
      if (may.status == TENON_OK && a.what == TENON_ADMIN_MOVE_APPLICATION) may = may_act_on(k, who, where, a.target);
      return may;
    }
    default:
      return may_act_on(k, who, where, "root");
  }
}

// Nothing is applied that the kernel would refuse.
std::string problem_with(const kernel &k, const action &a, partition_id where, const command &wanted) {
  if (a.what == TENON_ADMIN_UNDRAIN_NODE && k.state_of_node(where, a.object) == node_state::schedulable)
    return messages::node_not_draining(a.object);
  return k.problem_with(wanted);
}

}  // namespace

uint32_t action_named(std::string_view name) {
  for (const known_action &one : known_actions)
    if (one.name == name) return one.what;
  return 0;
}

std::vector<std::string_view> action_names() {
  std::vector<std::string_view> out;
  for (const known_action &one : known_actions) out.push_back(one.name);
  return out;
}

std::string caller::text() const {
  const std::string name = user.empty() ? std::string("nobody") : user;
  return origin.empty() ? name : name + " (" + origin + ")";
}

void administration::record(const caller &who, std::string_view did, const action &what, const outcome &how,
                            const std::vector<std::string> &notes) {
  audited note{who.text(), std::string(did), what.object, what.partition, {}, how.status == TENON_OK};
  const auto add = [&](const std::string &one) { (note.message += note.message.empty() ? "" : ", ") += one; };
  // Why not stands first: what is too long is cut off at its end, and reasons may be long.
  if (!note.done) add(how.message);
  if (!what.target.empty()) add("to " + what.target);
  if (!what.reason.empty()) add("because " + what.reason);
  for (const std::string &one : notes) add(one);
  to_.audit(note);
}

outcome administration::act(const caller &who, action &what) {
  const known_action *known = find(what.what);
  if (known == nullptr) return {TENON_UNSUPPORTED, "there is no action " + std::to_string(what.what)};
  outcome how = done(who, what);
  keeper_.outdate();
  action told = what;
  if (what.what != TENON_ADMIN_MOVE_APPLICATION) told.target.clear();
  if (known->kind() == "partition") told.object = told.partition;
  record(who, known->name, told, how);
  return how;
}

outcome administration::lift_quarantine(const caller &who, const std::string &module, const std::string &reason) {
  outcome how;
  if (!who.all)
    how = {TENON_DECLINED, "lift quarantine is for those who may do everything"};
  else if (auto why = to_.lift_quarantine(module))
    how = {TENON_UNRESOLVABLE, std::move(*why)};
  record(who, "lift quarantine", {0, {}, module, {}, reason}, how);
  return how;
}

result<module_swapped> administration::swap_module(const caller &who, const module_swap &wish) {
  action told;
  told.object = wish.module;
  told.reason = wish.reason;
  result<module_swapped> out =
      refusal{"module " + wish.module, "somebody who may do everything", who.text(), "ask somebody who may"};
  if (who.all) out = to_.swap_module(wish, who_and_why(who, told));
  keeper_.outdate();
  std::vector<std::string> notes;
  if (out && out->digest != out->before)
    notes.push_back("sha256:" + out->digest + " in place of sha256:" + out->before);
  constexpr std::array<std::string_view, 3> did{"swap module", "swap module back", "restore module"};
  record(who, did[static_cast<size_t>(wish.build)], told,
         out ? outcome{} : outcome{TENON_INVALID_CONFIG, out.why().text()}, notes);
  return out;
}

outcome administration::done(const caller &who, action &what) {
  const known_action &known = *find(what.what);
  if (known.on == realm::everything && !who.all)
    return {TENON_DECLINED, std::string(known.name) + " is for those who may do everything"};
  switch (what.what) {
    case TENON_ADMIN_RECOVERY_DONE:
      if (to_.recovery_done(what.object)) return {};
      return {TENON_UNRESOLVABLE, "there is no resource manager '" + what.object + "'", "rm", what.object};
    case TENON_ADMIN_LOG_LEVEL:
      if (to_.log_level(what.object)) return {};
      return {TENON_INVALID_CONFIG,
              "level: want debug, info, warning or error, have '" + what.object.substr(0, 64) + "'"};
    case TENON_ADMIN_MOVE_APPLICATION:
      if (what.target.empty())
        return {TENON_INVALID_CONFIG, "target: want the queue that it is to go to, have nothing"};
      return act_in_kernel(who, what);
    default:
      return act_in_kernel(who, what);
  }
}

outcome administration::act_in_kernel(const caller &who, action &what) {
  outcome how;
  const bool ran = to_.call([&](kernel &k, const kernel_access::applier &apply) {
    const known_action &known = *find(what.what);
    named_partition where;
    how = find_partition(k, what, known, where);
    if (how.status == TENON_OK) how = may_do(k, who, what, where, known.on);
    if (how.status != TENON_OK) return;
    const std::string text = who_and_why(who, what);
    const command wanted = wanted_by(what, what.what, text);
    if (std::string problem = problem_with(k, what, where.id, wanted); !problem.empty()) {
      how = {TENON_UNSCHEDULABLE, std::move(problem)};
    } else {
      apply(wanted);
    }
  });
  return ran ? how : stopping();
}

// Reading the files again is for those who administer everything that they are for; the files are not theirs to send.
outcome administration::may_configure(const caller &who, const configuration_change &what) {
  if (who.all) return {};
  if (!what.text.empty()) return {TENON_DECLINED, "changing the configuration is for those who may do everything"};
  bool may = false;
  to_.call([&](kernel &k, const kernel_access::applier &) { may = k.may_administer_all(who.user, groups_of(who)); });
  if (may) return {};
  return {TENON_DECLINED, "the admin ACLs of the root queues of all partitions do not name " + who.user};
}

configuration_outcome administration::configure(const caller &who, const configuration_change &what) {
  configuration_outcome out;
  out.how = may_configure(who, what);
  if (out.how.status == TENON_OK) {
    out.before = to_.configuration(what.rm, what.policy_group);
    configured made = to_.configure({what.rm, what.policy_group, what.text, who.text(), what.forced});
    keeper_.outdate();
    out.how = from(made);
    out.why = std::move(made.why);
    out.revision = made.revision;
    out.notes = std::move(made.notes);
    if (what.extra_settings != 0) out.notes.push_back(service::ignored_settings(what.extra_settings));
  }
  if (out.how.status == TENON_OK) out.checksum = config::queues_checksum(to_.configuration(what.rm, what.policy_group));
  action told;
  told.object = what.rm.empty() ? what.policy_group : what.rm;
  const bool reload = what.text.empty();
  record(who, reload ? "reload the configuration" : "change the configuration", told, out.how, out.notes);
  return out;
}

configuration_outcome administration::validate(const configuration_change &what) {
  configuration_outcome out;
  out.before = to_.configuration(what.rm, what.policy_group);
  // Who sent what before is in nobody's way here: a text that can be had is valid.
  configured tried = to_.configure({what.rm, what.policy_group, what.text, {}, true, true});
  out.how = from(tried);
  out.why = std::move(tried.why);
  out.checksum = std::move(tried.checksum);
  out.notes = std::move(tried.notes);
  return out;
}

outcome administration::step(const caller &who, const std::string &partition, uint32_t most, uint64_t &decisions) {
  if (!who.all) return {TENON_DECLINED, "stepping is for those who may do everything"};
  if (!to_.is_manual())
    return {TENON_UNSCHEDULABLE,
            "the scheduler runs by itself; cycle.manual: true in its deployment lets people step it"};
  std::optional<partition_id> only;
  if (!partition.empty()) {
    outcome how;
    named_partition where;
    const auto find = [&](kernel &k, const kernel_access::applier &) { how = find_partition(k, partition, where); };
    if (!to_.call(find)) return stopping();
    if (how.status != TENON_OK) return how;
    only = where.id;
  }
  decisions = to_.step(only, most == 0 ? 1 : most);
  keeper_.outdate();
  return {};
}

}  // namespace tenon::observe
