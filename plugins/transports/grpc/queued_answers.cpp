// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "queued_answers.hpp"

#include <algorithm>
#include <cstring>

#include "tenon/abi/rm_answers.h"
#include "tenon/sdk/error.hpp"

namespace tenon::grpc_transport {
namespace {

constexpr size_t frame_bytes = size_t{64} << 10;  // a response is closed above it

// The first dialect has one word for both.
tenon_rm_rejected_ask as_ask(const tenon_rm_message *message) {
  tenon_rm_rejected_ask out{};
  std::memcpy(&out, message, std::min<size_t>(message->size, sizeof out));
  out.size = sizeof out;
  out.type = TENON_RM_REJECTED_ASK;
  return out;
}

// In the first dialect the node's acceptance confirms what was reported with it; an allocation is always a new one.
bool is_unsaid(wire::dialect spoken, const tenon_rm_message *message) {
  if (spoken != wire::dialect::first || message->type != TENON_RM_ALLOCATION) return false;
  const auto *allocation = reinterpret_cast<const tenon_rm_allocation *>(message);
  return TENON_COVERS(allocation, tenon_rm_allocation, recovered) && allocation->recovered != 0;
}

}  // namespace

uint64_t answers::take(wire::dialect spoken, const open_methods &open, const tenon_transport_deliver_in &in,
                       uint64_t &skipped) {
  const auto one = std::make_shared<delivery>();
  one->partition = sdk::view(in.partition);
  uint64_t taken = 0;
  for (; taken < in.message_count; ++taken) {
    const tenon_rm_message *message = in.messages[taken];
    tenon_rm_rejected_ask rejected{};
    if (spoken == wire::dialect::first && message->type == TENON_RM_REJECTED_ALLOCATION) {
      rejected = as_ask(message);
      message = reinterpret_cast<const tenon_rm_message *>(&rejected);
    }
    if (is_unsaid(spoken, message)) continue;
    const place at = place_of(spoken, message->type);
    if (at.method != method_count && queues_[at.method].bytes >= limits_.queue_bytes) break;
    const bool heard = at.method != method_count && (open[at.method] || !stream_methods[at.method].spare);
    if (!heard || !append(at, message, one, in.first_number + taken)) ++skipped;
  }
  if (taken > 0) {
    one->last = in.first_number + taken - 1;
    deliveries_[one->partition].push_back(one);
    if (one->frames == 0) written(method_count, {});
  }
  return taken;
}

bool answers::append(place at, const tenon_rm_message *message, const std::shared_ptr<delivery> &of, uint64_t number) {
  queue &to = queues_[at.method];
  if (to.waiting.empty() || to.waiting.back().bytes.size() >= frame_bytes || to.waiting.back().rank > at.rank) {
    to.waiting.emplace_back().generation = generation_;
  }
  frame &last = to.waiting.back();
  const size_t before = last.bytes.size();
  std::string refusal;
  if (!wire::append(response_of(at.method), message, last.bytes, refusal)) {
    if (last.bytes.empty()) to.waiting.pop_back();
    return false;
  }
  to.bytes += last.bytes.size() - before;
  last.rank = at.rank;
  if (last.of.empty() || last.of.back() != of) {
    last.of.push_back(of);
    ++of->frames;
  }
  if (message->type == TENON_RM_CHECK) {
    if (last.checks.empty() || last.checks.back().first != of->partition) last.checks.emplace_back(of->partition, 0);
    last.checks.back().second = number;
  }
  return true;
}

bool answers::next(size_t method, frame &out) {
  queue &from = queues_[method];
  if (from.waiting.empty()) return false;
  out = std::move(from.waiting.front());
  from.waiting.pop_front();
  out.size = out.bytes.size();
  return true;
}

void answers::written(size_t method, const frame &done) {
  if (method != method_count) {
    if (done.generation != generation_) return;
    queues_[method].bytes -= done.size;
    written_bytes_ += done.size;
  }
  for (const auto &each : done.of) --each->frames;
  const clock::time_point now = clock::now();
  for (auto at = deliveries_.begin(); at != deliveries_.end();) {
    auto &[partition, waiting] = *at;
    uint64_t last = 0;
    while (!waiting.empty() && waiting.front()->frames == 0) {
      last = waiting.front()->last;
      waiting.pop_front();
    }
    if (last) settling_.push_back({partition, last, written_bytes_, now});
    at = waiting.empty() ? deliveries_.erase(at) : std::next(at);
  }
}

acknowledged answers::arrived(clock::time_point now) {
  std::map<std::string, uint64_t, std::less<>> last;
  while (!settling_.empty() && (written_bytes_ - settling_.front().mark >= limits_.settle_bytes ||
                                now - settling_.front().at >= limits_.settle_time)) {
    last[settling_.front().partition] = settling_.front().number;
    settling_.pop_front();
  }
  return {last.begin(), last.end()};
}

void answers::clear() {
  ++generation_;
  queues_ = {};
  deliveries_.clear();
  settling_.clear();
}

}  // namespace tenon::grpc_transport
