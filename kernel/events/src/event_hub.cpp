// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "tenon/events/event_hub.hpp"

#include <pthread.h>

#include <algorithm>
#include <array>
#include <map>
#include <mutex>
#include <random>
#include <thread>

#include "fact_producer.hpp"
#include "record_maker.hpp"
#include "sink_runner.hpp"
#include "subscriptions.hpp"
#include "tenon/host/thread_role.hpp"
#include "tenon/text/utf8.hpp"
#include "texts.hpp"

namespace tenon::events {
namespace {

using namespace std::chrono_literals;

constexpr size_t facts_of_a_batch = 1024;
// Between two looks while facts come: a fact waits for no longer, and the cycle thread wakes nobody meanwhile.
constexpr auto nap = 2ms;

std::string random_uuid() {
  std::random_device source;
  std::array<uint32_t, 4> words{};
  for (uint32_t &word : words) word = source();
  words[1] = (words[1] & 0xffff0fff) | 0x4000;
  words[2] = (words[2] & 0x3fffffff) | 0x80000000;
  std::string out;
  for (size_t digit = 0; digit < 32; ++digit) {
    if (digit == 8 || digit == 12 || digit == 16 || digit == 20) out += '-';
    out += "0123456789abcdef"[words[digit / 8] >> (28 - digit % 8 * 4) & 0xf];
  }
  return out;
}

}  // namespace

struct event_hub::impl {
  explicit impl(hub_options o)
      : options(std::move(o)), producer(options.input_bytes), followers(options.subscriptions) {
    if (options.run.empty()) options.run = random_uuid();
  }

  void work();
  size_t collect(record_batch &to);
  void add_audits(record_batch &to, uint64_t before);
  void catch_up(record_batch &to, uint64_t before);
  void publish(const std::shared_ptr<record_batch> &batch);
  [[nodiscard]] sink_runner *answering() const;
  tenon_status give_history(subscriptions::subscriber &to, tenon_events_take_out &out);

  hub_options options;
  fact_producer producer;
  std::vector<std::unique_ptr<sink_runner>> sinks;
  subscriptions followers;

  std::mutex audit_mutex;
  std::map<uint64_t, std::pair<audit_note, int64_t>> audits;  // by id

