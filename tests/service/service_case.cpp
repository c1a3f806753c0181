// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "service_case.hpp"

#include <algorithm>

namespace tenon::service::testing {

void service_case::open(scheduler_options options) {
  service_.reset();
  host::host_options how;
  how.preflight = false;
  auto host = host::open_deployment({}, how);
  ASSERT_TRUE(host) << host.why().text();
  auto made = scheduler::open(std::move(*host), std::move(options));
  ASSERT_TRUE(made) << made.why().text();
  service_ = std::move(*made);
  fake_.attach_to(*service_);
  const auto why = service_->start();
  ASSERT_FALSE(why) << why->text();
}

uint64_t service_case::enter(const std::string &rm, uint32_t wants, const std::string &group) {
  uint64_t session = 0;
  interface::registration_request request;
  request.rm = rm;
  request.policy_group = group;
  const auto out = fake_.enter(request, wants, session);
  EXPECT_TRUE(out.good) << out.words;
  return session;
}

void service_case::submit(uint64_t session, const requests &batch) {
  const auto out = fake_.submit(session, batch.messages());
  ASSERT_EQ(out.status, TENON_OK) << out.words;
}

void service_case::settle(int64_t now_ms) {
  while (service_->step(1000, now_ms) != 0) {
  }
}

std::vector<interface::heard> service_case::heard(uint64_t session, uint32_t type) const {
  std::vector<interface::heard> out;
  for (const delivered &one : fake_.taken(session))
    if (one.what.type == type) out.push_back(one.what);
  return out;
}

rm_status service_case::status(const std::string &rm) {
  for (const rm_status &one : service_->rms())
    if (one.id == rm) return one;
  return {};
}

requests service_case::cluster(int nodes, int asks, const std::string &application) {
  requests out;
  out.application(application);
  for (int i = 0; i < nodes; ++i) out.node("node-" + std::to_string(i), {{"vcore", 10'000}});
  for (int i = 0; i < asks; ++i) out.ask({.application = application, .key = "ask-" + std::to_string(i)});
  return out;
}

scheduler_options manual(std::map<std::string, std::string> groups) {
  scheduler_options out;
  out.manual = true;
  out.manual_start_ms = 1'000;
  out.policy_groups = std::move(groups);
  return out;
}

scheduler_options running(std::map<std::string, std::string> groups) {
  scheduler_options out;
  out.policy_groups = std::move(groups);
  return out;
}

}  // namespace tenon::service::testing
