// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The kernel: state machines and one scheduling cycle behind a journal of commands.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tenon/kernel/commands.hpp"
#include "tenon/kernel/decisions.hpp"
#include "tenon/kernel/explain.hpp"
#include "tenon/kernel/facts.hpp"
#include "tenon/kernel/frozen_state.hpp"
#include "tenon/kernel/kept.hpp"
#include "tenon/kernel/partition_id.hpp"
#include "tenon/kernel/policies.hpp"
#include "tenon/kernel/policy_answers.hpp"
#include "tenon/kernel/snapshot.hpp"

namespace tenon {

struct saved_state;  // saved_state.hpp

struct kernel_options {
  uint32_t max_resource_types = 64;  // 1 .. 64; a type beyond it is refused with a reason
  uint32_t max_queue_depth = 32;
};

// How long blocks of frozen states are kept after the last.
inline constexpr int64_t frozen_kept_ms = 60'000;

// Counters of work done, for tests and metrics; never decided upon.
struct kernel_counters {
  uint64_t commands = 0, decisions = 0, steps = 0;
  uint64_t asks_examined = 0;  // asks looked at by the cycle
  uint64_t node_searches = 0, nodes_examined = 0;
  uint64_t victim_searches = 0;
  uint64_t proposed = 0, proposals_refused = 0, proposals_late = 0;  // placements that RMs check
  uint64_t policy_calls = 0, policy_faults = 0;
  uint64_t clock_clamped = 0;  // commands whose time went back
  uint64_t blocks_made = 0;    // of frozen states
  uint64_t timers = 0;         // that are armed now, and void ones that were not forgotten yet
  uint64_t canaries_back = 0;  // canaries that went back by themselves
  // Placements while a canary is in place, and how long they waited: its applications', the others'.
  uint64_t canary_placed = 0, canary_waited_ms = 0, others_placed = 0, others_waited_ms = 0;
  uint64_t modules_swapped = 0;      // commands by which another build of a module decides
  uint64_t device_choices_left = 0;  // node orders chose devices that could not be had: the scheduler chose
};

// Asked inside a step whether the RM accepts a placement, or a reservation (`allocate` is false). Answers go to the
// journal with the step.
using rm_check = std::function<bool(partition_id partition, std::string_view application, std::string_view key,
                                    std::string_view node, bool allocate)>;

struct named_partition {
  partition_id id = partition_id::none;
  std::string name;  // [rm]name
};

struct application_place {
  std::string queue;       // full path
  size_t allocations = 0;  // proposed ones included
};

class kernel;
// Calls f(application, key, sequence) for each allocation that the release would end now.
void each_allocation_of(const kernel &in, const release &c,
                        const std::function<void(std::string_view, std::string_view, uint64_t)> &f);

// kernel::describe() of an ask, inside a step, too. False: there is no such ask.
bool describe_ask(const kernel &in, partition_id partition, std::string_view application, std::string_view key,
                  placement_view &out);

// All state of one scheduler. One thread at a time; has no thread, clock, file or socket of its own, and
// nothing process-wide: kernels in one process do not see each other.
class kernel {
 public:
  // `policies` outlives the kernel.
  explicit kernel(policy_source &policies, kernel_options options = {});
  friend void each_allocation_of(const kernel &, const release &,
                                 const std::function<void(std::string_view, std::string_view, uint64_t)> &);
  friend bool describe_ask(const kernel &, partition_id, std::string_view, std::string_view, placement_view &);
  ~kernel();
  kernel(const kernel &) = delete;
  kernel &operator=(const kernel &) = delete;

  // Applies one command at journal time `now_ms` (Unix milliseconds; an earlier time than the last is
  // clamped and counted). Timers due by then fire first. Refused input becomes a rejecting decision and
  // changes nothing else. Returns how many decisions a step made, or of how many partitions an inspection in parts is
  // not over; 0 for other commands.
  uint32_t apply(int64_t now_ms, const command &c);

  // Hands over, in order, every decision since the last drain.
  void drain(const std::function<void(const decision_view &)> &take);
  // More of the ask or allocation that a decision is about, while drain() hands that over; its texts live until
  // drain() returns. False: it is about neither, or about one that is not there (a refused ask), and `out` is empty.
  // Of an allocation, what belongs to its ask (tags, classes, preemption of others) is that of the ask by now.
  bool describe(const decision_view &d, placement_view &out) const;

  // When the next timer is due, if any.
  [[nodiscard]] std::optional<int64_t> next_due() const;
  [[nodiscard]] int64_t now_ms() const;

  // Outside answers that the last command used; valid until the next drain.
  [[nodiscard]] std::span<const step_answer> answers() const;
  // `reservations` is asked of RMs that answer proposals, before an ask waits for a node. False: the RM has not
  // answered yet; its answer is a check_answer. Asks that wait since an RM refused them are looked at again.
  void set_rm_check(rm_check check, rm_check reservations = {});
  // Told everything that happens from now on, while it does; null: nobody is. Outlives the kernel.
  void set_fact_listener(fact_listener *listener);

  // -- Partitions. Below, `only` is the one that is meant, and all are where it is left out; of a partition that is not
  // there is nothing to say. --
  [[nodiscard]] std::vector<named_partition> partitions() const;  // in the order in which they were made
  // By the full name, [rm]name; none: there is no such partition.
  [[nodiscard]] partition_id find_partition(std::string_view name) const;

