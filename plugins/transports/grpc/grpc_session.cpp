// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "grpc_session.hpp"

#include <algorithm>
#include <utility>

#include "rm_stream.hpp"

namespace tenon::grpc_transport {

rpc_status register_again() {
  return {status_code::failed_precondition,
          "want a registered RM, have one that the scheduler does not know or has given up; register again and report "
          "everything"};
}

session::session(const rm_host &host, std::string rm, entered as, const answers::limits &limits, size_t most_streams)
    : host_(host), rm_(std::move(rm)), as_(as), most_streams_(most_streams), answers_(limits) {}

size_t session::count(bool that_stay) const {
  size_t count = 0;
  for (const auto &of_method : streams_) {
    for (const auto &each : of_method) count += !that_stay || !each->is_going() ? 1 : 0;
  }
  return count;
}

bool session::is_anothers(const peer &by) {
  std::vector<std::shared_ptr<stream>> others;
  {
    const std::lock_guard lock(mutex_);
    for (const auto &of_method : streams_) {
      for (const auto &each : of_method) {
        if (!each->is_going() && !each->by().is_same(by)) others.push_back(each);
      }
    }
  }
  for (const auto &each : others) each->ask_for_life();
  return !others.empty();
}

bool session::end_without_streams() {
  const std::lock_guard attaching(attaching_);
  {
    const std::lock_guard lock(mutex_);
    if (ended_ || was_connected_) return false;
    ended_ = true;
  }
  host_.signal(as_.id, TENON_RM_SHUTDOWN);
  return true;
}

rpc_status session::attach(const std::shared_ptr<stream> &one) {
  const std::optional<wire::dialect> spoken = stream_methods[one->method()].spoken;
  if (one->method() == check_placements && !as_.checks) {
    return {status_code::failed_precondition, "want an RM that registered to check placements, have \"" + rm_ +
                                                  "\", which did not; register at tenon.v1.Checks"};
  }
  std::unique_lock attaching(attaching_);
  bool back = false;
  {
    const std::lock_guard lock(mutex_);
    if (ended_) return register_again();
    if (spoken && spoken_ && spoken_ != spoken) {
      return {status_code::failed_precondition, "want methods of one dialect from RM \"" + rm_ +
                                                    "\", have both; use Update, or the methods UpdateAllocation, "
                                                    "UpdateApplication and UpdateNode"};
    }
    if (count(true) >= most_streams_) {
      return {status_code::resource_exhausted, "want at most " + std::to_string(most_streams_) + " streams of RM \"" +
                                                   rm_ + "\", have one more; close one, or raise max_streams_per_rm"};
    }
    if (spoken) spoken_ = spoken;
    back = link_ == link::lost;
    broke_[one->method()] = false;
    told_ = false;
    // Before the host hears of it: it may deliver at once.
    link_ = link::connected;
    was_connected_ = true;
    streams_[one->method()].push_back(one);
  }
  if (!back || host_.signal(as_.id, TENON_RM_BACK) != TENON_DECLINED) return rpc_status{};
  attaching.unlock();
  ended_by_host();
  return register_again();
}

void session::detach(const std::shared_ptr<stream> &one, bool clean) {
  std::unique_lock attaching(attaching_);
  uint32_t first = 0;
  uint32_t second = 0;
  std::vector<std::shared_ptr<stream>> others;
  {
    const std::lock_guard lock(mutex_);
    auto &of_method = streams_[one->method()];
    const bool spare = stream_methods[one->method()].spare;
    const bool unsure = !spare && one->has_written() && answers_.unsettled();
    const auto at = std::find(of_method.begin(), of_method.end(), one);
    if (at == of_method.end()) return;
    of_method.erase(at);
    if (ended_) return;
    if (!clean && !spare && of_method.empty()) broke_[one->method()] = true;
    if (count(false) == 0) {
      const bool lost = std::find(broke_.begin(), broke_.end(), true) != broke_.end();
      link_ = link::lost;
      first = lost ? TENON_RM_LOST : TENON_RM_SHUTDOWN;
      ended_ = !lost;
      answers_.clear();
    } else if (!clean && unsure) {
      // What was on its way through this stream is to be told again, through another one.
      first = TENON_RM_LOST;
      second = TENON_RM_BACK;
      answers_.clear();
    } else if (!of_method.empty()) {
      others.push_back(of_method.back());
    }
  }
  if (first) host_.signal(as_.id, first);
  told_ = true;
  if (second) host_.signal(as_.id, second);
  attaching.unlock();
  for (const auto &each : others) each->advance();
}

tenon_status session::deliver(const tenon_transport_deliver_in &in, uint64_t &taken, uint64_t &skipped) {
  std::array<std::shared_ptr<stream>, method_count> writers;
  bool resync = false;
  {
    const std::lock_guard lock(mutex_);
    if (ended_ || link_ == link::lost) return TENON_DECLINED;
    for (uint64_t i = 0; i < in.message_count; ++i) resync |= in.messages[i]->type == TENON_RM_RESYNC;
    if (!resync) {
      // An RM that has not spoken yet could speak either dialect.
      if (!spoken_) return TENON_RETRY;
      answers::open_methods open{};
      for (size_t i = 0; i < method_count; ++i) open[i] = !streams_[i].empty();
      taken = answers_.take(*spoken_, open, in, skipped);
      for (size_t i = 0; i < method_count; ++i) {
        if (answers_.waiting(i) && !streams_[i].empty()) writers[i] = streams_[i].back();
      }
    }
  }
  if (resync) {
    ended_by_host();
    taken = in.message_count;
    return TENON_OK;
  }
  for (const auto &each : writers) {
    if (each) each->advance();
  }
  return taken == in.message_count ? TENON_OK : TENON_RETRY;
}

bool session::next(const stream &one, frame &out) {
  const std::lock_guard lock(mutex_);
  const auto &of_method = streams_[one.method()];
  return !ended_ && !of_method.empty() && of_method.back().get() == &one && answers_.next(one.method(), out);
}

void session::written(const stream &one, const frame &done) {
  {
    const std::lock_guard lock(mutex_);
    answers_.written(one.method(), done);
  }
  for (const auto &[partition, number] : done.checks) host_.sent(as_.id, partition, number);
  acknowledge_arrived(clock::now());
}

void session::acknowledge_arrived(clock::time_point now) {
  const std::lock_guard in_order(acknowledging_);
  acknowledged arrived;
  {
    const std::lock_guard lock(mutex_);
    if (!ended_) arrived = answers_.arrived(now);
  }
  for (const auto &[partition, number] : arrived) host_.acknowledge(as_.id, partition, number);
}

void session::end(const rpc_status &status) {
  std::vector<std::shared_ptr<stream>> all;
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
    answers_.clear();
    for (const auto &each : streams_) all.insert(all.end(), each.begin(), each.end());
  }
  for (const auto &each : all) each->end(status);
}

void session::ended_by_host() { end(register_again()); }

void session::tick(clock::time_point now, clock::duration connect_timeout) {
  acknowledge_arrived(now);
  std::unique_lock attaching(attaching_);
  {
    const std::lock_guard lock(mutex_);
    if (ended_ || link_ == link::connected) return;
    if (link_ == link::fresh) {
      if (now - since_ < connect_timeout) return;
      link_ = link::lost;
    }
  }
  // Told once; later it only asks whether the session has ended.
  uint64_t none = 0;
  const tenon_status said = told_ ? host_.submit(as_.id, {}, none).status : host_.signal(as_.id, TENON_RM_LOST);
  told_ = true;
  attaching.unlock();
  if (said == TENON_DECLINED) ended_by_host();
}

bool session::is_over() {
  const std::lock_guard lock(mutex_);
  return ended_ && count(false) == 0;
}

}  // namespace tenon::grpc_transport