  uint64_t expected = 1;  // the next id; the event thread's
  int64_t last_ns = 0;    // time of the last record
  std::atomic<uint64_t> published{0};
  std::atomic<bool> stopping{false};
  std::thread thread;
};

// Audits whose turn it is, up to the id.
void event_hub::impl::add_audits(record_batch &to, uint64_t before) {
  const std::lock_guard lock(audit_mutex);
  while (!audits.empty() && audits.begin()->first == expected && expected < before) {
    const auto &[note, now_ms] = audits.begin()->second;
    tenon_event_record &out = to.add(expected++, options.run);
    out.type = TENON_EVENT_SYSTEM;
    out.timestamp_ns = last_ns = std::max(last_ns, now_ms * 1'000'000);
    const auto kept = [&](const std::string &text) { return to.keep(utf8_of(text)); };
    out.object = kept(note.object);
    out.reference = kept(note.who);
    out.reason = kept(note.action);
    out.message = to.keep(shortened(note.message));
    out.partition = kept(note.partition);
    out.application = kept(note.application);
    out.queue = kept(note.queue);
    out.node = kept(note.node);
    audits.erase(audits.begin());
  }
}

// What lies before the id: audits, and between them what was lost.
void event_hub::impl::catch_up(record_batch &to, uint64_t before) {
  while (expected < before) {
    add_audits(to, before);
    if (expected >= before) return;
    uint64_t next = before;
    {
      const std::lock_guard lock(audit_mutex);
      if (!audits.empty()) next = std::min(next, audits.begin()->first);
    }
    if (next <= expected) continue;  // an audit that came meanwhile
    add_loss(to, expected, next - 1, options.run, last_ns, "they came faster than records could be made");
    expected = next;
  }
}

size_t event_hub::impl::collect(record_batch &to) {
  const uint64_t lost_through = producer.lost_through();
  const size_t facts = producer.queue().pop(facts_of_a_batch, [&](const queued_fact &one) {
    catch_up(to, one.first_id);
    last_ns = one.what.now_ms * 1'000'000;
    add_records(to, one, options.run);
    expected = one.first_id + record_count(one.what);
  });
  if (facts < facts_of_a_batch && lost_through >= expected) catch_up(to, lost_through + 1);
  add_audits(to, UINT64_MAX);
  return facts;
}

void event_hub::impl::publish(const std::shared_ptr<record_batch> &batch) {
  for (const auto &sink : sinks) sink->take(batch);
  followers.publish(batch);
  published.store(batch->records().back().last_id, std::memory_order_release);
  published.notify_all();
}

void event_hub::impl::work() {
  const host::role_guard role(host::thread_role::io);
  pthread_setname_np(pthread_self(), "tenon-events");
  for (;;) {
    const bool last = stopping.load(std::memory_order_acquire);
    auto batch = std::make_shared<record_batch>();
    const size_t facts = collect(*batch);
    const bool some = !batch->empty();
    if (some) publish(batch);
    if (facts == facts_of_a_batch) continue;
    if (some && !last) {
      std::this_thread::sleep_for(nap);
      continue;
    }
    if (some) continue;
    if (last) return;
    producer.sleep([&] {
      return stopping.load(std::memory_order_acquire) || producer.queue().used() != 0 ||
             producer.lost_through() >= expected || [&] {
               const std::lock_guard lock(audit_mutex);
               return !audits.empty() && audits.begin()->first == expected;
             }();
    });
  }
}

sink_runner *event_hub::impl::answering() const {
  for (const auto &sink : sinks) {
    if (sink->answers()) return sink.get();
  }
  return nullptr;
}

result<std::unique_ptr<event_hub>> event_hub::start(std::vector<host::listed_module> sinks, hub_options options) {
  auto state = std::make_unique<impl>(std::move(options));
  for (host::listed_module &one : sinks) {
    auto made = one.make();
    if (!made) return made.why();
    state->sinks.push_back(std::make_unique<sink_runner>(std::move(one), std::move(*made), state->options));
  }
  state->thread = std::thread([it = state.get()] { it->work(); });
  return std::unique_ptr<event_hub>(new event_hub(std::move(state)));
}

event_hub::event_hub(std::unique_ptr<impl> state) : impl_(std::move(state)) {}

event_hub::~event_hub() {
  impl_->stopping.store(true, std::memory_order_release);
  impl_->producer.wake();
  impl_->thread.join();
  const auto until = std::chrono::steady_clock::now() + impl_->options.drain;
  for (const auto &sink : impl_->sinks) sink->wait_for(impl_->published.load(), until);
  impl_->followers.end();
}

fact_listener &event_hub::listener() { return impl_->producer; }
const std::string &event_hub::run() const { return impl_->options.run; }

void event_hub::audit(const audit_note &note, int64_t now_ms) {
  {
    const std::lock_guard lock(impl_->audit_mutex);
    impl_->audits.emplace(impl_->producer.next_id(), std::pair(note, now_ms));
  }
  impl_->producer.wake();
}

tenon_status event_hub::query(const tenon_event_query_in &wanted, tenon_event_query_out &out) {
  sink_runner *sink = impl_->answering();
  return sink == nullptr ? TENON_UNSUPPORTED : sink->query(wanted, out);
}

tenon_status event_hub::range(tenon_events_range_out &out) {
  sink_runner *sink = impl_->answering();
  if (sink == nullptr) return TENON_UNSUPPORTED;
  const std::string &name = run();
  out.run = {name.data(), name.size()};
  out.highest_id = sink->status().acknowledged;
  out.lowest_id = out.highest_id + 1;
  tenon_event_query_in first{};
  first.size = sizeof first;
  first.run = out.run;
  first.limit = 1;
  char buffer[256];
  tenon_message message{sizeof message, sizeof buffer, buffer, 0};
  const auto take = [](void *taker, const tenon_event_record *record) -> tenon_status {
    *static_cast<uint64_t *>(taker) = record->id;
    return TENON_OK;
  };
  tenon_event_query_out answer{sizeof answer, 0, take, &out.lowest_id, 0, &message};
  return sink->query(first, answer);
}

tenon_status event_hub::subscribe(const tenon_events_subscribe_in &in, tenon_events_subscribe_out &out) {
  out.subscription = impl_->followers.add(in);
  return out.subscription == 0 ? TENON_EXHAUSTED : TENON_OK;
}

// The newest `history` records from before the subscription, to be given before anything else.
tenon_status event_hub::impl::give_history(subscriptions::subscriber &to, tenon_events_take_out &out) {
  const uint64_t wanted = std::exchange(to.history, 0);
  sink_runner *sink = answering();
  if (wanted == 0 || sink == nullptr || to.first_live == 1) return TENON_OK;
  sink->wait_for(to.first_live - 1, std::chrono::steady_clock::now() + 2s);
  struct newest {
    uint64_t most;
    std::deque<std::shared_ptr<record_batch>> kept;
  } found{wanted, {}};
  tenon_event_query_in question{};
  question.size = sizeof question;
  question.types = to.types;
  question.run = {options.run.data(), options.run.size()};
  question.last_id = to.first_live - 1;
  if (to.types == 0 && to.first_live > wanted) question.first_id = to.first_live - wanted;
  const auto keep = [](void *taker, const tenon_event_record *record) -> tenon_status {
    auto &into = *static_cast<newest *>(taker);
    into.kept.push_back(std::make_shared<record_batch>());
    into.kept.back()->add_copy(*record);
    if (into.kept.size() > into.most) into.kept.pop_front();
    return TENON_OK;
  };
  char buffer[256];
  tenon_message message{sizeof message, sizeof buffer, buffer, 0};
  tenon_event_query_out answer{sizeof answer, 0, keep, &found, 0, &message};
  (void)sink->query(question, answer);
  for (const auto &one : found.kept) {
    if (const tenon_status status = out.take(out.taker, &one->records().front()); status != TENON_OK) return status;
  }
  return TENON_OK;
}

tenon_status event_hub::take(const tenon_events_take_in &in, tenon_events_take_out &out) {
  const subscriptions::handle from = impl_->followers.find(in.subscription);
  if (from == nullptr) return TENON_DECLINED;
  const bool first = from->history != 0;
  if (first && impl_->give_history(*from, out) != TENON_OK) return TENON_OK;
  std::deque<subscriptions::followed> records;
  const uint64_t limit = in.limit == 0 ? UINT64_MAX : in.limit;
  const bool open =
      impl_->followers.take(*from, limit, std::chrono::milliseconds(first ? 0 : in.wait_ms), records, out.lost);
  for (const subscriptions::followed &one : records) {
    if (out.take(out.taker, one.record) != TENON_OK) break;
  }
  return open ? TENON_OK : TENON_RETRY;
}

tenon_status event_hub::unsubscribe(tenon_event_subscription subscription) {
  return impl_->followers.remove(subscription) ? TENON_OK : TENON_DECLINED;
}

bool event_hub::wait_for(uint64_t id, std::chrono::steady_clock::time_point until,
                         const std::atomic<bool> &given_up) const {
  const sink_runner *sink = impl_->answering();
  return sink != nullptr && sink->wait_for(id, until, given_up);
}

void event_hub::wake_waiting() const {
  if (const sink_runner *sink = impl_->answering()) sink->wake_waiting();
}

bool event_hub::flush(std::chrono::milliseconds at_most) {
  const auto until = std::chrono::steady_clock::now() + at_most;
  const uint64_t told = impl_->producer.told();
  while (impl_->published.load(std::memory_order_acquire) < told) {
    if (std::chrono::steady_clock::now() >= until) return false;
    impl_->producer.wake();
    std::this_thread::sleep_for(1ms);
  }
  bool all = true;
  for (const auto &sink : impl_->sinks) {
    if (sink->status().now != sink_status::state::stopped) all &= sink->wait_for(told, until);
  }
  return all;
}

hub_counters event_hub::counters() const {
  hub_counters out;
  out.created = impl_->producer.told();
  out.lost = impl_->producer.lost();
  out.published = impl_->published.load();
  out.input_used = impl_->producer.queue().used();
  out.subscriptions = impl_->followers.count();
  out.lost_by_subscribers = impl_->followers.lost();
  for (const auto &sink : impl_->sinks) out.sinks.push_back(sink->status());
  return out;
}

std::vector<std::string> event_hub::warnings() const {
  std::vector<std::string> out;
  for (const sink_status &sink : counters().sinks) {
    if (sink.now == sink_status::state::working) continue;
    const bool stopped = sink.now == sink_status::state::stopped;
    out.push_back("event sink " + sink.module + (stopped ? " is stopped: " : " cannot take records: ") + sink.message +
                  " (" + std::to_string(sink.lost) + " records lost)");
  }
  return out;
}

}  // namespace tenon::events
