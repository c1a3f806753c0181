// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The host services for people and their tools: tenon.host.read, .explain, .metrics and .admin.
//
//   tenon::observe::services all(kernel_access);
//   all.offer_to(host);                  // before instances are made that use them
#pragma once

#include <boost/json/object.hpp>
#include <chrono>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "tenon/abi/base.h"
#include "tenon/host/module_host.hpp"
#include "tenon/kernel/decisions.hpp"
#include "tenon/kernel/explain.hpp"
#include "tenon/kernel/snapshot.hpp"
#include "tenon/observe/health_checks.hpp"
#include "tenon/observe/kernel_access.hpp"
#include "tenon/observe/operations.hpp"
#include "tenon/observe/what_if.hpp"

namespace tenon::observe {

struct what_if_said {
  // INVALID_CONFIG: the question is wrong; UNRESOLVABLE: no single partition is meant; UNSCHEDULABLE: one that has more
  // than most_copied; RETRY: it was not asked in time.
  tenon_status status = TENON_OK;
  refusal why;
  boost::json::object answer;
};

// A queues.yaml that somebody thinks of, in place of what is in force for a policy group.
struct plan_wish {
  std::string text, place;   // the place is for messages, as a file
  std::string policy_group;  // empty: "default"
};
struct plan_said {
  // UNRESOLVABLE: there is no such policy group; UNSCHEDULABLE: there is more than most_copied; RETRY: it was not made
  // in time.
  tenon_status status = TENON_OK;
  refusal why;
  boost::json::object answer;  // docs/plan.md: refusals, plans, with_their_own
};

class services {
 public:
  // Both outlive it; it outlives every module that has its services. Health is bad for `memory` after a fault. What has
  // more than `most_objects` is not copied.
  services(kernel_access &to, host::module_host &modules, std::chrono::milliseconds memory = std::chrono::minutes(5),
           uint64_t most_objects = most_copied);
  ~services();
  services(const services &) = delete;
  services &operator=(const services &) = delete;

  void offer();
  void close();  // the scheduler stops: no thread of theirs asks for anything any more
  [[nodiscard]] administration &admin();
  [[nodiscard]] health_checks &health();

  // For readers in the host, from any thread but the kernel's. What takes time there is shared with all other readers.
  // The parts of the state as of one moment, TENON_READ_* or more; null: the scheduler stops, or there was none in
  // time.
  [[nodiscard]] std::shared_ptr<const kernel_snapshot> look(uint32_t wanted, std::string_view partition,
                                                            std::chrono::milliseconds within);
  // The names of what runs there, beside TENON_READ_*: of nodes.
  static constexpr uint32_t read_contents = 1U << 31;
  // kernel::explain(), on a copy of the partition; of one that is not copied what holds the ask, and of one whose
  // policies have no second instance, of most_tried objects or fewer, all of it in a turn. Before its words it says
  // whether nothing is placed for the RM now. False: it was not asked in time.
  bool explain(std::string_view partition, std::string_view application, std::string_view key,
               std::chrono::milliseconds within, std::optional<explanation> &out);

  // A question in JSON and its answer, as docs/what-if.md has them. Where nobody says whose a new application is, it is
  // of `user`; empty: of nobody. Where the host drives the scheduler itself, in_turn is not for it: it shares no time
  // with others, and its partition may be of any size.
  enum class what_if_cost : uint8_t { in_turn, own };
  [[nodiscard]] what_if_said what_if(const boost::json::object &question, std::string_view user,
                                     std::chrono::milliseconds within, what_if_cost cost = what_if_cost::in_turn);

  // What a reload would do, tried on copies of all partitions as of one moment.
  [[nodiscard]] plan_said plan(const plan_wish &wish, std::chrono::milliseconds within);

  // On the kernel's thread, while decisions are handed over: they are counted.
  void count(std::span<const decision_view> decisions, const kernel &k);
  // On the kernel's thread: a turn that scheduled took so long, with so many decisions.
  void cycle_took(double seconds, uint64_t decisions);

  struct impl;

 private:
  std::unique_ptr<impl> impl_;
};

}  // namespace tenon::observe
