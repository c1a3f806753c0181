// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What one ask costs from its bytes to its struct, and one allocation from its struct to its bytes: through protobuf
// objects, and without them. `wire-bench`; the time is of one message of 100.
#include <benchmark/benchmark.h>

#include "si/v1/si.pb.h"
#include "tenon/wire/bytes.hpp"

namespace {

using namespace tenon;

constexpr int kParts = 100;

std::string number(int i) { return std::to_string(100'000 + i); }

std::string asks() {
  ::si::v1::UpdateRequest request;
  request.set_rmid("cluster-1");
  for (int i = 0; i < kParts; ++i) {
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
  for (int i = 0; i < kParts; ++i) {
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

void read_through_protobuf(benchmark::State &state) {
  const std::string bytes = asks();
  wire::room room;
  wire::batch batch;
  std::string refusal;
  for ([[maybe_unused]] auto once : state) {
    room.clear();
    ::si::v1::UpdateRequest request;
    benchmark::DoNotOptimize(request.ParseFromString(bytes) && wire::read(request, room, batch, refusal));
  }
  state.SetItemsProcessed(state.iterations() * kParts);
}

void read_bytes(benchmark::State &state) {
  const std::string bytes = asks();
  const wire::schema &of = wire::schema_of(wire::dialect::first, "UpdateRequest");
  wire::room room;
  wire::batch batch;
  std::string refusal;
  for ([[maybe_unused]] auto once : state) {
    room.clear();
    benchmark::DoNotOptimize(wire::read_bytes(of, bytes, room, batch, refusal));
  }
  state.SetItemsProcessed(state.iterations() * kParts);
}

void write_through_protobuf(benchmark::State &state) {
  const std::string bytes = allocations();
  wire::room room;
  wire::batch batch;
  std::string refusal;
  wire::read_bytes(wire::schema_of(wire::dialect::first, "UpdateResponse"), bytes, room, batch, refusal);
  for ([[maybe_unused]] auto once : state) {
    ::si::v1::UpdateResponse response;
    benchmark::DoNotOptimize(wire::write(batch, response, refusal) && response.SerializeAsString().size());
  }
  state.SetItemsProcessed(state.iterations() * kParts);
}

void write_bytes(benchmark::State &state) {
  const std::string bytes = allocations();
  const wire::schema &of = wire::schema_of(wire::dialect::first, "UpdateResponse");
  wire::room room;
  wire::batch batch;
  std::string refusal;
  wire::read_bytes(of, bytes, room, batch, refusal);
  std::string out;
  for ([[maybe_unused]] auto once : state) {
    out.clear();
    for (const tenon_rm_message *message : batch.messages) {
      benchmark::DoNotOptimize(wire::append_bytes(of, message, out, refusal));
    }
  }
  state.SetItemsProcessed(state.iterations() * kParts);
}

BENCHMARK(read_through_protobuf);
BENCHMARK(read_bytes);
BENCHMARK(write_through_protobuf);
BENCHMARK(write_bytes);

}  // namespace

BENCHMARK_MAIN();
