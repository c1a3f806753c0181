// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// One registration of an RM: its mailbox, its outbox, and where they stand. A new registration is a new session.
#pragma once

#include <atomic>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "answer_queue.hpp"
#include "release_watch.hpp"
#include "request_batch.hpp"
#include "reservation_questions.hpp"
#include "rm_bounds.hpp"
#include "tenon/abi/transport.h"
#include "tenon/host/identity_resolver.hpp"
#include "tenon/kernel/decisions.hpp"
#include "tenon/kernel/growing_map.hpp"
#include "tenon/kernel/partition_id.hpp"
#include "tenon/kernel/queue_config.hpp"
#include "tenon/kernel/states.hpp"

namespace tenon::service {

class transport_runner;
struct group_config;

// A text that stands for an allocation, as 128 bits.
struct uuid_hash {
  uint64_t high = 0, low = 0;
  friend bool operator==(const uuid_hash &, const uuid_hash &) = default;
};
[[nodiscard]] uuid_hash hash_of(std::string_view text);
[[nodiscard]] inline uint32_t hash_of_name(std::string_view text) { return static_cast<uint32_t>(hash_of(text).high); }
inline size_t hash_value(const uuid_hash &h) { return static_cast<size_t>(h.high); }

// An allocation that has a UUID. What it is of tells a release that names something else.
struct named_allocation {
  uint64_t sequence = 0;
  uint32_t application = 0, key = 0;  // hashes of the names
};

// The RM's own UUID of an allocation that it reported, beside the scheduler's.
struct given_uuid {
  std::string text;
  uuid_hash scheduler;
};

// What the cycle thread knows of one partition of an RM.
struct rm_partition {
  partition_id id = partition_id::none;  // of the last of its name; the kernel may have none any more
  std::string full_name;                 // [rm]name: commands name it so
  answer_queue *answers = nullptr;
  host::identity_resolver *identities = nullptr;         // of its users; null: a user's only group has the user's name
  growing_map<uuid_hash, named_allocation> named;        // by UUID
  std::unordered_map<uint64_t, given_uuid> given_uuids;  // of recovered ones, by sequence
  struct unsent_check {
    uint64_t answer = 0;  // its number among the answers
    uint64_t check = 0;   // its own
  };
  std::deque<unsent_check> unsent_checks;  // in order: not known to be on the RM's connection
  release_watch to_confirm;
  int64_t confirm_timeout_ms = 0;  // of the configuration
  bool is_left_out = false;        // the configuration does not name it: it drains, and is gone then

  // Forgets an allocation that has ended.
  void forget(uint64_t sequence, const uuid_hash &uuid);
};

struct session_identity {
  uint64_t id = 0;
  uint64_t epoch = 0;  // of the registration: UUIDs of allocations go by it
  std::string rm, version, policy_group;
  std::map<std::string, std::string> build_info;
  bool own_config = false;  // it sent a configuration of its own
  bool hold = false;        // it registered with recovery.hold: it waits for an answer to all that it reports
  uint32_t wants = 0;
  uint32_t check_window = 0;         // of an RM that wants proposals: so many are open at once
  bool checks_reservations = false;  // of such an RM: it answers questions about reservations, too
};

// Whether an RM is there, and since which of its connections. Any thread.
class rm_presence {
 public:
  [[nodiscard]] bool is_here() const { return is_here(seen_.load()); }
  [[nodiscard]] uint64_t seen() const { return seen_.load(); }
  [[nodiscard]] static bool is_here(uint64_t seen) { return (seen & 1) != 0; }
  void come() {
    for (uint64_t before = seen_.load(); !seen_.compare_exchange_weak(before, (before | 1) + 2);) continue;
  }
  void go() { seen_.fetch_and(~uint64_t{1}); }
  // What was found out about an earlier connection says nothing about one that came since.
  void go_if(uint64_t seen) { seen_.compare_exchange_strong(seen, seen & ~uint64_t{1}); }

