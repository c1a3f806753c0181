// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "registry.hpp"

#include <algorithm>
#include <thread>
#include <utility>

#include "http2/status.hpp"
#include "rm_stream.hpp"

namespace tenon::grpc_transport {
namespace {

constexpr std::chrono::milliseconds tick_interval{100};
constexpr std::chrono::milliseconds retry{1};
// That a connection fell silent is found out so much later at most: it is looked at from time to time.
constexpr std::chrono::milliseconds late_after = 5 * look_interval;

rpc_status shutting_down() { return {status_code::unavailable, "the scheduler shuts down; try again later"}; }

rpc_status too_many(std::string_view what, size_t most, std::string_view key) {
  return {status_code::resource_exhausted, "want at most " + std::to_string(most) + " " + std::string(what) +
                                               ", have one more; close one, or raise " + std::string(key)};
}

rpc_status replaced(const std::string &rm) {
  return {status_code::aborted, "RM \"" + rm + "\" registered again; the newest registration has the streams"};
}

rpc_status refused(const outcome &said) {
  switch (said.status) {
    case TENON_INVALID_CONFIG:
      return status_of(status_code::invalid_argument, said.message);
    case TENON_EXHAUSTED:
      return status_of(status_code::resource_exhausted, said.message);
    case TENON_RETRY:
      return status_of(status_code::unavailable, said.message);
    default:
      return status_of(status_code::internal, "the scheduler did not register the RM: " + said.message);
  }
}

}  // namespace

registry::registry(const settings &with, const rm_host &host, uint64_t transport)
    : settings_(with),
      host_(host),
      transport_(transport),
      requests_log_("request", [this](const std::string &line) { host_.log(TENON_LOG_WARNING, line); }),
      ticking_(tick_interval, [this] { tick(); }) {}

registry::~registry() = default;

void registry::log_ignored(const std::string &rm, const std::string &values) {
  requests_log_.say("of RM \"" + rm + "\": " + values);
}

rpc_status registry::enter(const tenon_rm_registration &registration, bool checks) {
  const std::string rm(sdk::view(registration.rm));
  {
    std::lock_guard lock(mutex_);
    if (stopping_) return shutting_down();
    ++entering_;
  }
  rpc_status status;
  std::shared_ptr<session> older;
  if (!room_for_one(rm)) {
    status = too_many("RMs", settings_.rms, "max_rms");
  } else {
    entered as{0, checks};
    const outcome said = host_.enter(transport_, registration, checks ? TENON_RM_WANTS_PROPOSALS : 0, as.id);
    if (said.status != TENON_OK) {
      status = refused(said);
    } else {
      const answers::limits limits{settings_.queue_bytes, settings_.settle_bytes,
                                   settings_.keepalive + settings_.keepalive_timeout + late_after};
      auto made = std::make_shared<session>(host_, rm, as, limits, settings_.streams_per_rm);
      const std::lock_guard lock(mutex_);
      older = std::exchange(by_rm_[rm], made);
      if (older) by_id_.erase(older->id());
      by_id_[as.id] = std::move(made);
    }
  }
  {
    const std::lock_guard lock(mutex_);
    --entering_;
  }
  if (older) older->end(replaced(rm));
  return status;
}

bool registry::room_for_one(const std::string &rm) {
  for (const bool again : {false, true}) {
    {
      const std::lock_guard lock(mutex_);
      if (by_rm_.contains(rm) || by_rm_.size() < settings_.rms) return true;
    }
    if (!again) forget_ended();
  }
  return end_one_without_streams();
}

bool registry::end_one_without_streams() {
  std::vector<std::shared_ptr<session>> all;
  {
    const std::lock_guard lock(mutex_);
    for (const auto &[id, each] : by_id_) all.push_back(each);
  }
  std::sort(all.begin(), all.end(), [](const auto &a, const auto &b) { return a->since() < b->since(); });
  if (std::none_of(all.begin(), all.end(), [](const auto &each) { return each->end_without_streams(); })) return false;
  forget_ended();
  return true;
}

rpc_status registry::opened(const std::shared_ptr<stream> &one) {
  const std::lock_guard lock(mutex_);
  streams_.insert(one);
  if (stopping_) return shutting_down();
  unnamed_[one] = session::clock::now();
  return rpc_status{};
}

void registry::closed(const std::shared_ptr<stream> &one) {
  const std::lock_guard lock(mutex_);
  unnamed_.erase(one);
  streams_.erase(one);
  if (streams_.empty()) changed_.notify_all();
}

std::shared_ptr<session> registry::find(const std::string &rm) {
  const std::lock_guard lock(mutex_);
  const auto at = by_rm_.find(rm);
  return at == by_rm_.end() ? nullptr : at->second;
}

bool registry::is_registered(const std::string &rm) const {
  const std::lock_guard lock(mutex_);
  return by_rm_.contains(rm);
}

rpc_status registry::begin(const std::shared_ptr<stream> &one, const std::string &rm) {
  if (rpc_status may = may_speak_for(*one, rm); !may.ok()) return may;
  const std::shared_ptr<session> found = find(rm);
  if (!found) return register_again();
  one->belongs_to(found);
  const rpc_status attached = found->attach(one);
  if (!attached.ok()) return attached;
  const std::lock_guard lock(mutex_);
  unnamed_.erase(one);
  return stopping_ ? shutting_down() : rpc_status{};
}

rpc_status registry::may_speak_for(const call &from, const std::string &rm) {
  // Who may open a Unix socket is for its mode to say.
  const bool by_certificate = !settings_.client_ca.empty() && from.by().encrypted;
  if (by_certificate && from.by().has_name(rm)) return rpc_status{};
  if (!by_certificate) {
    const std::shared_ptr<session> found = find(rm);
    if (!found || !found->is_anothers(from.by())) return rpc_status{};
    return status_of(status_code::already_exists,
                     "want a name that no other client has, have \"" + rm +
                         "\", whose streams are open on another connection; close them, wait until a connection that "
                         "broke is found out, or use certificates (tls_client_ca) or a Unix socket");
  }
  return status_of(status_code::permission_denied, "want a client certificate for RM \"" + rm + "\", have one for " +
                                                       from.by().all_names() +
                                                       "; register under a name of the certificate");
}

rpc_status registry::may_configure(const call &from, std::optional<std::string_view> rm, size_t bytes,
                                   bool adds) const {
  if (is_known(from.by())) return rpc_status{};
  const std::lock_guard lock(configuring_);
  auto &brought = from.by().configurations;
  std::erase_if(brought, [&](const auto &one) { return !is_registered(one.first); });
  size_t all = bytes;
  for (const auto &[name, size] : brought) {
    if (rm && (adds || name != *rm)) all += size;
  }
  if (all <= settings_.anonymous_config) return rpc_status{};
  return status_of(status_code::resource_exhausted,
                   "config: want at most " + std::to_string(settings_.anonymous_config) +
                       " bytes from the RMs of a connection that says nothing of who they are, have " +
                       std::to_string(all) +
                       "; give the queues to the deployment, use certificates (tls_client_ca) or a Unix socket, or "
                       "raise max_anonymous_config");
}

void registry::has_configured(const call &from, const std::string &rm, size_t bytes, bool adds) const {
  if (is_known(from.by())) return;
  const std::lock_guard lock(configuring_);
  size_t &brought = from.by().configurations[rm];
  brought = (adds ? brought : 0) + bytes;
}

bool registry::is_known(const peer &by) const { return by.user || (!settings_.client_ca.empty() && by.encrypted); }

void registry::retry_later(std::shared_ptr<stream> one) {
  bool first = false;
  {
    const std::lock_guard lock(retry_mutex_);
    first = to_retry_.empty();
    to_retry_.push_back(std::move(one));
  }
  if (!first) return;
  retrying_.post([this] {
    std::this_thread::sleep_for(retry);
    std::vector<std::shared_ptr<stream>> now;
    {
      const std::lock_guard lock(retry_mutex_);
      now.swap(to_retry_);
    }
    for (const auto &each : now) each->go_on();
  });
}

tenon_status registry::deliver(const tenon_transport_deliver_in &in, uint64_t &taken) {
  std::shared_ptr<session> to;
  {
    const std::lock_guard lock(mutex_);
    if (stopping_) return TENON_DECLINED;
    const auto at = by_id_.find(in.session);
    if (at == by_id_.end()) return entering_ ? TENON_RETRY : TENON_DECLINED;
    to = at->second;
  }
  uint64_t skipped = 0;
  const tenon_status status = to->deliver(in, taken, skipped);
  if (skipped) {
    const std::lock_guard lock(mutex_);
    skipped_ += skipped;
  }
  return status;
}

void registry::ended(tenon_rm_session id, uint32_t why) {
  std::shared_ptr<session> of;
  {
    const std::lock_guard lock(mutex_);
    const auto at = by_id_.find(id);
    if (at == by_id_.end()) return;
    of = at->second;
  }
  switch (why) {
    case TENON_RM_ENDED_REPLACED:
      of->end(replaced(of->rm()));
      break;
    case TENON_RM_ENDED_STOPPING:
      of->end(shutting_down());
      break;
    default:
      of->end(register_again());
  }
}

void registry::shut_down() {
  std::set<std::shared_ptr<stream>> all;
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    all = streams_;
  }
  for (const auto &each : all) {
    each->end(shutting_down(), true);
    each->advance();  // also what said goodbye before, and waits for a last word
  }
}

