// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Every (state, event) pair of every machine against what the specification says, written down a second time
// and by name. A pair that is not listed here must be refused.
#include "tenon/kernel/state_tables.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <sstream>
#include <string>

#include "../documents/written_pages.hpp"
#include "state_page.hpp"

namespace tenon {
namespace {

// Lines "event: From>To From>To", as (event, from) -> to.
using expectation = std::map<std::pair<std::string, std::string>, std::string>;

expectation read(const std::string &text) {
  expectation out;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream fields(line);
    std::string event, pair;
    fields >> event;
    if (!event.empty()) event.pop_back();
    while (fields >> pair) {
      const size_t arrow = pair.find('>');
      const bool added = out.emplace(std::pair(event, pair.substr(0, arrow)), pair.substr(arrow + 1)).second;
      EXPECT_TRUE(added) << event << " " << pair << " is listed twice";
    }
  }
  return out;
}

// Walks every pair of the machine and takes the expectations that it met away.
template <class State>
void check(expectation expected) {
  using event_type = event_of<State>;
  for (size_t s = 0; s < machine<State>::state_names.size(); ++s) {
    for (size_t e = 0; e < machine<State>::event_names.size(); ++e) {
      const auto state = static_cast<State>(s);
      const auto event = static_cast<event_type>(e);
      const std::string from(name(state)), what(name(event));
      const auto next = next_state(state, event);
      const auto found = expected.find({what, from});
      EXPECT_EQ(next ? std::string(name(*next)) : "refused", found == expected.end() ? "refused" : found->second)
          << what << " in state " << from;
      EXPECT_EQ(refusal_text(state, event),
                std::string("event ").append(what).append(" is not possible in state ").append(from));
      if (found != expected.end()) expected.erase(found);
    }
  }
  for (const auto &[pair, to] : expected) ADD_FAILURE() << pair.first << " in state " << pair.second << " is no pair";
}

TEST(StateTables, Application) {
  check<application_state>(read(R"(
    reject: New>Rejected
    run: New>Accepted Resuming>Accepted Accepted>Starting Starting>Running Running>Running Completing>Running
    run-directly: New>Accepted Resuming>Accepted Accepted>Running Running>Running Completing>Running
    complete: Accepted>Completing Starting>Completing Running>Completing Completing>Completed
    fail: New>Failing Accepted>Failing Starting>Failing Running>Failing Completing>Failing Resuming>Failing
    fail: Failing>Failed
    resume: New>Resuming Accepted>Resuming
    expire: Completed>Expired Failed>Expired Rejected>Expired
    remove: New>Failing Accepted>Failing Starting>Failing Running>Failing Completing>Failing Failing>Failing
    remove: Resuming>Failing
    wait: Completing>Accepted
  )"));
}

TEST(StateTables, Object) {
  check<object_state>(read(R"(
    remove: Active>Draining Stopped>Draining Draining>Draining
    start: Stopped>Active Draining>Active
    stop: Active>Stopped
  )"));
}

TEST(StateTables, Node) {
  check<node_state>(read(R"(
    create: Absent>Schedulable
    create-draining: Absent>Draining
    drain: Schedulable>Draining Draining>Draining
    undrain: Draining>Schedulable
    decommission: Schedulable>Removed Draining>Removed
  )"));
}

TEST(StateTables, ResourceManager) {
  check<rm_state>(read(R"(
    register: Init>Running Running>Running Paused>Running Stopped>Running
    lost: Running>Paused
    back: Paused>Running
    timeout: Paused>Stopped
    shutdown: Running>Stopped
  )"));
}

TEST(StateTables, Ask) {
  check<ask_state>(read(R"(
    accept: Initial>Pending
    refuse: Initial>Rejected
    place: Pending>Pending
    place-last: Pending>Allocated
    withdraw: Pending>Released
    undo: Allocated>Pending Pending>Pending
    accept-placed: Initial>Allocated
    end: Allocated>Released
  )"));
}

TEST(StateTables, Allocation) {
  check<allocation_state>(read(R"(
    propose: Initial>Proposed
    allocate: Initial>Allocated
    confirm: Proposed>Allocated
    refuse: Proposed>Undone
    late: Proposed>Undone
    release: Proposed>Completed Allocated>Completed Preempting>Completed Expiring>Completed Replacing>Completed
    preempt: Allocated>Preempting
    timeout: Allocated>Expiring
    replace: Allocated>Replacing
    acknowledge: Preempting>Preempted Expiring>Expired Replacing>Replaced
    node-removed: Allocated>Released Preempting>Released Expiring>Released Replacing>Released
    undo: Proposed>Undone Allocated>Undone Preempting>Undone Expiring>Undone
  )"));
}

TEST(StateTables, ApplicationStatesHaveTheNamesOfTheField) {
  EXPECT_EQ(name(application_state::new_), "New");
  EXPECT_EQ(name(application_state::accepted), "Accepted");
  EXPECT_EQ(name(application_state::starting), "Starting");
  EXPECT_EQ(name(application_state::running), "Running");
  EXPECT_EQ(name(application_state::rejected), "Rejected");
  EXPECT_EQ(name(application_state::completing), "Completing");
  EXPECT_EQ(name(application_state::completed), "Completed");
  EXPECT_EQ(name(application_state::failing), "Failing");
  EXPECT_EQ(name(application_state::failed), "Failed");
  EXPECT_EQ(name(application_state::expired), "Expired");
  EXPECT_EQ(name(application_state::resuming), "Resuming");
}

// Names go by place: each enumerator must have its own.
TEST(StateTables, EnumeratorsHaveTheirOwnNames) {
  EXPECT_EQ(name(application_event::reject), "reject");
  EXPECT_EQ(name(application_event::run_directly), "run-directly");
  EXPECT_EQ(name(application_event::expire), "expire");
  EXPECT_EQ(name(application_event::remove), "remove");
  EXPECT_EQ(name(object_state::stopped), "Stopped");
  EXPECT_EQ(name(object_event::stop), "stop");
  EXPECT_EQ(name(node_state::removed), "Removed");
  EXPECT_EQ(name(node_event::create_draining), "create-draining");
  EXPECT_EQ(name(node_event::decommission), "decommission");
  EXPECT_EQ(name(rm_state::stopped), "Stopped");
  EXPECT_EQ(name(rm_event::shutdown), "shutdown");
  EXPECT_EQ(name(ask_state::released), "Released");
  EXPECT_EQ(name(ask_event::place_last), "place-last");
  EXPECT_EQ(name(ask_event::undo), "undo");
  EXPECT_EQ(name(ask_event::end), "end");
  EXPECT_EQ(name(allocation_state::replacing), "Replacing");
  EXPECT_EQ(name(allocation_state::released), "Released");
  EXPECT_EQ(name(allocation_event::late), "late");
  EXPECT_EQ(name(allocation_event::node_removed), "node-removed");
  EXPECT_EQ(name(allocation_event::undo), "undo");
}

TEST(StateTables, AreKnownToTheCompiler) {
  static_assert(next_state(application_state::accepted, application_event::run) == application_state::starting);
  static_assert(!next_state(node_state::schedulable, node_event::undrain));
  static_assert(name(rm_state::paused) == "Paused");
}

template <class State>
void expect_every_state_reached() {
  std::set<State> reached{machine<State>::initial};
  for (size_t round = 0; round < machine<State>::state_names.size(); ++round) {
    for (const auto &row : machine<State>::rows) {
      if (reached.contains(row.from)) reached.insert(row.to);
    }
  }
  EXPECT_EQ(reached.size(), machine<State>::state_names.size()) << machine<State>::title;
}

TEST(StateTables, EveryStateCanBeReached) {
  expect_every_state_reached<application_state>();
  expect_every_state_reached<object_state>();
  expect_every_state_reached<node_state>();
  expect_every_state_reached<rm_state>();
  expect_every_state_reached<ask_state>();
  expect_every_state_reached<allocation_state>();
}

TEST(StateMachinesPage, SaysWhatTheTablesSay) {
  EXPECT_TRUE(tenon::pages::is("docs/state-machines.md", state_machines_page()));
}

}  // namespace
}  // namespace tenon