 private:
  std::atomic<uint64_t> seen_{1};  // lowest bit: here; the others count connections
};

// What a mailbox said to a batch.
enum class accepted_as : uint8_t { taken, full, ended };

class rm_session {
 public:
  rm_session(session_identity who, transport_runner *transport, chunk_pool &chunks);

  const session_identity who;
  transport_runner *const transport;

  // Any thread.
  std::atomic<bool> ended{false}, throttled{false}, goodbye_said{false};
  rm_presence presence;
  std::atomic<rm_state> state{rm_state::running};
  std::atomic<uint64_t> retries{0}, waiting_requests{0}, waiting_bytes{0};

  // Mailbox: any thread puts, the cycle thread takes.
  void put(std::unique_ptr<request_batch> &one);
  void take(std::deque<std::unique_ptr<request_batch>> &to);

  // Answer queues: the cycle thread makes them, all threads read.
  [[nodiscard]] answer_queue &answer_queue_of(std::string_view plain_name);
  [[nodiscard]] answer_queue *find_answer_queue(std::string_view plain_name) const;
  template <class F>
  void each_answer_queue(F &&f) const {
    for (size_t i = 0;; ++i) {
      answer_queue *one = nullptr;
      {
        const std::lock_guard lock(answer_queues_mutex_);
        if (i < answer_queues_.size()) one = answer_queues_[i].get();
      }
      if (one == nullptr) return;
      f(*one);
    }
  }
  [[nodiscard]] uint64_t waiting_answers() const;
  [[nodiscard]] uint64_t taken_answers() const;  // so many, in all
  [[nodiscard]] bool has_undelivered() const;

  // The cycle thread's own.
  std::deque<std::unique_ptr<request_batch>> open;  // taken from the mailbox, in order
  std::vector<std::unique_ptr<rm_partition>> partitions;
  rm_partition elsewhere;  // stands for all that it does not have: refusals are answers about the RM as a whole
  std::shared_ptr<const group_config> in_force;
  rm_bounds bounds;
  reservation_questions questions;
  bool held = false;  // recovery.hold
  // Its last ask came as an allocation without node: what it hears of asks comes as messages about allocations, too.
  bool asks_by_allocations = false;
  bool over_hard = false;  // Paused since its answers are not taken
  bool lost = false;       // Paused since it is not connected
  bool told_lost = false;  // what the log says of that
  int64_t lost_since_ms = 0;
  // Since when answers wait of which it took none. The counts are those of the last look.
  int64_t unread_since_ms = 0;
  uint64_t waited = 0, taken = 0;
  bool goodbye = false;  // it ends when its requests are applied and its answers are out
  int64_t goodbye_deadline_ms = 0;
  [[nodiscard]] rm_partition *find_partition(std::string_view full_name) const;
  [[nodiscard]] rm_partition *find_partition(partition_id id) const;
  // The one that a decision is about. A refusal because there is no such partition has no handle, but its name.
  [[nodiscard]] rm_partition *partition_of(const decision_view &d) const;

 private:
  chunk_pool &chunks_;
  std::mutex mailbox_mutex_;
  std::vector<std::unique_ptr<request_batch>> mailbox_;
  mutable std::mutex answer_queues_mutex_;
  std::vector<std::unique_ptr<answer_queue>> answer_queues_;
};

// The sessions that live, from any thread.
class session_table {
 public:
  [[nodiscard]] std::shared_ptr<rm_session> find(uint64_t id) const;
  void add(std::shared_ptr<rm_session> one);
  void remove(uint64_t id);
  [[nodiscard]] std::vector<std::shared_ptr<rm_session>> all() const;  // by id
  [[nodiscard]] uint64_t version() const { return version_.load(std::memory_order_acquire); }

 private:
  mutable std::mutex mutex_;
  std::map<uint64_t, std::shared_ptr<rm_session>> sessions_;
  std::atomic<uint64_t> version_{0};
};

}  // namespace tenon::service
