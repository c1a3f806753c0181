// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "command_text.hpp"

#include "tenon/kernel/decisions.hpp"
#include "tenon/kernel/messages.hpp"
#include "tenon/kernel/state_tables.hpp"

namespace tenon::sim {
namespace {

// "key=value" pairs after a name; empty values are left out.
class line {
 public:
  explicit line(std::string what) : text_(std::move(what)) {}

  line &with(std::string_view key, std::string_view value) {
    if (!value.empty()) text_ += ' ' + std::string(key) + '=' + std::string(value);
    return *this;
  }
  line &with(std::string_view key, int64_t value) { return value == 0 ? *this : with(key, std::to_string(value)); }
  line &with(std::string_view key, const char *value) { return with(key, std::string_view(value)); }
  line &with(std::string_view key, const std::string &value) { return with(key, std::string_view(value)); }
  line &with(std::string_view key, amounts value) {
    std::string list;
    for (const named_amount &item : value)
      list += (list.empty() ? "" : ",") + std::string(item.type) + ':' + std::to_string(item.amount);
    return with(key, list);
  }
  line &with(std::string_view key, const amount_map &value) {
    return value.empty() ? *this : with(key, messages::amounts(value));
  }
  line &with(std::string_view key, texts value) {
    std::string list;
    for (const named_text &item : value)
      list += (list.empty() ? "" : ",") + std::string(item.key) + ':' + std::string(item.value);
    return with(key, list);
  }
  line &with(std::string_view key, names value) {
    std::string list;
    for (const std::string_view item : value) list += (list.empty() ? "" : ",") + std::string(item);
    return with(key, list);
  }
  line &with(std::string_view key, const std::vector<std::string> &value) {
    std::string list;
    for (const std::string &item : value) list += (list.empty() ? "" : ",") + item;
    return with(key, list);
  }
  line &flag(std::string_view key, bool set) {
    if (set) text_ += ' ' + std::string(key);
    return *this;
  }
  [[nodiscard]] const std::string &done() const { return text_; }

