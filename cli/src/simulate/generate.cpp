// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "simulate/generate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <set>

namespace tenon::cli {
namespace {

constexpr int64_t gib = int64_t{1} << 30;

struct node_shape {
  uint32_t weight;
  int64_t vcore, memory_gib, gpus;
};

// The commonest shapes of the openb cluster.
constexpr std::array node_shapes = {
    node_shape{549, 96'000, 384, 8}, node_shape{404, 104'000, 512, 2}, node_shape{132, 16'000, 120, 2},
    node_shape{152, 32'000, 256, 0}, node_shape{120, 96'000, 512, 0},  node_shape{60, 128'000, 768, 8},
    node_shape{47, 8'000, 32, 1},    node_shape{37, 48'000, 368, 4},   node_shape{22, 64'000, 256, 2},
};

// Pods in a thousand by whole GPUs.
struct gpu_share {
  uint32_t weight;
  int64_t gpus;
};
constexpr std::array gpu_shares = {gpu_share{190, 0}, gpu_share{780, 1}, gpu_share{15, 2}, gpu_share{10, 4},
                                   gpu_share{5, 8}};

// The engine is the same everywhere by the standard, the library's distributions are not.
class chance {
 public:
  explicit chance(uint64_t seed) : engine_(seed) {}

  // From 0 to count - 1.
  uint64_t below(uint64_t count) { return engine_() % count; }
  int64_t between(int64_t from, int64_t to) {
    return from + static_cast<int64_t>(below(static_cast<uint64_t>(to - from + 1)));
  }
  // In (0, 1].
  double unit() { return (static_cast<double>(engine_() >> 11) + 1.0) * 0x1p-53; }
  double exponential(double mean) { return -mean * std::log(unit()); }

  template <class Table>
  const auto &weighted(const Table &table) {
    uint32_t total = 0;
    for (const auto &row : table) total += row.weight;
    auto at = static_cast<uint32_t>(below(total));
    for (const auto &row : table) {
      if (at < row.weight) return row;
      at -= row.weight;
    }
    return table.back();
  }

  // An index below count; index i is about 1 / (i + 1) as likely as the first.
  uint32_t skewed(uint32_t count) {
    const double at = std::pow(static_cast<double>(count) + 1.0, unit()) - 1.0;
    return std::min(static_cast<uint32_t>(at), count - 1);
  }

  // Median `median`; one in ten is above 3.6 times that.
  double long_tailed(double median) {
    constexpr double sigma = 1.0;
    const double angle = 2.0 * 3.14159265358979323846 * unit();
    return median * std::exp(sigma * std::sqrt(-2.0 * std::log(unit())) * std::cos(angle));
  }

 private:
  std::mt19937_64 engine_;
};

std::string numbered(std::string_view prefix, uint32_t number) { return fmt::format("{}{:05}", prefix, number); }

void make_nodes(uint32_t count, chance &random, load &into) {
  for (uint32_t i = 0; i < count; ++i) {
    const node_shape &shape = random.weighted(node_shapes);
    load_node node{numbered("node-", i), {{"vcore", shape.vcore}, {"memory", shape.memory_gib * gib}}, {}};
    if (shape.gpus > 0) node.capacity["gpu"] = shape.gpus * 1000;
    into.nodes.push_back(std::move(node));
  }
}

void make_shapes(const generate_options &options, chance &random, load &into) {
  std::set<amount_map> known;
  // Small amounts come in few steps, so that many shapes may need more than one try each.
  for (uint32_t tries = 0; into.shapes.size() < options.shapes && tries < 100 * options.shapes; ++tries) {
    const int64_t gpus = random.weighted(gpu_shares).gpus;
    const int64_t cores = gpus == 0 ? random.between(1, 32) : random.between(2, 14) * gpus;
    const int64_t memory = cores * random.between(1, 5);
    const auto scaled = [&](int64_t amount) {
      return std::max<int64_t>(1, static_cast<int64_t>(static_cast<double>(amount) * options.size));
    };
    load_shape shape{{{"vcore", scaled(cores * 1000)}, {"memory", scaled(memory * gib)}}, {}};
    if (gpus > 0) shape.resources["gpu"] = gpus * 1000;
    if (known.insert(shape.resources).second) into.shapes.push_back(std::move(shape));
  }
}

void make_pods(const generate_options &options, chance &random, load &into) {
  double arrival_ms = 0;
  uint32_t left_of_application = 0;
  for (uint32_t i = 0; i < options.pods; ++i) {
    if (left_of_application == 0) {
      left_of_application = static_cast<uint32_t>(random.between(1, options.pods_per_application));
      into.applications.push_back({numbered("app-", static_cast<uint32_t>(into.applications.size())),
                                   "root.q" + std::to_string(random.skewed(options.queues)),
                                   "user" + std::to_string(random.skewed(options.users))});
    }
    --left_of_application;
    arrival_ms += random.exponential(options.interarrival_ms);
    into.asks.push_back({numbered("pod-", i), static_cast<uint32_t>(into.applications.size() - 1),
                         random.skewed(static_cast<uint32_t>(into.shapes.size())), static_cast<int64_t>(arrival_ms),
                         static_cast<int64_t>(random.long_tailed(options.duration_s * 1000))});
  }
}

}  // namespace

load generate(const generate_options &options) {
  load out;
  out.origin = "generated load, seed " + std::to_string(options.seed);
  chance random(options.seed);
  make_nodes(options.nodes, random, out);
  make_shapes(options, random, out);
  make_pods(options, random, out);
  return out;
}

}  // namespace tenon::cli
