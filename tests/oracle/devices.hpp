// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Devices: types of a node that are divided, and who holds which.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tenon/kernel/commands.hpp"
#include "tenon/kernel/queue_config.hpp"

namespace tenon::naive {

struct division {  // "8x1000"
  int64_t count = 0, amount = 0;
};
using division_map = std::map<std::string, division>;  // by type

// Attributes or tags tenon/devices/T; what of it is no division is left out.
[[nodiscard]] division_map divisions_in(const std::map<std::string, std::string> &texts);
// Why a text tenon/devices/T=CxS cannot be had, empty when it can or is about something else.
[[nodiscard]] std::string problem_of_division(const std::string &key, const std::string &value);
// Why the tags of an ask cannot be had, empty when they can.
[[nodiscard]] std::string problem_of_device_tags(texts tags, const amount_map &resources);

struct holding {  // of one type: the amount of each of the devices
  int64_t amount = 0;
  std::set<int64_t> devices;
};
using detail_map = std::map<std::string, holding>;  // by type

[[nodiscard]] std::string to_text(const detail_map &detail);
[[nodiscard]] std::optional<detail_map> parse_detail(const std::string &text);
[[nodiscard]] std::string problem_of_detail(const std::string &key, const std::string &text,
                                            const amount_map &resources);
// What is left of a detail when the allocation has other resources.
[[nodiscard]] detail_map resized(const detail_map &detail, const amount_map &resources);

// What devices have free: by type, by number.
using device_map = std::map<std::string, std::vector<int64_t>>;

// What a node has free.
struct free_capacity {
  amount_map free;
  device_map devices;

  void add(const amount_map &resources, const detail_map &detail);  // of an allocation that is thought away
};
void take(device_map &from, const detail_map &detail);

// The devices of `type` that an ask for `amount` would take, each with how much; nothing when they are not there.
[[nodiscard]] std::optional<holding> choose_devices(const std::vector<int64_t> &free, int64_t size,
                                                    const division_map &wanted, const std::string &type,
                                                    int64_t amount);

}  // namespace tenon::naive
