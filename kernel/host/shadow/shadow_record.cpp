// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "shadow/shadow_record.hpp"

#include <spdlog/spdlog.h>

#include <utility>

namespace tenon::host {
namespace {

constexpr size_t most_kept = 8;

std::string words_of(const call_shadow_status &who) {
  return who.shadow + " " + who.shadow_version + ", shadow of " + who.kind + " '" + who.name + "' of " + who.module;
}

}  // namespace

std::string words_of(const shadow_difference &one) {
  std::string out(shadow_difference_names[static_cast<size_t>(one.kind)]);
  out += " of ";
  for (size_t i = 0; i < one.objects.size(); ++i) out += (i == 0 ? "" : " and ") + one.objects[i];
  if (!one.of.empty()) out += " (" + one.of + ")";
  return out + ": " + one.first + "; the shadow: " + one.shadow;
}

shadow_record::shadow_record(call_shadow_status about, uint64_t most_faults, std::shared_ptr<spdlog::logger> log)
    : most_faults_(most_faults), log_(std::move(log)), about_(std::move(about)) {}

void shadow_record::start() {
  const std::scoped_lock lock(mutex_);
  faults_since_start_ = 0;
  about_.off.clear();
  off_.store(false, std::memory_order_relaxed);
}

void shadow_record::switch_off(const std::string &why) {
  const std::scoped_lock lock(mutex_);
  if (off_.exchange(true, std::memory_order_relaxed)) return;
  about_.off = why;
  log_->warn("{}: is switched off: {}", words_of(about_), why);
}

void shadow_record::asked(uint64_t items, uint64_t spent_ns) {
  calls_.fetch_add(1, std::memory_order_relaxed);
  items_.fetch_add(items, std::memory_order_relaxed);
  spent_ns_.fetch_add(spent_ns, std::memory_order_relaxed);
}

void shadow_record::fault(const std::string &why) {
  faults_.fetch_add(1, std::memory_order_relaxed);
  uint64_t so_far = 0;
  {
    const std::scoped_lock lock(mutex_);
    about_.last_fault = why;
    so_far = ++faults_since_start_;
    log_->warn("{}: {}; no decision depends on it", words_of(about_), why);
  }
  if (so_far >= most_faults_) switch_off(std::to_string(so_far) + " faults, the last one: " + why);
}

void shadow_record::keep(shadow_difference one) {
  const std::scoped_lock lock(mutex_);
  if (about_.first_differences.size() >= most_kept) return;
  if (about_.first_differences.empty()) log_->warn("{}: differs first: {}", words_of(about_), words_of(one));
  about_.first_differences.push_back(std::move(one));
  if (about_.first_differences.size() == most_kept) is_full_.store(true, std::memory_order_relaxed);
}

call_shadow_status shadow_record::status() const {
  const std::scoped_lock lock(mutex_);
  call_shadow_status out = about_;
  out.calls = calls_.load(std::memory_order_relaxed);
  out.items = items_.load(std::memory_order_relaxed);
  out.skipped = skipped_.load(std::memory_order_relaxed);
  out.faults = faults_.load(std::memory_order_relaxed);
  out.spent_ns = spent_ns_.load(std::memory_order_relaxed);
  out.forgotten = forgotten_.load(std::memory_order_relaxed);
  for (size_t i = 0; i < differences_.size(); ++i) out.differences[i] = differences_[i].load(std::memory_order_relaxed);
  return out;
}

}  // namespace tenon::host
