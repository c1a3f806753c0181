// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What people change: checked against what they may, done as a command, and told for the record either way.
#include "services_impl.hpp"
#include "tenon/config/queues.hpp"
#include "tenon/host/offered_service.hpp"

namespace tenon::observe {
namespace {

struct outcome {
  tenon_status status = TENON_OK;
  std::string words;
};

services::impl *self(const tenon_host *host) {
  return static_cast<services::impl *>(host::service_context(host, TENON_HOST_ADMIN));
}

bool may_do_all(const tenon_admin_caller *c) { return c != nullptr && (c->rights & TENON_CALLER_ALL) != 0; }

std::string name_of(const tenon_admin_caller *c) {
  if (c == nullptr) return "nobody";
  std::string out(view_of(c->user));
  if (TENON_COVERS(c, tenon_admin_caller, origin) && c->origin.length != 0) {
    out += " (" + std::string(view_of(c->origin)) + ")";
  }
  return out;
}

std::string_view word_of(uint32_t action) {
  switch (action) {
    case TENON_ADMIN_RECOVERY_DONE:
      return "recovery done";
    case TENON_ADMIN_DRAIN_NODE:
      return "drain node";
    case TENON_ADMIN_UNDRAIN_NODE:
      return "undrain node";
    case TENON_ADMIN_STOP_QUEUE:
      return "stop queue";
    case TENON_ADMIN_START_QUEUE:
      return "start queue";
    case TENON_ADMIN_KILL_APPLICATION:
      return "kill application";
    case TENON_ADMIN_MOVE_APPLICATION:
      return "move application";
    case TENON_ADMIN_LOG_LEVEL:
      return "log level";
    default:
      return "";
  }
}

void record(services::impl &s, const tenon_admin_caller *who, std::string_view action, std::string_view object,
            std::string_view partition, const outcome &how, std::string_view reason, std::string_view target = {}) {
  audited what{name_of(who), std::string(action),   std::string(object), std::string(partition),
               {},           how.status == TENON_OK};
  const auto add = [&](std::string_view words) { (what.words += what.words.empty() ? "" : ", ") += words; };
  // Why not stands first: what is too long is cut off at its end, and reasons may be long.
  if (!what.done) add(how.words);
  if (!target.empty()) add("to " + std::string(target));
  if (!reason.empty()) add("because " + std::string(reason));
  s.to.audit(what);
}

outcome from(const configured &c) {
  switch (c.what) {
    case configured::outcome::done:
      return {};
    case configured::outcome::refused:
      return {TENON_INVALID_CONFIG, c.words};
    case configured::outcome::unknown:
      return {TENON_UNRESOLVABLE, c.words};
    case configured::outcome::stopping:
      break;
  }
  return {TENON_RETRY, c.words};
}

void say_old(tenon_admin_config_out &out, const std::string &configuration) {
  if (!TENON_COVERS(&out, tenon_admin_config_out, old_length)) return;
  say(out.old, configuration);
  out.old_length = configuration.size();
}

// Who asks, as queues' ACLs see them.
struct acting {
  std::string_view user;
  std::vector<std::string_view> groups;
  bool all = false;

