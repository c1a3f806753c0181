// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What is tried on the state of a running scheduler, on a thread of its own: what-if questions, plans of
// configurations, explanations. The kernel's thread makes a copy, and no more. It serves all questions that came before
// it was made, and those that come while nothing has happened since.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "snapshot_keeper.hpp"
#include "tenon/host/module_host.hpp"
#include "tenon/kernel/kernel.hpp"

namespace tenon::observe {

// The state as of one moment. On the worker's thread.
class shared_copy {
 public:
  using clock = snapshot_keeper::clock;

  // In a turn of the scheduler. `state` has one partition, or all of them.
  shared_copy(std::unique_ptr<kernel> state, const kernel &live, std::optional<partition_id> only);

  // For readers, who may copy it: it takes no command and decides nothing, since it is others' as well. What was made
  // ahead goes.
  [[nodiscard]] kernel &state();
  // For one question, to try it on.
  [[nodiscard]] std::unique_ptr<kernel> copy(partition_id of);
  // As kernel::has_checks() of what was copied.
  [[nodiscard]] bool has_checks(partition_id of) const;

  [[nodiscard]] bool has(std::optional<partition_id> part) const;
  [[nodiscard]] uint64_t commands() const { return commands_; }  // that what was copied had taken
  [[nodiscard]] clock::time_point made() const { return made_; }
  // Where the last question was tried on a copy, makes the one that the next may want.
  void copy_ahead();

 private:
  std::unique_ptr<kernel> state_;  // it calls its policies for its copies, one after the other
  std::unique_ptr<kernel> spare_;  // of copied_last_; null: none was made ahead
  std::optional<partition_id> copied_last_;
  std::optional<partition_id> only_;
  std::vector<partition_id> checked_;
  uint64_t commands_ = 0;
  clock::time_point made_;
};

// What a question is about.
struct copied_part {
  std::optional<partition_id> only;  // nothing: all partitions, as of one moment
  std::string where, instead;        // for a refusal: whose it is, and what to do where it is not copied
};

class copy_question {
 public:
  virtual ~copy_question() = default;
  // In a turn of the scheduler, several times or never. Nothing: it wants no copy, and has its answer.
  virtual std::optional<copied_part> look(kernel &live) = 0;
  // In a turn of the scheduler: there is too much to be copied, or a policy has no second instance. It has its answer.
  virtual void go_without(kernel &live, const refusal &why) = 0;
  // On the worker's thread, by which the state was made known to it. Once `stops` is true nobody wants the answer any
  // more: the scheduler stops, or it takes too long.
  virtual void answer(shared_copy &on, const std::atomic<bool> &stops) = 0;
};

class copy_worker {
 public:
  using clock = snapshot_keeper::clock;

  // What has more objects than `most_objects` is not copied.
  copy_worker(kernel_access &to, host::module_host &modules, snapshot_keeper &keeper, uint64_t most_objects);
  ~copy_worker();
  copy_worker(const copy_worker &) = delete;
  copy_worker &operator=(const copy_worker &) = delete;

  // From any thread but the kernel's. Questions are answered one after the other; one whose turn did not come in time
  // is not answered, and one whose turn it is has a minute. Copies are paid for from the time that readers have. False:
  // it is not answered, for lack of time or since the scheduler stops.
  [[nodiscard]] bool ask(copy_question &what, clock::time_point until);

  // The scheduler stops: nobody is answered any more, and the copies end.
  void close();

 private:
  struct asked;
  class policies_of_host;

  void run();
  void answer(asked &one);
  bool look(asked &one);
  void freeze(asked &one);
  void prepare();
  [[nodiscard]] std::optional<refusal> too_much(const kernel &live, const copied_part &part) const;

  kernel_access &access_;
  snapshot_keeper &keeper_;
  const uint64_t most_objects_;
  const std::unique_ptr<policies_of_host> policies_;
  std::mutex mutex_;
  std::condition_variable asked_, answered_;
  std::deque<asked *> waiting_;
  asked *current_ = nullptr;
  std::atomic<bool> stops_{false};
  std::thread thread_;                   // from the first question on
  std::unique_ptr<shared_copy> frozen_;  // the thread's; null: there is none
};

}  // namespace tenon::observe
