// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "trace/machines.hpp"

#include <cmath>
#include <string>
#include <unordered_set>
#include <utility>

#include "trace/trace_csv.hpp"

namespace tenon::cli {
namespace {

constexpr int64_t most_amount = int64_t{1} << 40;
constexpr int64_t most_gpus = 1'000'000;
// What a normalised capacity of 1.0 stands for.
constexpr double google_vcore = 64'000;
constexpr double google_memory = 256.0 * static_cast<double>(gib);

class machine_reader {
 public:
  machine_reader(const trace_text &in, load &into) : in_(in), into_(into) {}

  std::optional<refusal> openb() {
    constexpr auto columns = std::to_array<std::string_view>({"sn", "cpu_milli", "memory_mib", "gpu", "model"});
    return read_table(in_, columns, [&](const auto &row) {
      const auto &[sn, cpu, memory, gpu, model] = row;
      add(sn, cpu.whole(0, most_amount), memory.whole(0, most_amount) * mib, gpu.whole(0, most_gpus), model.text());
    });
  }

  std::optional<refusal> pai() {
    constexpr auto columns = std::to_array<std::string_view>({"machine", "gpu_type", "cap_cpu", "cap_mem", "cap_gpu"});
    return read_table(in_, columns, [&](const auto &row) {
      const auto &[machine, model, cpu, memory, gpu] = row;
      const int64_t gpus = gpu.whole(0, most_gpus);
      // The list names the model of machines without GPU "CPU".
      add(machine, cpu.whole(0, most_amount) * 1000, memory.whole(0, most_amount / 1024) * gib, gpus,
          gpus > 0 ? model.text() : std::string_view());
    });
  }

  std::optional<refusal> google() {
    constexpr auto columns = std::to_array<std::string_view>({"node", "cpu_norm", "mem_norm"});
    return read_table(in_, columns, [&](const auto &row) {
      const auto &[node, cpu, memory] = row;
      add(node, std::llround(cpu.decimal(0, 1) * google_vcore), std::llround(memory.decimal(0, 1) * google_memory), 0,
          {});
    });
  }

 private:
  void add(const trace_field &id, int64_t vcore, int64_t memory, int64_t gpus, std::string_view model) {
    load_node node;
    node.id = id.name();
    if (!seen_.insert(node.id).second) id.refuse("a name that no line before has", "name each node once");
    node.capacity = {{"vcore", vcore}, {"memory", memory}};
    if (gpus > 0) node.capacity["gpu"] = gpus * gpu_whole;
    if (!model.empty()) node.attributes[std::string(gpu_model_key)] = model;
    into_.nodes.push_back(std::move(node));
  }

  const trace_text &in_;
  load &into_;
  std::unordered_set<std::string> seen_;
};

}  // namespace

std::optional<refusal> read_machines(const trace_text &in, load &into) {
  machine_reader reader(in, into);
  const auto why = has_column(in, "cap_cpu")    ? reader.pai()
                   : has_column(in, "cpu_norm") ? reader.google()
                                                : reader.openb();
  if (why) return why;
  if (into.nodes.empty()) return refusal{in.file, "at least one node", "none below the header", "add a node"};
  return std::nullopt;
}

}  // namespace tenon::cli
