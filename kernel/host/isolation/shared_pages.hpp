// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What the host and a process that holds a module share: two regions of memory, a page at the head of each, and how
// one call goes through them.
//
//   host                                         process
//   ----                                         -------
//   writes columns, output presets, the page
//   request.number = n, wakes it            ->   calls the slot on what lies there
//                                           <-   answer.number = n, rings answer_bell
//   reads outputs, checks them
//
// A slot that may look something up while it runs asks the host back, which waits for it anyway:
//
//   answers the question                 <-   answer.question = k, rings answer_bell
//   request.reply = k, wakes it           ->  the slot goes on
//
// The host writes the region of requests, which the process cannot: it is sealed. Both write that of answers, and what
// the host reads there it trusts no more than anything else that a module says.
//
// Nothing that the process does to what is shared can make the host wait: the host wakes it by a futex, and learns of
// the answer bell by an epoll of its own, edge by edge. It never reads or writes a file that the process has, too.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace tenon::host::isolation {

// Descriptors of the process.
inline constexpr int request_memory_fd = 3, answer_memory_fd = 4, answer_bell_fd = 5,
                     lifeline_fd = 6;  // hangs up when the host is gone

// Address space, not memory: behind what a call ever needed there is none, and a process that looks there ends.
// 200,000 nodes with their attributes fit.
inline constexpr size_t request_bytes = size_t{4} << 30, answer_bytes = size_t{1} << 29;
inline constexpr size_t page_bytes = 4096;
// Behind the page of answers: lines for the host's log.
inline constexpr size_t log_bytes = 64 << 10;
// Behind them: the path of the queue that is asked about.
inline constexpr size_t question_room = page_bytes + log_bytes, question_bytes = 64 << 10;
inline constexpr size_t answer_room = question_room + question_bytes;  // where outputs begin
// At most in an answer in bytes: what a module is; and in what a query finds.
inline constexpr size_t reply_bytes = size_t{16} << 20, query_bytes = size_t{64} << 20;

enum class call_kind : uint32_t {
  open = 1,
  create,
  keys,
  score,
  prepare,
  filter,
  signature,
  filter_prefix,
  place,
  resolve,
  emit,
  query,
  end
};

// What a placement rule may ask while it runs: tenon_queue_tree's find.
struct queue_answer {
  int32_t status;
  uint32_t exists, leaf, state;
};

struct request_page {
  alignas(64) std::atomic<uint64_t> number;  // of the request; each is answered once
  uint32_t what;                             // call_kind
  uint32_t reserved;
  uint64_t input;                           // of a slot: address in the process; else bytes that lie behind this page
  uint64_t output;                          // of a slot: address in the process
  alignas(64) std::atomic<uint32_t> waits;  // the host sleeps until answer_bell rings
  std::atomic<uint64_t> reply;              // of the question that is answered
  queue_answer answer;
  alignas(64) std::atomic<uint32_t> wakes;  // the process sleeps on it
};

struct answer_page {
  alignas(64) std::atomic<uint64_t> number;  // of the request that is answered
  int32_t status;                            // of the slot
  uint32_t log_used;                         // bytes of lines
  uint64_t length;                           // of an answer in bytes, at answer_room
  alignas(64) std::atomic<uint32_t> waits;   // the process sleeps until it is woken
  // Where the process has mapped the two regions.
  uint64_t request_base, answer_base;
  std::atomic<uint64_t> question;  // of this process, from 1; the path is at question_room
  uint64_t question_length, question_world;
};

static_assert(sizeof(request_page) <= page_bytes && sizeof(answer_page) <= page_bytes);
static_assert(std::atomic<uint64_t>::is_always_lock_free && std::atomic<uint32_t>::is_always_lock_free);

// What confines the process, as bits. The rest of a process's report of it is the version of landlock.
inline constexpr uint32_t in_force_limits = 1, in_force_memory = 2, in_force_seccomp = 4, in_force_landlock = 8;
constexpr bool is_whole_sandbox(uint32_t in_force) {
  constexpr uint32_t whole = in_force_limits | in_force_seccomp | in_force_landlock;
  return (in_force & whole) == whole;
}

// Slots that an instance has.
inline constexpr uint32_t has_keys = 1, has_score = 2, has_prepare = 4, has_filter = 8, has_signature = 16,
                          has_filter_prefix = 32, has_place = 64, has_resolve = 128, has_emit = 256, has_query = 512;

// How far create came.
enum class create_stage : uint32_t { create = 1, init, activate, active };

}  // namespace tenon::host::isolation