  // Some ask could be looked at by a step.
  [[nodiscard]] bool has_work(std::optional<partition_id> only = {}) const;

  // The state for readers, who put it together on a thread of their own: costs what changed since the last one, and
  // nothing where nobody reads. Parts that are not wanted are empty. Blocks are kept until nobody asked for
  // frozen_kept_ms of journal time.
  [[nodiscard]] std::shared_ptr<const frozen_state> freeze(snapshot_part parts = snapshot_part::all,
                                                           std::optional<partition_id> only = {});
  // The same as plain values at once: freeze()->plain().
  [[nodiscard]] kernel_snapshot snapshot(snapshot_part parts = snapshot_part::all,
                                         std::optional<partition_id> only = {});
  // What is no list in it, for those who look often: nothing is kept for them. Costs a look at every application.
  [[nodiscard]] kernel_snapshot sums() const;
  // Makes about `most` of the blocks that freeze() would make, so that a long one can be done in short turns. Gives how
  // many are left, by and large.
  size_t freeze_some(size_t most, snapshot_part parts = snapshot_part::all, std::optional<partition_id> only = {});
  [[nodiscard]] size_t frozen_bytes() const;  // of the newest blocks
  void forget_frozen();                       // nobody reads any more
  // Why an ask of an application waits, and what would let it run; nothing when the partition is not there. What
  // changes bring is tried on copies of the partition, which costs what there is several times.
  [[nodiscard]] std::optional<explanation> explain(partition_id partition, std::string_view application,
                                                   std::string_view key, const explain_terms &terms = {});
  // Some of the ask waits: there is something to be tried.
  [[nodiscard]] bool is_pending(partition_id partition, std::string_view application, std::string_view key) const;
  // What the policies of the partition say now of what is asked about; empty where the partition is not there. They are
  // called once more for it, and nothing of what they say is kept.
  [[nodiscard]] std::vector<policy_answer> ask_policies(partition_id partition, const policy_question &about);
  [[nodiscard]] const kernel_counters &counters() const;
  // A kernel that decides as this one would, for seeing what comes of something; handles mean the same in both. Its
  // queues are not cleaned up, and no partition of it ends. The RM is not asked and agrees to everything. It calls the
  // same instances of policies: neither is used while the other one is in a call, and it ends before this one. Costs
  // what there is.
  // With `by`, which outlives it, it has that source's predicates, and its orders of the same names; for one that the
  // source lacks stands its fallback, until a configuration comes. What an order gathers over time (decayed use, shapes
  // of asks) and did not in this kernel begins anew.
  [[nodiscard]] std::unique_ptr<kernel> copy(std::optional<partition_id> only = {}, policy_source *by = nullptr) const;
  // The same for another thread: it has instances of policies of its own, shares nothing with this one that changes,
  // and may end later. What it binds later is of `policies`, which outlives it. Refused where a policy has no second
  // instance.
  [[nodiscard]] result<std::unique_ptr<kernel>> copy_apart(policy_source &policies,
                                                           std::optional<partition_id> only = {}) const;
  // All that decides what it does next (docs/journal.md has what is left out), or why that cannot be saved now.
  [[nodiscard]] result<saved_state> save() const;
  // A kernel that decides on as the one that was saved at this time. Refused where the state is none, or the source
  // lacks a policy of it.
  [[nodiscard]] static result<std::unique_ptr<kernel>> restored(const saved_state &from, int64_t now_ms,
                                                                policy_source &policies, kernel_options options = {});
  // What that costs goes by: its asks, allocations, applications and nodes.
  [[nodiscard]] uint64_t objects_of(partition_id partition) const;
  // The RM has a say in what is placed in the partition.
  [[nodiscard]] bool has_checks(partition_id partition) const;
  // Proposals of the partition that wait for the RM's answer.
  [[nodiscard]] size_t open_checks(partition_id partition) const;

  // What is kept for an RM, in all its partitions, and what of it would go when the command comes, since that replaces
  // it.
  [[nodiscard]] kept_amounts kept_for(std::string_view rm) const;
  [[nodiscard]] kept_amounts kept_instead_of(const command &c) const;

  // Questions of people.
  [[nodiscard]] std::optional<object_state> state_of_partition(partition_id partition) const;
  [[nodiscard]] std::optional<node_state> state_of_node(partition_id partition, std::string_view node) const;
  [[nodiscard]] std::optional<application_place> place_of(partition_id partition, std::string_view application) const;
  // Does the admin ACL of the queue, or of one above it, name the user? Nothing: there is no such queue.
  [[nodiscard]] std::optional<bool> may_administer(partition_id partition, std::string_view queue,
                                                   std::string_view user,
                                                   std::span<const std::string_view> groups) const;
  // Those of the root of every partition, of which there is at least one?
  [[nodiscard]] bool may_administer_all(std::string_view user, std::span<const std::string_view> groups) const;
  // Why a command of people or a configuration would be refused; empty: it would not. Of a swap of a module, what takes
  // over is made here and kept for that command, if it comes next.
  [[nodiscard]] std::string problem_with(const command &c) const;

 private:
  struct impl;
  std::unique_ptr<impl> impl_;
};

}  // namespace tenon
