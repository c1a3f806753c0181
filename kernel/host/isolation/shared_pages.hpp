// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What the host and a process that holds a module share: two regions of memory, a page at the head of each, and how
// one call goes through them.
//
//   host                                         process
//   ----                                         -------
//   writes columns, output presets, the page
//   request.number = n, rings request_bell  ->   calls the slot on what lies there
//                                           <-   answer.number = n, rings answer_bell
//   reads outputs, checks them
//
// The host writes the region of requests, which the process cannot: it is sealed. Both write that of answers, and what
// the host reads there it trusts no more than anything else that a module says.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace tenon::host::isolation {

// Descriptors of the process.
inline constexpr int request_memory_fd = 3, answer_memory_fd = 4, request_bell_fd = 5, answer_bell_fd = 6,
                     lifeline_fd = 7;  // hangs up when the host is gone

// Address space, not memory: a page costs nothing before it is written. 200,000 nodes with their attributes fit.
inline constexpr size_t request_bytes = size_t{4} << 30, answer_bytes = size_t{1} << 29;
inline constexpr size_t page_bytes = 4096;
// Behind the page of answers: lines for the host's log.
inline constexpr size_t log_bytes = 64 << 10;
inline constexpr size_t answer_room = page_bytes + log_bytes;  // where outputs begin

enum class call_kind : uint32_t { open = 1, create, keys, score, prepare, filter, signature, filter_prefix, end };

struct request_page {
  alignas(64) std::atomic<uint64_t> number;  // of the request; each is answered once
  uint32_t what;                             // call_kind
  uint32_t reserved;
  uint64_t input;                           // of a slot: address in the process; else bytes that lie behind this page
  uint64_t output;                          // of a slot: address in the process
  alignas(64) std::atomic<uint32_t> waits;  // the host sleeps until answer_bell rings
};

struct answer_page {
  alignas(64) std::atomic<uint64_t> number;  // of the request that is answered
  int32_t status;                            // of the slot
  uint32_t log_used;                         // bytes of lines
  uint64_t length;                           // of an answer in bytes, at answer_room
  alignas(64) std::atomic<uint32_t> waits;   // the process sleeps until request_bell rings
  // Where the process has mapped the two regions.
  uint64_t request_base, answer_base;
};

static_assert(sizeof(request_page) <= page_bytes && sizeof(answer_page) <= page_bytes);
static_assert(std::atomic<uint64_t>::is_always_lock_free && std::atomic<uint32_t>::is_always_lock_free);

// What confines the process, as bits. The rest of a process's report of it is the version of landlock.
inline constexpr uint32_t in_force_limits = 1, in_force_memory = 2, in_force_seccomp = 4, in_force_landlock = 8;

// Slots that an instance has.
inline constexpr uint32_t has_keys = 1, has_score = 2, has_prepare = 4, has_filter = 8, has_signature = 16,
                          has_filter_prefix = 32;

// How far create came.
enum class create_stage : uint32_t { create = 1, init, activate, active };

}  // namespace tenon::host::isolation
