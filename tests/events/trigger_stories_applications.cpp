// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What is recorded of applications: they come, change their state, are held, go.
#include "trigger_stories.hpp"

namespace tenon::testing {
namespace {

constexpr int64_t minute = 60'000;

void submitted(stage &on) {
  on.start({named_queue("a")});
  on.begin();
  on->add_app("app", "root.a", "alice");
}

void refused(stage &on) {
  on.start({named_queue("a")});
  on.begin();
  on->add_app("app", "root.nowhere", "alice");
}

void from_start_to_expiry(stage &on) {
  on.start({named_queue("a")}, {}, {{"memory", 100}});
  on->add_app("app", "root.a", "alice");
  on->ask("app", "k", {{"memory", 10}});
  on->settle();
  on->give_back("app", "k");
  on.begin();
  on.pass(minute);
  on.pass(int64_t{4} * 24 * 60 * minute);
}

void runs(stage &on) {
  on.start({named_queue("a")}, {}, {{"memory", 100}});
  on->add_app("app", "root.a", "alice");
  on.begin();
  on->ask("app", "k", {{"memory", 10}});
  on->ask("app", "k2", {{"memory", 10}});
  on->settle();
}

void fails(stage &on) {
  on.start({named_queue("a")}, {}, {{"memory", 100}});
  on->add_app("app", "root.a", "alice");
  on->ask("app", "k", {{"memory", 10}});
  on.begin();
  on->run(fail_application{default_partition, "app", "of no use any more"});
}

void soft_gang_goes_on(stage &on) {
  on.start({named_queue("a")}, {}, {{"memory", 15}});
  on.add_app();
  on.put("p1", {{"memory", 10}}, as_placeholder);
  on.put("p2", {{"memory", 10}}, as_placeholder);
  on->settle();
  on.begin();
  on.pass(20 * minute);
}

// The second of two applications is held, twice looked at, until the first one goes.
void hold_the_second(stage &on) {
  for (const std::string app : {"first", "app"}) {
    on->add_app(app, "root.a", "alice");
    on->ask(app, "k", {{"memory", 10}});
  }
  on->settle();
  on.begin();
  on->run(inspect{});
  on->run(inspect{});
  on->run(remove_application{default_partition, "first"});
  on->run(inspect{});
}

void held_by_its_queue(stage &on) {
  queue_config a = named_queue("a");
  a.max_applications = 1;
  on.start({a}, {}, {{"memory", 100}});
  hold_the_second(on);
}

void held_by_its_user(stage &on) {
  limit_config one = stage::of_user("alice", {});
  one.max_applications = 1;
  on.start({named_queue("a")}, {one}, {{"memory", 100}});
  hold_the_second(on);
}

void moved(stage &on) {
  on.start({named_queue("a"), named_queue("b")}, {}, {{"memory", 100}});
  on->add_app("app", "root.a", "alice");
  on->ask("app", "k", {{"memory", 30}});
  on->settle();
  on.begin();
  on->run(move_application{default_partition, "app", "root.none"});
  on->run(move_application{default_partition, "app", "root.b"});
}

}  // namespace

std::vector<trigger_story> stories_of_applications() {
  return {
      {"an application is submitted",
       submitted,
       {
           "APP app - ADD APP_NEW | ApplicationAdded root.a | app root.a - | - | -",
           "QUEUE root.a app ADD QUEUE_APP | ApplicationAdded [rm]default | app root.a - | - | -",
       }},
      {"one is refused",
       refused,
       {
           "APP app - ADD APP_NEW | ApplicationAdded root.nowhere | app root.nowhere - | - | -",
           "APP app - SET APP_REJECT | ApplicationRejected root.nowhere | app root.nowhere - | - | failed to place "
           "application app: application rejected: no placement rule matched; there is no queue root.nowhere; below "
           "root there is a; use root.a",
       }},
      {"one completes and expires",
       from_start_to_expiry,
       {
           "APP app - SET APP_COMPLETED | ApplicationState root.a | app root.a - | - | CompletingTimeout: 30s in "
           "Completing",
           "APP app - REMOVE - | ApplicationRemoved root.a | app root.a - | - | -",
           "QUEUE root.a app REMOVE QUEUE_APP | ApplicationRemoved [rm]default | app root.a - | - | -",
           "APP app - SET APP_EXPIRED | ApplicationState root.a | app root.a - | - | TerminatedTimeout: 72h0m0s in "
           "Completed",
       }},
      {"one runs",
       runs,
       {
           "APP app k ADD APP_REQUEST | AskAdded root.a | app root.a - | memory:10 | -",
           "APP app - SET APP_ACCEPTED | ApplicationState root.a | app root.a - | - | an ask was added",
           "APP app k2 ADD APP_REQUEST | AskAdded root.a | app root.a - | memory:10 | -",
           "APP app k ADD APP_ALLOC | AllocationAdded root.a | app root.a n1 | memory:10 | -",
           "NODE n1 k ADD NODE_ALLOC | AllocationAdded [rm]default | app root.a n1 | memory:10 | -",
           "USERGROUP alice root.a ADD UG_USER_RESOURCE | UsageAdded root.a | app root.a n1 | memory:10 | -",
           "APP app - SET APP_STARTING | ApplicationState root.a | app root.a - | - | an allocation was added",
           "APP app k2 ADD APP_ALLOC | AllocationAdded root.a | app root.a n1 | memory:10 | -",
           "NODE n1 k2 ADD NODE_ALLOC | AllocationAdded [rm]default | app root.a n1 | memory:10 | -",
           "USERGROUP alice root.a ADD UG_USER_RESOURCE | UsageAdded root.a | app root.a n1 | memory:10 | -",
           "APP app - SET APP_RUNNING | ApplicationState root.a | app root.a - | - | an allocation was added",
       }},
      {"one is told to fail",
       fails,
       {
           "APP app - SET APP_FAILING | ApplicationState root.a | app root.a - | - | ApplicationKilled: of no use any "
           "more",
           "APP app k REMOVE REQUEST_TIMEOUT | AskRemoved root.a | app root.a - | memory:10 | -",
           "APP app - SET APP_FAILED | ApplicationState root.a | app root.a - | - | ApplicationKilled: of no use any "
           "more",
           "APP app - REMOVE - | ApplicationRemoved root.a | app root.a - | - | -",
           "QUEUE root.a app REMOVE QUEUE_APP | ApplicationRemoved [rm]default | app root.a - | - | -",
       }},
      {"placeholders of a soft gang time out",
       soft_gang_goes_on,
       {
           "APP app - SET APP_RESUMING | ApplicationState root.a | app root.a - | - | ResourceReservationTimeout: "
           "15m0s in Accepted, placeholders allocated: 1, pending: 1",
           "APP app p2 REMOVE REQUEST_TIMEOUT | AskRemoved root.a | app root.a - | memory:10 | -",
       }},
      {"one is moved to another queue",
       moved,
       {
           "QUEUE root.a app REMOVE QUEUE_APP | ApplicationRemoved [rm]default | app root.a - | - | Moved to queue "
           "root.b",
           "USERGROUP alice root.a REMOVE UG_USER_RESOURCE | UsageMoved root.a | app root.a - | memory:30 | -",
           "USERGROUP alice root.b ADD UG_USER_RESOURCE | UsageMoved root.b | app root.b - | memory:30 | -",
           "QUEUE root.b app ADD QUEUE_APP | ApplicationAdded [rm]default | app root.b - | - | Moved from queue "
           "root.a",
           "APP app - SET - | ApplicationMoved root.b | app root.b - | - | Moved from queue root.a",
       }},
      {"its queue runs as many as it may",
       held_by_its_queue,
       {
           "APP app - NONE APP_CANNOTRUN_QUEUE | ApplicationHeld root.a | app root.a - | - | -",
           "APP first k REMOVE ALLOC_CANCEL | AllocationRemoved root.a | first root.a n1 | memory:10 | -",
           "NODE n1 k REMOVE NODE_ALLOC | AllocationRemoved [rm]default | first root.a n1 | memory:10 | -",
           "USERGROUP alice root.a REMOVE UG_USER_RESOURCE | UsageRemoved root.a | first root.a n1 | memory:10 | -",
           "APP first - REMOVE - | ApplicationRemoved root.a | first root.a - | - | -",
           "QUEUE root.a first REMOVE QUEUE_APP | ApplicationRemoved [rm]default | first root.a - | - | -",
           "APP app - NONE APP_RUNNABLE_QUEUE | ApplicationFreed root.a | app root.a - | - | -",
       }},
      {"its user runs as many as he may",
       held_by_its_user,
       {
           "APP app - NONE APP_CANNOTRUN_QUOTA | ApplicationHeld root.a | app root.a - | - | -",
           "APP first k REMOVE ALLOC_CANCEL | AllocationRemoved root.a | first root.a n1 | memory:10 | -",
           "NODE n1 k REMOVE NODE_ALLOC | AllocationRemoved [rm]default | first root.a n1 | memory:10 | -",
           "USERGROUP alice root.a REMOVE UG_USER_RESOURCE | UsageRemoved root.a | first root.a n1 | memory:10 | -",
           "APP first - REMOVE - | ApplicationRemoved root.a | first root.a - | - | -",
           "QUEUE root.a first REMOVE QUEUE_APP | ApplicationRemoved [rm]default | first root.a - | - | -",
           "APP app - NONE APP_RUNNABLE_QUOTA | ApplicationFreed root.a | app root.a - | - | -",
       }},
  };
}

}  // namespace tenon::testing
