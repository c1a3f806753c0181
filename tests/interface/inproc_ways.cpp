// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// In process, by libtenon.
#include <condition_variable>
#include <deque>
#include <mutex>

#include "suite.hpp"
#include "tenon/rm/tenon.hpp"

namespace tenon::interface {
namespace {

// What callbacks hear; they may come after the client is gone.
struct inbox {
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<heard> answers;
};

class inproc_client final : public rm_client {
 public:
  explicit inproc_client(rm::scheduler &with) : with_(with) {}

  outcome enter(const registration_request &request) override {
    rm::handlers on;
    const auto keep = [in = in_](const auto &m) {
      const std::lock_guard lock(in->mutex);
      in->answers.push_back(copy_of(reinterpret_cast<const tenon_rm_message &>(m)));
      in->changed.notify_all();
    };
    on.answered = keep;
    on.configured = keep;
    if (request.extra_config.contains("reports.assumptions")) on.assumed = on.forgotten = keep;
    if (request.extra_config.contains("reports.states")) on.scheduling_state = keep;
    if (request.extra_config.contains("reports.events")) on.event = keep;
    if (request.may_run) {
      on.may_run = [may_run = request.may_run](const tenon_rm_predicate &asked) {
        heard check;
        check.type = asked.type;
        check.key = rm::view(asked.key);
        check.node = rm::view(asked.node);
        return may_run(check).value_or(false);
      };
    }
    try {
      const bool hold = request.extra_config.contains("recovery.hold");
      const rm::identity who{request.rm, request.version, request.policy_group, request.config, hold};
      rm_ = std::make_unique<rm::resource_manager>(with_, who, std::move(on));
      return {};
    } catch (const rm::failed &why) {
      return {false, why.status, why.what(), 0};
    }
  }

  outcome submit(std::span<const tenon_rm_message *const> messages) override {
    try {
      const size_t taken = rm_->submit(messages);
      return {taken == messages.size(), taken == messages.size() ? TENON_OK : TENON_RETRY, {}, taken};
    } catch (const rm::failed &why) {
      return {false, why.status, why.what(), 0};
    }
  }

  std::optional<heard> next(std::chrono::milliseconds within) override {
    std::unique_lock lock(in_->mutex);
    if (!in_->changed.wait_for(lock, within, [&] { return !in_->answers.empty(); })) return std::nullopt;
    heard out = in_->answers.front();
    in_->answers.pop_front();
    return out;
  }

  void cut() override {}
  outcome come_back() override { return {}; }
  void leave() override { rm_->leave(); }

 private:
  rm::scheduler &with_;
  std::shared_ptr<inbox> in_ = std::make_shared<inbox>();
  std::unique_ptr<rm::resource_manager> rm_;
};

class inproc_world final : public world {
 public:
  inproc_world(const std::string &queues, bool manual)
      : scheduler_({.manual = manual, .queues = queues}), manual_(manual) {}
  std::unique_ptr<rm_client> client() override { return std::make_unique<inproc_client>(scheduler_); }
  void settle() override {
    while (manual_ && scheduler_.step(++now_ms_) != 0) {
    }
  }

 private:
  rm::scheduler scheduler_;
  bool manual_;
  int64_t now_ms_ = 1;
};

}  // namespace

std::vector<way> ways() {
  way inproc;
  inproc.about.name = "inproc";
  inproc.about.blanks = {{can_cut, "there is no connection that could be cut: the RM is in the scheduler's process"},
                         {can_be_late, "an RM in the scheduler's process is asked inside of the step, which waits"}};
  inproc.open = [](const std::string &queues, bool manual) { return std::make_unique<inproc_world>(queues, manual); };
  return {inproc};
}

}  // namespace tenon::interface
