// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What one ask costs from its bytes to its struct, and one allocation from its struct to its bytes: by protobuf's
// generated accessors with the message on an arena, and by the codec. `wire-bench`; the time is of one message of 100.
#include <benchmark/benchmark.h>
#include <google/protobuf/arena.h>

#include <algorithm>
#include <memory>
#include <tuple>
#include <utility>
#include <vector>

#include "si/v1/si.pb.h"
#include "tenon/abi/rm_answers.h"
#include "tenon/abi/rm_requests.h"
#include "tenon/wire/codec.hpp"

namespace {

using namespace tenon;

constexpr int parts = 100;

std::string number(int i) { return std::to_string(100'000 + i); }

std::string asks() {
  ::si::v1::UpdateRequest request;
  request.set_rmid("cluster-1");
  for (int i = 0; i < parts; ++i) {
    auto &ask = *request.add_asks();
    ask.set_allocationkey("pod-" + number(i));
    ask.set_applicationid("application-" + number(i % 7));
    ask.set_partitionname("default");
    (*ask.mutable_resourceask()->mutable_resources())["memory"].set_value(1 << 30);
    (*ask.mutable_resourceask()->mutable_resources())["vcore"].set_value(1'000);
    ask.set_maxallocations(1);
    (*ask.mutable_tags())["kubernetes.io/meta/namespace"] = "production";
  }
  return request.SerializeAsString();
}

std::string allocations() {
  ::si::v1::UpdateResponse response;
  for (int i = 0; i < parts; ++i) {
    auto &allocation = *response.add_newallocations();
    allocation.set_allocationkey("pod-" + number(i));
    allocation.set_uuid("0f9a7d1c-4e3b-4f64-9a53-" + number(i) + number(i));
    allocation.set_applicationid("application-" + number(i % 7));
    allocation.set_partitionname("default");
    allocation.set_queuename("root.production");
    allocation.set_nodeid("node-" + number(i));
    (*allocation.mutable_resourceperalloc()->mutable_resources())["memory"].set_value(1 << 30);
    (*allocation.mutable_resourceperalloc()->mutable_resources())["vcore"].set_value(1'000);
  }
  return response.SerializeAsString();
}

void read_by_codec(benchmark::State &state) {
  const std::string bytes = asks();
  const wire::schema &of = wire::schema_of(wire::dialect::first, "UpdateRequest");
  wire::arena arena;
  wire::batch batch;
  std::string refusal;
  for ([[maybe_unused]] auto once : state) {
    arena.clear();
    benchmark::DoNotOptimize(wire::read(of, bytes, arena, batch, refusal));
  }
  state.SetItemsProcessed(state.iterations() * parts);
}

void write_by_codec(benchmark::State &state) {
  const std::string bytes = allocations();
  const wire::schema &of = wire::schema_of(wire::dialect::first, "UpdateResponse");
  wire::arena arena;
  wire::batch batch;
  std::string refusal;
  wire::read(of, bytes, arena, batch, refusal);
  std::string out;
  for ([[maybe_unused]] auto once : state) {
    out.clear();
    for (const tenon_rm_message *message : batch.messages) {
      benchmark::DoNotOptimize(wire::append(of, message, out, refusal));
    }
  }
  state.SetItemsProcessed(state.iterations() * parts);
}

// An arena of protobuf with all the memory that a message of this size needs: nothing is taken from the system again.
class reused_arena {
 public:
  template <class Message>
  Message &fresh() {
    arena_.Reset();
    return *google::protobuf::Arena::CreateMessage<Message>(&arena_);
  }

 private:
  static google::protobuf::ArenaOptions options_of(std::vector<char> &block) {
    google::protobuf::ArenaOptions out;
    out.initial_block = block.data();
    out.initial_block_size = block.size();
    return out;
  }
  std::vector<char> block_ = std::vector<char>(size_t{256} << 10);
  google::protobuf::Arena arena_{options_of(block_)};
};

tenon_text view(const std::string &text) { return {text.data(), text.size()}; }

template <class T>
T *array(wire::arena &into, size_t count) {
  T *out = static_cast<T *>(into.memory().allocate(std::max<size_t>(count, 1) * sizeof(T), alignof(uint64_t)));
  std::uninitialized_value_construct_n(out, count);
  return out;
}

// Of a map, by name.
template <class Value, class Map, class Of>
std::pair<tenon_text *, Value *> sorted(const Map &map, wire::arena &into, Of of) {
  thread_local std::vector<std::pair<tenon_text, Value>> found;
  found.clear();
  for (const auto &[name, value] : map) found.emplace_back(view(name), of(value));
  std::sort(found.begin(), found.end(), [](const auto &a, const auto &b) {
    return std::string_view(a.first.data, a.first.length) < std::string_view(b.first.data, b.first.length);
  });
  const std::pair out(array<tenon_text>(into, found.size()), array<Value>(into, found.size()));
  for (size_t i = 0; i < found.size(); ++i) std::tie(out.first[i], out.second[i]) = found[i];
  return out;
}

tenon_rm_ask ask_of(const ::si::v1::AllocationAsk &sent, wire::arena &into) {
  tenon_rm_ask out{};
  out.size = sizeof out;
  out.type = TENON_RM_ASK;
  out.key = view(sent.allocationkey());
  out.application = view(sent.applicationid());
  out.partition = view(sent.partitionname());
  if (sent.has_resourceask()) {
    const auto &amounts = sent.resourceask().resources();
    const auto [types, values] = sorted<int64_t>(amounts, into, [](const auto &amount) { return amount.value(); });
    out.resources = {types, values, static_cast<uint32_t>(amounts.size()), 1};
  }
  if (sent.has_priority()) out.priority = {TENON_PRIORITY_VALUE, sent.priority().priorityvalue(), {}};
  out.execution_timeout_ms = sent.executiontimeoutmilliseconds();
  const auto [names, values] = sorted<tenon_text>(sent.tags(), into, view);
  out.tags = {names, values, sent.tags().size()};
  out.task_group = view(sent.taskgroupname());
  out.max_allocations = sent.maxallocations();
  out.placeholder = sent.placeholder();
  return out;
}

void read_by_accessors(benchmark::State &state) {
  const std::string bytes = asks();
  wire::arena arena;
  std::vector<const tenon_rm_ask *> messages;
  reused_arena objects;
  for ([[maybe_unused]] auto once : state) {
    arena.clear();
    messages.clear();
    auto &request = objects.fresh<::si::v1::UpdateRequest>();
    benchmark::DoNotOptimize(request.ParseFromString(bytes));
    for (const auto &sent : request.asks()) {
      tenon_rm_ask &out = *array<tenon_rm_ask>(arena, 1);
      out = ask_of(sent, arena);
      messages.push_back(&out);
    }
  }
  state.SetItemsProcessed(state.iterations() * parts);
}

std::string copied(const tenon_text &text) { return {text.data, text.length}; }

void set_allocation(const tenon_rm_allocation &from, ::si::v1::Allocation &out) {
  out.mutable_allocationkey()->assign(from.key.data, from.key.length);
  out.mutable_uuid()->assign(from.uuid.data, from.uuid.length);
  out.mutable_applicationid()->assign(from.application.data, from.application.length);
  out.mutable_partitionname()->assign(from.partition.data, from.partition.length);
  out.mutable_queuename()->assign(from.queue.data, from.queue.length);
  out.mutable_nodeid()->assign(from.node.data, from.node.length);
  auto &amounts = *out.mutable_resourceperalloc()->mutable_resources();
  for (uint32_t i = 0; i < from.resources.count; ++i) {
    amounts[copied(from.resources.types[i])].set_value(from.resources.values[i]);
  }
  for (uint64_t i = 0; i < from.tags.count; ++i) {
    (*out.mutable_allocationtags())[copied(from.tags.names[i])] = copied(from.tags.values[i]);
  }
  out.set_placeholder(from.placeholder != 0);
}

void write_by_accessors(benchmark::State &state) {
  const std::string bytes = allocations();
  wire::arena arena;
  wire::batch batch;
  std::string refusal;
  wire::read(wire::schema_of(wire::dialect::first, "UpdateResponse"), bytes, arena, batch, refusal);
  reused_arena objects;
  std::string out;
  for ([[maybe_unused]] auto once : state) {
    out.clear();
    auto &response = objects.fresh<::si::v1::UpdateResponse>();
    for (const tenon_rm_message *message : batch.messages) {
      set_allocation(*reinterpret_cast<const tenon_rm_allocation *>(message), *response.add_newallocations());
    }
    benchmark::DoNotOptimize(response.AppendToString(&out));
  }
  state.SetItemsProcessed(state.iterations() * parts);
}

BENCHMARK(read_by_accessors);
BENCHMARK(read_by_codec);
BENCHMARK(write_by_accessors);
BENCHMARK(write_by_codec);

}  // namespace

BENCHMARK_MAIN();
