// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "calls/call_place.hpp"

#include <unistd.h>

#include <algorithm>
#include <deque>
#include <memory>
#include <mutex>

#include "calls/signal_stack.hpp"

namespace tenon::host {
namespace {

// Never destroyed: threads may still end, and call, while the process does.
struct all_places {
  std::mutex mutex;
  std::vector<std::unique_ptr<call_place>> places;
  std::deque<call_subject> subjects;
};

all_places &everything() {
  static auto *const out = new all_places;
  return *out;
}

}  // namespace

constinit thread_local call_place *call_place::mine_ = nullptr;

// Gives the place back when its thread ends.
struct place_keeper {
  call_place *place = nullptr;
  signal_stack stack;
  ~place_keeper() {
    // Within a call: exit() ends what is the thread's before it asks anybody, and somebody may ask which call it was.
    if (place == nullptr || place->current().subject != nullptr) return;
    call_place::mine_ = nullptr;
    place->role_.store(thread_role::other, std::memory_order_relaxed);
    place->used_.store(false, std::memory_order_release);
  }
};

const call_subject *kept_subject(call_subject what) {
  all_places &all = everything();
  const std::scoped_lock lock(all.mutex);
  const auto same = std::find(all.subjects.begin(), all.subjects.end(), what);
  return same != all.subjects.end() ? &*same : &all.subjects.emplace_back(std::move(what));
}

call_place &call_place::claim() {
  static thread_local place_keeper keeper;
  all_places &all = everything();
  const std::scoped_lock lock(all.mutex);
  const auto free = std::find_if(all.places.begin(), all.places.end(),
                                 [](const auto &one) { return !one->used_.exchange(true, std::memory_order_acquire); });
  const bool fresh = free == all.places.end();
  call_place &out = fresh ? *all.places.emplace_back(std::make_unique<call_place>()) : **free;
  if (fresh) out.index_ = all.places.size() - 1;
  out.used_.store(true, std::memory_order_relaxed);
  out.thread_.store(::gettid(), std::memory_order_relaxed);
  out.role_.store(current_role(), std::memory_order_relaxed);
  keeper.place = &out;
  keeper.stack.use();
  mine_ = &out;
  return out;
}

std::vector<const call_place *> call_place::all() {
  all_places &all = everything();
  const std::scoped_lock lock(all.mutex);
  std::vector<const call_place *> out;
  for (const auto &one : all.places) out.push_back(one.get());
  return out;
}

std::optional<call_place::seen_call> call_place::look() const {
  seen_call out;
  out.number = number_.load(std::memory_order_acquire);
  out.input = input_.load(std::memory_order_acquire);
  out.items = items_.load(std::memory_order_acquire);
  out.slot = slot_.load(std::memory_order_acquire);
  out.subject = subject_.load(std::memory_order_acquire);
  if (out.subject == nullptr || out.number % 2 != 0 || number_.load(std::memory_order_acquire) != out.number)
    return std::nullopt;
  out.role = role_.load(std::memory_order_relaxed);
  out.thread = thread_.load(std::memory_order_relaxed);
  return out;
}

}  // namespace tenon::host
