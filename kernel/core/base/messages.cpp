// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "tenon/kernel/messages.hpp"

#include "base/joined.hpp"
#include "base/one_line.hpp"
#include "tenon/kernel/duration.hpp"
#include "tenon/kernel/resources.hpp"

namespace tenon::messages {

std::string amounts(const amount_map &amounts) {
  std::string out = "map[";
  for (const auto &[type, amount] : amounts) {
    if (out.size() > 4) out += ' ';
    out += type + ':' + std::to_string(amount);
  }
  return out + ']';
}
std::string_view ask_added() { return "an ask was added"; }
std::string_view allocation_added() { return "an allocation was added"; }
std::string_view gang_complete() { return "all placeholders are allocated"; }
std::string_view gang_runs() { return "real allocations run and no placeholder is pending"; }
std::string_view no_placeholder_left() { return "no placeholder is left"; }
std::string_view nothing_left() { return "nothing is pending or allocated"; }
std::string starting_timeout(int64_t ms) {
  return joined({"StartingTimeout: ", format_duration_ms(ms), " in Starting"});
}
std::string completing_timeout(int64_t ms) {
  return joined({"CompletingTimeout: ", format_duration_ms(ms), " in Completing"});
}
std::string terminated_timeout(int64_t ms, std::string_view state) {
  return joined({"TerminatedTimeout: ", format_duration_ms(ms), " in ", state});
}
std::string reservation_timeout(int64_t ms, std::string_view state, uint64_t allocated, uint64_t pending) {
  return joined({reservation_timeout(), ": ", format_duration_ms(ms), " in ", state,
                 ", placeholders allocated: ", std::to_string(allocated), ", pending: ", std::to_string(pending)});
}
std::string execution_timeout(int64_t since_start_ms) {
  return joined({execution_timeout(), ": ", format_duration_ms(since_start_ms), " since it started"});
}
std::string partition_removed(int64_t drain_timeout_ms) {
  return joined({partition_removed(), ": ", format_duration_ms(drain_timeout_ms), " of draining"});
}
std::string partition_removed() { return "PartitionRemoved"; }
std::string execution_timeout() { return "ExecutionTimeout"; }
std::string reservation_timeout() { return "ResourceReservationTimeout"; }
std::string existing() { return "existing"; }
std::string released_by_rm() { return "allocation remove as per RM request"; }
std::string application_removed(std::string_view application) {
  return joined({"Application ", application, " Removed"});
}
std::string node_removed(std::string_view node) { return joined({"Node ", node, " Removed"}); }
std::string application_failed(std::string_view application, std::string_view why) {
  return joined({"Application ", application, " failed: ", why});
}
std::string allocation_execution_timeout(std::string_view key) {
  return joined({"execution time of allocation ", key, " is over"});
}
std::string placeholders_timed_out() { return "releasing allocated placeholders on placeholder timeout"; }
std::string pending_placeholders_timed_out() { return "releasing pending placeholders on placeholder timeout"; }
std::string placeholders_of_completed() { return "releasing placeholders on app complete"; }
std::string placeholder_too_small() { return "cancel placeholder: resource incompatible"; }
std::string replacing(std::string_view key) { return joined({"replacing allocationKey: ", key}); }
std::string preempted_for_ask(std::string_view key) {
  return joined({"preempting allocations to free up resources to run ask: ", key});
}
std::string preempted_for_daemon(std::string_view key) {
  return joined({"preempting allocations to free up resources to run daemon set ask: ", key});
}
std::string preempted_for_quota(std::string_view queue) {
  return joined({"preempting allocations to enforce new max quota for queue : ", queue});
}
std::string starts_failed(uint64_t count, int64_t wait_ms) {
  return joined(
      {"starts failed there: ", std::to_string(count), ", the next one is tried after ", format_duration_ms(wait_ms)});
}
std::string reservation_used() { return "placed"; }
std::string reservation_ask_gone() { return "the ask is not pending any more"; }
std::string reservation_node_unfit() { return "the node does not take the ask any more"; }
std::string reservations_off() { return "the configuration switched reservations off"; }
std::string reservations_too_many() { return "fewer nodes may be reserved for one application now"; }
std::string reservation_may_not_run() { return "a limit, a maximum or a stopped queue holds the ask"; }
std::string reservation_waited(std::string_view node) { return joined({"waited too long for node ", node}); }
std::string reservation_for_daemon(std::string_view key) { return joined({"ask ", key, " requires the node"}); }
std::string reservation_for_higher(std::string_view key) {
  return joined({"ask ", key, " of higher priority has the node"});
}
std::string reservation_for_preemption(std::string_view key) { return joined({"ask ", key, " preempts on the node"}); }
std::string reservation_moved(std::string_view node) { return joined({"preemption frees node ", node}); }
std::string proposed_in_place(std::string_view placeholder) { return joined({"in place of ", placeholder}); }
std::string check_refused(std::string_view node, std::string_view reason) {
  return joined({"the resource manager refuses node ", node, reason.empty() ? "" : ": ", reason});
}
std::string check_late(std::string_view node) {
  return joined({"the resource manager did not answer about node ", node});
}
std::string proposal_ask_gone() { return "the ask is another one now"; }
std::string proposal_not_running() { return "the application does not run any more"; }
std::string proposal_node_unfit() { return reservation_node_unfit(); }
std::string proposal_placeholder_gone(std::string_view placeholder) {
  return joined({"placeholder ", placeholder, " is released"});
}
std::string too_much_asked() {
  return joined({"not asked for again: with it what is asked for and allocated is more than the largest sum, ",
                 std::to_string(largest_sum)});
}

std::string swap_of_canary(std::string_view policy) {
  return joined({"the predicate ", policy, " is on trial in a canary: take that back first"});
}

std::string canary_failed(module_kind kind, std::string_view policy, uint32_t times) {
  const std::string often = times > 1 ? joined({" ", std::to_string(times), " times"}) : std::string{};
  if (kind == module_kind::predicate) {
    return joined({"the predicate ", policy, " failed", often, ": its applications are placed without it again"});
  }
  return joined({"the order of nodes ", policy, " failed", often, ": its applications have the partition's again"});
}
std::string canary_waits(uint32_t longer, uint32_t placed, int64_t bound_ms) {
  return joined({std::to_string(longer), " of ", std::to_string(placed),
                 " placements of the canary waited longer than ", std::to_string(bound_ms), " ms, and one in 100 may"});
}
std::string canary_waits_longer(int64_t average_ms, int64_t others_ms, uint32_t factor) {
  return joined({"placements of the canary waited ", std::to_string(average_ms), " ms on average and others ",
                 std::to_string(others_ms), " ms: that is more than ", std::to_string(factor), " thousandths of it"});
}
std::string canary_taken_back(std::string_view text) {
  return text.empty() ? std::string("taken back") : joined({"taken back ", one_line(text)});
}
std::string no_canary(std::string_view partition) {
  return joined({"partition ", partition, " is configured with no canary; add the key canary to it in queues.yaml"});
}
std::string canary_is_back(std::string_view why) {
  return joined({"the canary is back already: ", why, "; `tenon ctl canary again` puts it in place"});
}
std::string canary_is_in_place() { return "the canary is in place: nothing brought it back; there is nothing to do"; }

std::string no_application(std::string_view application) {
  return joined({"there is no application ", application, "; it was not accepted, or it has ended"});
}
std::string event_not_possible(std::string_view refusal, bool draining) {
  return joined({refusal, draining ? "; a configuration that names it takes it back, nothing else"
                                   : "; there is nothing to do, it is so already"});
}
std::string queue_event_unknown(uint8_t event) {
  return joined({"a queue is stopped or started, event ", std::to_string(event), " is neither"});
}
std::string partition_event_unknown(uint8_t event) {
  return joined({"a partition is stopped, started or drained, event ", std::to_string(event), " is none of these"});
}
std::string partition_start_while_draining(std::string_view partition) {
  return joined(
      {"partition ", partition, " is Draining: a configuration that names it makes it Active again, nothing else"});
}
std::string application_killed(std::string_view why) {
  return why.empty() ? std::string("ApplicationKilled") : joined({"ApplicationKilled: ", one_line(why)});
}

std::string container_skipped() { return "SKIPPED"; }
std::string container_failed() { return "FAILED"; }

}  // namespace tenon::messages
