// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Orders of nodes that choose devices name such as an ask can have. What cannot be had is no fault to a scheduler,
// which then chooses by itself: an author would not notice.
#include <algorithm>
#include <array>
#include <bitset>

#include "asked_slot.hpp"

namespace tenon::conformance {
namespace {

constexpr std::string_view chooses = "score.devices:";

std::string chosen_type(const instance &of) {
  for (const column_declared &c : of.columns()) {
    if (c.id.starts_with(chooses)) return c.id.substr(chooses.size());
  }
  return {};
}

column_values *find(table &rows, const std::string &id) {
  const auto found =
      std::find_if(rows.columns.begin(), rows.columns.end(), [&](const column_values &c) { return c.is.id == id; });
  return found == rows.columns.end() ? nullptr : &*found;
}

struct wish {
  int64_t devices = 1, amount = 0;  // of each
  bool by_tag = false;
};

// Nodes with devices of a type, and an ask for some.
struct device_world {
  device_world(const instance &of, std::string type, uint64_t seed)
      : type_(std::move(type)), chance_(seed), asked(usual_question(of, slot::score, seed, {.rows = 12})) {
    uint32_t index = 0;
    while (index < asked.rows.types.size() && asked.rows.types[index] != type_) ++index;
    index_ = std::min<uint32_t>(index, static_cast<uint32_t>(asked.rows.types.size()) - 1);
    asked.rows.types[index_] = type_;
    // Who does not read the size knows that it is a thousand.
    if (find(asked.rows, "node.device_size:" + type_) != nullptr) size = chance_.one_of<int64_t>({4, 1000, 40'960});
    make_wish();
    for (uint32_t row = 0; row < asked.rows.rows; ++row) make_node(row);
  }

  [[nodiscard]] bool has_room(uint32_t row) const {
    const auto &all = free[row];
    return std::count_if(all.begin(), all.end(), [&](int64_t one) { return one >= wanted.amount; }) >= wanted.devices;
  }
  // What is wrong with the devices that were named for a node with room, if anything.
  [[nodiscard]] std::string problem(uint32_t row, uint64_t devices) const {
    if (devices == 0) return {};
    const uint64_t count = std::bitset<64>(devices).count();
    if (count != static_cast<uint64_t>(wanted.devices))
      return number(count) + " devices where the ask wants " + number(static_cast<uint64_t>(wanted.devices)) +
             (wanted.by_tag ? " by its tag (column ask.devices:" + type_ + ")" : "");
    for (uint64_t device = 0; device < 64; ++device) {
      if ((devices >> device & 1) == 0) continue;
      if (device >= free[row].size())
        return "device " + number(device) + " of a node that has " + number(free[row].size());
      if (free[row][device] < wanted.amount) return "device " + number(device) + ", which has not the amount free";
    }
    return {};
  }

 private:
  void make_wish() {
    wanted.by_tag = chance_.chance(30);
    wanted.devices = wanted.by_tag || chance_.chance(40) ? static_cast<int64_t>(1 + chance_.below(3)) : 1;
    const bool whole = !wanted.by_tag && (wanted.devices > 1 || chance_.chance(20));
    wanted.amount = whole ? size : size / 4 * static_cast<int64_t>(1 + chance_.below(3));
    if (column_values *ask = find(asked.rows, "ask.resources"); ask != nullptr) {
      ask->cells[0].amounts[index_] = wanted.devices * wanted.amount;
      ask->cells[0].present |= uint64_t{1} << index_;
    }
    if (column_values *tag = find(asked.rows, "ask.devices:" + type_); tag != nullptr)
      tag->cells[0].number = wanted.by_tag ? wanted.devices : 0;
  }
  void make_node(uint32_t row) {
    std::vector<int64_t> &devices = free.emplace_back();
    for (uint64_t left = 1 + chance_.below(8); left != 0; --left) {
      devices.push_back(size / 4 * static_cast<int64_t>(chance_.below(5)));
    }
    if (column_values *all = find(asked.rows, "node.devices:" + type_); all != nullptr)
      all->cells[row].amounts = devices;
    if (column_values *each = find(asked.rows, "node.device_size:" + type_); each != nullptr)
      each->cells[row].number = size;
  }

  std::string type_;
  dice chance_;
  uint32_t index_ = 0;

 public:
  question asked;
  int64_t size = 1000;
  wish wanted;
  std::vector<std::vector<int64_t>> free;  // by node
};

void devices_can_be_had(probe &p) {
  const opened_module module = opened_module::start(p);
  const auto one = instance::active(module);
  const std::string type = chosen_type(*one);
  if (type.empty()) probe::skip("it chooses no devices");
  if (!has_slot(*one, slot::score)) probe::fail("it chooses devices of " + type + " and has no score to say which");
  if (one->key_words() < 2) probe::fail("it chooses devices of " + type + " with its only key word: two are needed");
  for (uint64_t i = 0; i < 60; ++i) {
    const device_world world(*one, type, mixed(p.seed(), i));
    const answer scores = ask(*one, world.asked);
    for (uint32_t row = 0; row < world.asked.rows.rows; ++row) {
      if (!world.has_room(row)) continue;
      const std::string problem = world.problem(row, scores.key(row, one->key_words()).back());
      if (!problem.empty()) probe::fail("score names " + problem);
    }
  }
}

constexpr std::array chosen_devices_list{
    check{"chosen-devices", "sort", about::node_sort, "answers-order",
          "A score that chooses devices names as many as the ask wants, that the node has and that have the room.",
          devices_can_be_had},
};

}  // namespace

checks device_checks() { return chosen_devices_list; }

}  // namespace tenon::conformance
