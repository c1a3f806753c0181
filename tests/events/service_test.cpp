// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Events of the running scheduler: the deployment's sinks hear what its RMs do, and queries are answered.
#include "service_case.hpp"

namespace tenon::service::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsSupersetOf;

class ServiceEvents : public service_case {
 protected:
  void open_with(const std::string &events, scheduler_options options) {
    service_.reset();
    host::host_options how;
    how.preflight = false;
    config::problems report("tenon.yaml");
    auto plan = host::parse_deployment("apiVersion: tenon/v1\nevents: " + events + "\n", "tenon.yaml", report);
    ASSERT_TRUE(plan);
    auto host = host::open_host(std::move(*plan), how);
    ASSERT_TRUE(host) << host.why().text();
    auto made = scheduler::open(std::move(*host), std::move(options));
    ASSERT_TRUE(made) << made.why().text();
    service_ = std::move(*made);
    fake_.attach_to(*service_);
    const auto why = service_->start();
    ASSERT_FALSE(why) << why->text();
  }
  std::vector<std::string> reasons_of(const std::string &application) {
    EXPECT_TRUE(service_->events()->flush(30s));
    std::vector<std::string> out;
    tenon_event_query_in wanted{};
    wanted.size = sizeof wanted;
    wanted.application = {application.data(), application.size()};
    wanted.types = 1U << TENON_EVENT_APP | 1U << TENON_EVENT_REQUEST;
    char buffer[200];
    tenon_message error{sizeof error, sizeof buffer, buffer, 0};
    const auto take = [](void *taker, const tenon_event_record *r) -> tenon_status {
      static_cast<std::vector<std::string> *>(taker)->emplace_back(r->reason.data, r->reason.length);
      return TENON_OK;
    };
    tenon_event_query_out answer{sizeof answer, 0, take, &out, 0, &error};
    EXPECT_EQ(service_->events()->query(wanted, answer), TENON_OK);
    return out;
  }
};

TEST_F(ServiceEvents, WhatAnRmDoesCanBeAskedFor) {
  open_with("[{ use: tenon.ring }]", manual());
  submit(enter(), cluster(1, 2));
  settle();
  EXPECT_THAT(reasons_of("app-1"), IsSupersetOf({"ApplicationAdded", "AskAdded", "AskAdded", "ApplicationState",
                                                 "AllocationAdded", "AllocationAdded"}));
}

TEST_F(ServiceEvents, AskThatDoesNotFitIsSeenByInspection) {
  std::string queues = default_queues;
  queues.replace(queues.rfind("          - name: default"), std::string::npos,
                 "          - {name: default, resources: {max: {vcore: 10}}}\n");
  open_with("[{ use: tenon.ring }]", manual({{"default", queues}}));
  submit(enter(), cluster(2, 11));  // the queue has no room for the last
  settle();
  service_->step(1, 60'000);
  EXPECT_THAT(reasons_of("app-1"), ::testing::Contains("InsufficientQueueResources"));
}

TEST_F(ServiceEvents, FollowerBeginsWithTheNewestOfBefore) {
  open_with("[{ use: tenon.ring, config: { capacity: 8 } }]", manual());
  const uint64_t session = enter();
  submit(session, cluster(1, 2));
  settle();
  events::event_hub &hub = *service_->events();
  ASSERT_TRUE(hub.flush(30s));
  tenon_events_range_out range{};
  range.size = sizeof range;
  ASSERT_EQ(hub.range(range), TENON_OK);
  EXPECT_EQ(range.highest_id, hub.counters().created);
  EXPECT_EQ(range.lowest_id, range.highest_id - 7);
  const tenon_events_subscribe_in in{sizeof in, 0, 0, 3, nullptr, nullptr};
  tenon_events_subscribe_out made{sizeof made, 0, 0};
  ASSERT_EQ(hub.subscribe(in, made), TENON_OK);
  requests more;
  more.ask({.application = "app-1", .key = "later"});
  submit(session, more);
  settle();
  ASSERT_TRUE(hub.flush(30s));
  std::vector<uint64_t> ids;
  const auto note = [](void *taker, const tenon_event_record *r) -> tenon_status {
    static_cast<std::vector<uint64_t> *>(taker)->push_back(r->id);
    return TENON_OK;
  };
  const tenon_events_take_in which{sizeof which, 0, made.subscription, 0};
  tenon_events_take_out out{sizeof out, 0, note, &ids, 0};
  ASSERT_EQ(hub.take(which, out), TENON_OK);
  ASSERT_EQ(ids.size(), 3 + hub.counters().created - range.highest_id);
  for (size_t i = 0; i < ids.size(); ++i) EXPECT_EQ(ids[i], range.highest_id - 2 + i);
}

TEST_F(ServiceEvents, NoSinksNobodyListens) {
  open(manual());
  EXPECT_EQ(service_->events(), nullptr);
}

TEST_F(ServiceEvents, ThreadsHearTheSame) {
  open_with("[{ use: tenon.ring }]", running());
  const uint64_t session = enter();
  submit(session, cluster(10, 100));
  const auto placed = [&] { return heard(session, TENON_RM_ALLOCATION).size(); };
  while (placed() < 100) std::this_thread::sleep_for(1ms);
  const auto reasons = reasons_of("app-1");
  EXPECT_EQ(std::count(reasons.begin(), reasons.end(), "AllocationAdded"), 100);
  service_->stop();
}

}  // namespace
}  // namespace tenon::service::testing
