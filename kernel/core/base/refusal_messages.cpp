// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What is refused: what happened, what is wanted, and what to do.
#include <algorithm>

#include "base/joined.hpp"
#include "base/one_line.hpp"
#include "tenon/kernel/closest.hpp"
#include "tenon/kernel/devices.hpp"
#include "tenon/kernel/messages.hpp"
#include "tenon/kernel/names.hpp"
#include "tenon/kernel/partition_name.hpp"
#include "tenon/kernel/resources.hpp"

namespace tenon::messages {
namespace {

constexpr size_t most_listed = 5;
constexpr size_t longest_quoted = 200;

std::string quoted(std::string_view text) {
  const bool cut = text.size() > longest_quoted;
  return joined({"\"", one_line(text.substr(0, longest_quoted)), cut ? "..." : "", "\""});
}

// "a, b, c and more"
std::string listed(known_names known) {
  std::string out;
  for (size_t i = 0; i < std::min(most_listed, known.size()); ++i) out += joined({i == 0 ? "" : ", ", known[i]});
  return known.size() > most_listed ? out + " and more" : out;
}

// "; did you mean a?", or else "; use one that there is: a, b", or where there is none what `none` says.
std::string instead_of(std::string_view wanted, known_names known, std::string_view none) {
  if (known.empty()) return joined({"; ", none});
  if (const std::string_view near = closest(wanted, known); !near.empty())
    return joined({"; did you mean ", near, "?"});
  return joined({"; use one that there is: ", listed(known)});
}

std::string of_these_partitions(std::string_view partition, known_names known) {
  return instead_of(plain_partition(partition), known, "this resource manager has no partition: register it first");
}

// "; submit to one of them, as root.teams.red"
std::string one_below(std::string_view above, known_names below, std::string_view like) {
  const std::string_view near = closest(like, below);
  if (!near.empty()) return joined({"; did you mean ", above, ".", near, "?"});
  return joined({"; use ", below.size() == 1 ? "" : "one of them, as ", above, ".", below.front()});
}

// "below root there are prod, batch"
std::string what_is_below(std::string_view above, known_names below) {
  return joined({"below ", above, " there ", below.size() == 1 ? "is " : "are ", listed(below)});
}

std::string path_up(std::string_view queue) {
  std::string out(queue);
  for (size_t dot = queue.rfind('.'); dot != std::string_view::npos; dot = queue.rfind('.')) {
    queue = queue.substr(0, dot);
    out += joined({", ", queue});
  }
  return out;
}

std::string number(int64_t n) { return std::to_string(n); }

}  // namespace

// -- Resource managers and configurations. --

std::string registration_failed(std::string_view why) { return joined({"registration of RM failed: ", why}); }
std::string configuration_failed(std::string_view why) { return joined({"update of configuration failed: ", why}); }
std::string rm_not_registered(std::string_view rm) {
  return joined({"RmID=\"", rm, "\" not registered; register it first"});
}
std::string rm_id_invalid(std::string_view rm) {
  return joined({"resource manager ID ", quoted(rm), " is empty or contains [ or ]; set rmID to a name without them"});
}
std::string partition_without_root() { return "partition cannot be created without root queue"; }
std::string leaf_has_applications(std::string_view queue) {
  return joined({"queue ", queue,
                 " has applications and cannot become a parent; move them to another queue first, or leave the queue "
                 "a leaf"});
}
std::string parent_has_applications(std::string_view queue) {
  return joined({"queue ", queue,
                 " has applications below it and cannot become a leaf; move them to another queue first, or leave the "
                 "queue a parent"});
}
std::string no_partition(std::string_view partition, known_names known) {
  return joined({"failed to find partition ", partition, of_these_partitions(partition, known)});
}
std::string too_many_resource_types(std::string_view type, uint32_t limit) {
  return joined({"resource type ", type, " is one more than the ", std::to_string(limit),
                 " that this scheduler is set up for; use types that nodes and asks have already"});
}
std::string negative_amount(std::string_view type, int64_t amount) {
  return joined({"resource ", type, " is negative, ", number(amount), "; send 0 or more"});
}
std::string amount_too_large(std::string_view type, int64_t amount) {
  return joined({"resource ", type, " is ", number(amount), ", and the largest amount is ", number(largest_sum),
                 "; send less, or count in a larger unit"});
}
std::string sum_too_large(std::string_view type, int64_t amount, int64_t times, int64_t there) {
  const std::string count = times == 1 ? std::string() : joined({number(times), " times "});
  return joined({"resource ", type, ": ", count, number(amount), " and the ", number(there),
                 " that are counted already are more than the largest sum, ", number(largest_sum),
                 "; send less, or count in a larger unit"});
}
std::string queue_too_deep(std::string_view queue, uint32_t limit) {
  return joined({"queue ", queue, " is deeper than the ", std::to_string(limit),
                 " levels that this scheduler is set up for; use a path with fewer parts"});
}
std::string time_to_come(std::string_view which, int64_t said_ms, int64_t now_ms) {
  return joined({which, " ", number(said_ms), " ms is to come; now, ", number(now_ms), " ms, is taken in its place"});
}

// -- Applications. --

std::string application_without_partition(std::string_view application, std::string_view partition, known_names known) {
  return joined({"Failed to add application ", application, " to partition ", partition, ", partition doesn't exist",
                 of_these_partitions(partition, known)});
}
std::string application_to_stopped_partition(std::string_view partition, std::string_view application,
                                             std::string_view state) {
  return joined({"partition ", partition, " is stopped cannot add a new application ", application, ", its state is ",
                 state, "; submit it again when `tenon ctl start partition '", partition, "'` was run"});
}
std::string application_exists(std::string_view application, std::string_view partition) {
  return joined({"adding application ", application, " to partition ", partition,
                 ", but application already existed; submit it with another ID, or remove the first one before"});
}
std::string application_without_id() { return "application ID is empty; set applicationID"; }
std::string user_empty() { return "empty user cannot resolve; set the name of the user in ugi"; }
std::string user_invalid(std::string_view user) {
  return joined({"invalid username, it contains invalid characters: ", quoted(user),
                 "; use a letter or _ first, and then letters, digits and : # / _ . @ -"});
}
std::string gang_queue_not_fifo(std::string_view queue, std::string_view application, std::string_view sort) {
  return joined({"queue ", queue, " cannot run application ", application,
                 " with task group request: unsupported sort type ", sort,
                 "; set its property application.sort.policy to fifo or stateaware, or use another queue"});
}
std::string gang_larger_than_queue(std::string_view queue, std::string_view application, const amount_map &request,
                                   const amount_map &max) {
  return joined({"queue ", queue, " cannot fit application ", application, ": task group request ", amounts(request),
                 " larger than max queue allocation ", amounts(max),
                 "; ask for less, use another queue, or raise max of the queue or of those above"});
}
std::string order_refused_application(std::string_view application, std::string_view order, std::string_view queue,
                                      std::string_view message) {
  return joined({"application sort policy ", order, " of queue ", queue, " refused application ", application,
                 message.empty() ? "" : ": ", message});
}

// -- Applications that are not placed. --

std::string placement_failed(std::string_view application, std::string_view why) {
  return joined({"failed to place application ", application, ": ", why});
}
std::string no_rule_matched(const std::string &against) {
  return joined({"application rejected: no placement rule matched; ", against});
}
std::string queue_not_named(known_names below) {
  const std::string all = below.empty() ? std::string() : joined({what_is_below(root_queue_name, below), "; "});
  return joined({"the application names no queue; ", all,
                 "set queueName to a leaf, or add a rule to placementrules of the partition that finds one"});
}
std::string queue_not_in_full(std::string_view queue) {
  return joined({"queue ", queue, " is not named in full; name it from root on, as root.", queue});
}
std::string queue_not_looked_at(std::string_view queue) {
  return joined({"queue ", queue,
                 " would take it, but no rule uses the queue that an application names; add the rule provided to "
                 "placementrules of the partition"});
}
std::string queue_missing(std::string_view queue, std::string_view above, bool above_is_leaf, known_names below) {
  const std::string out = joined({"there is no queue ", queue, "; "});
  if (above_is_leaf) return joined({out, above, " is a leaf: use it, or add the queue to queues.yaml"});
  if (below.empty()) return joined({out, "below ", above, " there is none: add the queue to queues.yaml"});
  const std::string_view wanted = queue.substr(std::min(queue.size(), above.size() + 1));
  return joined({out, what_is_below(above, below), one_below(above, below, wanted)});
}
std::string queue_is_parent(std::string_view queue, known_names below) {
  const std::string out = joined({"queue ", queue, " is no leaf: applications are in leaves"});
  if (below.empty()) return out + "; add a queue below it to queues.yaml, or use another one";
  return joined({out, "; ", what_is_below(queue, below), one_below(queue, below, {})});
}
std::string queue_inactive(std::string_view queue, std::string_view state, bool stopped) {
  const std::string out = joined({"queue ", queue, " is ", state, " and takes no applications; "});
  return stopped ? joined({out, "use another queue, or run `tenon ctl start queue ", queue, "`"})
                 : joined({out, "use another queue, or put this one into queues.yaml again"});
}
std::string submit_denied(std::string_view user, std::string_view queue) {
  return joined({"user ", user, " may not submit to queue ", queue,
                 ": no submitacl or adminacl of these queues has the user or a group of the user: ", path_up(queue),
                 "; add ", user, " to submitacl of queue ", queue, " in queues.yaml, or use a queue that is open"});
}
std::string queue_name_invalid() {
  return "invalid queue name, max 64 characters consisting of alphanumeric characters and '-', '_', '#', '@', '/', ':' "
         "allowed";
}
std::string queue_path_invalid(std::string_view path) {
  return joined({queue_name_invalid(), ": ", quoted(path), "; use these characters alone between the dots"});
}
std::string parent_rule_gave_leaf(std::string_view queue) {
  return joined({"parent rule returned a leaf queue: ", queue,
                 "; let the parent of the rule in placementrules give a queue that may have others below it"});
}
std::string rule_refused(std::string_view rule, std::string_view message) {
  return joined({"placement rule ", rule, " refused the application", message.empty() ? "" : ": ", message});
}
std::string queue_create_below_leaf(std::string_view queue, std::string_view ancestor) {
  return joined({"creation of queue ", queue, " failed parent is already a leaf: ", ancestor, "; use ", ancestor,
                 ", or make it a parent in queues.yaml"});
}
std::string queue_create_below_draining(std::string_view ancestor) {
  return joined({"cannot add a child queue when queue is marked for deletion: ", ancestor,
                 "; use another queue, or put that one into queues.yaml again"});
}
std::string queue_is_recovery() { return "dynamic queue cannot be root.@recovery@; use another queue"; }

// -- Rules that cannot be built. --

std::string rule_unknown(std::string_view rule) {
  return joined({"unknown rule name specified ", rule, ", failing placement rule config"});
}
std::string rule_recovery() { return "recovery rule cannot be part of the config, failing placement rule config"; }
std::string rule_tag_without_value() { return "a tag queue rule must have a tag name set"; }
std::string rule_fixed_without_value() { return "a fixed queue rule must have a queue name set"; }
std::string rule_fixed_qualified_with_parent(std::string_view value) {
  return joined({"cannot have a fixed queue rule with qualified queue getName and a parent rule: ", value});
}
std::string acl_spaces(std::string_view acl) { return joined({"multiple spaces found in ACL: '", acl, "'"}); }
std::string order_refused_queue(std::string_view queue, std::string_view order, std::string_view message) {
  return joined(
      {"queue sort policy ", order, " refused the properties of queue ", queue, message.empty() ? "" : ": ", message});
}

// -- Asks and allocations. --

std::string application_not_found(std::string_view application) {
  return joined({"failed to find application ", application,
                 "; submit it before it asks for anything, or correct applicationID: it was not accepted, or it has "
                 "ended"});
}
std::string application_has_ended(std::string_view application, std::string_view state) {
  return joined({"application ", application, " is ", state, " and takes no more asks; submit a new application"});
}
std::string node_not_found(std::string_view node, known_names near) {
  return joined(
      {"failed to find node ", node, instead_of(node, near, "register the node first: no node is registered")});
}
std::string key_empty() { return "allocation key is empty; set allocationKey"; }
std::string no_resources() { return "allocation contains no resources; set resourcePerAlloc, as vcore: 1000"; }
std::string negative_resources(std::string_view type, int64_t amount) {
  return joined({"allocation contains negative resources: ", type, " is ", number(amount), "; send 0 or more"});
}
std::string no_allocations_wanted(int64_t wanted) {
  return joined({"maxAllocations must be at least 1, and is ", number(wanted), "; send 1 or more"});
}
std::string priority_class_unknown(std::string_view name, known_names known) {
  return joined({"priority class ", name, " is not configured",
                 instead_of(name, known, "add it to priorityclasses in queues.yaml, or send a number")});
}
std::string foreign_without_node(std::string_view key) {
  return joined({"node ID is empty for allocation ", key, "; set nodeID to the node on which it runs"});
}
std::string foreign_node_not_found(std::string_view node, std::string_view key, known_names near) {
  return joined({"failed to find node ", node, " for allocation ", key,
                 instead_of(node, near, "register the node first: no node is registered")});
}
std::string allocation_elsewhere(std::string_view key, std::string_view node) {
  return joined({"all allocations of ", key, " are placed, none of them on node ", node,
                 "; report the node on which it runs, or another key"});
}

// -- Devices. --

std::string devices_type_invalid(std::string_view key) {
  return joined(
      {key, " names no type that can be divided into devices; use a name without ; and = behind ", devices_prefix});
}
std::string devices_malformed(std::string_view key, std::string_view value) {
  return joined({key, " is \"", value, "\", but 1 to ", std::to_string(max_devices),
                 " devices and what each has are needed; write it as 8x1000"});
}
std::string devices_not_the_amount(std::string_view type, std::string_view value, int64_t amount) {
  return joined({"the devices ", value, " do not add up to the ", number(amount), " ", type,
                 " that are asked for; change tag ", devices_prefix, type, " or the amount"});
}
std::string detail_malformed(std::string_view key, std::string_view detail) {
  return joined({"detail \"", detail, "\" of allocation ", key,
                 " is not written as the scheduler writes it, as gpu=500@0,3; send it as it came with the "
                 "allocation, or leave it out"});
}
std::string detail_not_the_amount(std::string_view key, std::string_view detail, std::string_view type,
                                  int64_t amount) {
  return joined({"detail \"", detail, "\" of allocation ", key, " does not add up to its ", number(amount), " of ",
                 type, "; send both as they came with the allocation, or leave the detail out"});
}

// -- Nodes. --

std::string node_rejected(std::string_view why) {
  return joined({"failure while adding new node, node rejected with error: ", why});
}
std::string node_exists(std::string_view partition, std::string_view node) {
  return joined({"partition ", partition, " has an existing node ", node,
                 ", node name must be unique; use another name, or change the node by action UPDATE"});
}
std::string node_without_id() { return "node ID is empty; set nodeID"; }
std::string node_without_partition(std::string_view partition, std::string_view node, known_names known) {
  return joined({"failed to find partition ", partition, " for new node ", node,
                 ", which attribute si/node-partition names", of_these_partitions(partition, known)});
}
std::string node_to_draining_partition(std::string_view partition, std::string_view node) {
  return joined({"partition ", partition, " is stopped cannot add a new node ", node,
                 ", its state is Draining; register it again when `tenon ctl start partition '", partition,
                 "'` was run, or in another partition"});
}
std::string node_allocation_not_restored(std::string_view key, std::string_view why) {
  return joined({"failed to restore allocation ", key, ": ", why});
}
std::string node_not_draining(std::string_view node) {
  return joined({"node ", node, " is not draining; there is nothing to do, it takes allocations"});
}
std::string node_drained_by_administrator(std::string_view node) {
  return joined({"node ", node, " was drained by an administrator, who alone gives it back; `tenon ctl undrain node ",
                 node, "` does"});
}
std::string node_event_unknown(std::string_view node) {
  return joined({"node ", node,
                 ": unknown action; send CREATE, CREATE_DRAIN, UPDATE, DRAIN_NODE, DRAIN_TO_SCHEDULABLE or "
                 "DECOMISSION"});
}
std::string node_partition_changed(std::string_view node, std::string_view partition) {
  return joined({"node ", node, " cannot move to partition ", partition, "; decommission it, and create it there"});
}

// -- Moves. --

std::string move_of_ending(std::string_view application, std::string_view state) {
  return joined(
      {"application ", application, " is ", state, " and stays where it is; there is nothing to do, it ends"});
}
std::string move_to_same(std::string_view application, std::string_view queue) {
  return joined({"application ", application, " is in queue ", queue, " already; name another queue"});
}
std::string move_not_permitted(std::string_view user, std::string_view queue) {
  return joined({"user ", user, " of the application may not submit to queue ", queue, "; add ", user,
                 " to submitacl of queue ", queue, " in queues.yaml, or name another queue"});
}
std::string move_ask_too_large(std::string_view key, const amount_map &ask, std::string_view queue,
                               const amount_map &max) {
  return joined({"ask ", key, " of ", amounts(ask), " is larger than queue ", queue, " may be, ", amounts(max),
                 "; raise max of the queue, or name another one"});
}
std::string move_beyond_max(const amount_map &used, std::string_view queue) {
  return joined({"with ", amounts(used), " more, queue ", queue,
                 " would have more than its max; raise it, or name another queue"});
}
std::string move_beyond_applications(std::string_view queue) {
  return joined({"queue ", queue,
                 " already runs its maximum number of applications; raise maxapplications, or name another queue"});
}
std::string move_beyond_limit(std::string_view whose, std::string_view queue) {
  return joined(
      {"it would be beyond the limit of ", whose, " in queue ", queue, "; raise that limit, or name another queue"});
}

}  // namespace tenon::messages
