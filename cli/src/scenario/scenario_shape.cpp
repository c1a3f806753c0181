// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The keys of scenario files, all but those of expectations (fields.cpp).
#include <algorithm>
#include <array>
#include <iterator>

#include "scenario/scenario_reader.hpp"

namespace tenon::cli {
namespace {

using config::key_spec;
using config::object_spec;
using config::value_kind;

constexpr key_spec partition_key = {"partition", value_kind::text, "Partition, else that of the step.", "default"};

constexpr key_spec ask_keys[] = {
    {.key = "key", .kind = value_kind::text, .summary = "Key of the ask.", .required = true},
    {.key = "app", .kind = value_kind::text, .summary = "Application.", .required = true},
    partition_key,
    {.key = "resources", .kind = value_kind::any, .summary = "Final integers by type.", .required = true},
    {"count", value_kind::count, "So many identical asks, with keys key~000, key~001, ..."},
    {"max_allocations", value_kind::count, "Allocations of this one ask.", "1"},
    {"timeout_s", value_kind::number, "Time that each allocation may run, in seconds."},
    {"priority", value_kind::integer, "Priority.", "0"},
    {"placeholder", value_kind::boolean, "Holds a place for a gang.", "false"},
    {"task_group", value_kind::text, "Task group of a gang."},
    {"required_node", value_kind::text, "The only node it may run on."},
    {"allow_preempt_self", value_kind::boolean, "May be preempted.", "true"},
    {"allow_preempt_other", value_kind::boolean, "May preempt others.", "false"},
    {"originator", value_kind::boolean, "First ask of its application.", "false"},
    {"tags", value_kind::text_map, "Tags of the ask."},
};
constexpr object_spec ask_shape = {"ask", "An ask.", ask_keys};

constexpr auto existing_keys = [] {
  std::array<key_spec, std::size(ask_keys) + 1> keys{};
  std::copy(std::begin(ask_keys), std::end(ask_keys), keys.begin());
  keys.back() = {"detail", value_kind::text, "Devices that it holds, as gpu=500@0,3."};
  return keys;
}();
constexpr object_spec existing_shape = {"existing", "An allocation that exists already.", existing_keys};

constexpr key_spec allocation_keys[] = {
    {.key = "key", .kind = value_kind::text, .summary = "Key of the allocation.", .required = true},
    {.key = "node", .kind = value_kind::text, .summary = "Node that it runs on.", .required = true},
    {.key = "resources", .kind = value_kind::any, .summary = "Final integers by type.", .required = true},
    {"app", value_kind::text, "Application; not of foreign ones."},
    partition_key,
    {"max_allocations", value_kind::count, "Allocations of its ask.", "1"},
    {"priority", value_kind::integer, "Priority.", "0"},
    {"placeholder", value_kind::boolean, "Holds a place for a gang.", "false"},
    {"task_group", value_kind::text, "Task group of a gang."},
    {"foreign", value_kind::boolean, "Runs there without this scheduler.", "false"},
    {"tags", value_kind::text_map, "Tags of its ask."},
    {"detail", value_kind::text, "Devices that it holds, as gpu=500@0,3."},
};
constexpr object_spec allocation_shape = {"allocation", "An allocation on a node that is known.", allocation_keys};

constexpr key_spec node_keys[] = {
    {.key = "id", .kind = value_kind::text, .summary = "Node id.", .required = true},
    partition_key,
    {"resources", value_kind::any, "Capacity, final integers by type."},
    {"attributes", value_kind::text_map, "Attributes."},
    {"schedulable", value_kind::boolean, "false: registered as draining.", "true"},
    {.key = "existing",
     .kind = value_kind::object_list,
     .summary = "Allocations that run on it.",
     .object = &existing_shape},
    {"existing_from_rm", value_kind::boolean, "Reports what the RM knew on it before restart.", "false"},
};
constexpr object_spec node_shape = {"node", "A new node.", node_keys};

constexpr key_spec node_update_keys[] = {
    {.key = "id", .kind = value_kind::text, .summary = "Node id.", .required = true},
    partition_key,
    {"resources", value_kind::any, "New capacity."},
    {"occupied", value_kind::any, "Resources used by others."},
    {"attributes", value_kind::text_map, "New attributes, all of them."},
};
constexpr object_spec node_update_shape = {"node update", "A change of a node.", node_update_keys};

constexpr key_spec gang_keys[] = {
    {"placeholder_ask", value_kind::any, "Sum of all placeholders."},
    {"style", value_kind::text, "Soft or Hard.", "Soft"},
    {"timeout_s", value_kind::number,
     "Placeholder timeout in seconds; without placeholder_ask the time that the application may run."},
};
constexpr object_spec gang_shape = {"gang", "Gang scheduling of an application.", gang_keys};

constexpr key_spec application_keys[] = {
    {.key = "id", .kind = value_kind::text, .summary = "Application id.", .required = true},
    {"queue", value_kind::text, "Queue as submitted."},
    partition_key,
    {"user", value_kind::text, "User.", "testuser"},
    {"groups", value_kind::text_list, "Groups of the user.", "[testgroup]"},
    {"tags", value_kind::text_map, "Tags."},
    {.key = "gang", .kind = value_kind::object, .summary = "Gang scheduling.", .object = &gang_shape},
};
constexpr object_spec application_shape = {"application", "A new application.", application_keys};

constexpr key_spec release_ask_keys[] = {
    {.key = "app", .kind = value_kind::text, .summary = "Application.", .required = true},
    {"key", value_kind::text, "Key of the ask; absent: all of the application."},
    partition_key,
};
constexpr object_spec release_ask_shape = {"release of asks", "Pending asks that the RM withdraws.", release_ask_keys};

constexpr key_spec release_allocation_keys[] = {
    {.key = "app", .kind = value_kind::text, .summary = "Application.", .required = true},
    {"key", value_kind::text, "Key; absent: all of the application."},
    {"count", value_kind::count, "Only the oldest so many."},
    {"type", value_kind::text, "Termination type.", "STOPPED_BY_RM"},
    {"unknown", value_kind::boolean, "Sent although the RM has no such allocation.", "false"},
    partition_key,
};
constexpr object_spec release_allocation_shape = {"release of allocations", "Allocations that the RM releases.",
                                                  release_allocation_keys};

constexpr key_spec confirm_keys[] = {
    {"types", value_kind::text_list, "Termination types; absent: all."},
    {"limit", value_kind::count, "Only the oldest so many."},
};
constexpr object_spec confirm_shape = {"confirm", "The RM confirms releases.", confirm_keys};

constexpr key_spec reload_keys[] = {
    {.key = "config", .kind = value_kind::text, .summary = "queues.yaml text.", .required = true},
    {"expect_error", value_kind::text, "It must be refused with a text that has this part."},
};
constexpr object_spec reload_shape = {"reload", "A configuration refresh.", reload_keys};

constexpr key_spec move_keys[] = {
    {.key = "id", .kind = value_kind::text, .summary = "Application id.", .required = true},
    {.key = "queue", .kind = value_kind::text, .summary = "The leaf that it goes to.", .required = true},
    partition_key,
};
constexpr object_spec move_shape = {"move", "An application that people move.", move_keys};

constexpr key_spec kill_keys[] = {
    {.key = "id", .kind = value_kind::text, .summary = "Application id.", .required = true},
    {"reason", value_kind::text, "Why, for its message."},
    partition_key,
};
constexpr object_spec kill_shape = {"kill", "An application that people end.", kill_keys};

constexpr key_spec step_keys[] = {
    {"restart", value_kind::boolean, "Stops the scheduler and starts it again with the current configuration.",
     "false"},
    {"predicate_failures", value_kind::any, "{node: [ask keys or \"*\"]} that the RM refuses from now on."},
    {.key = "reload", .kind = value_kind::object, .summary = "Configuration refresh.", .object = &reload_shape},
    {"stop_partitions", value_kind::text_list, "Partitions in which nothing is decided any more."},
    {"start_partitions", value_kind::text_list, "Stopped partitions that go on."},
    {"drain_partitions", value_kind::text_list, "Partitions that take nothing new and go when they are empty."},
    {"stop_queues", value_kind::text_list, "Queues in which nothing is placed any more."},
    {"start_queues", value_kind::text_list, "Stopped queues that go on."},
    {.key = "move_apps",
     .kind = value_kind::object_list,
     .summary = "Applications that go to another queue.",
     .object = &move_shape},
    {.key = "kill_apps", .kind = value_kind::object_list, .summary = "Applications that end.", .object = &kill_shape},
    {"expect_error", value_kind::text, "stop_partitions to kill_apps must be refused with a text that has this part."},
    {.key = "add_nodes", .kind = value_kind::object_list, .summary = "New nodes.", .object = &node_shape},
    {.key = "update_nodes", .kind = value_kind::object_list, .summary = "Node changes.", .object = &node_update_shape},
    {"drain_nodes", value_kind::text_list, "Node ids."},
    {"undrain_nodes", value_kind::text_list, "Node ids."},
    {"remove_nodes", value_kind::text_list, "Node ids to decommission."},
    {.key = "add_apps", .kind = value_kind::object_list, .summary = "New applications.", .object = &application_shape},
    {"remove_apps", value_kind::text_list, "Application ids."},
    {.key = "add_asks", .kind = value_kind::object_list, .summary = "New asks.", .object = &ask_shape},
    {.key = "put_allocs",
     .kind = value_kind::object_list,
     .summary = "Allocations on nodes that are known.",
     .object = &allocation_shape},
    {.key = "release_asks",
     .kind = value_kind::object_list,
     .summary = "Asks to withdraw.",
     .object = &release_ask_shape},
    {.key = "release_allocs",
     .kind = value_kind::object_list,
     .summary = "Allocations to release.",
     .object = &release_allocation_shape},
    {.key = "confirm", .kind = value_kind::object, .summary = "Confirms releases.", .object = &confirm_shape},
    {"answer", value_kind::boolean,
     "The RM answers what is proposed to it, oldest first: no where predicate_failures says so.", "false"},
    {"recovery_done", value_kind::boolean, "The recovery of the RM is declared done: recovery_hold.", "false"},
    {"schedule", value_kind::any, "Number of cycles, or quiescent."},
    {"advance", value_kind::number, "Seconds of virtual time."},
    {"inspect", value_kind::boolean, "The scheduler says what asks wait for: container_states.", "false"},
    {"expect", value_kind::any, "What must hold."},
    {"partition", value_kind::text, "Partition of items that name none.", "default"},
    {"note", value_kind::text, "Remark."},
};
constexpr object_spec step_shape = {"step", "Parts are run in the order in which they are listed here.", step_keys};

constexpr key_spec scenario_keys[] = {
    {"name", value_kind::text, "Name of the scenario.", "the file's name"},
    {"title", value_kind::text, "One line: what is shown."},
    {"source", value_kind::text, "Where the facts come from."},
    {"covers", value_kind::text_list, "Tags."},
    {"note", value_kind::text, "Remark."},
    {.key = "config", .kind = value_kind::text, .summary = "queues.yaml text at registration.", .required = true},
    {"deployment", value_kind::text, "Deployment file, relative to this one."},
    {"check_deadline", value_kind::number,
     "Seconds in which the RM answers what is proposed to it; 0: it checks placements at once.", "0"},
    {"check_reservations", value_kind::boolean,
     "The RM that answers what is proposed is asked before an ask waits for a node, too.", "false"},
    {"recovery_hold", value_kind::boolean,
     "The RM registers with recovery.hold: nothing is placed before recovery_done.", "false"},
    {.key = "steps",
     .kind = value_kind::object_list,
     .summary = "Played in order.",
     .object = &step_shape,
     .required = true},
};
constexpr object_spec whole_shape = {"scenario", "A configuration and the steps to play against it.", scenario_keys};

}  // namespace

const object_spec &scenario_shape() { return whole_shape; }

}  // namespace tenon::cli
