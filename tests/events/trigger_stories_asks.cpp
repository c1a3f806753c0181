// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What is recorded of asks and allocations: they come and go, do not fit, take the place of others, are taken away.
#include "trigger_stories.hpp"

namespace tenon::testing {
namespace {

void as_real(put_ask &p) { p.task_group = "workers"; }

void with_app(stage &on, std::vector<limit_config> limits = {}) {
  on.start({named_queue("a", {{"memory", 50}})}, std::move(limits), hundred);
  on.add_app();
}

void comes_and_goes(stage &on) {
  with_app(on);
  on->ask("app", "first", {{"memory", 5}});
  on.begin();
  on->ask("app", "k", {{"memory", 10}, {"vcore", 2'000}});
  on->give_back("app", "k");
}

void runs_and_ends(stage &on) {
  with_app(on);
  on->ask("app", "first", {{"memory", 5}});
  on->ask("app", "k", {{"memory", 10}});
  on->settle();
  on.begin();
  on->give_back("app", "k");
}

void counts_for_a_group(stage &on) {
  with_app(on, {stage::of_group("dev", hundred)});
  on->ask("app", "first", {{"memory", 5}});
  on->settle();
  on->ask("app", "k", {{"memory", 10}});
  on.begin();
  on->settle();
  on->give_back("app", "k");
}

void times_out(stage &on) {
  with_app(on);
  on->ask("app", "first", {{"memory", 5}});
  on.put("k", {{"memory", 10}}, [](put_ask &p) { p.execution_timeout_ms = 1'000; });
  on->settle();
  on.begin();
  on.pass(2'000);
  on.release_for(termination::timeout, "k");
}

// There is no room for more, twice, until the first one goes.
void ask_for_more(stage &on, int64_t first) {
  on->ask("app", "big", {{"memory", first}});
  on->settle();
  on->ask("app", "more", {{"memory", 20}});
  on.begin();
  on->run(inspect{});
  on->run(inspect{});
  on->give_back("app", "big");
  on->run(inspect{});
}

void beyond_its_queue(stage &on) {
  with_app(on);
  ask_for_more(on, 40);
}

void beyond_its_users_quota(stage &on) {
  with_app(on, {stage::of_user("alice", {{"memory", 30}})});
  ask_for_more(on, 25);
}

void no_node_will_do(stage &on) {
  on.start({named_queue("a")});
  on->add_node("n1", hundred, {{"si/zone", "x"}});
  on->add_app("app", "root.a", "alice");
  on->ask("app", "k", {{"memory", 20}}, 0, {{"si/zone", "y"}});
  on->settle();
  on.begin();
  on->run(inspect{});
  on->advance(14'000);
  on->run(inspect{});
}

void no_victims_on_its_node(stage &on) {
  with_app(on);
  const auto on_n1 = [](put_ask &p) { p.required_node = "n1"; };
  on->set_capacity("n1", {{"memory", 30}});
  on->add_node("n2", hundred);
  on.put("first", {{"memory", 20}}, on_n1);
  on->settle();
  on.put("second", {{"memory", 20}}, on_n1);
  on.begin();
  on->settle();
}

void grows(stage &on) {
  with_app(on, {stage::of_group("dev", hundred)});
  on->ask("app", "k", {{"memory", 10}});
  on->settle();
  on.begin();
  on.existing("n1", "app", "k", {{"memory", 15}});
}

// In milliseconds, or by a clock that is ahead.
void says_times_to_come(stage &on) {
  with_app(on);
  on->ask("app", "first", {{"memory", 5}});
  on.begin();
  on.put("k", {{"memory", 10}}, [](put_ask &p) { p.create_time_ms = 1'769'990'400'000'000; });
}

void takes_the_place(stage &on) {
  with_app(on);
  on.put("p", {{"memory", 10}}, as_placeholder);
  on->settle();
  on.put("real", {{"memory", 10}}, as_real);
  on.begin();
  on->settle();
  on.release_for(termination::placeholder_replaced, "p");
}

void is_too_large_for_the_place(stage &on) {
  with_app(on);
  on.put("small", {{"memory", 10}}, as_placeholder);
  on->settle();
  on.put("real", {{"memory", 20}}, as_real);
  on.begin();
  on->settle();
}

void is_preempted(stage &on) {
  queue_config poor = named_queue("poor");
  poor.guaranteed = {{"memory", 50}};
  on.start({poor, named_queue("a")}, {}, hundred);
  on->add_app("app", "root.a", "alice");
  on->ask("app", "whole", hundred);
  on->settle();
  on->add_app("other", "root.poor", "bob");
  on.put("claim", {{"memory", 50}}, [](put_ask &p) {
    p.application = "other";
    p.allow_preempt_other = true;
  });
  on.begin();
  on.pass(60'000);
  on->settle();
  on.release_for(termination::preempted_by_scheduler, "whole");
}

void goes_for_the_max(stage &on) {
  queue_config a = named_queue("a", hundred);
  a.properties["quota.preemption.delay"] = "1s";
  on.start({a}, {}, hundred);
  on.reconfigure([](partition_config &p) { p.quota_preemption_enabled = true; });
  on->add_app("app", "root.a", "alice");
  on->ask("app", "k1", {{"memory", 10}});
  on->settle();
  on->advance(1);
  on->ask("app", "k2", {{"memory", 10}});
  on->settle();
  on.reconfigure([](partition_config &p) { p.root.queues[0].max = {{"memory", 10}}; });
  on.begin();
  on.pass(5'000);
}

void stays_above_the_max(stage &on) {
  queue_config a = named_queue("a", hundred);
  a.properties["quota.preemption.delay"] = "1s";
  a.properties["preemption.policy"] = "disabled";
  on.start({a}, {}, hundred);
  on.reconfigure([](partition_config &p) { p.quota_preemption_enabled = true; });
  on->add_app("app", "root.a", "alice");
  on->ask("app", "k", {{"memory", 10}});
  on->settle();
  on.reconfigure([](partition_config &p) { p.root.queues[0].max = {{"memory", 5}}; });
  on.begin();
  on.pass(1'000);
}

}  // namespace

std::vector<trigger_story> stories_of_asks() {
  return {
      {"an ask comes and is withdrawn",
       comes_and_goes,
       {
           "APP app k ADD APP_REQUEST | AskAdded root.a | app root.a - | memory:10 vcore:2000 | -",
           "APP app k REMOVE REQUEST_CANCEL | AskRemoved root.a | app root.a - | memory:10 vcore:2000 | -",
       }},
      {"an allocation is released",
       runs_and_ends,
       {
           "APP app k REMOVE ALLOC_CANCEL | AllocationRemoved root.a | app root.a n1 | memory:10 | -",
           "NODE n1 k REMOVE NODE_ALLOC | AllocationRemoved [rm]default | app root.a n1 | memory:10 | -",
           "USERGROUP alice root.a REMOVE UG_USER_RESOURCE | UsageRemoved root.a | app root.a n1 | memory:10 | -",
       }},
      {"an allocation counts for a group",
       counts_for_a_group,
       {
           "APP app k ADD APP_ALLOC | AllocationAdded root.a | app root.a n1 | memory:10 | -",
           "NODE n1 k ADD NODE_ALLOC | AllocationAdded [rm]default | app root.a n1 | memory:10 | -",
           "USERGROUP alice root.a ADD UG_USER_RESOURCE | UsageAdded root.a | app root.a n1 | memory:10 | -",
           "USERGROUP dev root.a ADD UG_GROUP_RESOURCE | UsageAdded root.a | app root.a n1 | memory:10 | -",
           "APP app - SET APP_RUNNING | ApplicationState root.a | app root.a - | - | an allocation was added",
           "APP app k REMOVE ALLOC_CANCEL | AllocationRemoved root.a | app root.a n1 | memory:10 | -",
           "NODE n1 k REMOVE NODE_ALLOC | AllocationRemoved [rm]default | app root.a n1 | memory:10 | -",
           "USERGROUP alice root.a REMOVE UG_USER_RESOURCE | UsageRemoved root.a | app root.a n1 | memory:10 | -",
           "USERGROUP dev root.a REMOVE UG_GROUP_RESOURCE | UsageRemoved root.a | app root.a n1 | memory:10 | -",
       }},
      {"one runs longer than it may",
       times_out,
       {
           "APP app k REMOVE ALLOC_TIMEOUT | AllocationRemoved root.a | app root.a n1 | memory:10 | -",
           "NODE n1 k REMOVE NODE_ALLOC | AllocationRemoved [rm]default | app root.a n1 | memory:10 | -",
           "USERGROUP alice root.a REMOVE UG_USER_RESOURCE | UsageRemoved root.a | app root.a n1 | memory:10 | -",
       }},
      {"an ask does not fit in its queue",
       beyond_its_queue,
       {
           "REQUEST more app NONE - | InsufficientQueueResources app | app root.a - | memory:20 | Request 'more' does "
           "not fit in queue 'root.a' (requested map[memory:20], available map[memory:10])",
           "APP app big REMOVE ALLOC_CANCEL | AllocationRemoved root.a | app root.a n1 | memory:40 | -",
           "NODE n1 big REMOVE NODE_ALLOC | AllocationRemoved [rm]default | app root.a n1 | memory:40 | -",
           "USERGROUP alice root.a REMOVE UG_USER_RESOURCE | UsageRemoved root.a | app root.a n1 | memory:40 | -",
           "REQUEST more app NONE - | SufficientQueueResources app | app root.a - | memory:20 | Request 'more' has "
           "become schedulable in queue 'root.a'",
       }},
      {"an ask exceeds its user's quota",
       beyond_its_users_quota,
       {
           "REQUEST more app NONE - | InsufficientUserQuota app | app root.a - | memory:20 | Request 'more' exceeds "
           "the available user quota (requested map[memory:20], available map[memory:5])",
           "APP app big REMOVE ALLOC_CANCEL | AllocationRemoved root.a | app root.a n1 | memory:25 | -",
           "NODE n1 big REMOVE NODE_ALLOC | AllocationRemoved [rm]default | app root.a n1 | memory:25 | -",
           "USERGROUP alice root.a REMOVE UG_USER_RESOURCE | UsageRemoved root.a | app root.a n1 | memory:25 | -",
           "REQUEST more app NONE - | SufficientUserQuota app | app root.a - | memory:20 | Request 'more' fits in the "
           "available user quota",
       }},
      {"no node passes its predicates",
       no_node_will_do,
       {
           "REQUEST k app NONE - | PredicatesFailed app | app root.a - | memory:20 | Unschedulable request 'k': an "
           "attribute of the node has another value (1x)",
       }},
      {"nothing can go on its required node",
       no_victims_on_its_node,
       {
           "NODE n1 second ADD NODE_RESERVATION | NodeReserved [rm]default | app root.a n1 | memory:20 | -",
           "REQUEST second app NONE - | NoPreemptionVictim app | app root.a n1 | memory:20 | Unschedulable request "
           "'second' with required node 'n1', no preemption victim found",
       }},
      {"an allocation grows in place",
       grows,
       {
           "USERGROUP alice root.a SET UG_USER_RESOURCE | UsageChanged root.a | app root.a n1 | memory:15 | Allocation "
           "'k' of application 'app' has map[memory:15], it had map[memory:10]",
           "USERGROUP dev root.a SET UG_GROUP_RESOURCE | UsageChanged root.a | app root.a n1 | memory:15 | Allocation "
           "'k' of application 'app' has map[memory:15], it had map[memory:10]",
       }},
      {"an ask was created at a time to come",
       says_times_to_come,
       {
           "APP app k NONE - | TimeToCome root.a | app root.a - | - | creation time 1769990400000000 ms is to come; "
           "now, 1000000 ms, is taken in its place",
           "APP app k ADD APP_REQUEST | AskAdded root.a | app root.a - | memory:10 | -",
       }},
      {"an ask takes a placeholder's place",
       takes_the_place,
       {
           "APP app real ADD APP_ALLOC | AllocationAdded root.a | app root.a n1 | memory:10 | -",
           "NODE n1 real ADD NODE_ALLOC | AllocationAdded [rm]default | app root.a n1 | memory:10 | -",
           "USERGROUP alice root.a ADD UG_USER_RESOURCE | UsageAdded root.a | app root.a n1 | memory:10 | -",
           "APP app p REMOVE ALLOC_REPLACED | AllocationRemoved root.a | app root.a n1 | memory:10 | -",
           "NODE n1 p REMOVE NODE_ALLOC | AllocationRemoved [rm]default | app root.a n1 | memory:10 | -",
           "USERGROUP alice root.a REMOVE UG_USER_RESOURCE | UsageRemoved root.a | app root.a n1 | memory:10 | -",
           "APP app - SET APP_STARTING | ApplicationState root.a | app root.a - | - | real allocations run and no "
           "placeholder is pending",
       }},
      {"a placeholder is too small",
       is_too_large_for_the_place,
       {
           "REQUEST small app NONE - | PlaceholderTooSmall app | app root.a n1 | memory:20 | Task group 'workers' in "
           "application 'app': allocation resources 'map[memory:20]' are not matching placeholder 'map[memory:10]' "
           "allocation with ID 'small'",
       }},
      {"an allocation is preempted",
       is_preempted,
       {
           "NODE n1 claim ADD NODE_RESERVATION | NodeReserved [rm]default | other root.poor n1 | memory:50 | -",
           "REQUEST whole app NONE - | Preempted app | app root.a n1 | - | Preempted by claim from application other "
           "in root.poor",
           "APP app whole REMOVE ALLOC_PREEMPT | AllocationRemoved root.a | app root.a n1 | memory:100 | -",
           "NODE n1 whole REMOVE NODE_ALLOC | AllocationRemoved [rm]default | app root.a n1 | memory:100 | -",
           "USERGROUP alice root.a REMOVE UG_USER_RESOURCE | UsageRemoved root.a | app root.a n1 | memory:100 | -",
           "APP app - SET APP_COMPLETING | ApplicationState root.a | app root.a - | - | nothing is pending or "
           "allocated",
       }},
      {"one goes for its queue's lowered max",
       goes_for_the_max,
       {
           "REQUEST k2 app NONE - | Preempted app | app root.a n1 | - | Preempted by Quota change enforcement process "
           "in root.a",
           "QUEUE root.a - SET QUEUE_PREEMPTION | QuotaPreemption [rm]default | - root.a - | memory:10 | Quota "
           "preemption: 1 allocations are released",
       }},
      {"nothing in a queue above its max may go",
       stays_above_the_max,
       {
           "QUEUE root.a - SET QUEUE_PREEMPTION | QuotaPreemption [rm]default | - root.a - | memory:5 | Quota "
           "preemption: 0 allocations are released; the queue stays above its max, because nothing else in it may be "
           "preempted",
       }},
  };
}

}  // namespace tenon::testing