 private:
  std::string text_;
};

std::string of(const put_ask &c) {
  return line("put_ask")
      .with("partition", c.partition)
      .with("app", c.application)
      .with("key", c.key)
      .with("resources", c.resources)
      .with("max", c.max_allocations)
      .with("priority", c.priority)
      .with("class", c.priority_class)
      .with("timeout", c.execution_timeout_ms)
      .with("created", c.create_time_ms)
      .with("tags", c.tags)
      .with("group", c.task_group)
      .with("node", c.required_node)
      .flag("placeholder", c.placeholder)
      .done();
}

std::string of(const existing_allocation &x) {
  return '{' + of(x.ask) +
         line("").with("bound", x.bind_time_ms).flag("foreign", x.foreign).with("detail", x.detail).done() + '}';
}

std::string of(const register_rm &c) {
  return line("register_rm").with("rm", c.rm).with("deadline", c.check_deadline_ms).done() + '\n' + text_of(*c.config);
}
std::string of(const configure &c) { return line("configure").with("rm", c.rm).done() + '\n' + text_of(*c.config); }
std::string of(const signal_rm &c) {
  static constexpr const char *names[] = {"lost", "back", "timeout", "shutdown"};
  return line("signal_rm").with("rm", c.rm).with("signal", names[static_cast<size_t>(c.signal)]).done();
}
std::string of(const add_application &c) {
  return line("add_application")
      .with("partition", c.partition)
      .with("app", c.application)
      .with("queue", c.queue)
      .with("user", c.user)
      .with("groups", c.groups)
      .with("tags", c.tags)
      .with("timeout", c.execution_timeout_ms)
      .with("gang", c.placeholder_ask)
      .flag("hard", c.hard_gang)
      .done();
}
std::string of(const remove_application &c) {
  return line("remove_application").with("partition", c.partition).with("app", c.application).done();
}
std::string of(const put_allocation &c) {
  return line("put_allocation")
             .with("partition", c.partition)
             .with("node", c.node)
             .with("sequence", static_cast<int64_t>(c.allocation.sequence))
             .flag("apart", c.allocation.apart)
             .done() +
         ' ' + of(c.allocation);
}
std::string of(const release &c) {
  static constexpr const char *whats[] = {"allocations", "asks", "both"};
  return line("release")
      .with("partition", c.partition)
      .with("app", c.application)
      .with("key", c.key)
      .with("sequence", static_cast<int64_t>(c.allocation_sequence))
      .with("limit", c.limit)
      .with("why", name(c.why))
      .with("what", whats[static_cast<size_t>(c.what)])
      .done();
}
std::string of(const add_node &c) {
  std::string out = line("add_node")
                        .with("partition", c.partition)
                        .with("node", c.node)
                        .with("capacity", c.capacity)
                        .with("occupied", c.occupied)
                        .with("attributes", c.attributes)
                        .flag("draining", !c.schedulable)
                        .done();
  for (const existing_allocation &x : c.existing) out += ' ' + of(x);
  return out;
}
std::string of(const update_node &c) {
  return line("update_node")
      .with("partition", c.partition)
      .with("node", c.node)
      .flag("capacity:", c.has_capacity)
      .with("capacity", c.capacity)
      .flag("occupied:", c.has_occupied)
      .with("occupied", c.occupied)
      .flag("attributes:", c.has_attributes)
      .with("attributes", c.attributes)
      .done();
}
std::string of(const change_node &c) {
  return line("change_node")
      .with("partition", c.partition)
      .with("node", c.node)
      .with("event", name(static_cast<node_event>(c.event)))
      .flag("administrator", c.by_administrator)
      .done();
}
std::string of(const change_partition &c) {
  return line("change_partition")
      .with("partition", c.partition)
      .with("event", name(static_cast<object_event>(c.event)))
      .done();
}
std::string of(const change_canary &c) {
  return line("change_canary")
      .with("partition", c.partition)
      .with("turn", c.turn == canary_turn::back ? "back" : "again")
      .with("text", c.text)
      .done();
}
std::string of(const swap_module &c) {
  line about("swap_module");
  about.with("module", c.module).with("digest", c.digest).with("before", c.before);
  for (const swapped_policy &one : c.policies) about.with(entry_of(one.kind).name(), one.name);
  return about.done();
}
std::string of(const change_queue &c) {
  return line("change_queue")
      .with("partition", c.partition)
      .with("queue", c.queue)
      .with("event", name(static_cast<object_event>(c.event)))
      .done();
}
std::string of(const fail_application &c) {
  return line("fail_application")
      .with("partition", c.partition)
      .with("application", c.application)
      .with("text", c.text)
      .done();
}
std::string of(const move_application &c) {
  return line("move_application")
      .with("partition", c.partition)
      .with("application", c.application)
      .with("queue", c.queue)
      .done();
}
std::string of(const step &c) {
  return line("step").with("partition", c.partition).with("rounds", c.max_decisions).done();
}
std::string of(const check_answer &c) {
  return line("check_answer")
      .with("partition", c.partition)
      .with("number", static_cast<int64_t>(c.number))
      .flag("accepted", c.accepted)
      .with("reason", c.reason)
      .with("app", c.application)
      .with("key", c.key)
      .with("node", c.node)
      .done();
}
std::string of(const checks_delivered &c) {
  return line("checks_delivered").with("partition", c.partition).with("number", static_cast<int64_t>(c.number)).done();
}
std::string of(const check_again &c) {
  return line("check_again")
      .with("partition", c.partition)
      .with("app", c.application)
      .with("key", c.key)
      .with("node", c.node)
      .done();
}
std::string of(const advance &) { return "advance"; }
std::string of(const inspect &c) { return line("inspect").with("partition", c.partition).with("most", c.most).done(); }

void append(std::string &out, const placement_rule_config &rule, int indent) {
  out += std::string(static_cast<size_t>(indent), ' ') +
         line("rule")
             .with("name", rule.name)
             .with("value", rule.value)
             .flag("create", rule.create)
             .flag("deny", !rule.filter.allow)
             .with("users", rule.filter.users)
             .with("groups", rule.filter.groups)
             .done() +
         '\n';
  for (const placement_rule_config &parent : rule.parent) append(out, parent, indent + 2);
}

void append(std::string &out, const queue_config &q, int indent) {
  const std::string margin(static_cast<size_t>(indent), ' ');
  line about(margin + q.name);
  about.flag("parent", q.parent)
      .with("guaranteed", q.guaranteed)
      .with("max", q.max)
      .with("maxapps", static_cast<int64_t>(q.max_applications))
      .with("submit", q.submit_acl)
      .with("admin", q.admin_acl);
  for (const auto &[key, value] : q.properties) about.with(key, value);
  out += about.done() + '\n';
  if (const child_template_config &t = q.child_template; !t.empty()) {
    line like(margin + "  template");
    like.with("guaranteed", t.guaranteed).with("max", t.max).with("maxapps", static_cast<int64_t>(t.max_applications));
    for (const auto &[key, value] : t.properties) like.with(key, value);
    out += like.done() + '\n';
  }
  for (const limit_config &l : q.limits) {
    out += line(margin + "  limit")
               .with("users", l.users)
               .with("groups", l.groups)
               .with("max", l.max_resources)
               .with("maxapps", static_cast<int64_t>(l.max_applications))
               .done() +
           '\n';
  }
  for (const queue_config &child : q.queues) append(out, child, indent + 2);
}

}  // namespace

std::string text_of(const command &c) {
  return std::visit([](const auto &one) { return of(one); }, c);
}

std::string text_of(const cluster_config &c) {
  std::string out;
  for (const partition_config &p : c.partitions) {
    line about("  partition");
    about.with("name", p.name).with("nodes", p.node_sort.type);
    for (const auto &[type, weight] : p.node_sort.resource_weights) about.with(type, std::to_string(weight));
    for (const canary_config &canary : p.canary) {
      about.with("canary", canary.policy()).with("share", canary.share).with("salt", canary.salt);
      about.with("faults", canary.back.faults).with("placements", canary.back.placements);
      about.with("p99", canary.back.waiting_p99_ms).with("factor", canary.back.waiting_factor);
      for (const std::string &path : canary.queues) about.with("of", path);
    }
    const partition_tuning usual;
    if (p.tuning != usual) {
      about.with("starting", p.tuning.starting_timeout_ms)
          .with("completing", p.tuning.completing_timeout_ms)
          .with("terminated", p.tuning.terminated_timeout_ms)
          .with("drain", p.tuning.drain_timeout_ms);
    }
    out += about.done() + '\n';
    for (const placement_rule_config &rule : p.placement_rules) append(out, rule, 4);
    append(out, p.root, 4);
  }
  return out;
}

}  // namespace tenon::sim
