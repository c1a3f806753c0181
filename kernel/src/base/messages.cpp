// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "tenon/kernel/messages.hpp"

#include <algorithm>
#include <initializer_list>

#include "base/one_line.hpp"
#include "tenon/kernel/devices.hpp"
#include "tenon/kernel/duration.hpp"
#include "tenon/kernel/resources.hpp"

namespace tenon::messages {
namespace {

std::string join(std::initializer_list<std::string_view> parts) {
  std::string out;
  for (const std::string_view part : parts) out += part;
  return out;
}

}  // namespace

std::string amounts(const amount_map &amounts) {
  std::string out = "map[";
  for (const auto &[type, amount] : amounts) {
    if (out.size() > 4) out += ' ';
    out += type + ':' + std::to_string(amount);
  }
  return out + ']';
}
std::string registration_failed(std::string_view why) { return join({"registration of RM failed: ", why}); }
std::string configuration_failed(std::string_view why) { return join({"update of configuration failed: ", why}); }
std::string rm_not_registered(std::string_view rm) { return join({"RmID=\"", rm, "\" not registered"}); }
std::string rm_id_invalid(std::string_view rm) {
  return join({"resource manager ID \"", rm, "\" is empty or contains [ or ]"});
}
std::string partition_without_root() { return "partition cannot be created without root queue"; }
std::string leaf_has_applications(std::string_view queue) {
  return join({"queue ", queue, " has applications and cannot become a parent"});
}
std::string parent_has_applications(std::string_view queue) {
  return join({"queue ", queue, " has applications below it and cannot become a leaf"});
}
std::string no_partition(std::string_view partition) { return join({"failed to find partition ", partition}); }
std::string too_many_resource_types(std::string_view type, uint32_t limit) {
  return join(
      {"resource type ", type, " is one more than the ", std::to_string(limit), " that this scheduler is set up for"});
}
std::string negative_amount(std::string_view type) { return join({"resource ", type, " is negative"}); }
std::string amount_too_large(std::string_view type, int64_t amount) {
  return join(
      {"resource ", type, " is ", std::to_string(amount), ", and the largest amount is ", std::to_string(largest_sum)});
}
std::string sum_too_large(std::string_view type, int64_t amount, int64_t times, int64_t there) {
  const std::string count = times == 1 ? std::string() : join({std::to_string(times), " times "});
  return join({"resource ", type, ": ", count, std::to_string(amount), " and the ", std::to_string(there),
               " that are counted already are more than the largest sum, ", std::to_string(largest_sum)});
}
std::string time_to_come(std::string_view which, int64_t said_ms, int64_t now_ms) {
  return join({which, " ", std::to_string(said_ms), " ms is to come; now, ", std::to_string(now_ms),
               " ms, is taken in its place"});
}
std::string queue_too_deep(std::string_view queue, uint32_t limit) {
  return join(
      {"queue ", queue, " is deeper than the ", std::to_string(limit), " levels that this scheduler is set up for"});
}
std::string application_without_partition(std::string_view application, std::string_view partition) {
  return join({"Failed to add application ", application, " to partition ", partition, ", partition doesn't exist"});
}
std::string application_to_stopped_partition(std::string_view partition, std::string_view application,
                                             std::string_view state) {
  return join(
      {"partition ", partition, " is stopped cannot add a new application ", application, ", its state is ", state});
}
std::string application_exists(std::string_view application, std::string_view partition) {
  return join({"adding application ", application, " to partition ", partition, ", but application already existed"});
}
std::string application_without_id() { return "application ID is empty"; }
std::string user_empty() { return "empty user cannot resolve"; }
std::string user_invalid() { return "invalid username, it contains invalid characters"; }
std::string gang_queue_not_fifo(std::string_view queue, std::string_view application) {
  return join(
      {"queue ", queue, " cannot run application ", application, " with task group request: unsupported sort type"});
}
std::string gang_larger_than_queue(std::string_view queue, std::string_view application, const amount_map &request,
                                   const amount_map &max) {
  return join({"queue ", queue, " cannot fit application ", application, ": task group request ", amounts(request),
               " larger than max queue allocation ", amounts(max)});
}
std::string placement_failed(std::string_view application, std::string_view why) {
  return join({"failed to place application ", application, ": ", why});
}
std::string no_rule_matched(const std::string &against) {
  return join({"application rejected: no placement rule matched", against.empty() ? "" : "; ", against});
}
std::string queue_missing(std::string_view queue, std::string_view above, const std::vector<std::string_view> &below) {
  constexpr size_t shown = 5;
  const std::string_view wanted = queue.substr(std::min(queue.size(), above.size() + 1));
  const auto common = [&](std::string_view name) {
    return static_cast<size_t>(std::mismatch(name.begin(), name.end(), wanted.begin(), wanted.end()).first -
                               name.begin());
  };
  const auto nearest = std::max_element(below.begin(), below.end(),
                                        [&](std::string_view a, std::string_view b) { return common(a) < common(b); });
  std::string out = join({"there is no queue ", queue, "; below ", above, " there "});
  if (below.empty()) return out + "is none";
  out += below.size() == 1 ? "is " : "are ";
  for (size_t i = 0; i < std::min(shown, below.size()); ++i) out += join({i == 0 ? "" : ", ", below[i]});
  if (below.size() > shown) out += " and more";
  return common(*nearest) == 0 ? out : out + join({"; did you mean ", above, ".", *nearest, "?"});
}
std::string submit_denied(std::string_view user, std::string_view queue) {
  return join({"user ", user, " may not submit to queue ", queue,
               ": no submitacl or adminacl of that queue or of one above", " it has the user or a group of the user"});
}
std::string queue_name_invalid() {
  return "invalid queue name, max 64 characters consisting of alphanumeric characters and '-', '_', '#', '@', '/', ':' "
         "allowed";
}
std::string parent_rule_gave_leaf(std::string_view queue) {
  return join({"parent rule returned a leaf queue: ", queue});
}
std::string order_refused_application(std::string_view application, std::string_view order, std::string_view queue,
                                      std::string_view message) {
  return join({"application sort policy ", order, " of queue ", queue, " refused application ", application,
               message.empty() ? "" : ": ", message});
}
std::string rule_refused(std::string_view rule, std::string_view message) {
  return join({"placement rule ", rule, " refused the application", message.empty() ? "" : ": ", message});
}
std::string queue_not_found(std::string_view queue, std::string_view application) {
  return join({"failed to find queue ", queue, " for application ", application});
}
std::string queue_path_illegal(std::string_view queue) { return join({"illegal queue name passed in: ", queue}); }
std::string queue_create_denied(std::string_view ancestor, std::string_view queue) {
  return join({"submit access to queue ", ancestor, " denied during create of: ", queue});
}
std::string queue_create_below_leaf(std::string_view queue, std::string_view ancestor) {
  return join({"creation of queue ", queue, " failed parent is already a leaf: ", ancestor});
}
std::string queue_create_below_draining(std::string_view ancestor) {
  return join({"cannot add a child queue when queue is marked for deletion: ", ancestor});
}
std::string queue_is_recovery() { return "dynamic queue cannot be root.@recovery@"; }
std::string rule_unknown(std::string_view rule) {
  return join({"unknown rule name specified ", rule, ", failing placement rule config"});
}
std::string rule_recovery() { return "recovery rule cannot be part of the config, failing placement rule config"; }
std::string rule_tag_without_value() { return "a tag queue rule must have a tag name set"; }
std::string rule_fixed_without_value() { return "a fixed queue rule must have a queue name set"; }
std::string rule_fixed_qualified_with_parent(std::string_view value) {
  return join({"cannot have a fixed queue rule with qualified queue getName and a parent rule: ", value});
}
std::string acl_spaces(std::string_view acl) { return join({"multiple spaces found in ACL: '", acl, "'"}); }
std::string order_refused_queue(std::string_view queue, std::string_view order, std::string_view message) {
  return join(
      {"queue sort policy ", order, " refused the properties of queue ", queue, message.empty() ? "" : ": ", message});
}
std::string_view ask_added() { return "an ask was added"; }
std::string_view allocation_added() { return "an allocation was added"; }
std::string_view gang_complete() { return "all placeholders are allocated"; }
std::string_view gang_runs() { return "real allocations run and no placeholder is pending"; }
std::string_view no_placeholder_left() { return "no placeholder is left"; }
std::string_view nothing_left() { return "nothing is pending or allocated"; }
std::string starting_timeout(int64_t ms) { return join({"StartingTimeout: ", format_duration_ms(ms), " in Starting"}); }
std::string completing_timeout(int64_t ms) {
  return join({"CompletingTimeout: ", format_duration_ms(ms), " in Completing"});
}
std::string terminated_timeout(int64_t ms, std::string_view state) {
  return join({"TerminatedTimeout: ", format_duration_ms(ms), " in ", state});
}
std::string reservation_timeout(int64_t ms, std::string_view state, uint64_t allocated, uint64_t pending) {
  return join({reservation_timeout(), ": ", format_duration_ms(ms), " in ", state,
               ", placeholders allocated: ", std::to_string(allocated), ", pending: ", std::to_string(pending)});
}
std::string execution_timeout(int64_t since_start_ms) {
  return join({execution_timeout(), ": ", format_duration_ms(since_start_ms), " since it started"});
}
std::string partition_removed(int64_t drain_timeout_ms) {
  return join({partition_removed(), ": ", format_duration_ms(drain_timeout_ms), " of draining"});
}
std::string partition_removed() { return "PartitionRemoved"; }
std::string execution_timeout() { return "ExecutionTimeout"; }
std::string reservation_timeout() { return "ResourceReservationTimeout"; }
std::string application_not_found(std::string_view application) {
  return join({"failed to find application ", application});
}
std::string application_has_ended(std::string_view application, std::string_view state) {
  return join({"application ", application, " is ", state, " and takes no more asks"});
}
std::string node_not_found(std::string_view node) { return join({"failed to find node ", node}); }
std::string key_empty() { return "allocation key is empty"; }
std::string no_resources() { return "allocation contains no resources"; }
std::string negative_resources() { return "allocation contains negative resources"; }
std::string no_allocations_wanted() { return "maxAllocations must be at least 1"; }
std::string priority_class_unknown(std::string_view name) {
  return join({"priority class ", name, " is not configured"});
}
std::string foreign_without_node(std::string_view key) { return join({"node ID is empty for allocation ", key}); }
std::string foreign_node_not_found(std::string_view node, std::string_view key) {
  return join({"failed to find node ", node, " for allocation ", key});
}
std::string allocation_elsewhere(std::string_view key, std::string_view node) {
  return join({"all allocations of ", key, " are placed, none of them on node ", node});
}
std::string existing() { return "existing"; }
std::string devices_type_invalid(std::string_view key) {
  return join({key, " names no type that can be divided into devices: a name without ; and = is needed"});
}
std::string devices_malformed(std::string_view key, std::string_view value) {
  return join({key, " is \"", value, "\", but 1 to ", std::to_string(max_devices),
               " devices and what each has are needed, as in 8x1000"});
}
std::string devices_not_the_amount(std::string_view type, std::string_view value, int64_t amount) {
  return join({"devices ", value, " of ", type, " are not the ", std::to_string(amount), " that is asked for in sum"});
}
std::string detail_malformed(std::string_view key, std::string_view detail) {
  return join(
      {"detail \"", detail, "\" of allocation ", key, " is not written as the scheduler writes it, as in gpu=500@0,3"});
}
std::string detail_not_the_amount(std::string_view key, std::string_view detail, std::string_view type,
                                  int64_t amount) {
  return join({"detail \"", detail, "\" of allocation ", key, " does not sum up to its ", std::to_string(amount),
               " of ", type});
}
std::string node_rejected(std::string_view why) {
  return join({"failure while adding new node, node rejected with error: ", why});
}
std::string node_exists(std::string_view partition, std::string_view node) {
  return join({"partition ", partition, " has an existing node ", node, ", node name must be unique"});
}
std::string node_without_id() { return "node ID is empty"; }
std::string node_without_partition(std::string_view partition, std::string_view node) {
  return join({"failed to find partition ", partition, " for new node ", node});
}
std::string node_to_draining_partition(std::string_view partition, std::string_view node) {
  return join({"partition ", partition, " is stopped cannot add a new node ", node, ", its state is Draining"});
}
std::string node_allocation_not_restored(std::string_view key, std::string_view why) {
  return join({"failed to restore allocation ", key, ": ", why});
}
std::string node_not_draining(std::string_view node) { return join({"node ", node, " is not draining"}); }
std::string node_drained_by_administrator(std::string_view node) {
  return join({"node ", node, " was drained by an administrator, who alone gives it back"});
}
std::string node_event_unknown(std::string_view node) { return join({"node ", node, ": unknown action"}); }
std::string node_partition_changed(std::string_view node, std::string_view partition) {
  return join({"node ", node, " cannot move to partition ", partition, ": decommission and create it"});
}
std::string released_by_rm() { return "allocation remove as per RM request"; }
std::string application_removed(std::string_view application) {
  return join({"Application ", application, " Removed"});
}
std::string node_removed(std::string_view node) { return join({"Node ", node, " Removed"}); }
std::string application_failed(std::string_view application, std::string_view why) {
  return join({"Application ", application, " failed: ", why});
}
std::string allocation_execution_timeout(std::string_view key) {
  return join({"execution time of allocation ", key, " is over"});
}
std::string placeholders_timed_out() { return "releasing allocated placeholders on placeholder timeout"; }
std::string pending_placeholders_timed_out() { return "releasing pending placeholders on placeholder timeout"; }
std::string placeholders_of_completed() { return "releasing placeholders on app complete"; }
std::string placeholder_too_small() { return "cancel placeholder: resource incompatible"; }
std::string replacing(std::string_view key) { return join({"replacing allocationKey: ", key}); }
std::string preempted_for_ask(std::string_view key) {
  return join({"preempting allocations to free up resources to run ask: ", key});
}
std::string preempted_for_daemon(std::string_view key) {
  return join({"preempting allocations to free up resources to run daemon set ask: ", key});
}
std::string preempted_for_quota(std::string_view queue) {
  return join({"preempting allocations to enforce new max quota for queue : ", queue});
}
std::string starts_failed(uint64_t count, int64_t wait_ms) {
  return join(
      {"starts failed there: ", std::to_string(count), ", the next one is tried after ", format_duration_ms(wait_ms)});
}
std::string reservation_used() { return "placed"; }
std::string reservation_ask_gone() { return "the ask is not pending any more"; }
std::string reservation_node_unfit() { return "the node does not take the ask any more"; }
std::string reservations_off() { return "the configuration switched reservations off"; }
std::string reservations_too_many() { return "fewer nodes may be reserved for one application now"; }
std::string reservation_may_not_run() { return "a limit, a maximum or a stopped queue holds the ask"; }
std::string reservation_waited(std::string_view node) { return join({"waited too long for node ", node}); }
std::string reservation_for_daemon(std::string_view key) { return join({"ask ", key, " requires the node"}); }
std::string reservation_for_higher(std::string_view key) {
  return join({"ask ", key, " of higher priority has the node"});
}
std::string reservation_for_preemption(std::string_view key) { return join({"ask ", key, " preempts on the node"}); }
std::string reservation_moved(std::string_view node) { return join({"preemption frees node ", node}); }
std::string proposed_in_place(std::string_view placeholder) { return join({"in place of ", placeholder}); }
std::string check_refused(std::string_view node, std::string_view reason) {
  return join({"the resource manager refuses node ", node, reason.empty() ? "" : ": ", reason});
}
std::string check_late(std::string_view node) {
  return join({"the resource manager did not answer about node ", node});
}
std::string proposal_ask_gone() { return "the ask is another one now"; }
std::string proposal_not_running() { return "the application does not run any more"; }
std::string proposal_node_unfit() { return reservation_node_unfit(); }
std::string proposal_placeholder_gone(std::string_view placeholder) {
  return join({"placeholder ", placeholder, " is released"});
}

std::string swap_of_canary(std::string_view policy) {
  return join({"the predicate ", policy, " is on trial in a canary: take that back first"});
}

std::string canary_failed(module_kind kind, std::string_view policy, uint32_t times) {
  const std::string often = times > 1 ? join({" ", std::to_string(times), " times"}) : std::string{};
  if (kind == module_kind::predicate) {
    return join({"the predicate ", policy, " failed", often, ": its applications are placed without it again"});
  }
  return join({"the order of nodes ", policy, " failed", often, ": its applications have the partition's again"});
}
std::string canary_waits(uint32_t longer, uint32_t placed, int64_t bound_ms) {
  return join({std::to_string(longer), " of ", std::to_string(placed), " placements of the canary waited longer than ",
               std::to_string(bound_ms), " ms, and one in 100 may"});
}
std::string canary_waits_longer(int64_t average_ms, int64_t others_ms, uint32_t factor) {
  return join({"placements of the canary waited ", std::to_string(average_ms), " ms on average and others ",
               std::to_string(others_ms), " ms: that is more than ", std::to_string(factor), " thousandths of it"});
}
std::string canary_taken_back(std::string_view text) {
  return text.empty() ? std::string("taken back") : join({"taken back ", one_line(text)});
}
std::string no_canary(std::string_view partition) {
  return join({"partition ", partition, " is configured with no canary"});
}
std::string canary_is_back(std::string_view why) { return join({"the canary is back already: ", why}); }
std::string canary_is_in_place() { return "the canary is in place: nothing brought it back"; }

std::string no_queue(std::string_view path) { return join({"there is no queue ", path}); }
std::string no_application(std::string_view application) { return join({"there is no application ", application}); }
std::string queue_event_unknown(uint8_t event) {
  return join({"a queue is stopped or started, event ", std::to_string(event), " is neither"});
}
std::string partition_event_unknown(uint8_t event) {
  return join({"a partition is stopped, started or drained, event ", std::to_string(event), " is none of these"});
}
std::string partition_start_while_draining(std::string_view partition) {
  return join(
      {"partition ", partition, " is Draining: a configuration that names it makes it Active again, nothing else"});
}
std::string application_killed(std::string_view why) {
  return why.empty() ? std::string("ApplicationKilled") : join({"ApplicationKilled: ", one_line(why)});
}

std::string move_of_ending(std::string_view application, std::string_view state) {
  return join({"application ", application, " is ", state, " and stays where it is"});
}
std::string move_to_parent(std::string_view queue) {
  return join({"queue ", queue, " is no leaf: applications are in leaves"});
}
std::string move_to_same(std::string_view application, std::string_view queue) {
  return join({"application ", application, " is in queue ", queue, " already"});
}
std::string move_to_inactive(std::string_view queue, std::string_view state) {
  return join({"queue ", queue, " is ", state, " and takes no applications"});
}
std::string move_not_permitted(std::string_view user, std::string_view queue) {
  return join({"user ", user, " of the application may not submit to queue ", queue});
}
std::string move_ask_too_large(std::string_view key, const amount_map &ask, std::string_view queue,
                               const amount_map &max) {
  return join({"ask ", key, " of ", amounts(ask), " is larger than queue ", queue, " may be, ", amounts(max)});
}
std::string move_beyond_max(const amount_map &used, std::string_view queue) {
  return join({"with ", amounts(used), " more, queue ", queue, " would have more than its max"});
}
std::string move_beyond_applications(std::string_view queue) {
  return join({"as many applications run in queue ", queue, " as may do"});
}
std::string move_beyond_limit(std::string_view whose, std::string_view queue) {
  return join({"it would be beyond the limit of ", whose, " in queue ", queue});
}

std::string container_skipped() { return "SKIPPED"; }
std::string container_failed() { return "FAILED"; }

}  // namespace tenon::messages
