// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "trace/openb.hpp"

#include <algorithm>
#include <cctype>
#include <string>
#include <unordered_set>
#include <utility>

#include "trace/csv.hpp"
#include "trace/machines.hpp"

namespace tenon::cli {
namespace {

constexpr std::string_view shared_gpu = "devices are not modelled; use --gpu-model sum";

std::string queue_of(const trace_field &qos) {
  std::string name = qos.queue_name();
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
  return "root." + name;
}

constexpr auto pod_columns = std::to_array<std::string_view>(
    {"name", "cpu_milli", "memory_mib", "num_gpu", "gpu_milli", "gpu_spec", "qos", "creation_time", "deletion_time"});

class pod_reader {
 public:
  pod_reader(gpu_model gpus, load &into) : gpus_(gpus), into_(into), shapes_(into) {}

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
    const int64_t from = created.whole(0, most_seconds);
    const int64_t to = deleted.whole(0, most_seconds);
    if (to < from) deleted.refuse("a time from creation_time on", "swap the two");
    if (gpus == 1 && milli > 0 && milli < gpu_whole && gpus_ == gpu_model::whole) {
      ++shared_;
      return;
    }
    into_.asks.push_back({id, static_cast<uint32_t>(into_.applications.size()), shapes_.index_of(shape), from * 1000,
                          (to - from) * 1000});
    into_.applications.push_back({id, queue, std::string(qos.text())});
  }

  [[nodiscard]] uint64_t shared() const { return shared_; }

 private:
  gpu_model gpus_;
  load &into_;
  shape_table shapes_;
  std::unordered_set<std::string> seen_;
  uint64_t shared_ = 0;
};

}  // namespace

result<load> read_openb(const trace_text &nodes, const trace_text &pods, gpu_model gpus) {
  load out;
  out.origin = "openb trace " + nodes.file + ", " + pods.file;
  if (const auto why = read_machines(nodes, out)) return *why;
  pod_reader reader(gpus, out);
  if (const auto why = read_table(pods, pod_columns, [&](const auto &row) { reader.take(row); })) return *why;
  if (reader.shared() > 0) out.left_out_asks.push_back({std::string(shared_gpu), reader.shared()});
  return out;
}

}  // namespace tenon::cli
