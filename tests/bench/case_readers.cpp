// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <condition_variable>
#include <ctime>
#include <mutex>
#include <random>
#include <thread>

#include "cases.hpp"
#include "counted.hpp"

namespace tenon::bench {
namespace {

constexpr size_t blocks_a_turn = 4'000;
constexpr double share = 0.05;  // of the scheduling thread's time that reading may have

const std::vector<named_amount> need{{"vcore", 1000}, {"memory", int64_t{10} << 20}};

// A full cluster in which one allocation after the other, drawn at random, ends and another one comes.
class busy_cluster {
 public:
  busy_cluster(policy_source &policies, const settings &s) : cluster_(policies, s), keys_(static_cast<size_t>(s.asks)) {
    const int64_t per_node = (s.asks + s.nodes - 1) / s.nodes;
    cluster_.add_nodes(s.nodes, {{"vcore", per_node * 1000}, {"memory", per_node * (int64_t{10} << 20)}});
    cluster_.add_applications();
    for (size_t i = 0; i < keys_.size(); ++i) cluster_.ask_one(application(i), keys_[i] = fresh(), need);
    cluster_.schedule();
  }
  void decide(int64_t count) {
    for (int64_t i = 0; i < count; ++i) {
      const size_t at = random_() % keys_.size();
      cluster_.give_back(application(at), keys_[at]);
      cluster_.ask_one(application(at), keys_[at] = fresh(), need);
      cluster_.scheduler().apply(1, step{});
      cluster_.deliver();
    }
  }
  [[nodiscard]] kernel &scheduler() { return cluster_.scheduler(); }

 private:
  [[nodiscard]] uint32_t application(size_t i) { return static_cast<uint32_t>(i % cluster_.applications()); }
  std::string fresh() { return "task-of-some-application-" + std::to_string(next_++); }

  cluster cluster_;
  std::vector<std::string> keys_;
  int64_t next_ = 0;
  std::mt19937_64 random_{1};
};

// Reads all of one state after the other.
class eager_reader {
 public:
  eager_reader() : thread_([this] { run(); }) {}
  ~eager_reader() {
    {
      const std::lock_guard lock(mutex_);
      stops_ = true;
    }
    ready_.notify_all();
    thread_.join();
  }
  [[nodiscard]] bool waits() {
    const std::lock_guard lock(mutex_);
    return next_ == nullptr && !reads_;
  }
  void give(std::shared_ptr<const frozen_state> state) {
    {
      const std::lock_guard lock(mutex_);
      next_ = std::move(state);
    }
    ready_.notify_all();
  }

 private:
  void run() {
    std::unique_lock lock(mutex_);
    for (;;) {
      ready_.wait(lock, [&] { return stops_ || next_ != nullptr; });
      if (stops_) return;
      auto state = std::move(next_);
      reads_ = true;
      lock.unlock();
      (void)state->plain();
      state = nullptr;
      lock.lock();
      reads_ = false;
    }
  }

  std::mutex mutex_;
  std::condition_variable ready_;
  std::shared_ptr<const frozen_state> next_;
  bool reads_ = false, stops_ = false;
  std::thread thread_;
};

// Seconds that this thread ran: others on the machine are left out.
double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

double ms_of(const std::function<void()> &work) {
  const double before = thread_seconds();
  work();
  return (thread_seconds() - before) * 1e3;
}

// What a state costs the thread that decides: the first, one after some decisions, and these decisions themselves.
void count_readers(busy_cluster &c, const settings &s, figures &out) {
  counted first("first");
  std::shared_ptr<const frozen_state> state = c.scheduler().freeze();
  first.done(out, static_cast<double>(s.asks));
  counted deciding("decide-kept");
  c.decide(s.turns);
  deciding.done(out, static_cast<double>(s.turns));
  counted next("next");
  state = c.scheduler().freeze();
  next.done(out, static_cast<double>(s.turns));
  counted plain("plain");
  (void)state->plain();
  plain.done(out, static_cast<double>(s.asks));
}

}  // namespace

figures run_readers(const settings &s) {
  const auto policies = make_policies(s);
  busy_cluster c(*policies, s);
  kernel &k = c.scheduler();
  figures out;
  if (counting()) {
    count_readers(c, s, out);
    return out;
  }
  const auto churn = [&](const std::function<void()> &between) {
    const double from = thread_seconds();
    int64_t decided = 0;
    for (; thread_seconds() - from < static_cast<double>(s.seconds); decided += 100) {
      c.decide(100);
      between();
    }
    return static_cast<double>(decided) / (thread_seconds() - from);
  };
  out["decisions_per_second_unread"] = churn([] {});

  double longest = 0;
  const auto turn = [&] {
    size_t left = 0;
    longest = std::max(longest, ms_of([&] { left = k.freeze_some(blocks_a_turn); }));
    return left;
  };
  out["first_ms"] = ms_of([&] {
    while (turn() != 0) continue;
  });
  out["first_longest_turn_ms"] = longest;
  std::shared_ptr<const frozen_state> state = k.freeze();
  out["blocks_bytes"] = static_cast<double>(k.frozen_bytes());
  const auto freeze = [&] { return ms_of([&] { state = k.freeze(); }); };
  out["unchanged_ms"] = freeze();
  c.decide(1'000);
  out["after_1000_ms"] = freeze();
  c.decide(10'000);
  out["after_10000_ms"] = freeze();
  out["plain_ms"] = ms_of([&] { (void)state->plain(); });
  state = nullptr;
  out["decisions_per_second_kept"] = churn([] {});

  // Turns follow each other with as much deciding between them, until few blocks are left; then the share is kept by
  // waiting for the next state.
  eager_reader reader;
  double spent = 0, read = 0, longest_of_all = 0;
  bool making = false;
  const double since = thread_seconds();
  out["decisions_per_second_read"] = churn([&] {
    if (!making && (!reader.waits() || spent > (thread_seconds() - since) * 1e3 * share)) return;
    longest = 0;
    making = turn() > blocks_a_turn;
    spent += longest;
    if (!making) {
      const double last = ms_of([&] { reader.give(k.freeze()); });
      longest = std::max(longest, last);
      spent += last;
      ++read;
    }
    longest_of_all = std::max(longest_of_all, longest);
  });
  out["longest_turn_ms"] = longest_of_all;
  out["states_read_per_second"] = read / (thread_seconds() - since);
  return out;
}

}  // namespace tenon::bench
