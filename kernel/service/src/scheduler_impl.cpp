// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "scheduler_impl.hpp"

#include <pthread.h>

#include <algorithm>
#include <boost/asio/bind_allocator.hpp>
#include <boost/asio/post.hpp>
#include <chrono>
#include <cstdlib>
#include <future>
#include <utility>

#include "tenon/host/thread_role.hpp"

namespace tenon::service {
namespace {

using std::chrono::milliseconds;

}  // namespace

scheduler::impl::impl(std::unique_ptr<host::module_host> host, scheduler_options given)
    : modules(std::move(host)), options(std::move(given)), clock_(options.clock) {
  shared.limits = options.limits.value_or(modules->plan().running);
  shared.max_queue_depth = options.kernel.max_queue_depth;
  shared.known = modules->known();
  shared.modules = modules.get();
  shared.wake = [this] { wake(); };
  shared.warn = [this](const std::string &line) { modules->warn(line); };
  shared.note = [this](const std::string &line) { modules->note(line); };
  shared.note_event = [this](const events::audit_note &what) {
    modules->warn(what.message);
    if (noted_ != nullptr) noted_->audit(what, cycle_->now_ms());
  };
  read_configuration_ = [this](std::string_view policy_group, std::string_view text) {
    const auto config =
        text.empty() ? shared.group(policy_group) : shared.read(text, "the configuration that was sent");
    if (!config) return sent_configuration{std::string(text), nullptr, config.why().text()};
    if (!config->has_content && !text.empty())
      return sent_configuration{std::string(text), nullptr,
                                "want: queues; have: a text without content; nothing was changed, send the whole text"};
    return sent_configuration{config->text, config->config, {}};
  };
  modules->offer({TENON_HOST_RM, &rm_table(), static_cast<rm_calls *>(this)});
}

scheduler::impl::~impl() { stop(); }

const tenon_host *scheduler::impl::linked_host() {
  if (linked_host_ == nullptr) linked_host_ = modules->linked_host("linked", {TENON_HOST_RM, TENON_HOST_LOG});
  return linked_host_;
}

int64_t scheduler::impl::now_ms() {
  if (const int64_t step_ms = clock_.step_ms(); step_ms != 0) {
    ++shared.counters.clock_steps;
    shared.warn("the system's clock was set " + std::string(step_ms > 0 ? "ahead" : "back") + " by " +
                std::to_string(std::abs(step_ms) / 1000) +
                " s: the scheduler's time goes on as before, no timer is moved");
  }
  return clock_.now_ms();
}

std::optional<refusal> scheduler::impl::start() {
  if (started_) return refusal{"", "a scheduler that was not started", "one that was", "start it once"};
  cycle_ = std::make_unique<cycle>(shared, *modules, options, listeners);
  if (auto why = make_hub()) return why;
  if (auto why = make_runners()) return why;
  started_ = true;
  tell_of_start();
  if (!options.manual) {
    thread_ = std::thread([this] { run_cycle_thread(); });
    wake();
  }
  if (auto why = start_runners()) {
    stop();
    return why;
  }
  return std::nullopt;
}

std::optional<refusal> scheduler::impl::make_hub() {
  auto sinks = modules->event_sinks();
  if (!sinks) return sinks.why();
  if (!sinks->empty()) {
    events::hub_options how;
    how.warn = shared.warn;
    auto made = events::event_hub::start(std::move(*sinks), std::move(how));
    if (!made) return made.why();
    hub = std::move(*made);
    noted_ = hub.get();
    hub->offer_to(*modules);
    cycle_->inspect_all();
    facts.add(&hub->listener());
  }
  if (fact_taker != nullptr) facts.add(fact_taker);
  cycle_->state().set_fact_listener(facts.one());
  return std::nullopt;
}

// Any thread but the cycle's.
void scheduler::impl::send_events() {
  const std::lock_guard lock(rm_events_mutex_);
  if (rm_events_ != nullptr) return;
  events::event_hub *from = hub.get();
  if (from == nullptr) {
    auto made = events::event_hub::start({}, {});
    if (!made) return shared.warn("events for resource managers: " + made.why().text());
    own_hub_ = std::move(*made);
    from = own_hub_.get();
    call([&](cycle &on) {
      noted_ = from;
      facts.add(&from->listener());
      on.state().set_fact_listener(facts.one());
    });
  }
  rm_events_ = std::make_unique<rm_events>(*from, [this](std::span<const event_for_rm> what) {
    call([&](cycle &on) {
      for (const event_for_rm &one : what) on.tell(one.rm, one.event);
    });
  });
}

std::optional<refusal> scheduler::impl::make_runners() {
  const auto listed = modules->transports();
  if (!listed) return listed.why();
  const auto add = [this](const std::string &name, std::unique_ptr<host::bound_module> policy,
                          const tenon_transport_v1 *table, tenon_instance *instance) {
    runner_options how;
    how.handle = runners.size() + 1;
    how.name = name;
    how.drain_ms = shared.limits.drain_ms;
    how.threaded = !options.manual;
    how.log = shared.warn;
    how.delivered = &shared.counters.delivered;
    how.on_lost = [this](rm_session &of) {
      of.presence.go();
      post([session = shared.sessions.find(of.who.id)](cycle &on) {
        if (session) on.signal(*session, TENON_RM_LOST);
      });
    };
    runners.push_back(
        std::make_unique<transport_runner>(std::move(how), shared.sessions, std::move(policy), table, instance));
  };
  for (const host::listed_module &one : *listed) {
    auto made = one.make();
    if (!made) return made.why();
    const tenon_transport_v1 *table = (*made)->transport;
    tenon_instance *instance = (*made)->instance;
    add(one.name, std::move(*made), table, instance);
  }
  for (const linked_transport &one : attached) add(one.name, nullptr, one.table, one.instance);
  return std::nullopt;
}

std::optional<refusal> scheduler::impl::start_runners() {
  for (const auto &runner : runners)
    if (auto why = runner->start())
      return refusal{"transport " + runner->name(), "a transport that starts", *why,
                     "correct its configuration in the deployment"};
  return std::nullopt;
}

void scheduler::impl::run_cycle_thread() {
  const host::role_guard role(host::thread_role::cycle);
  pthread_setname_np(pthread_self(), "tenon-cycle");
  io_.run();
  cycle_over_ = true;
}

void scheduler::impl::wake() {
  if (options.manual || stopped_) return;
  if (awake_.exchange(true, std::memory_order_acq_rel)) return;
  boost::asio::post(io_, boost::asio::bind_allocator(wake_memory_.take(), [this] {
                      awake_.store(false, std::memory_order_release);
                      turn();
                    }));
}

void scheduler::impl::turn() {
  const int64_t now = now_ms();
  cycle_->move_time(now);
  const auto begun = std::chrono::steady_clock::now();
  uint32_t most = shared.limits.max_decisions;
  if (cycle_->serves_several()) most = std::min(most, cycle::most_beside_others);
  const turn_outcome out = cycle_->turn(most);
  const std::chrono::nanoseconds took = std::chrono::steady_clock::now() - begun;
  for (const turn_listener &listener : turn_listeners) listener(took, out.made);
  copy_kernel_counters();
  if (!out.more) return turn_later(now, out.wake_at_ms);
  if (std::exchange(turn_posted_, true)) return;
  boost::asio::post(io_, [this] {
    turn_posted_ = false;
    turn();
  });
}

void scheduler::impl::turn_later(int64_t now_ms, int64_t at_ms) {
  if (timer_at_ms_ && *timer_at_ms_ <= at_ms) return;  // it comes before that, and looks then
  timer_at_ms_ = at_ms;
  timer_.expires_after(milliseconds(std::clamp<int64_t>(at_ms - now_ms, 1, shared.limits.idle_ms)));
  timer_.async_wait([this](const boost::system::error_code &cancelled) {
    if (cancelled) return;
    timer_at_ms_.reset();
    turn();
  });
}

void scheduler::impl::copy_kernel_counters() {
  const std::lock_guard lock(counters_mutex_);
  kernel_counters_ = cycle_->state().counters();
}

// Runs `what` and everything that was put off meanwhile, on this thread.
void scheduler::impl::run_manual(const work *what) {
  const std::lock_guard lock(manual_mutex_);
  const host::role_guard role(host::thread_role::cycle);
  ++manual_depth_;
  if (what != nullptr) (*what)(*cycle_);
  while (manual_depth_ == 1 && !manual_later_.empty()) {
    std::vector<work> now;
    now.swap(manual_later_);
    for (const work &one : now) one(*cycle_);
  }
  --manual_depth_;
  copy_kernel_counters();
}

void scheduler::impl::post(work what) {
  if (stopped_ || cycle_ == nullptr) return;
  if (!options.manual) {
    boost::asio::post(io_, [this, what = std::move(what)] {
      cycle_->move_time(now_ms());
      what(*cycle_);
      wake();
    });
    return;
  }
  const std::lock_guard lock(manual_mutex_);
  if (manual_depth_ == 0) return run_manual(&what);
  manual_later_.push_back(std::move(what));
}

bool scheduler::impl::call(const work &what) {
  return call(what, [] { return false; });
}

bool scheduler::impl::call_unless_held_up(const work &what) {
  return call(what, [this] { return modules->holds_up_cycle(); });
}

bool scheduler::impl::call(const work &what, const std::function<bool()> &gives_up) {
  if (stopped_ || cycle_ == nullptr) return false;
  if (options.manual) {
    run_manual(&what);
    return true;
  }
  auto done = std::make_shared<std::promise<bool>>();
  auto outcome = done->get_future();
  // Whoever is first takes the work: the cycle thread to do it, or the caller to give it up.
  auto taken = std::make_shared<std::atomic<bool>>(false);
  boost::asio::post(io_, [this, &what, done, taken] {
    if (taken->exchange(true)) return;
    cycle_->move_time(now_ms());
    what(*cycle_);
    done->set_value(true);
    wake();
  });
  // `what` is this caller's: nobody may be in it any more when this returns.
  while (outcome.wait_for(milliseconds(50)) != std::future_status::ready) {
    if (cycle_over_) return outcome.wait_for(milliseconds(0)) == std::future_status::ready;
    if (gives_up() && !taken->exchange(true)) return false;
  }
  return outcome.get();
}

uint32_t scheduler::impl::step(uint32_t max_decisions, std::optional<int64_t> now_ms,
                               std::optional<partition_id> only) {
  if (!options.manual || !started_ || stopped_) return 0;
  uint32_t made = 0;
  const work all = [&](cycle &on) {
    if (now_ms) on.move_time(*now_ms);
    // Whose groups are being looked up is waited for: time does not pass meanwhile.
    made = on.turn(0).made;
    while (on.waiting_requests() != 0) {
      std::this_thread::yield();
      on.turn(0);
    }
    made += on.turn(max_decisions, only).made;
  };
  run_manual(&all);
  for (const auto &runner : runners) runner->pump();
  return made;
}

// Requests that were accepted are applied, also those that a lookup holds up, for as long as draining may take.
void scheduler::impl::drain_requests() {
  const auto until = std::chrono::steady_clock::now() + milliseconds(shared.limits.drain_ms);
  for (bool left = true; left && std::chrono::steady_clock::now() < until;) {
    bool more = false;
    const bool ran = call([&](cycle &on) {
      more = on.turn(options.manual ? 0 : shared.limits.max_decisions).more;
      left = on.waiting_requests() != 0;
    });
    if (!ran) return;
    if (left && !more) std::this_thread::sleep_for(milliseconds(1));
  }
}

void scheduler::impl::stop() {
  const std::lock_guard lock(stop_mutex_);
  shared.closing = true;
  for (const auto &listener : std::exchange(end_listeners, {})) listener();
  if (!started_ || stopped_) return;
  drain_requests();
  for (const auto &runner : runners) runner->drain();
  call([](cycle &on) { on.end_all(); });
  for (const auto &runner : runners) runner->stop();
  stopped_ = true;
  io_.stop();
  if (thread_.joinable()) thread_.join();
  {
    const std::lock_guard configuring(configuring_);
    clean_store();
  }
  rm_events_.reset();
  if (own_hub_ != nullptr) cycle_->state().set_fact_listener(nullptr);
}

service_counters scheduler::impl::counters() const {
  const shared_counters &from = shared.counters;
  service_counters out;
  out.turns = from.turns;
  out.requests = from.requests;
  out.refused_requests = from.refused_requests;
  out.retries = from.retries;
  out.dropped_requests = from.dropped_requests;
  out.answers = from.answers;
  out.delivered = from.delivered;
  out.registrations = from.registrations;
  out.refused_registrations = from.refused_registrations;
  out.journal_bytes = from.journal_bytes;
  out.clock_steps = from.clock_steps;
  for (const auto &runner : runners) {
    const transport_status one = runner->status();
    out.transport_faults += one.faults;
    out.transport_restarts += one.restarts;
  }
  const std::lock_guard lock(counters_mutex_);
  out.kernel = kernel_counters_;
  return out;
}

std::vector<rm_status> scheduler::impl::rms() {
  std::vector<rm_status> out;
  const bool ran = call_unless_held_up([&](cycle &on) {
    for (const auto &one : shared.sessions.all()) out.push_back(on.status_of(*one));
  });
  const std::lock_guard lock(rms_mutex_);
  if (!ran) return modules->holds_up_cycle() ? last_rms_ : out;
  last_rms_ = out;
  return out;
}

}  // namespace tenon::service
