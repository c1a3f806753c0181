// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Decisions: what a kernel says to resource managers, in order. What was decided is a variant with a struct for each
// kind, as commands are. Programs look at its fields; people read the line that format() makes of it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tenon/kernel/commands.hpp"
#include "tenon/kernel/partition_id.hpp"
#include "tenon/kernel/states.hpp"

namespace tenon {

// Why something ends, or is taken back. What it is about is in the decision itself, but where a comment says otherwise.
enum class cause : uint8_t {
  given,  // as somebody else says: `about` is the text
  released_by_rm,
  application_removed,
  node_removed,  // about: the node
  partition_removed,
  application_timeout,  // its execution time is over
  allocation_timeout,
  gang_timeout,          // placeholders that were not replaced in time
  gang_timeout_pending,  // and those that were not placed
  gang_left_over,        // placeholders of an application that has completed
  placeholder_too_small,
  replaced,              // a placeholder, about: the key of the ask that takes its place
  preempted_for_ask,     // about: its key
  preempted_for_daemon,  // about: its key
  preempted_for_quota,   // about: the queue
  reservation_used,
  ask_gone,
  node_unfit,
  waited_too_long,
  daemon_comes,       // about: the key of the ask that requires the node
  higher_comes,       // about: the key of the ask of higher priority that has the node
  victims_elsewhere,  // about: the node that preemption frees
  reservations_off,   // by the configuration
  too_many_reserved,  // fewer nodes may be reserved for one application than were
  preempted_there,    // about: the key of the ask that preempts on the node
  may_not_run,        // a limit, a max or a stopped queue holds the ask
  check_refused,      // about: what the RM says, perhaps nothing
  check_late,
  ask_changed,
  application_not_running,
  placeholder_gone,  // about: its key
  too_much_asked,
};

struct reason {
  cause why = cause::given;
  std::string_view about = {};
};

// What is decided, a struct for each kind.
namespace decided {

struct rm_registered {};
struct rm_rejected {
  std::string_view message;  // why; for people alone, here and below
};
struct configured {};
struct configuration_rejected {
  std::string_view message;
};
struct application_accepted {};
struct application_rejected {
  std::string_view message;
};
struct application_state {
  tenon::application_state state = tenon::application_state::new_;
  std::string_view message;
};
struct ask_rejected {
  std::string_view message;
};
struct ask_released {
  termination end = termination::unknown;
  tenon::reason reason;
};
// Devices are those that it holds, as "gpu=500@0,3".
struct allocated {
  bool existing = false;  // the RM reported it, and it runs already
  std::string_view devices;
};
struct released {
  termination end = termination::unknown;
  tenon::reason reason;
  std::string_view devices;
};
struct allocation_rejected {
  std::string_view message;
};
struct node_accepted {};
struct node_rejected {
  std::string_view message;
};
struct node_update_rejected {
  std::string_view message;
};
struct reserved {};
struct unreserved {
  tenon::reason reason;
};
// What a pending ask waits for; `allocated` and `reserved` say the rest.
struct container_state {
  bool skipped = false;  // a limit holds it; else no node has room for it
};
// A placement that the RM is to check.
struct proposed {
  std::string_view in_place_of;  // the key of a placeholder; empty: of none
  std::string_view devices;
};
// One that was proposed, but for those that follow as `allocated` or a placeholder's `released`.
struct undone {
  tenon::reason reason;
  std::string_view devices;
};
// The canary of the partition went back, by itself or by people.
struct canary_back {
  std::string_view message;  // why
};

}  // namespace decided

using decided_what =
    std::variant<decided::rm_registered, decided::rm_rejected, decided::configured, decided::configuration_rejected,
                 decided::application_accepted, decided::application_rejected, decided::application_state,
                 decided::ask_rejected, decided::ask_released, decided::allocated, decided::released,
                 decided::allocation_rejected, decided::node_accepted, decided::node_rejected,
                 decided::node_update_rejected, decided::reserved, decided::unreserved, decided::container_state,
                 decided::proposed, decided::undone, decided::canary_back>;

// In the order of the variant.
enum class decision_kind : uint8_t {
  rm_registered,
  rm_rejected,
  configured,
  configuration_rejected,
  application_accepted,
  application_rejected,
  application_state,
  ask_rejected,
  ask_released,
  allocated,
  released,
  allocation_rejected,
  node_accepted,
  node_rejected,
  node_update_rejected,
  reserved,
  unreserved,
  container_state,
  proposed,
  undone,
  canary_back,
};
inline constexpr size_t decision_kinds = std::variant_size_v<decided_what>;

// The name that decisions files and messages use, e.g. "allocated".
[[nodiscard]] std::string_view name(decision_kind);
// The name of the interface constant, e.g. "PREEMPTED_BY_SCHEDULER".
[[nodiscard]] std::string_view name(termination);

// A decision with the names of those whom it is about; empty: it is about none. Views live until the next command is
// applied.
struct decision_view {
  uint64_t sequence = 0;  // from 1, contiguous in one kernel
  int64_t now_ms = 0;
  uint64_t allocation_sequence = 0;  // of allocations and proposals: counts those of the partition
  uint64_t epoch = 0;                // of the RM's registration
  std::string_view rm;
  std::string_view partition;  // [rm]name
  std::string_view application;
  std::string_view key;
  std::string_view node;
  std::string_view queue;
  decided_what what;
  partition_id where = partition_id::none;  // the partition; none: it is not there, and refused for that
  bool placeholder = false;