  explicit acting(const tenon_admin_caller *c) : all(may_do_all(c)) {
    if (c == nullptr) return;
    user = view_of(c->user);
    for (uint64_t i = 0; i < c->group_count; ++i) groups.push_back(view_of(c->groups[i]));
  }
};

// Of queues, and of applications through their queues: of both where one is moved.
outcome may_act_on(const kernel &k, const acting &who, std::string_view partition, const std::string &queue) {
  const auto may = k.may_administer(partition, queue, who.user, who.groups);
  if (!may) return {TENON_UNRESOLVABLE, "there is no queue '" + queue + "' in partition " + std::string(partition)};
  if (who.all || *may) return {};
  return {TENON_DECLINED, "the admin ACL of queue " + queue + " does not name " + std::string(who.user)};
}

// Reading the files again is for those who administer everything that they are for; the files are not theirs to send.
outcome may_configure(services::impl &s, const tenon_admin_config_in &in) {
  const acting who(in.caller);
  if (who.all) return {};
  if (in.configuration.length != 0) {
    return {TENON_DECLINED, "changing the configuration is for those who may do everything"};
  }
  bool may = false;
  s.to.call([&](kernel &k, const door::applier &) { may = k.may_administer_all(who.user, who.groups); });
  if (may) return {};
  return {TENON_DECLINED, "the admin ACLs of the root queues of all partitions do not name " + std::string(who.user)};
}

// Settings beside queues.yaml there are none for people to change: nobody is to think that one was taken.
outcome extra_problem(const tenon_admin_config_in &in) {
  if (!TENON_COVERS(&in, tenon_admin_config_in, extra) || in.extra.count == 0) return {};
  return {TENON_INVALID_CONFIG, "extraConfig: want nothing, have " + std::to_string(in.extra.count) +
                                    " settings; leave it out, all that can be changed is in queues.yaml"};
}

tenon_status update_config(const tenon_host *host, const tenon_admin_config_in *in, tenon_admin_config_out *out) {
  services::impl *s = self(host);
  if (s == nullptr || in == nullptr || out == nullptr || !TENON_COVERS(in, tenon_admin_config_in, configuration) ||
      !TENON_COVERS(out, tenon_admin_config_out, error)) {
    return TENON_UNSUPPORTED;
  }
  outcome how = may_configure(*s, *in);
  std::string before;
  if (how.status == TENON_OK) how = extra_problem(*in);
  if (how.status == TENON_OK) {
    before = s->to.configuration(view_of(in->rm), view_of(in->policy_group));
    how = from(s->to.configure(view_of(in->rm), view_of(in->policy_group), view_of(in->configuration)));
    s->keeper.outdate();
  }
  say_old(*out, before);
  if (how.status == TENON_OK && TENON_COVERS(out, tenon_admin_config_out, checksum)) {
    const std::string now = s->to.configuration(view_of(in->rm), view_of(in->policy_group));
    say(out->checksum, config::queues_checksum(now));
  }
  say(out->error, how.words);
  const std::string_view whom = in->rm.length != 0 ? view_of(in->rm) : view_of(in->policy_group);
  record(*s, in->caller, in->configuration.length == 0 ? "reload the configuration" : "change the configuration", whom,
         {}, how, {});
  return how.status;
}

tenon_status validate_config(const tenon_host *host, const tenon_admin_config_in *in, tenon_admin_config_out *out) {
  services::impl *s = self(host);
  if (s == nullptr || in == nullptr || out == nullptr || !TENON_COVERS(in, tenon_admin_config_in, configuration) ||
      !TENON_COVERS(out, tenon_admin_config_out, error)) {
    return TENON_UNSUPPORTED;
  }
  say_old(*out, s->to.configuration(view_of(in->rm), view_of(in->policy_group)));
  outcome how = extra_problem(*in);
  if (how.status == TENON_OK) how = from(s->to.look_for(view_of(in->rm), view_of(in->policy_group)));
  if (how.status != TENON_OK) {
    say(out->error, how.words);
    return how.status;
  }
  const result<std::string> checked =
      s->to.check(view_of(in->rm), view_of(in->policy_group), view_of(in->configuration));
  if (!checked) {
    say(out->error, checked.why().text());
    return TENON_INVALID_CONFIG;
  }
  if (TENON_COVERS(out, tenon_admin_config_out, checksum)) say(out->checksum, *checked);
  return TENON_OK;
}

// Of nodes: nothing is applied that the kernel would refuse.
outcome act_on_node(kernel &k, const door::applier &apply, const acting &who, const tenon_admin_act_in &in) {
  const std::string_view partition = view_of(in.partition), node = view_of(in.object);
  const bool drain = in.action == TENON_ADMIN_DRAIN_NODE;
  const auto state = k.state_of_node(partition, node);
  if (!state)
    return {TENON_UNRESOLVABLE, "there is no node '" + std::string(node) + "' in partition " + std::string(partition)};
  if (outcome may = may_act_on(k, who, partition, "root"); may.status != TENON_OK) return may;
  if (!drain && *state == node_state::schedulable) {
    return {TENON_UNSCHEDULABLE, "node '" + std::string(node) + "' is not draining"};
  }
  apply(change_node{partition, node, static_cast<uint8_t>(drain ? node_event::drain : node_event::undrain)});
  return {};
}

command wanted_by(const tenon_admin_act_in &in) {
  const std::string_view partition = view_of(in.partition), object = view_of(in.object);
  switch (in.action) {
    case TENON_ADMIN_STOP_QUEUE:
      return change_queue{partition, object, static_cast<uint8_t>(object_event::stop)};
    case TENON_ADMIN_START_QUEUE:
      return change_queue{partition, object, static_cast<uint8_t>(object_event::start)};
    case TENON_ADMIN_MOVE_APPLICATION:
      return move_application{partition, object, view_of(in.target)};
    default:
      return fail_application{partition, object, view_of(in.reason)};
  }
}

outcome act_on_queue(const kernel &k, const door::applier &apply, const acting &who, const tenon_admin_act_in &in) {
  const std::string_view partition = view_of(in.partition), object = view_of(in.object);
  const bool of_queue = in.action == TENON_ADMIN_STOP_QUEUE || in.action == TENON_ADMIN_START_QUEUE;
  const auto queue = of_queue ? std::optional(std::string(object)) : k.queue_of(partition, object);
  if (!queue) {
    return {TENON_UNRESOLVABLE,
            "there is no application '" + std::string(object) + "' in partition " + std::string(partition)};
  }
  outcome may = may_act_on(k, who, partition, *queue);
  if (may.status == TENON_OK && in.action == TENON_ADMIN_MOVE_APPLICATION) {
    may = may_act_on(k, who, partition, std::string(view_of(in.target)));
  }
  if (may.status != TENON_OK) return may;
  const command wanted = wanted_by(in);
  if (std::string problem = k.problem_with(wanted); !problem.empty()) return {TENON_UNSCHEDULABLE, std::move(problem)};
  apply(wanted);
  return {};
}

outcome act(services::impl &s, const tenon_admin_act_in &in) {
  const std::string_view object = view_of(in.object);
  const std::string_view what = word_of(in.action);
  if (what.empty()) return {TENON_UNSUPPORTED, "there is no action " + std::to_string(in.action)};
  const acting who(in.caller);
  const auto stopping = outcome{TENON_RETRY, "the scheduler stops"};
  outcome how;
  switch (in.action) {
    case TENON_ADMIN_RECOVERY_DONE:
    case TENON_ADMIN_LOG_LEVEL:
      if (!who.all) return {TENON_DECLINED, std::string(what) + " is for those who may do everything"};
      break;
    default:
      break;
  }
  switch (in.action) {
    case TENON_ADMIN_RECOVERY_DONE:
      if (s.to.recovery_done(object)) return {};
      return {TENON_UNRESOLVABLE, "no resource manager '" + std::string(object) + "' waits for it"};
    case TENON_ADMIN_LOG_LEVEL:
      if (s.to.log_level(object)) return {};
      return {TENON_INVALID_CONFIG,
              "level: want debug, info, warning or error, have '" + std::string(object.substr(0, 64)) + "'"};
    case TENON_ADMIN_DRAIN_NODE:
    case TENON_ADMIN_UNDRAIN_NODE: {
      const bool ran = s.to.call([&](kernel &k, const door::applier &apply) { how = act_on_node(k, apply, who, in); });
      return ran ? how : stopping;
    }
    default: {
      if (in.action == TENON_ADMIN_MOVE_APPLICATION && in.target.length == 0) {
        return {TENON_INVALID_CONFIG, "target: want the queue that it is to go to, have nothing"};
      }
      const bool ran = s.to.call([&](kernel &k, const door::applier &apply) { how = act_on_queue(k, apply, who, in); });
      return ran ? how : stopping;
    }
  }
}

tenon_status act_slot(const tenon_host *host, const tenon_admin_act_in *in, tenon_admin_act_out *out) {
  services::impl *s = self(host);
  if (s == nullptr || in == nullptr || out == nullptr || !TENON_COVERS(in, tenon_admin_act_in, reason) ||
      !TENON_COVERS(out, tenon_admin_act_out, error)) {
    return TENON_UNSUPPORTED;
  }
  const outcome how = act(*s, *in);
  s->keeper.outdate();
  say(out->error, how.words);
  record(*s, in->caller, word_of(in->action), view_of(in->object), view_of(in->partition), how, view_of(in->reason),
         in->action == TENON_ADMIN_MOVE_APPLICATION ? view_of(in->target) : std::string_view{});
  return how.status;
}

tenon_status step(const tenon_host *host, const tenon_admin_step_in *in, tenon_admin_step_out *out) {
  services::impl *s = self(host);
  if (s == nullptr || in == nullptr || out == nullptr || !TENON_COVERS(in, tenon_admin_step_in, partition) ||
      !TENON_COVERS(out, tenon_admin_step_out, error)) {
    return TENON_UNSUPPORTED;
  }
  if (!may_do_all(in->caller)) {
    say(out->error, "stepping is for those who may do everything");
    return TENON_DECLINED;
  }
  const auto made = s->to.step(view_of(in->partition), in->most == 0 ? 1 : in->most);
  s->keeper.outdate();
  if (!made) {
    say(out->error, "the scheduler runs by itself");
    return TENON_UNSCHEDULABLE;
  }
  out->decisions = *made;
  return TENON_OK;
}

}  // namespace

const tenon_host_admin &admin_table() {
  static constexpr tenon_host_admin table{sizeof(tenon_host_admin), 0, update_config, validate_config, act_slot, step};
  return table;
}

}  // namespace tenon::observe
