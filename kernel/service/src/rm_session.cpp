// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "rm_session.hpp"

#include <algorithm>
#include <cstring>

namespace tenon::service {
namespace {

// FNV-1a by eight bytes, and a mix of its result: nobody but the RM itself can make two of its own names collide, to
// its own harm. The last bytes are filled up with zeros; the length tells those apart that end in some.
uint64_t mixed(std::string_view text, uint64_t seed) {
  constexpr uint64_t odd = 0x9fb21c651e98df25;
  uint64_t h = 14'695'981'039'346'656'037ULL ^ seed ^ text.size();
  const auto add = [&](uint64_t word) {
    h = (h ^ word) * odd;
    h ^= h >> 32;
  };
  for (; text.size() >= sizeof(uint64_t); text.remove_prefix(sizeof(uint64_t))) {
    uint64_t word = 0;
    std::memcpy(&word, text.data(), sizeof word);
    add(word);
  }
  uint64_t rest = 0;
  if (!text.empty()) std::memcpy(&rest, text.data(), text.size());
  add(rest);
  h ^= h >> 33;
  h *= 0xff51afd7ed558ccdULL;
  return h ^ h >> 33;
}

}  // namespace

uuid_hash hash_of(std::string_view text) { return {mixed(text, 0), mixed(text, 0x9e3779b97f4a7c15ULL)}; }

void rm_partition::forget(uint64_t sequence, const uuid_hash &uuid) {
  named.erase(uuid);
  to_confirm.confirmed(sequence);
  const auto given = given_uuids.find(sequence);
  if (given == given_uuids.end()) return;
  named.erase(hash_of(given->second.text));
  named.erase(given->second.scheduler);
  given_uuids.erase(given);
}

rm_session::rm_session(session_identity identity, transport_runner *by, chunk_pool &chunks)
    : who(std::move(identity)), transport(by), chunks_(chunks) {}

void rm_session::put(std::unique_ptr<request_batch> &one) {
  waiting_requests += one->requests.size();
  waiting_bytes += one->bytes;
  const std::lock_guard lock(mailbox_mutex_);
  mailbox_.push_back(std::move(one));
}

void rm_session::take(std::deque<std::unique_ptr<request_batch>> &to) {
  const std::lock_guard lock(mailbox_mutex_);
  for (auto &one : mailbox_) to.push_back(std::move(one));
  mailbox_.clear();
}

answer_queue &rm_session::answer_queue_of(std::string_view plain_name) {
  if (answer_queue *known = find_answer_queue(plain_name)) return *known;
  auto fresh = std::make_unique<answer_queue>(std::string(plain_name), chunks_);
  const std::lock_guard lock(answer_queues_mutex_);
  return *answer_queues_.emplace_back(std::move(fresh));
}

answer_queue *rm_session::find_answer_queue(std::string_view plain_name) const {
  const std::lock_guard lock(answer_queues_mutex_);
  const auto found = std::find_if(answer_queues_.begin(), answer_queues_.end(),
                                  [&](const auto &one) { return one->name() == plain_name; });
  return found == answer_queues_.end() ? nullptr : found->get();
}

uint64_t rm_session::waiting_answers() const {
  uint64_t out = 0;
  each_answer_queue([&](const answer_queue &one) { out += one.waiting(); });
  return out;
}

uint64_t rm_session::taken_answers() const {
  uint64_t out = 0;
  each_answer_queue([&](const answer_queue &one) { out += one.acknowledged(); });
  return out;
}

bool rm_session::has_undelivered() const {
  bool out = false;
  each_answer_queue([&](const answer_queue &one) { out |= one.has_undelivered(); });
  return out;
}

rm_partition *rm_session::find_partition(partition_id id) const {
  const auto found = std::find_if(partitions.begin(), partitions.end(), [&](const auto &one) { return one->id == id; });
  return found == partitions.end() ? nullptr : found->get();
}

rm_partition *rm_session::partition_of(const decision_view &d) const {
  return d.where == partition_id::none ? find_partition(d.partition) : find_partition(d.where);
}

rm_partition *rm_session::find_partition(std::string_view full_name) const {
  const auto found =
      std::find_if(partitions.begin(), partitions.end(), [&](const auto &one) { return one->full_name == full_name; });
  return found == partitions.end() ? nullptr : found->get();
}

std::shared_ptr<rm_session> session_table::find(uint64_t id) const {
  const std::lock_guard lock(mutex_);
  const auto found = sessions_.find(id);
  return found == sessions_.end() ? nullptr : found->second;
}

void session_table::add(std::shared_ptr<rm_session> one) {
  const std::lock_guard lock(mutex_);
  sessions_.emplace(one->who.id, std::move(one));
  ++version_;
}

void session_table::remove(uint64_t id) {
  const std::lock_guard lock(mutex_);
  sessions_.erase(id);
  ++version_;
}

std::vector<std::shared_ptr<rm_session>> session_table::all() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::shared_ptr<rm_session>> out;
  out.reserve(sessions_.size());
  for (const auto &[id, one] : sessions_) out.push_back(one);
  return out;
}

}  // namespace tenon::service
