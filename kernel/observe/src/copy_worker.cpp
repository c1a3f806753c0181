// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "copy_worker.hpp"

#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <system_error>
#include <utility>

#include "tenon/host/reader_question.hpp"
#include "tenon/host/thread_role.hpp"

namespace tenon::observe {
namespace {

constexpr auto kept_for = std::chrono::seconds(10);   // a copy that nobody asks
constexpr auto tried_for = std::chrono::seconds(60);  // a question whose turn it is

}  // namespace

// Modules are loaded and instances made where the kernel decides, between two of its turns.
class copy_worker::policies_of_host final : public policy_source {
 public:
  policies_of_host(kernel_access &to, host::module_host &modules) : access_(to), modules_(modules) {}

  [[nodiscard]] bool provides(module_kind kind, std::string_view name) const override {
    return modules_.provides(kind, name);
  }
  result<std::unique_ptr<bound_policy>> bind(module_kind kind, std::string_view name, std::string_view configuration,
                                             uint32_t max_resource_types) override {
    result<std::unique_ptr<bound_policy>> out = stopped();
    in_a_turn([&] { out = modules_.bind(kind, name, configuration, max_resource_types); });
    return out;
  }
  std::unique_ptr<bound_policy> fallback(module_kind kind, uint32_t max_resource_types) override {
    return modules_.fallback(kind, max_resource_types);
  }
  result<std::vector<std::unique_ptr<bound_policy>>> predicates(uint32_t max_resource_types) override {
    result<std::vector<std::unique_ptr<bound_policy>>> out = stopped();
    in_a_turn([&] { out = modules_.predicates(max_resource_types); });
    return out;
  }

  // Whether there was no turn for one since this was asked: what came of it says nothing of the policies.
  [[nodiscard]] bool had_no_turn() { return std::exchange(no_turn_, false); }

 private:
  static refusal stopped() { return {"", "a scheduler that runs", "one that stops", "ask another time"}; }

  void in_a_turn(const std::function<void()> &make) {
    const bool ran = access_.call([&](kernel &, const kernel_access::applier &) {
      const host::reader_question looks;
      make();
    });
    no_turn_ = no_turn_ || !ran;
  }

  kernel_access &access_;
  host::module_host &modules_;
  bool no_turn_ = false;
};

struct copy_worker::asked {
  copy_question &what;
  const clock::time_point until;
  const clock::time_point came = clock::now();
  bool taken = false, done = false;
  bool is_answered = false;
  std::atomic<bool> nobody_waits{false};
};

shared_copy::shared_copy(std::unique_ptr<kernel> state, const kernel &live, std::optional<partition_id> only)
    : state_(std::move(state)), only_(only), commands_(live.counters().commands), made_(clock::now()) {
  for (const named_partition &one : state_->partitions())
    if (live.has_checks(one.id)) checked_.push_back(one.id);
}

kernel &shared_copy::state() {
  spare_.reset();
  copied_last_.reset();
  return *state_;
}

std::unique_ptr<kernel> shared_copy::copy(partition_id of) {
  std::unique_ptr<kernel> ahead = std::move(spare_);
  const bool will_do = ahead != nullptr && copied_last_ == of;
  copied_last_ = of;
  return will_do ? std::move(ahead) : state_->copy(of);
}

bool shared_copy::has_checks(partition_id of) const {
  return std::find(checked_.begin(), checked_.end(), of) != checked_.end();
}

bool shared_copy::has(std::optional<partition_id> part) const {
  return part ? state_->state_of_partition(*part).has_value() : !only_;
}

void shared_copy::copy_ahead() {
  if (copied_last_ && spare_ == nullptr) spare_ = state_->copy(*copied_last_);
}

copy_worker::copy_worker(kernel_access &to, host::module_host &modules, snapshot_keeper &keeper, uint64_t most_objects)
    : access_(to),
      keeper_(keeper),
      most_objects_(most_objects),
      policies_(std::make_unique<policies_of_host>(to, modules)) {}

copy_worker::~copy_worker() { close(); }

void copy_worker::close() {
  std::thread ended;
  {
    const std::lock_guard lock(mutex_);
    stops_ = true;
    if (current_ != nullptr) current_->nobody_waits = true;
    ended.swap(thread_);
  }
  asked_.notify_all();
  answered_.notify_all();
  if (ended.joinable()) ended.join();
}

bool copy_worker::ask(copy_question &what, clock::time_point until) {
  asked mine{what, until};
  std::unique_lock lock(mutex_);
  if (stops_) return false;
  if (!thread_.joinable()) {
    try {
      thread_ = std::thread([this] { run(); });
    } catch (const std::system_error &) {  // the system gives no thread more
      return false;
    }
  }
  waiting_.push_back(&mine);
  asked_.notify_one();
  answered_.wait_until(lock, until, [&] { return mine.taken || mine.done || stops_; });
  if (mine.taken && !answered_.wait_for(lock, tried_for, [&] { return mine.done; })) {
    mine.nobody_waits = true;  // others do
    answered_.wait(lock, [&] { return mine.done; });
  }
  std::erase(waiting_, &mine);
  return mine.is_answered;
}

void copy_worker::run() {
  pthread_setname_np(pthread_self(), "tenon-copies");
  (void)::setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), 10);  // scheduling goes first
  const host::copy_thread_guard copies;
  const host::role_guard role(host::thread_role::cycle);
  const host::reader_question looks;
  const auto is_asked = [this] { return stops_ || !waiting_.empty(); };
  std::unique_lock lock(mutex_);
  while (!stops_) {
    if (waiting_.empty()) {
      lock.unlock();
      prepare();
      lock.lock();
      if (frozen_ == nullptr) {
        asked_.wait(lock, is_asked);
      } else if (!asked_.wait_for(lock, kept_for, is_asked)) {
        lock.unlock();
        frozen_.reset();
        lock.lock();
      }
      continue;
    }
    asked &one = *waiting_.front();
    waiting_.pop_front();
    one.taken = true;
    current_ = &one;
    lock.unlock();
    answer(one);
    lock.lock();
    current_ = nullptr;
    one.done = true;
    answered_.notify_all();
  }
  lock.unlock();
  frozen_.reset();
}

