// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Devices: the texts in which nodes divide a type, asks want parts of it and allocations say what they hold.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tenon {

inline constexpr uint32_t max_devices = 64;  // of one type on one node: bits of a mask

// Node attributes and tags of asks: "tenon/devices/gpu" is about type gpu.
inline constexpr std::string_view devices_prefix = "tenon/devices/";

// "8x1000": so many devices, each with the amount.
struct device_split {
  uint32_t count = 0;
  int64_t amount = 0;

  // The amount of all of them; nothing where it is more than a number holds.
  [[nodiscard]] std::optional<int64_t> sum() const;
};
// Nothing where the text is not written so, or count and amount are out of range.
[[nodiscard]] std::optional<device_split> parse_device_split(std::string_view text);

// The type that an attribute or tag is about; nothing where it is not about devices. May be one that no
// detail could name.
[[nodiscard]] std::optional<std::string_view> devices_type(std::string_view key);
[[nodiscard]] bool is_device_type(std::string_view type);

// What an allocation holds of one type: the amount of each of the devices.
struct device_share {
  std::string type;
  int64_t amount = 0;
  uint64_t devices = 0;  // bit n: device n

  [[nodiscard]] device_split split() const { return {static_cast<uint32_t>(__builtin_popcountll(devices)), amount}; }
  friend bool operator==(const device_share &, const device_share &) = default;
};

// "gpu=500@0,3": the detail of an allocation, types ascending. Appending one type at a time writes it.
void append_share(std::string &detail, std::string_view type, int64_t amount, uint64_t devices);
// Nothing where the text is not as append_share() would write it. Empty: no devices.
[[nodiscard]] std::optional<std::vector<device_share>> parse_detail(std::string_view detail);

}  // namespace tenon
