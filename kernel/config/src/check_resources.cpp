// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Guaranteed and max resources down the tree. Types that are not named are unlimited.
#include <set>
#include <string>

#include "queues_source.hpp"
#include "tenon/kernel/messages.hpp"
#include "tenon/kernel/resources.hpp"

namespace tenon::config {

namespace {

using messages::amounts;

class resource_checker {
 public:
  explicit resource_checker(problems &report) : report_(report) {}

  // What `queue` has guaranteed, its own or, without, the sum of its children. `parent_max` is the least of
  // all above.
  amount_map check(const queue_source &queue, const amount_map &parent_max) {
    check_own(queue, parent_max);
    const amount_map max = component_min(queue.max.amounts, parent_max);
    amount_map sum;
    for (const queue_source &child : queue.queues) {
      const amount_map guaranteed = check(child, max);
      check_added(child, sum, guaranteed);
      add_saturating(sum, guaranteed);
    }
    check_sum(queue, max, sum);
    return all_zero(queue.guaranteed.amounts) ? sum : queue.guaranteed.amounts;
  }

 private:
  void check_own(const queue_source &queue, const amount_map &parent_max) {
    for (const quantities_source *of :
         {&queue.guaranteed, &queue.max, &queue.child_template.max, &queue.child_template.guaranteed}) {
      of->report_bad(report_);
      check_kernel_takes(*of);
    }
    for (const limit_source &limit : queue.limits) check_kernel_takes(limit.max);
    const amount_map &guaranteed = queue.guaranteed.amounts;
    const amount_map &max = queue.max.amounts;
    if (!fits(max, guaranteed)) {
      report_.refuse(queue.guaranteed.place_of(first_too_large(max, guaranteed)),
                     "guaranteed resource " + amounts(guaranteed) + " is larger than maximum resource " + amounts(max) +
                         " for queue " + queue.name,
                     "no more guaranteed than max", "lower it, or raise max");
    }
    if (!fits(parent_max, max)) {
      report_.refuse(queue.max.place_of(first_too_large(parent_max, max)),
                     "max resource of parent " + amounts(parent_max) + " is smaller than maximum resource " +
                         amounts(max) + " for queue " + queue.name,
                     "no more than the parent's max", "lower it, or raise max of the queues above");
    }
    if (queue.max.written() && queue.max.good() && !max.empty() && all_zero(max)) {
      report_.warn(queue.max.node->at, "max of queue " + queue.name + " is all zero and is ignored",
                   "at least one amount above 0", "to keep a queue empty give it no submitacl");
    }
  }

  // What the kernel would refuse at every registration.
  void check_kernel_takes(const quantities_source &of) {
    for (const auto &[type, amount] : of.amounts) {
      if (amount > largest_sum) {
        report_.refuse(of.place_of(type), messages::amount_too_large(type, amount), "at most 2^62", "lower it");
      }
      const bool one_more = types_.insert(type).second && types_.size() == max_types + 1;
      if (one_more) {
        report_.refuse(of.place_of(type), messages::too_many_resource_types(type, max_types),
                       "no more types in one partition", "leave out types that nothing asks for");
      }
    }
  }

  void check_added(const queue_source &child, const amount_map &sum, const amount_map &guaranteed) {
    for (const auto &[type, amount] : guaranteed) {
      const auto there = sum.find(type);
      if (amount > largest_sum || there == sum.end() || tenon::add_saturating(there->second, amount) <= largest_sum)
        continue;
      report_.refuse(child.at, messages::sum_too_large(type, amount, 1, there->second),
                     "guarantees of at most 2^62 in sum", "lower it, or those of the queues beside it");
    }
  }

  void check_sum(const queue_source &queue, const amount_map &max, const amount_map &sum) {
    const amount_map &guaranteed = queue.guaranteed.amounts;
    if (!fits(guaranteed, sum)) {
      report_.refuse(queue.guaranteed.place_of(first_too_large(guaranteed, sum)),
                     "guaranteed resource of parent " + amounts(guaranteed) +
                         " is smaller than sum of guaranteed resources " + amounts(sum) +
                         " of the children for queue " + queue.name,
                     "at least what the children have guaranteed together", "raise it, or lower theirs");
    }
    if (!fits(max, sum)) {
      report_.refuse(queue.max.written() ? queue.max.place_of(first_too_large(max, sum)) : queue.at,
                     "max resource " + amounts(max) + " is smaller than sum of guaranteed resources " + amounts(sum) +
                         " of the children for queue " + queue.name,
                     "at least what the children have guaranteed together", "raise max, or lower theirs");
    }
  }

  problems &report_;
  std::set<std::string> types_;
};

}  // namespace

void check_resources(const queue_source &root, problems &report) { (void)resource_checker(report).check(root, {}); }

}  // namespace tenon::config