  // The kernel's own, for kernel::describe(): whose it is, and the ask or allocation that it is about.
  bool about_allocation = false;
  const void *source = nullptr;
  const void *subject = nullptr;

  [[nodiscard]] decision_kind kind() const { return static_cast<decision_kind>(what.index()); }
  [[nodiscard]] bool is(decision_kind one) const { return kind() == one; }
  // What it is, or null: it is of another kind.
  template <class Kind>
  [[nodiscard]] const Kind *as() const {
    return std::get_if<Kind>(&what);
  }
};

// Why an ask or allocation was released; null: it was not.
[[nodiscard]] const termination *end_of(const decision_view &);
[[nodiscard]] const reason *reason_of(const decision_view &);
// The devices that it holds, of allocations and proposals.
[[nodiscard]] std::string_view devices_of(const decision_view &);
// For people: the reason, the message or the state. Writes to `room` where there is no text to look at.
[[nodiscard]] std::string_view text_of(const decision_view &, std::string &room);
[[nodiscard]] std::string text_of(const decision_view &);

// What an ask or allocation is beside its names: what answers to resource managers carry. Looked up by
// kernel::describe() for those who want it. One that is used again keeps its memory, so that nothing is allocated.
struct placement_view {
  std::vector<named_amount> resources;  // of one allocation, in the order in which the types came to the partition
  std::vector<named_text> tags;         // of the ask, ascending by key
  int32_t priority = 0;
  std::string_view priority_class;  // as the ask was sent; empty: it named none
  std::string_view task_group, required_node;
  bool placeholder = false, originator = false, allow_preempt_self = true, allow_preempt_other = false;
  int32_t max_allocations = 0;                                             // of the ask
  int64_t create_time_ms = 0, bind_time_ms = 0, execution_timeout_ms = 0;  // bind time: of allocations
  // Of `proposed` in the place of a placeholder: that one's number and key, and whether it is on the same node.
  uint64_t replaces = 0;
  std::string_view replaces_key;
  bool in_place = false;
};

// One line without a line end, stable for ever: fields separated by tabs, empty ones as "-". The last field has the
// devices, or of changes of state the reason; it is left out where it is empty.
[[nodiscard]] std::string format(const decision_view &);

// The UUID of an allocation: derived from partition, application, key, sequence and epoch alone.
[[nodiscard]] std::string allocation_uuid(const decision_view &);
// The same, written without a terminator.
inline constexpr size_t uuid_length = 36;
void write_allocation_uuid(const decision_view &, std::span<char, uuid_length> out);

}  // namespace tenon
