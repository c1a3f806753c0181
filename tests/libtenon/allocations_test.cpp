// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The port allocates nothing for an ask: malloc is counted on the thread that submits and on the one that is called.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <string>
#include <thread>

#include "requests.hpp"
#include "tenon/rm/tenon.hpp"

extern "C" {
void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);
}

namespace {

thread_local uint64_t allocations = 0;

}  // namespace

extern "C" {
void *malloc(size_t bytes) {
  ++allocations;
  return __libc_malloc(bytes);
}
void *calloc(size_t count, size_t bytes) {
  ++allocations;
  return __libc_calloc(count, bytes);
}
void *realloc(void *old, size_t bytes) {
  ++allocations;
  return __libc_realloc(old, bytes);
}
void *aligned_alloc(size_t alignment, size_t bytes) {
  ++allocations;
  return __libc_memalign(alignment, bytes);
}
}

namespace tenon::rm {
namespace {

constexpr int asks_in_a_batch = 100;
constexpr int warm_batches = 60, counted_batches = 100;

// Ever the same asks, so that they are replaced and the scheduler does not grow.
interface::requests batch_of(int batch) {
  interface::requests out;
  for (int i = 0; i < asks_in_a_batch; ++i)
    out.ask({.key = "ask-" + std::to_string(batch % 10) + "-" + std::to_string(i),
             .resources = {{"memory", 1}, {"vcore", 1}},
             .tags = {{"kubernetes.io/meta/namespace", "a namespace of some length"}}});
  return out;
}

interface::requests cluster() {
  interface::requests out;
  out.application("app-1", "", {{"namespace", "default"}})
      .node("node-1", {{"memory", 1'000'000}, {"vcore", 1'000'000}});
  return out;
}

TEST(Allocations, SubmittedAsksAllocateNothing) {
  scheduler with({.manual = true, .start_ms = 1});
  resource_manager one(with, {.name = "rm-1"}, {});
  one.submit(cluster().messages());
  uint64_t counted = 0;
  for (int batch = 0; batch < warm_batches + counted_batches; ++batch) {
    const interface::requests what = batch_of(batch);
    const uint64_t before = allocations;
    ASSERT_EQ(one.submit(what.messages()), what.size());
    // The wrapper's room for words is one allocation of each call.
    if (batch >= warm_batches) counted += allocations - before;
    with.step(1, 1'000);
  }
  EXPECT_LE(counted, static_cast<uint64_t>(counted_batches)) << "of " << counted_batches * asks_in_a_batch << " asks";
}

TEST(Allocations, DeliveredAnswersAllocateNothing) {
  scheduler with;
  std::atomic<uint64_t> answers{0}, counted{0};
  uint64_t last = 0;
  handlers on;
  on.allocated = [&](const tenon_rm_allocation &) {
    const uint64_t now = allocations;
    // Everything that the delivering thread did since the answer before.
    if (++answers > warm_batches * asks_in_a_batch) counted += now - last;
    last = now;
  };
  resource_manager one(with, {.name = "rm-1"}, std::move(on));
  one.submit(cluster().messages());
  constexpr uint64_t wanted = (warm_batches + counted_batches) * asks_in_a_batch;
  for (int batch = 0; batch < warm_batches + counted_batches; ++batch) {
    interface::requests what;
    for (int i = 0; i < asks_in_a_batch; ++i)
      what.ask({.key = std::to_string(batch * asks_in_a_batch + i), .resources = {{"memory", 1}, {"vcore", 1}}});
    auto left = what.messages();
    while (!left.empty()) {
      left = left.subspan(one.submit(left));
      if (!left.empty()) std::this_thread::yield();
    }
  }
  for (int i = 0; i < 30'000 && answers < wanted; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  ASSERT_EQ(answers, wanted);
  EXPECT_EQ(counted, 0U);
}

}  // namespace
}  // namespace tenon::rm
