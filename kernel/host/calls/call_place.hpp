// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Where a thread says which call into a module it is in, for whoever looks from another thread or from a signal
// handler.
//
// A call costs a dozen stores and no clock: how long it lasts is found by whoever looks at it twice.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tenon/host/thread_role.hpp"

namespace tenon::host {

struct call_input;

// Whose a call is. Kept until the process ends, once each: another thread may still read it when its module is gone.
struct call_subject {
  uint64_t host = 0;  // of the hosts of this process, from 1
  bool own = false;   // the project's
  std::string module, version;
  std::string digest;           // of the library
  std::string key;              // the library with its configuration in the deployment, as a file may be called
  std::string interface, name;  // of the policy; empty in calls that are the whole module's
  bool isolated = false;        // in a process of its own, which the host waits for no longer than it likes
  std::string manifest;         // file

  bool operator==(const call_subject &) const = default;
};
[[nodiscard]] const call_subject *kept_subject(call_subject what);

class call_place {
 public:
  struct call {
    const call_subject *subject = nullptr;  // null: none is under way
    const char *slot = "";                  // a literal
    uint32_t items = 0;
    const call_input *input = nullptr;  // what the slot is given, until it returns; null: nothing that is recorded
  };
  struct seen_call : call {
    uint64_t number = 0;  // differs from that of every other call of the thread
    thread_role role = thread_role::other;
    int64_t thread = 0;
  };

  // Of the thread that calls it. Made at its first call, and used by another thread once this one has ended.
  static call_place &of_this_thread() { return mine_ != nullptr ? *mine_ : claim(); }
  // From a signal handler: null where this thread never was in a call.
  static const call_place *of_this_thread_if_any() { return mine_; }
  // Of all threads that ever were in a call. Places are never given back.
  [[nodiscard]] static std::vector<const call_place *> all();

  // Gives the call that goes on when this one returns.
  call enter(const call &now) {
    const call outer = current();
    put(now);
    return outer;
  }
  void leave(const call &outer) { put(outer); }
  void set_role(thread_role role) { role_.store(role, std::memory_order_relaxed); }

  // On its own thread.
  [[nodiscard]] call current() const {
    return {subject_.load(std::memory_order_relaxed), slot_.load(std::memory_order_relaxed),
            items_.load(std::memory_order_relaxed), input_.load(std::memory_order_relaxed)};
  }
  // Differs from that of every other place, from 0 on.
  [[nodiscard]] size_t index() const { return index_; }
  [[nodiscard]] int64_t thread() const { return thread_.load(std::memory_order_relaxed); }
  // From any thread. Nothing: there is no call, or it is just changing.
  [[nodiscard]] std::optional<seen_call> look() const;

 private:
  friend struct place_keeper;
  static call_place &claim();

  void put(const call &now) {
    const uint64_t before = number_.load(std::memory_order_relaxed);
    number_.store(before + 1, std::memory_order_relaxed);  // odd: what follows is being written
    subject_.store(now.subject, std::memory_order_release);
    slot_.store(now.slot, std::memory_order_release);
    items_.store(now.items, std::memory_order_release);
    input_.store(now.input, std::memory_order_release);
    number_.store(before + 2, std::memory_order_release);
  }

  static constinit thread_local call_place *mine_;

  std::atomic<uint64_t> number_{0};
  std::atomic<const call_subject *> subject_{nullptr};
  std::atomic<const char *> slot_{""};
  std::atomic<uint32_t> items_{0};
  std::atomic<const call_input *> input_{nullptr};
  std::atomic<thread_role> role_{thread_role::other};
  std::atomic<int64_t> thread_{0};
  std::atomic<bool> used_{false};
  size_t index_ = 0;
};

// A call of this thread, for as long as the scope lasts.
class published_call {
 public:
  published_call(const call_subject *subject, const char *slot, uint32_t items, const call_input *input = nullptr)
      : place_(call_place::of_this_thread()), outer_(place_.enter({subject, slot, items, input})) {}
  ~published_call() { place_.leave(outer_); }
  published_call(const published_call &) = delete;
  published_call &operator=(const published_call &) = delete;

 private:
  call_place &place_;
  const call_place::call outer_;
};

}  // namespace tenon::host
