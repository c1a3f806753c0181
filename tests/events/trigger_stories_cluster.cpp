// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What is recorded of nodes, queues, limits and groups.
#include "trigger_stories.hpp"

namespace tenon::testing {
namespace {

void node_comes(stage &on) {
  on.start({named_queue("a")});
  on.begin();
  on->add_node("n1", {{"memory", 100}, {"vcore", 4'000}});
}

void node_comes_drained_and_occupied(stage &on) {
  on.start({named_queue("a")});
  on.begin();
  const named_amount all[] = {{"memory", 100}}, taken[] = {{"memory", 30}};
  add_node n;
  n.partition = default_partition;
  n.node = "n1";
  n.capacity = all;
  n.occupied = taken;
  n.schedulable = false;
  on->run(n);
}

void node_is_refused(stage &on) {
  on.start({named_queue("a")}, {}, hundred);
  on.begin();
  on->add_node("n1", hundred);
}

void node_changes(stage &on) {
  on.start({named_queue("a")}, {}, hundred);
  on.begin();
  on->set_capacity("n1", {{"memory", 80}});
  on.change("n1", node_event::drain);
  on->undrain("n1");
  const named_amount taken[] = {{"memory", 30}};
  update_node u;
  u.partition = default_partition;
  u.node = "n1";
  u.occupied = taken;
  u.has_occupied = true;
  on->run(u);
}

void node_changes_are_refused(stage &on) {
  on.start({named_queue("a")}, {}, hundred);
  on.begin();
  on.change("n1", node_event::undrain);
  on.change("n9", node_event::drain);
  on->set_capacity("n9", {{"memory", 80}});
}

void node_goes(stage &on) {
  on.start({named_queue("a")}, {}, hundred);
  on->add_app("app", "root.a", "alice");
  on->ask("app", "k", {{"memory", 20}});
  on->settle();
  on.begin();
  on.change("n1", node_event::decommission);
}

void foreign_allocation(stage &on) {
  on.start({named_queue("a")}, {}, hundred);
  on.begin();
  on.existing("n1", "", "daemon", {{"memory", 30}});
  release r;
  r.partition = default_partition;
  r.key = "daemon";
  on->run(r);
}

void reservation(stage &on) {
  on.start({named_queue("a")}, {}, hundred);
  on->add_node("n2", {{"memory", 50}});  // too small, and still headroom
  on->add_app("app", "root.a", "alice");
  on->ask("app", "small", {{"memory", 60}});
  on->settle();
  on->ask("app", "large", {{"memory", 80}});
  on->settle();
  on.begin();
  on.pass(10'000);
  on->settle();
  on->give_back("app", "large");
}

void queues_of_the_configuration(stage &on) {
  on.start({named_queue("a"), named_queue("b", {{"memory", 50}})});
  on.begin();
  on.reconfigure([](partition_config &p) {
    p.root.queues[1].max = {{"memory", 60}};
    p.root.queues[1].guaranteed = {{"memory", 5}};
    p.root.queues.push_back(named_queue("c"));
  });
  on.reconfigure([](partition_config &p) {
    p.root.queues.pop_back();
    p.root.queues[0].queues.push_back(named_queue("below"));
    p.root.queues[0].parent = true;
  });
  on.pass(60'000);
}

void queue_of_a_placement_rule(stage &on) {
  queue_config people = named_queue("people");
  people.parent = true;
  on.start({people});
  on.reconfigure([](partition_config &p) {
    p.placement_rules.emplace_back().name = "provided";
    p.placement_rules[0].create = true;
  });
  on->add_app("first", "root.people.bob", "bob");
  on.begin();
  on->add_app("app", "root.people.alice", "alice");
  on->run(remove_application{default_partition, "app"});
  on.pass(60'000);
}

void limits(stage &on) {
  on.start({named_queue("a")});
  on.begin();
  on.limit({stage::of_user("alice", {{"memory", 7}}), stage::of_group("dev", {{"memory", 8}})}, false);
  on.limit({}, false);
}

void group_counts(stage &on) {
  on.start({named_queue("a")}, {}, hundred);
  on.add_app();
  on->ask("app", "k", {{"memory", 10}});
  on->settle();
  on.begin();
  on.limit({stage::of_group("dev", {{"memory", 50}})});
  on.limit({});
}

// As a replay is told it: the policy itself does not fail.
void canary_fails(stage &on) {
  on.start({named_queue("a")});
  on.add_app();
  on.put("k", hundred);
  on.reconfigure([](partition_config &p) {
    canary_config c;
    c.node_sort.type = "binpacking";
    c.share = 500;
    p.canary = {c};
  });
  on.begin();
  step_answer told;
  told.fault.what = policy_fault::kind::canary_node_order;
  told.fault.partition = default_partition;
  told.fault.policy = "binpacking";
  const step_answer answers[] = {told};
  on->run(step{{}, 1, answers});
}

}  // namespace

std::vector<trigger_story> stories_of_nodes_and_queues() {
  return {
      {"a node comes",
       node_comes,
       {
           "NODE n1 - ADD - | NodeAdded [rm]default | - - n1 | memory:100 vcore:4000 | Node added to the scheduler",
           "QUEUE root - SET QUEUE_MAX | QueueMax [rm]default | - root - | memory:100 vcore:4000 | -",
       }},
      {"a node comes, drained and in use by others",
       node_comes_drained_and_occupied,
       {
           "NODE n1 - ADD - | NodeAdded [rm]default | - - n1 | memory:100 | Node added to the scheduler",
           "NODE n1 - SET NODE_SCHEDULABLE | NodeSchedulable [rm]default | - - n1 | - | schedulable: false",
           "NODE n1 - SET NODE_OCCUPIED | NodeOccupied [rm]default | - - n1 | memory:30 | -",
           "QUEUE root - SET QUEUE_MAX | QueueMax [rm]default | - root - | memory:100 | -",
       }},
      {"a node that is there comes once more",
       node_is_refused,
       {
           "NODE n1 - NONE - | NodeRejected [rm]default | - - n1 | - | failure while adding new node, node rejected "
           "with error: partition [rm]default has an existing node n1, node name must be unique; use another name, or "
           "change the node by action UPDATE",
       }},
      {"a node changes",
       node_changes,
       {
           "NODE n1 - SET NODE_CAPACITY | NodeCapacity [rm]default | - - n1 | memory:80 | -",
           "QUEUE root - SET QUEUE_MAX | QueueMax [rm]default | - root - | memory:80 | -",
           "NODE n1 - SET NODE_SCHEDULABLE | NodeSchedulable [rm]default | - - n1 | - | schedulable: false",
           "NODE n1 - SET NODE_SCHEDULABLE | NodeSchedulable [rm]default | - - n1 | - | schedulable: true",
           "NODE n1 - SET NODE_OCCUPIED | NodeOccupied [rm]default | - - n1 | memory:30 | -",
       }},
      {"changes of a node are refused",
       node_changes_are_refused,
       {
           "NODE n1 - NONE - | NodeUpdateRejected [rm]default | - - n1 | - | node n1 is not draining; there is "
           "nothing to do, it takes allocations",
           "NODE n9 - NONE - | NodeUpdateRejected [rm]default | - - n9 | - | failed to find node n9; did you mean "
           "n1?",
           "NODE n9 - NONE - | NodeUpdateRejected [rm]default | - - n9 | - | failed to find node n9; did you mean "
           "n1?",
       }},
      {"a node goes",
       node_goes,
       {
           "APP app k REMOVE ALLOC_NODEREMOVED | AllocationRemoved root.a | app root.a n1 | memory:20 | -",
           "NODE n1 k REMOVE NODE_ALLOC | AllocationRemoved [rm]default | app root.a n1 | memory:20 | -",
           "USERGROUP alice root.a REMOVE UG_USER_RESOURCE | UsageRemoved root.a | app root.a n1 | memory:20 | -",
           "NODE n1 - REMOVE NODE_DECOMISSION | NodeRemoved [rm]default | - - n1 | - | Node removed from the scheduler",
           "QUEUE root - SET QUEUE_MAX | QueueMax [rm]default | - root - | - | -",
           "APP app - SET APP_COMPLETING | ApplicationState root.a | app root.a - | - | nothing is pending or "
           "allocated",
       }},
      {"a foreign allocation comes and goes",
       foreign_allocation,
       {
           "NODE n1 daemon ADD NODE_ALLOC | AllocationAdded [rm]default | - - n1 | memory:30 | -",
           "NODE n1 daemon REMOVE NODE_ALLOC | AllocationRemoved [rm]default | - - n1 | memory:30 | -",
       }},
      {"a node is reserved",
       reservation,
       {
           "NODE n1 large ADD NODE_RESERVATION | NodeReserved [rm]default | app root.a n1 | memory:80 | -",
           "APP app large REMOVE REQUEST_CANCEL | AskRemoved root.a | app root.a - | memory:80 | -",
           "NODE n1 large REMOVE NODE_RESERVATION | NodeUnreserved [rm]default | app root.a n1 | memory:80 | -",
       }},
      {"queues of the configuration change",
       queues_of_the_configuration,
       {
           "QUEUE root.b - SET QUEUE_MAX | QueueMax [rm]default | - root.b - | memory:60 | -",
           "QUEUE root.b - SET QUEUE_GUARANTEED | QueueGuaranteed [rm]default | - root.b - | memory:5 | -",
           "QUEUE root.c - ADD - | QueueAdded [rm]default | - root.c - | - | -",
           "QUEUE root.a - SET QUEUE_TYPE | QueueType [rm]default | - root.a - | - | leaf queue: false",
           "QUEUE root.a.below - ADD - | QueueAdded [rm]default | - root.a.below - | - | -",
           "QUEUE root.c - REMOVE - | QueueRemoved [rm]default | - root.c - | - | -",
       }},
      {"a queue that a placement rule makes",
       queue_of_a_placement_rule,
       {
           "QUEUE root.people.alice - ADD QUEUE_DYNAMIC | QueueAdded [rm]default | - root.people.alice - | - | -",
           "APP app - ADD APP_NEW | ApplicationAdded root.people.alice | app root.people.alice - | - | -",
           "QUEUE root.people.alice app ADD QUEUE_APP | ApplicationAdded [rm]default | app root.people.alice - | - | -",
           "APP app - REMOVE - | ApplicationRemoved root.people.alice | app root.people.alice - | - | -",
           "QUEUE root.people.alice app REMOVE QUEUE_APP | ApplicationRemoved [rm]default | app root.people.alice - | "
           "- | -",
           "QUEUE root.people.alice - REMOVE QUEUE_DYNAMIC | QueueRemoved [rm]default | - root.people.alice - | - | -",
       }},
      {"limits are set and removed",
       limits,
       {
           "USERGROUP alice root.a SET UG_USER_LIMIT | UserLimit root.a | - root.a - | memory:7 | -",
           "USERGROUP dev root.a SET UG_GROUP_LIMIT | GroupLimit root.a | - root.a - | memory:8 | -",
           "USERGROUP alice root.a REMOVE UG_USER_LIMIT | UserLimit root.a | - root.a - | - | -",
           "USERGROUP dev root.a REMOVE UG_GROUP_LIMIT | GroupLimit root.a | - root.a - | - | -",
       }},
      {"an application counts for a group, then not",
       group_counts,
       {
           "USERGROUP dev root SET UG_GROUP_LIMIT | GroupLimit root | - root - | memory:50 | -",
           "USERGROUP dev app SET UG_APP_LINK | GroupLinked root.a | app root.a - | - | -",
           "USERGROUP dev root.a ADD UG_GROUP_RESOURCE | UsageMoved root.a | app root.a - | memory:10 | -",
           "USERGROUP dev root REMOVE UG_GROUP_LIMIT | GroupLimit root | - root - | - | -",
           "USERGROUP dev app REMOVE UG_APP_LINK | GroupUnlinked root.a | app root.a - | - | -",
           "USERGROUP dev root.a REMOVE UG_GROUP_RESOURCE | UsageMoved root.a | app root.a - | memory:10 | -",
       }},
      {"the canary's order of nodes fails",
       canary_fails,
       {
           "SYSTEM [rm]default - NONE - | CanaryBack - | - - - | - | the order of nodes binpacking failed: its "
           "applications "
           "have the partition's again",
       }},
  };
}

}  // namespace tenon::testing
