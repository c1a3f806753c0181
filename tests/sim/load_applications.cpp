// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Applications, asks, allocations and their end.
#include <algorithm>
#include <cstdint>
#include <utility>

#include "load.hpp"
#include "tenon/kernel/resources.hpp"

namespace tenon::sim {

amount_map load::enlarged(amount_map amounts) {
  for (auto &[type, amount] : amounts) {
    if (!profile_.huge || random_.percent(60)) continue;
    const std::vector<int64_t> near{largest_sum,     largest_sum + 1, largest_sum - 1, largest_sum / 2,
                                    largest_sum / 3, largest_sum / 8, INT64_MAX,       largest_sum / 4 * 5};
    amount = random_.one_of(near) - (random_.percent(50) ? 0 : random_.between(0, 20));
  }
  return amounts;
}

amount_map load::some_resources() {
  amount_map out;
  if (random_.percent(90)) out["vcore"] = random_.between(1, 4);
  if (random_.percent(60)) out["memory"] = random_.between(1, 4) * 10;
  // Now one type is short and now another, and what has much of the one has little of the other.
  if (profile_.preemption && random_.percent(30)) out = {{"memory", random_.between(1, 6) * 10}};
  if (profile_.preemption && random_.percent(20)) out = {{"vcore", 1}, {"memory", random_.between(3, 6) * 10}};
  if (random_.percent(5)) out["gpu"] = random_.between(0, 2);
  if (profile_.devices && random_.percent(60)) out["gpu"] = random_.between(1, 6);
  if (profile_.late_types && random_.percent(25)) out[a_late_type()] = random_.between(1, 3);
  if (profile_.odd && random_.percent(2)) out["vcore"] = random_.between(-1, 0);
  if (profile_.odd && random_.percent(1)) out["nowhere"] = 1;
  return enlarged(std::move(out));
}

std::string load::some_application(const partition_snapshot &p) {
  if (p.applications.empty() || (profile_.odd && random_.percent(3)))
    return "app-" + std::to_string(random_.between(1, 60));
  return random_.one_of(p.applications).id;
}

std::string load::some_key(const partition_snapshot &p, const std::string &application) {
  std::vector<std::string> known;
  for (const application_snapshot &a : p.applications) {
    if (a.id != application) continue;
    for (const ask_snapshot &k : a.asks) known.push_back(k.key);
    for (const allocation_snapshot &x : a.allocations) known.push_back(x.key);
  }
  if (known.empty() || random_.percent(5)) return "ask-" + std::to_string(next_name_++);
  return random_.one_of(known);
}

std::string load::some_queue(const partition_snapshot &p) {
  if (p.queues.empty() || random_.percent(5)) return random_.one_of({"", "root", "root.nowhere", "a", "root.x y"});
  std::vector<std::string> leaves;
  for (const queue_snapshot &q : p.queues) {
    if (q.leaf) leaves.push_back(q.path);
  }
  std::string path = leaves.empty() || random_.percent(15) ? random_.one_of(p.queues).path : random_.one_of(leaves);
  if (profile_.placement && random_.percent(25)) path += random_.one_of({".new", ".new.below", ".@recovery@", ".New"});
  if (profile_.placement && random_.percent(10)) path = random_.one_of({"new", "x.y", "bad name", "default"});
  return path;
}

std::map<std::string, std::string> load::application_tags() {
  std::map<std::string, std::string> out;
  if (random_.percent(10)) out["application.stateaware.disable"] = random_.one_of({"true", "false"});
  if (profile_.devices && random_.percent(30)) {
    out["tenon/node-sort"] =
        random_.one_of({"fair", "binpacking", "device-packing", "gpu-pack", "Fair", "no-such-order", ""});
  }
  if (profile_.choosing && random_.percent(30)) out["tenon/node-sort"] = "emptiest-devices";
  if (profile_.gangs && random_.percent(25)) {  // in seconds, or by mistake in milliseconds
    const int64_t created_ms = now_ms_ - random_.between(-20, 20) * 1'000;
    out["yunikorn.apache.org/creationTime"] = std::to_string(random_.percent(15) ? created_ms : created_ms / 1'000);
  }
  if (profile_.gangs && random_.percent(20))
    out["tenon/gang-start"] = random_.one_of({"whole", "piecewise", "WHOLE", "-"});
  if (!profile_.placement) return out;
  if (random_.percent(50)) out["namespace"] = random_.one_of({"a", "space", "two.parts", "root.a.deep"});
  if (random_.percent(10)) out["application.create.force"] = random_.one_of({"true", "no"});
  if (random_.percent(10)) {
    out["namespace.resourcequota"] = random_.one_of({R"({"resources":{"vcore":{"value":6}}})",
                                                     R"({"resources":{"vcore":{"value":0},"memory":{"value":90}}})",
                                                     R"({"resources":{"vcore":{"value":0}}})", "nothing"});
  }
  if (random_.percent(10)) out["namespace.resourceguaranteed"] = R"({"resources":{"vcore":{"value":3}}})";
  if (profile_.shares) {
    // Which of two applications is first depends on which type is guaranteed much, and so has a small share.
    out["namespace.resourceguaranteed"] =
        random_.one_of({R"({"resources":{"vcore":{"value":1},"memory":{"value":1000}}})",
                        R"({"resources":{"vcore":{"value":100},"memory":{"value":10}}})",
                        R"({"resources":{"vcore":{"value":10},"memory":{"value":100}}})"});
  }
  if (random_.percent(10)) out["Namespace.ResourceMaxApps"] = random_.one_of({"1", "2", "0", "-1", "many"});
  return out;
}

command load::an_application(const partition_snapshot &p) {
  add_application c;
  const bool again = profile_.odd && random_.percent(5);
  c.partition = own_->text(profile_.odd && random_.percent(2) ? "[rm]nowhere" : p.name);
  c.application = own_->text(again ? some_application(p) : "app-" + std::to_string(next_name_++));
  c.queue = own_->text(profile_.shares && random_.percent(85) ? random_.one_of({"root.a.team", "root.b.team"})
                                                              : some_queue(p));
  c.user = own_->text(profile_.odd && random_.percent(3) ? random_.one_of({"", "no name"})
                                                         : random_.one_of({"ann", "bob", "eve", "joe.doe"}));
  std::vector<std::string> groups;
  for (const char *group : {"ops", "dev", "qa"}) {
    if (random_.percent(profile_.places ? 60 : 35)) groups.emplace_back(group);
  }
  c.groups = own_->list(groups);
  c.tags = own_->tags(application_tags());
  if (profile_.timeouts && random_.percent(30)) c.execution_timeout_ms = random_.between(1, 60) * 1'000;
  if (profile_.gangs && random_.percent(profile_.tight_gangs ? 80 : 40)) {
    const int64_t least = profile_.tight_gangs ? 2 : 1, most = 8 / least;
    c.placeholder_ask = own_->resources(enlarged({{"vcore", least * random_.between(1, most)}}));
    c.hard_gang = random_.percent(profile_.whole_gangs ? 80 : 30);
  }
  return c;
}

// Asks of gangs that meet: placeholders of one size, real ones of about that size.
void load::shape_gang_ask(const partition_snapshot &p, put_ask &c) {
  bool placed = false;
  for (const application_snapshot &a : p.applications) {
    if (a.id == c.application) placed = a.placeholders.empty() ? random_.percent(20) : random_.percent(75);
  }
  c.placeholder = !placed;
  c.task_group = own_->text(random_.percent(70) ? "tg-1" : "tg-2");
  const int64_t vcore = c.placeholder || random_.percent(60) ? 2 : random_.between(1, 3);
  c.resources = own_->resources({{"vcore", vcore}});
  c.required_node = {};
}

put_ask load::make_ask(const partition_snapshot &p) {
  put_ask c;
  const std::string application = random_.percent(3) ? "" : some_application(p);
  c.partition = own_->text(profile_.odd && random_.percent(1) ? "[x]nowhere" : p.name);
  c.application = own_->text(application);
  const bool fresh = random_.percent(75);
  c.key = own_->text(fresh ? "ask-" + std::to_string(next_name_++) : some_key(p, application));
  if (profile_.odd && random_.percent(1)) c.key = "";
  const amount_map resources = some_resources();
  c.resources = own_->resources(resources);
  // One type each, so that what is guaranteed of it decides.
  if (profile_.shares && random_.percent(70)) {
    c.resources = own_->resources(random_.percent(50) ? amount_map{{"vcore", random_.between(1, 3)}}
                                                      : amount_map{{"memory", random_.between(1, 3) * 10}});
  }
  c.max_allocations = static_cast<int32_t>(random_.percent(60) ? 1 : random_.between(profile_.odd ? 0 : 1, 6));
  c.priority = static_cast<int32_t>(random_.percent(60) ? 0 : random_.between(-5, 5));
  if (random_.percent(5)) c.priority_class = own_->text(random_.one_of({"high", "low", profile_.odd ? "none" : "low"}));
  if (profile_.timeouts && random_.percent(20)) c.execution_timeout_ms = random_.between(1, 30) * 1'000;
  if (random_.percent(20)) c.create_time_ms = now_ms_ - random_.between(0, 3) * 1'000;
  if (random_.percent(2))
    c.create_time_ms = random_.percent(50) ? now_ms_ + random_.between(1, 9) * 1'000 : now_ms_ * 1'000;
  std::map<std::string, std::string> tags;
  if (random_.percent(15)) tags["si/zone"] = random_.one_of({"a", "b", "a|b", "c"});
  if (profile_.devices && random_.percent(25)) tags["si/gpu-model"] = random_.one_of({"A", "B", "A|B", "B|C", ""});
  const auto gpus = resources.find("gpu");
  if (profile_.devices && gpus != resources.end() && gpus->second > 0 && random_.percent(40)) {
    tags["tenon/devices/gpu"] = some_split(gpus->second);
  }
  c.tags = own_->tags(tags);
  if (random_.percent(4)) c.required_node = own_->text(some_node(p));
  if (profile_.gangs && random_.percent(30)) {
    c.task_group = own_->text(random_.one_of({"tg-1", "tg-2", ""}));
    c.placeholder = random_.percent(70);
  }
  if (profile_.dense || profile_.places) {
    c.resources = own_->resources({{"vcore", random_.between(1, 3)}});
    c.max_allocations = static_cast<int32_t>(random_.between(1, 3));
    if (random_.percent(85)) c.tags = {};
  }
  if (profile_.preemption || profile_.quotas) {
    c.allow_preempt_self = random_.percent(85);
    c.allow_preempt_other = random_.percent(65);
    c.originator = random_.percent(10);
  }
  if (profile_.reservations) {
    if (random_.percent(profile_.dense ? 10 : 30)) c.resources = own_->resources({{"vcore", random_.between(4, 12)}});
    if (random_.percent(profile_.dense ? 6 : 12)) c.required_node = own_->text(some_node(p));
  }
  if (profile_.tight_gangs && random_.percent(70)) shape_gang_ask(p, c);
  return c;
}

command load::an_ask(const partition_snapshot &p) { return make_ask(p); }

std::string load::some_split(int64_t amount) {
  if (profile_.odd && random_.percent(8)) return random_.one_of({"2x1", "x", "0x1", "1", "70x1", "1x1 "});
  int64_t count = random_.between(1, 4);
  while (amount % count != 0) --count;
  return std::to_string(count) + 'x' + std::to_string(amount / count);
}

std::string load::some_detail(const amount_map &resources) {
  if (profile_.odd && random_.percent(5)) {
    return random_.one_of({"gpu", "gpu=1", "gpu=1@0,0", "gpu=1@1,0", "gpu=01@0", "gpu=1@64", "gpu=1@0;", "vcore=1@0"});
  }
  std::string out;
  for (const char *type : {"gpu", "memory"}) {
    const auto found = resources.find(type);
    if (found == resources.end() || found->second <= 0 || random_.percent(40)) continue;
    int64_t count = random_.between(1, 3), device = random_.between(0, 2);
    while (found->second % count != 0) --count;
    out += (out.empty() ? "" : ";") + std::string(type) + '=' + std::to_string(found->second / count);
    for (int64_t i = 0; i < count; ++i, device += random_.between(1, 2)) {
      out += (i == 0 ? '@' : ',') + std::to_string(device);
    }
  }
  return out;
}

void load::begin_a_crowd(const partition_snapshot &p) {
  crowd_ = {};
  crowd_.partition = p.name;
  crowd_.application = random_.one_of(p.applications).id;
  crowd_.left = profile_.crowd;
  crowd_.met = false;
  if (random_.percent(40)) return;
  crowd_.comes_with_node = p.nodes.empty() || random_.percent(50);
  crowd_.node = crowd_.comes_with_node ? "node-" + std::to_string(next_name_++) : random_.one_of(p.nodes).id;
  if (random_.percent(30)) crowd_.key = "ask-" + std::to_string(next_name_++);
}

existing_allocation load::one_of_the_crowd() {
  --crowd_.left;
  existing_allocation out;
  out.apart = !crowd_.key.empty();
  out.ask.partition = own_->text(crowd_.partition);
  out.ask.application = own_->text(crowd_.application);
  out.ask.key = own_->text(out.apart ? crowd_.key : "crowd-" + std::to_string(next_name_++));
  out.ask.resources = own_->resources({{"vcore", 1}});
  return out;
}

command load::more_of_the_crowd() {
  if (crowd_.node.empty()) return one_of_the_crowd().ask;
  const std::string_view node = own_->text(crowd_.node);
  if (!crowd_.comes_with_node) {
    const existing_allocation one = one_of_the_crowd();
    return put_allocation{one.ask.partition, node, one};
  }
  std::vector<existing_allocation> all;
  while (crowd_.left > 0) all.push_back(one_of_the_crowd());
  add_node c;
  c.partition = own_->text(crowd_.partition);
  c.node = node;
  c.capacity = own_->resources({{"vcore", profile_.crowd}});
  c.existing = own_->existing(std::move(all));
  return c;
}

// One command that answers for each of it; an inspection leaves it there for the next.
command load::what_meets_the_crowd() {
  crowd_.met = !random_.percent(30);
  if (!crowd_.met) return inspect{};
  const std::string_view partition = own_->text(crowd_.partition), application = own_->text(crowd_.application);
  if (!crowd_.node.empty() && random_.percent(40))
    return change_node{partition, own_->text(crowd_.node), static_cast<uint8_t>(node_event::decommission)};
  if (random_.percent(30)) return remove_application{partition, application};
  if (random_.percent(30)) return fail_application{partition, application, own_->text("because")};
  release c;
  c.partition = partition;
  c.application = application;
  c.what = release_what::both;
  return c;
}

existing_allocation load::make_existing(const partition_snapshot &p) {
  existing_allocation x;
  x.ask = make_ask(p);
  if (random_.percent(80)) x.ask.required_node = {};
  x.foreign = random_.percent(30);
  if (x.foreign) {
    x.ask.application = {};
    x.ask.key = own_->text("foreign-" + std::to_string(random_.between(1, 9)));
  }
  if (profile_.devices && random_.percent(60)) {
    amount_map resources;
    for (const named_amount &item : x.ask.resources) resources[std::string(item.type)] = item.amount;
    x.detail = own_->text(some_detail(resources));
  }
  if (random_.percent(50)) x.bind_time_ms = now_ms_ - random_.between(-2, 20) * 1'000;
  return x;
}

command load::an_allocation(const partition_snapshot &p) {
  put_allocation c{own_->text(p.name), own_->text(some_node(p)), make_existing(p)};
  // An RM that gives UUIDs says which one it means.
  if (random_.percent(20)) c.allocation.apart = true;
  if (random_.percent(20)) c.allocation.sequence = static_cast<uint64_t>(random_.between(1, 30));
  return c;
}

command load::a_release(const partition_snapshot &p) {
  release c;
  c.partition = own_->text(p.name);
  const std::string application = some_application(p);
  c.application = own_->text(application);
  if (random_.percent(85)) c.key = own_->text(some_key(p, application));
  if (random_.percent(3)) c.application = {};
  if (profile_.recovery && random_.percent(10)) {
    c.application = {};
    c.key = own_->text("foreign-" + std::to_string(random_.between(1, 9)));
  }
  const int64_t what = random_.between(0, 99);
  c.what = what < 60 ? release_what::allocations : what < 80 ? release_what::asks : release_what::both;
  if (random_.percent(50)) c.limit = static_cast<uint32_t>(random_.between(1, 2));
  if (random_.percent(10)) c.allocation_sequence = static_cast<uint64_t>(random_.between(1, 50));
  c.why = random_.one_of(std::vector<termination>{termination::stopped_by_rm, termination::stopped_by_rm,
                                                  termination::timeout, termination::preempted_by_scheduler,
                                                  termination::unknown, termination::scheduling_failed});
  return c;
}

command load::a_loss(const partition_snapshot &p, release_what what) {
  release c;
  c.partition = own_->text(p.name);
  c.application = own_->text(some_application(p));
  c.what = what;
  if (random_.percent(15))
    c.why = random_.one_of(std::vector<termination>{termination::scheduling_failed, termination::timeout});
  return c;
}

// Of a release that the scheduler asked for; mostly as it asked for it.
std::optional<command> load::a_confirmation(const partition_snapshot &p) {
  std::vector<std::pair<const allocation_snapshot *, termination>> open;
  for (const application_snapshot &a : p.applications) {
    for (const allocation_snapshot &x : a.allocations) {
      if (x.state == allocation_state::expiring) open.emplace_back(&x, termination::timeout);
      if (x.state == allocation_state::preempting) open.emplace_back(&x, termination::preempted_by_scheduler);
      if (x.state == allocation_state::replacing) open.emplace_back(&x, termination::placeholder_replaced);
    }
  }
  if (open.empty()) return std::nullopt;
  const auto &[x, why] = random_.one_of(open);
  release c;
  c.partition = own_->text(p.name);
  c.application = own_->text(x->application);
  c.key = own_->text(x->key);
  if (random_.percent(80)) c.allocation_sequence = x->sequence;
  c.what = random_.percent(90) ? release_what::allocations : release_what::both;
  c.why = why;
  if (random_.percent(10)) {
    c.why = random_.one_of(
        std::vector<termination>{termination::stopped_by_rm, termination::timeout, termination::scheduling_failed});
  }
  return c;
}

std::optional<command> load::an_answer(const partition_snapshot &p) {
  std::vector<uint64_t> open;
  for (const application_snapshot &a : p.applications) {
    for (const allocation_snapshot &x : a.allocations) {
      if (x.state == allocation_state::proposed) open.push_back(x.sequence);
      if (x.proposed_as != 0) open.push_back(x.proposed_as);
    }
  }
  if (random_.percent(6)) {
    tenon::check_again c{own_->text(p.name), {}, {}, {}};
    const std::string application = some_application(p);
    if (random_.percent(30)) c.application = own_->text(application);
    if (random_.percent(30)) c.key = own_->text(some_key(p, application));
    if (random_.percent(40)) c.node = own_->text(some_node(p));
    return c;
  }
  if (random_.percent(6)) {  // to a question about a reservation
    const std::string application = some_application(p);
    return check_answer{own_->text(p.name),
                        0,
                        random_.percent(40),
                        "because",
                        {},
                        own_->text(application),
                        own_->text(some_key(p, application)),
                        own_->text(some_node(p))};
  }
  if (open.empty()) return std::nullopt;
  // The RM is given checks before it answers, mostly all that there are.
  if (random_.percent(30)) {
    const uint64_t last = random_.percent(70) ? *std::max_element(open.begin(), open.end()) : random_.one_of(open);
    return checks_delivered{own_->text(p.name), random_.percent(3) ? last + 5 : last};
  }
  check_answer c{own_->text(p.name), random_.one_of(open), random_.percent(65), {}};
  if (random_.percent(3)) c.number = static_cast<uint64_t>(random_.between(1, 40));
  if (!c.accepted && random_.percent(50)) c.reason = "because";
  return c;
}

}  // namespace tenon::sim
