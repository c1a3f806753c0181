// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "load/arrivals.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace tenon::cli {
namespace {

constexpr const char *gpu = "gpu";
constexpr const char *one_queue = "root.default";

int64_t amount_of(const amount_map &of) {
  const auto found = of.find(gpu);
  return found == of.end() ? 0 : found->second;
}

bool has_gangs(const load &of) {
  return std::any_of(of.applications.begin(), of.applications.end(), [](const auto &a) { return a.gang; });
}

class drawing {
 public:
  drawing(load &of, uint64_t seed) : load_(of), engine_(seed) {
    for (const load_ask &ask : load_.asks) asked_ += gpus_of(load_, ask);
  }

  void shuffle_asks() { shuffle(load_.asks); }

  void number_nodes() {
    std::vector<size_t> numbers(load_.nodes.size());
    std::iota(numbers.begin(), numbers.end(), size_t{0});
    shuffle(numbers);
    const size_t digits = std::to_string(numbers.size()).size();
    for (size_t i = 0; i < numbers.size(); ++i) {
      load_.nodes[i].id.insert(0, fmt::format("{:0{}}-", numbers[i], digits));
    }
  }

  std::optional<refusal> inflate(double times) {
    const auto capacity = static_cast<double>(gpus_of_nodes(load_));
    if (capacity <= 0 || asked_ <= 0) {
      return refusal{"--inflate", "nodes with GPUs, and asks for them", capacity <= 0 ? "no node has any" : "none asks",
                     "leave --inflate out, or choose another load"};
    }
    const auto wanted = static_cast<int64_t>(times * capacity);
    asked_ > wanted ? take_out(wanted) : draw_again(wanted);
    return std::nullopt;
  }

 private:
  size_t below(size_t count) { return engine_() % count; }

  // By hand, as the library's way to shuffle is not the same everywhere.
  template <class Item>
  void shuffle(std::vector<Item> &items) {
    for (size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[below(i)]);
  }

  void take_out(int64_t wanted) {
    while (asked_ > wanted) {
      const auto one = load_.asks.begin() + static_cast<std::ptrdiff_t>(below(load_.asks.size()));
      asked_ -= gpus_of(load_, *one);
      load_.asks.erase(one);
    }
  }

  // Up to the first that would be too much.
  void draw_again(int64_t wanted) {
    const size_t own = load_.asks.size();
    for (size_t drawn = 1;; ++drawn) {
      load_ask ask = load_.asks[below(own)];
      asked_ += gpus_of(load_, ask);
      if (asked_ > wanted) return;
      load_application application = load_.applications[ask.application];
      const std::string suffix = "-again-" + std::to_string(drawn);
      application.id += suffix;
      ask.key += suffix;
      ask.application = static_cast<uint32_t>(load_.applications.size());
      load_.applications.push_back(std::move(application));
      load_.asks.push_back(std::move(ask));
    }
  }

  load &load_;
  std::mt19937_64 engine_;
  int64_t asked_ = 0;
};

}  // namespace

void keep_gpu_nodes(load &of) {
  std::erase_if(of.nodes, [](const load_node &node) { return amount_of(node.capacity) <= 0; });
}

int64_t gpus_of(const load &of, const load_ask &ask) { return amount_of(of.shapes[ask.shape].resources); }

int64_t gpus_of_nodes(const load &of) {
  int64_t sum = 0;
  for (const load_node &node : of.nodes) sum += amount_of(node.capacity);
  return sum;
}

std::optional<refusal> line_up(load &of) {
  if (has_gangs(of)) {
    return refusal{"asks one after the other", "asks that each start alone", "a load with gangs",
                   "choose another load"};
  }
  for (load_application &application : of.applications) application.queue = one_queue;
  return std::nullopt;
}

std::optional<refusal> redraw(load &of, const redrawing &how) {
  if (auto why = line_up(of)) return why;
  drawing draws(of, how.seed);
  draws.shuffle_asks();
  if (how.inflate > 0) {
    if (auto why = draws.inflate(how.inflate)) return why;
  }
  draws.number_nodes();
  return std::nullopt;
}

std::optional<refusal> tag_with_names(load &of, const std::string &key) {
  if (has_gangs(of)) {
    return refusal{"--name-tag", "asks that each start alone", "a load with gangs", "leave --name-tag out"};
  }
  std::vector<load_shape> shapes;
  shapes.reserve(of.asks.size());
  for (load_ask &ask : of.asks) {
    load_shape shape = of.shapes[ask.shape];
    shape.tags[key] = ask.key;
    ask.shape = static_cast<uint32_t>(shapes.size());
    shapes.push_back(std::move(shape));
  }
  of.shapes = std::move(shapes);
  return std::nullopt;
}

}  // namespace tenon::cli
