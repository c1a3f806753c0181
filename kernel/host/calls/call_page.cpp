// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "calls/call_page.hpp"

#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <mutex>

namespace tenon::host {
namespace {

// Another one for another layout.
constexpr std::string_view layout = "tenon calls 2";

int64_t now_ms() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return int64_t{now.tv_sec} * 1'000 + now.tv_nsec / 1'000'000;
}

template <size_t Size>
void put(char (&to)[Size], std::string_view text) {
  const size_t length = std::min(text.size(), Size - 1);
  std::memcpy(to, text.data(), length);
  to[length] = '\0';
}

// Whoever wrote it, it ends.
template <size_t Size>
std::string_view text_in(const char (&from)[Size]) {
  return {from, ::strnlen(from, Size)};
}

}  // namespace

std::atomic<call_page *> call_page::of_process_{nullptr};

void call_page::begin(std::string_view folder, std::string_view boot) {
  put(made_by_, layout);
  put(boot_, boot);
  put(folder_, folder.size() < sizeof folder_ ? folder : std::string_view());
  process_ = ::getpid();
  alive_ms_ = now_ms();
  state_.store(life::runs, std::memory_order_release);
}

bool call_page::is_of_a_lost_process(std::string_view boot) const {
  return text_in(made_by_) == layout && state() == life::runs && text_in(boot_) == boot;
}

std::string_view call_page::folder() const { return text_in(folder_); }

uint32_t call_page::entry_of(const call_subject &subject) {
  static std::mutex one_at_a_time;
  const std::scoped_lock lock(one_at_a_time);
  call_page *page = of_process();
  return page == nullptr ? 0 : page->kept_entry(subject);
}

uint32_t call_page::kept_entry(const call_subject &subject) {
  const auto is = [&](const entry &one) {
    return text_in(one.key) == subject.key && text_in(one.interface) == subject.interface &&
           text_in(one.name) == subject.name;
  };
  const uint32_t count = entry_count_.load(std::memory_order_relaxed);
  for (uint32_t i = 1; i <= count; ++i)
    if (is(entries_[i])) return i;
  if (count + 1 == entries_.size() || subject.key.size() >= sizeof entry::key) return 0;
  entry &added = entries_[count + 1];
  put(added.module, subject.module);
  put(added.version, subject.version);
  put(added.digest, subject.digest);
  put(added.key, subject.key);
  put(added.interface, subject.interface);
  put(added.name, subject.name);
  added.first_of_key = count + 1;
  for (uint32_t i = count; i >= 1; --i)
    if (text_in(entries_[i].key) == subject.key) added.first_of_key = i;
  entry_count_.store(count + 1, std::memory_order_release);
  return count + 1;
}

call_page::line *call_page::line_of(const call_place &place) {
  return place.index() < lines_.size() ? &lines_[place.index()] : nullptr;
}

void call_page::enter(line &at, uint32_t of, const char *slot, uint32_t items, int64_t thread) {
  entry &trial = entries_[entries_[of].first_of_key];
  trial.calls.fetch_add(1, std::memory_order_relaxed);
  if (int64_t none = 0; trial.since_ms.load(std::memory_order_relaxed) == 0)
    trial.since_ms.compare_exchange_strong(none, now_ms(), std::memory_order_relaxed);
  at.of.store(0, std::memory_order_release);  // who looks now sees no call rather than half of one
  put(at.slot, slot);
  at.items.store(items, std::memory_order_relaxed);
  at.role.store(static_cast<uint32_t>(current_role()), std::memory_order_relaxed);
  at.thread.store(thread, std::memory_order_relaxed);
  at.of.store(of, std::memory_order_release);
}

void call_page::restart_trial(uint32_t of) {
  entry &trial = entries_[entries_[of].first_of_key];
  trial.calls.store(1, std::memory_order_relaxed);
  trial.since_ms.store(now_ms(), std::memory_order_relaxed);
}

void call_page::show_alive(std::chrono::milliseconds most_silence) {
  alive_ms_.store(now_ms(), std::memory_order_relaxed);
  most_silence_ms_.store(most_silence.count(), std::memory_order_relaxed);
}

const call_page::line *call_page::suspect(int64_t thread) const {
  const line *only = nullptr, *only_on_trial = nullptr;
  size_t calls = 0, on_trial = 0;
  for (const line &one : lines_) {
    const uint32_t of = one.of.load(std::memory_order_acquire);
    if (of == 0 || of >= entries_.size()) continue;
    if (thread != 0) {
      if (one.thread.load(std::memory_order_relaxed) == thread) return &one;
      continue;
    }
    only = &one;
    ++calls;
    if (!is_on_trial(one)) continue;
    only_on_trial = &one;
    ++on_trial;
  }
  return calls == 1 ? only : on_trial == 1 ? only_on_trial : nullptr;
}

bool call_page::is_on_trial(const line &at) const { return is_on_trial(of(at).first_of_key); }

bool call_page::is_on_trial(uint32_t of) const {
  if (of == 0 || of >= entries_.size() || entries_[of].first_of_key != of) return false;
  const uint64_t calls = entries_[of].calls.load(std::memory_order_relaxed);
  return calls != 0 && (calls < calls_of_trial || alive_ms() - entries_[of].since_ms.load() < trial_ms);
}

uint32_t call_page::entry_count() const {
  return std::min<uint32_t>(entry_count_.load(std::memory_order_acquire), entries_.size() - 1);
}

recorded_call call_page::recorded(const entry &one) const {
  recorded_call out;
  out.module = text_in(one.module);
  out.version = text_in(one.version);
  out.digest = text_in(one.digest);
  out.key = text_in(one.key);
  out.interface = text_in(one.interface);
  out.name = text_in(one.name);
  out.process = process();
  return out;
}

recorded_call call_page::recorded(uint32_t of) const {
  recorded_call out = recorded(entries_[std::min<size_t>(of, entries_.size() - 1)]);
  out.slot = "no call that could be meant";
  return out;
}

recorded_call call_page::recorded(const line &at) const {
  recorded_call out = recorded(of(at));
  out.slot = text_in(at.slot);
  out.items = at.items.load(std::memory_order_relaxed);
  const uint32_t role = at.role.load(std::memory_order_relaxed);
  out.role = role > static_cast<uint32_t>(thread_role::other) ? thread_role::other : static_cast<thread_role>(role);
  out.thread = at.thread.load(std::memory_order_relaxed);
  return out;
}

call_on_page::call_on_page(uint32_t entry, const char *slot, uint32_t items) {
  call_page *page = entry == 0 ? nullptr : call_page::of_process();
  if (page == nullptr) return;
  const call_place &place = call_place::of_this_thread();
  line_ = page->line_of(place);
  if (line_ == nullptr) return;
  outer_ = line_->of.load(std::memory_order_relaxed);
  outer_items_ = line_->items.load(std::memory_order_relaxed);
  if (outer_ != 0) std::copy(std::begin(line_->slot), std::end(line_->slot), outer_slot_);
  page->enter(*line_, entry, slot, items, place.thread());
}

call_on_page::~call_on_page() {
  if (line_ == nullptr) return;
  line_->of.store(0, std::memory_order_release);
  if (outer_ == 0) return;
  std::copy(std::begin(outer_slot_), std::end(outer_slot_), line_->slot);
  line_->items.store(outer_items_, std::memory_order_relaxed);
  line_->of.store(outer_, std::memory_order_release);
}

}  // namespace tenon::host
