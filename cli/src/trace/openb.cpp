// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "trace/openb.hpp"

#include <algorithm>
#include <cctype>
#include <string>
#include <unordered_set>
#include <utility>

#include "tenon/kernel/devices.hpp"
#include "tenon/text/letters.hpp"
#include "trace/machines.hpp"
#include "trace/trace_csv.hpp"

namespace tenon::cli {
namespace {

std::string queue_of(const trace_field &qos) {
  if (!qos.is_given()) return "root.default";
  return "root." + lower_case(qos.queue_name());
}

// Lists that were made of others have no more than what a pod asks for.
constexpr size_t needed_pod_columns = 5;
constexpr auto pod_columns = std::to_array<std::string_view>(
    {"name", "cpu_milli", "memory_mib", "num_gpu", "gpu_milli", "gpu_spec", "qos", "creation_time", "deletion_time"});

class pod_reader {
 public:
  explicit pod_reader(load &into) : into_(into), shapes_(into) {}

  void take(const std::array<trace_field, pod_columns.size()> &row) {
    const auto &[name, cpu, memory, num_gpu, gpu_milli, gpu_spec, qos, created, deleted] = row;
    constexpr int64_t most_seconds = int64_t{1} << 40;
    const std::string id = name.name();
    if (!seen_.insert(id).second) name.refuse("a name that no line before has", "name each pod once");
    load_shape shape;
    shape.resources = {{"vcore", cpu.whole(0, int64_t{1} << 40)}, {"memory", memory.whole(0, int64_t{1} << 40) * mib}};
    const int64_t gpus = num_gpu.whole(0, 1'000'000);
    const int64_t milli = gpu_milli.whole(0, gpu_whole);
    if (milli < gpu_whole && gpus > 1) gpu_milli.refuse("1000 where num_gpu is above 1", "only one GPU can be shared");
    if (gpus * milli > 0) shape.resources["gpu"] = gpus * milli;
    if (!gpu_spec.text().empty()) shape.tags[std::string(gpu_model_key)] = gpu_spec.text();
    const std::string queue = queue_of(qos);
    const int64_t from = created.is_given() ? created.whole(0, most_seconds) : 0;
    const int64_t to = deleted.is_given() ? deleted.whole(0, most_seconds) : from;
    if (to < from) deleted.refuse("a time from creation_time on", "swap the two");
    into_.asks.push_back({id, static_cast<uint32_t>(into_.applications.size()), shapes_.index_of(shape), from * 1000,
                          (to - from) * 1000});
    into_.applications.push_back({id, queue, qos.is_given() ? std::string(qos.text()) : "default"});
  }

 private:
  load &into_;
  shape_table shapes_;
  std::unordered_set<std::string> seen_;
};

std::optional<refusal> divide(const trace_text &nodes, load &into) {
  for (load_node &node : into.nodes) {
    const auto gpu = node.capacity.find("gpu");
    if (gpu == node.capacity.end()) continue;
    const int64_t gpus = gpu->second / gpu_whole;
    if (gpus > max_devices) {
      return refusal{nodes.file + ": node " + node.id, "at most " + std::to_string(max_devices) + " GPUs",
                     std::to_string(gpus), "use --gpu-model sum"};
    }
    node.attributes[std::string(devices_prefix) + "gpu"] = std::to_string(gpus) + 'x' + std::to_string(gpu_whole);
  }
  return std::nullopt;
}

}  // namespace

result<load> read_openb(const trace_text &nodes, const trace_text &pods, gpu_model gpus) {
  load out;
  out.origin = "openb trace " + nodes.file + ", " + pods.file;
  if (const auto why = read_machines(nodes, out)) return *why;
  if (gpus == gpu_model::device) {
    if (auto why = divide(nodes, out)) return *why;
  }
  pod_reader reader(out);
  const auto take = [&](const auto &row) { reader.take(row); };
  if (const auto why = read_table(pods, pod_columns, take, needed_pod_columns)) return *why;
  return out;
}

}  // namespace tenon::cli
