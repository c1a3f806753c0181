// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Shapes of asks, and the node order gpu-pack, which goes by them.
#include "ask_shapes.hpp"

#include <algorithm>
#include <tuple>

#include "partition.hpp"
#include "tenon/kernel/resources.hpp"

namespace tenon::naive {
namespace {

__extension__ using wide = __int128;

// By default.
const std::string model_key = "si/gpu-model";
constexpr double pressure_part = 0.3;
constexpr int asks_ahead = 40;

std::string text_in(const std::map<std::string, std::string> &texts, const std::string &key) {
  const auto found = texts.find(key);
  return found == texts.end() ? std::string() : found->second;
}

int64_t amount_in(const amount_map &amounts, const std::string &type) {
  const auto found = amounts.find(type);
  return found == amounts.end() ? 0 : found->second;
}

// "A|B" names A and B.
bool names(const std::string &models, const std::string &model) {
  return ('|' + models + '|').find('|' + model + '|') != std::string::npos;
}

// A device in units: as many as its size, at most 1000. What of so many units free asks will not use.
std::vector<double> waste_by_units(const ask_shapes &seen, int64_t size) {
  const int64_t units = std::min<int64_t>(size, 1000);
  std::map<int64_t, wide> shares;
  wide all = 0;
  for (const auto &[shape, count] : seen.counts) {
    const int64_t amount = amount_in(shape.first, "gpu");
    if (amount <= 0 || amount > size) continue;
    shares[static_cast<int64_t>((wide{amount} * units + size - 1) / size)] += count;
    all += count;
  }
  std::vector<double> waste{0};
  for (int64_t free = 1; free <= units; ++free) {
    std::vector<std::pair<double, double>> ways;  // what would be wasted; the chance that no such ask comes
    for (const auto &[share, count] : shares) {
      if (share > free) continue;
      double none = 1;
      for (int i = 0; i < asks_ahead; ++i) none *= 1 - static_cast<double>(count) / static_cast<double>(all);
      ways.emplace_back(waste[static_cast<size_t>(free - share)], none);
    }
    std::sort(ways.begin(), ways.end());
    double sum = 0, left = 1;
    for (const auto &[wasted, none] : ways) {
      if (wasted >= static_cast<double>(free)) break;
      sum += left * (1 - none) * wasted;
      left *= none;
    }
    waste.push_back(sum + left * static_cast<double>(free));
  }
  return waste;
}

// What asks wanted of `type` in sum, those alone that want GPUs.
wide wanted_of(const ask_shapes &seen, const std::string &type) {
  wide sum = 0;
  for (const auto &[shape, count] : seen.counts) {
    if (amount_in(shape.first, "gpu") > 0) sum += wide{count} * std::max<int64_t>(0, amount_in(shape.first, type));
  }
  return sum;
}

double pressure_on(const ask_shapes &seen, const std::string &model) {
  if (!seen.gpus.contains(model) || model.empty() || wanted_of(seen, "gpu") == 0) return 0;
  std::map<std::string, wide> named;
  for (const auto &[shape, count] : seen.counts) {
    const int64_t amount = amount_in(shape.first, "gpu");
    if (amount > 0 && !shape.second.empty()) named[shape.second] += wide{count} * amount;
  }
  double sum = 0;
  for (const auto &[models, wanted] : named) {
    wide there = 0;
    for (const auto &[of, gpus] : seen.gpus) there += !of.empty() && names(models, of) ? gpus : 0;
    if (names(models, model) && there != 0) sum += static_cast<double>(wanted) / static_cast<double>(there);
  }
  wide all = 0;
  for (const auto &[of, gpus] : seen.gpus) all += gpus;
  return sum * static_cast<double>(all) / static_cast<double>(wanted_of(seen, "gpu"));
}

struct expectation {
  std::string type;
  double of_a_unit;  // that comes with a unit of GPU
};

double stranded(int64_t on_devices, const amount_map &free, const std::vector<expectation> &expected) {
  double largest = 0;
  for (const auto &[type, of_a_unit] : expected) {
    largest =
        std::max(largest, static_cast<double>(on_devices) - static_cast<double>(amount_in(free, type)) / of_a_unit);
  }
  return largest;
}

// Whether the devices are missing, then the three numbers of gpu-pack.
using gpu_key = std::tuple<bool, double, int64_t, int64_t>;

gpu_key key_of(const node &n, const ask &k, const usage &used, const ask_shapes &seen,
               const std::vector<expectation> &expected) {
  const division_map divisions = divisions_in(n.attributes);
  if (!divisions.contains("gpu")) return {false, 0, 0, 0};
  const std::vector<int64_t> &devices = used.free_devices.at(n.id).at("gpu");
  const int64_t size = divisions.at("gpu").amount, amount = amount_in(k.resources, "gpu");
  amount_map free = used.free_on_node.at(n.id);
  int64_t left = 0, remainder = 0;
  for (const int64_t one : devices) left = add_saturating(left, std::max<int64_t>(0, one));
  const double before = stranded(left, free, expected);
  double cost = 0;
  if (amount > 0) {
    const auto chosen = choose_devices(devices, size, divisions_in(k.tags), "gpu", amount);
    if (!chosen) return {true, 0, 0, 0};
    std::vector<int64_t> taken;
    for (const int64_t device : chosen->devices) taken.push_back(devices[static_cast<size_t>(device)]);
    std::sort(taken.begin(), taken.end());
    remainder = taken.front() - chosen->amount;
    if (chosen->amount < size) {
      const std::vector<double> waste = waste_by_units(seen, size);
      const auto units = static_cast<int64_t>(waste.size()) - 1;
      const auto of = [&](int64_t amount_free) {
        const wide in_units = wide{std::clamp<int64_t>(amount_free, 0, size)} * units / size;
        return waste[static_cast<size_t>(in_units)] / static_cast<double>(units);
      };
      double wasted = 0;
      for (const int64_t one : taken) wasted += of(one - chosen->amount) - of(one);
      cost += wasted;
    }
    cost += pressure_part * pressure_on(seen, text_in(n.attributes, model_key)) *
            (static_cast<double>(amount) / static_cast<double>(size));
  }
  subtract(free, k.resources);
  const double after = stranded(add_saturating(left, -std::max<int64_t>(0, amount)), free, expected);
  return {false, cost + (after - before) / static_cast<double>(size), remainder, left};
}

}  // namespace

void partition::count_shape(const tenon::put_ask &c) {
  if (!shapes.followed) return;
  ask_shapes::shape shape;
  for (const auto &[type, amount] : to_map(c.resources)) {
    if (amount != 0) shape.first[type] = amount;
  }
  const auto named = std::find_if(c.tags.begin(), c.tags.end(), [](const auto &tag) { return tag.key == model_key; });
  if (named != c.tags.end()) shape.second = std::string(named->value);
  if (shapes.coming.contains(shape) || shapes.coming.size() < 1024) shapes.coming[shape] += c.max_allocations;
  if (++shapes.asks < shapes.next_length) return;
  shapes.asks = 0;
  shapes.counts = shapes.coming;
  shapes.gpus.clear();
  for (const auto &[id, n] : nodes) {
    int64_t &sum = shapes.gpus[text_in(n.attributes, model_key)];
    sum = add_saturating(sum, amount_in(n.capacity, "gpu"));
  }
  if (shapes.next_length < 4096) {
    shapes.next_length *= 2;
    return;
  }
  for (auto &[of, count] : shapes.coming) count /= 2;
  std::erase_if(shapes.coming, [](const auto &counted) { return counted.second == 0; });
}

std::vector<const node *> partition::nodes_for_what_comes(const ask &k, const usage &used,
                                                          std::map<std::string, double> weights) const {
  if (weights.empty()) weights = {{"vcore", 0.8}, {"memory", 0.8}};
  std::vector<expectation> expected;
  const wide gpus = wanted_of(shapes, "gpu");
  for (const std::string &type : types) {
    const auto weight = weights.find(type);
    if (weight == weights.end() || gpus == 0) continue;
    const double of_a_unit =
        weight->second * (static_cast<double>(wanted_of(shapes, type)) / static_cast<double>(gpus));
    if (of_a_unit > 0) expected.push_back({type, of_a_unit});
  }
  std::vector<std::pair<gpu_key, const node *>> all;  // nodes come by id
  for (const auto &[id, n] : nodes) all.emplace_back(key_of(n, k, used, shapes, expected), &n);
  std::stable_sort(all.begin(), all.end(), [](const auto &a, const auto &b) { return a.first < b.first; });
  std::vector<const node *> out;
  for (const auto &[key, n] : all) out.push_back(n);
  return out;
}

}  // namespace tenon::naive