bool registry::stopping() {
  const std::lock_guard lock(mutex_);
  return stopping_;
}

bool registry::wait_empty(std::chrono::milliseconds time) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, time, [this] { return streams_.empty(); });
}

void registry::forget_ended() {
  std::vector<std::shared_ptr<session>> all;
  {
    const std::lock_guard lock(mutex_);
    for (const auto &[rm, each] : by_rm_) all.push_back(each);
  }
  const auto now = session::clock::now();
  for (const auto &each : all) {
    each->tick(now, settings_.connect_timeout);
    if (!each->is_over()) continue;
    const std::lock_guard lock(mutex_);
    if (const auto at = by_rm_.find(each->rm()); at != by_rm_.end() && at->second == each) by_rm_.erase(at);
    by_id_.erase(each->id());
  }
}

void registry::tick() {
  std::vector<std::shared_ptr<stream>> late;
  std::vector<std::shared_ptr<stream>> all;
  const auto now = session::clock::now();
  {
    const std::lock_guard lock(mutex_);
    if (stopping_) return;
    all.assign(streams_.begin(), streams_.end());
    for (const auto &[one, since] : unnamed_) {
      if (now - since > settings_.connect_timeout) late.push_back(one);
    }
  }
  for (const auto &each : late) {
    each->end({status_code::invalid_argument,
               "want a request that says whose stream it is, have none for too long; send one with rmID"});
  }
  for (const auto &each : all) each->cut_if_late(now);
  forget_ended();
}

}  // namespace tenon::grpc_transport
