// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What the keys of each built-in policy cost: one item alone, as after an allocation, and many at once.
#include <benchmark/benchmark.h>

#include <random>

#include "tenon/testing/builtin.hpp"

namespace tenon {
namespace {

using testing::policy_table;

// Items with every column that a built-in sort policy reads.
policy_table items(uint32_t count) {
  std::mt19937_64 random(3);
  std::vector<policy_table::amounts> total, part;
  std::vector<int64_t> numbers, states;
  for (uint32_t i = 0; i < count; ++i) {
    total.push_back({{"vcore", 64'000}, {"memory", int64_t{256} << 30}, {"pods", 110}, {"gpu", 8}});
    part.push_back(
        {{"vcore", random() % 64'000}, {"memory", random() % (int64_t{256} << 30)}, {"pods", random() % 110}});
    numbers.push_back(static_cast<int64_t>(random() % 1000));
    states.push_back(TENON_APP_RUNNING);
  }
  policy_table out({"vcore", "memory", "pods", "gpu"});
  for (const char *id : {"node.total", "queue.guaranteed", "queue.fair_max"}) out.resources(id, total);
  for (const char *id : {"node.free", "queue.allocated", "app.allocated", "app.pending"}) out.resources(id, part);
  for (const char *id : {"queue.priority", "app.priority", "app.submitted_ms"}) out.numbers(id, numbers);
  out.numbers("app.state", states).numbers("app.starts_next", states).numbers("parent.priority_sort", {1});
  return out;
}

void keys(benchmark::State &state, module_kind kind, const char *name) {
  const auto policy = testing::bound(kind, name);
  const auto count = static_cast<uint32_t>(state.range(0));
  const policy_table table = items(count);
  const auto all = table.all();
  const auto columns = table.columns_of(*policy);
  const tenon_batch batch = table.batch_of(all, columns);
  std::vector<uint64_t> words(size_t{count} * policy->key_words);
  std::vector<int64_t> not_before_ms(count, INT64_MIN), valid_until_ms(count, INT64_MAX);
  tenon_keys_out out{sizeof out, policy->key_words, words.data(), not_before_ms.data(), valid_until_ms.data()};
  for (auto round : state) {
    if (policy->sort->keys(policy->instance, &batch, &out) != TENON_OK) state.SkipWithError("keys failed");
    benchmark::DoNotOptimize(words.data());
  }
  state.SetItemsProcessed(state.iterations() * count);
}

BENCHMARK_CAPTURE(keys, node_fair, module_kind::node_sort, "fair")->Arg(1)->Arg(10'000);
BENCHMARK_CAPTURE(keys, node_binpacking, module_kind::node_sort, "binpacking")->Arg(1)->Arg(10'000);
BENCHMARK_CAPTURE(keys, queue_fair, module_kind::queue_sort, "fair")->Arg(1)->Arg(10'000);
BENCHMARK_CAPTURE(keys, queue_priority, module_kind::queue_sort, "priority")->Arg(1)->Arg(10'000);
BENCHMARK_CAPTURE(keys, app_fifo, module_kind::app_sort, "fifo")->Arg(1)->Arg(10'000);
BENCHMARK_CAPTURE(keys, app_fair, module_kind::app_sort, "fair")->Arg(1)->Arg(10'000);
BENCHMARK_CAPTURE(keys, app_stateaware, module_kind::app_sort, "stateaware")->Arg(1)->Arg(10'000);

}  // namespace
}  // namespace tenon

BENCHMARK_MAIN();
