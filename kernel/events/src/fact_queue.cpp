// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "fact_queue.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

namespace tenon::events {
namespace {

// Longer texts are cut: names are shorter, and messages are cut anyway.
constexpr size_t longest_text = 4096;
constexpr size_t text_count = 11;
// Instead of a size: nothing more before the end of the ring.
constexpr uint32_t gap = UINT32_MAX;

struct header {
  uint32_t size;  // with all that follows, a multiple of 8
  uint8_t kind, why, state, flag;
  uint64_t first_id, allocation_sequence;
  int64_t now_ms;
  uint16_t lengths[text_count];
  uint8_t amount_count, available_count;
  uint8_t has_amounts, has_available;
  uint8_t padding[6];
};
static_assert(sizeof(header) % 8 == 0);

template <class Fact, class F>
void for_each_text(Fact &what, F &&f) {
  size_t i = 0;
  for (auto *text : {&what.partition, &what.application, &what.key, &what.node, &what.queue, &what.user, &what.group,
                     &what.text, &what.other_key, &what.other_application, &what.other_queue})
    f(i++, *text);
}

// The names of types have at most 255 bytes here.
size_t amounts_size(const fact &what, const resources *amounts, uint8_t &count) {
  size_t bytes = 0;
  count = 0;
  if (amounts == nullptr) return bytes;
  for_each_type(*amounts, [&](type_index t, int64_t) {
    ++count;
    bytes += sizeof(int64_t) + 1 + std::min<size_t>(what.types->name(t).size(), 255);
  });
  return bytes;
}

char *write_amounts(char *at, const fact &what, const resources *amounts) {
  if (amounts == nullptr) return at;
  for_each_type(*amounts, [&](type_index t, int64_t amount) {
    const std::string_view name = what.types->name(t).substr(0, 255);
    std::memcpy(at, &amount, sizeof amount);
    at += sizeof amount;
    *at++ = static_cast<char>(name.size());
    std::memcpy(at, name.data(), name.size());
    at += name.size();
  });
  return at;
}

const char *skip(const queued_amounts &amounts, const char *at) {
  amounts.for_each([&](std::string_view type, int64_t) { at = type.data() + type.size(); });
  return at;
}

}  // namespace

fact_queue::fact_queue(size_t bytes)
    : room_(new char[std::bit_ceil(std::max<size_t>(bytes, 65'536))]),
      mask_(std::bit_ceil(std::max<size_t>(bytes, 65'536)) - 1) {}

bool fact_queue::push(const fact &what, uint64_t first_id) {
  header h{};
  size_t size = sizeof h;
  for_each_text(what, [&](size_t i, std::string_view text) {
    h.lengths[i] = static_cast<uint16_t>(std::min(text.size(), longest_text));
    size += h.lengths[i];
  });
  size += amounts_size(what, what.amounts, h.amount_count) + amounts_size(what, what.available, h.available_count);
  size = (size + 7) & ~size_t{7};
  const uint64_t head = head_.load(std::memory_order_relaxed);
  const size_t at = head & mask_, to_end = capacity() - at;
  const size_t wanted = size <= to_end ? size : to_end + size;
  if (head + wanted - known_tail_ > capacity()) {
    known_tail_ = tail_.load(std::memory_order_acquire);
    if (head + wanted - known_tail_ > capacity()) return false;
  }
  char *start = room_.get() + at;
  if (size > to_end) {
    std::memcpy(start, &gap, sizeof gap);
    start = room_.get();
  }
  h.size = static_cast<uint32_t>(size);
  h.kind = static_cast<uint8_t>(what.kind);
  h.why = static_cast<uint8_t>(what.why);
  h.state = static_cast<uint8_t>(what.state);
  h.flag = what.flag ? 1 : 0;
  h.first_id = first_id;
  h.allocation_sequence = what.allocation_sequence;
  h.now_ms = what.now_ms;
  h.has_amounts = what.amounts != nullptr ? 1 : 0;
  h.has_available = what.available != nullptr ? 1 : 0;
  std::memcpy(start, &h, sizeof h);
  char *to = start + sizeof h;
  for_each_text(what, [&](size_t i, std::string_view text) { to = std::copy_n(text.data(), h.lengths[i], to); });
  write_amounts(write_amounts(to, what, what.amounts), what, what.available);
  head_.store(head + wanted, std::memory_order_release);
  return true;
}

const char *fact_queue::next(uint64_t &tail) const {
  const uint64_t head = head_.load(std::memory_order_acquire);
  if (tail == head) return nullptr;
  const char *at = room_.get() + (tail & mask_);
  uint32_t size = 0;
  std::memcpy(&size, at, sizeof size);
  if (size != gap) return at;
  tail += capacity() - (tail & mask_);
  return room_.get();
}

queued_fact fact_queue::decode(const char *at) {
  header h;
  std::memcpy(&h, at, sizeof h);
  queued_fact out;
  out.first_id = h.first_id;
  out.what.kind = static_cast<fact_kind>(h.kind);
  out.what.why = static_cast<termination>(h.why);
  out.what.state = static_cast<application_state>(h.state);
  out.what.flag = h.flag != 0;
  out.what.allocation_sequence = h.allocation_sequence;
  out.what.now_ms = h.now_ms;
  at += sizeof h;
  for_each_text(out.what, [&](size_t i, std::string_view &text) {
    text = {at, h.lengths[i]};
    at += h.lengths[i];
  });
  if (h.has_amounts != 0) out.amounts = {at, h.amount_count};
  at = skip(out.amounts, at);
  if (h.has_available != 0) out.available = {at, h.available_count};
  return out;
}

}  // namespace tenon::events