void copy_worker::answer(asked &one) {
  if (!look(one)) freeze(one);
  if (one.is_answered || frozen_ == nullptr || one.nobody_waits) return;
  one.what.answer(*frozen_, one.nobody_waits);
  one.is_answered = !policies_->had_no_turn() && !one.nobody_waits;
}

// Whether it can be answered with what there is.
bool copy_worker::look(asked &one) {
  bool good = false;
  access_.call([&](kernel &k, const kernel_access::applier &) {
    const std::optional<copied_part> part = one.what.look(k);
    one.is_answered = !part;
    good = one.is_answered || (frozen_ != nullptr && frozen_->has(part->only) &&
                               (frozen_->made() >= one.came || k.counters().commands == frozen_->commands()));
  });
  return good;
}

// In a turn of the scheduler.
void copy_worker::freeze(asked &one) {
  frozen_.reset();
  keeper_.run(
      [&](kernel &k) {
        const std::optional<copied_part> part = one.what.look(k);
        one.is_answered = true;
        if (!part) return;
        std::optional<refusal> why = too_much(k, *part);
        if (!why) {
          const host::reader_question looks;
          auto made = k.copy_apart(*policies_, part->only);
          if (made) {
            one.is_answered = false;
            frozen_ = std::make_unique<shared_copy>(std::move(*made), k, part->only);
            return;
          }
          why = made.why();
        }
        one.what.go_without(k, *why);
      },
      one.until, &one.nobody_waits);
}

std::optional<refusal> copy_worker::too_much(const kernel &live, const copied_part &part) const {
  uint64_t objects = 0;
  for (const named_partition &one : live.partitions())
    if (!part.only || one.id == *part.only) objects += live.objects_of(one.id);
  if (objects <= most_objects_) return std::nullopt;
  return refusal{part.where,
                 "at most " + std::to_string(most_objects_) + " asks, allocations, applications and nodes to copy",
                 std::to_string(objects), part.instead};
}

// While nobody waits: the copy for the next question, where it may do for that.
void copy_worker::prepare() {
  if (frozen_ == nullptr || stops_) return;
  bool same = false;
  access_.call([&](kernel &k, const kernel_access::applier &) { same = k.counters().commands == frozen_->commands(); });
  if (same) {
    frozen_->copy_ahead();
  } else {
    frozen_.reset();
  }
}

}  // namespace tenon::observe
