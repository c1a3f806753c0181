// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Device records: which devices allocations hold, kept apart from them: most allocations hold none.
#pragma once

#include <boost/container/small_vector.hpp>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "tenon/kernel/resources.hpp"

namespace tenon::internal {

struct held_devices {
  type_index type = no_type;
  int64_t amount = 0;    // of each
  uint64_t devices = 0;  // bit n: device n
};

// Devices of an allocation that are settled before it takes any: of types that a text names which came with it, or of
// one that a node order chose. Those of other types are the scheduler's to choose.
struct settled_devices {
  std::string_view detail = {};
  held_devices chosen = {};
};

using held_list = boost::container::small_vector<held_devices, 2>;

struct device_record {
  held_list held;    // by the name of the type
  std::string text;  // the same as decisions say it
};

inline constexpr uint32_t no_record = ~uint32_t{0};

// Records by small ids. A record that is used again keeps its memory, so that a steady cycle allocates nothing; a
// retired one stays readable until flush(), for decisions that were not drained yet.
class device_records {
 public:
  uint32_t create() {
    uint32_t id = static_cast<uint32_t>(records_.size());
    if (free_.empty()) {
      records_.emplace_back();
    } else {
      id = free_.back();
      free_.pop_back();
      records_[id].held.clear();
      records_[id].text.clear();
    }
    return id;
  }
  void retire(uint32_t id) { retired_.push_back(id); }
  void flush() {
    free_.insert(free_.end(), retired_.begin(), retired_.end());
    retired_.clear();
  }
  // As decisions say them; of no_record "".
  [[nodiscard]] std::string_view text_of(uint32_t id) const {
    return id == no_record ? std::string_view{} : std::string_view(records_[id].text);
  }
  [[nodiscard]] device_record &operator[](uint32_t id) { return records_[id]; }
  [[nodiscard]] const device_record &operator[](uint32_t id) const { return records_[id]; }

 private:
  std::deque<device_record> records_;
  std::vector<uint32_t> free_, retired_;
};

}  // namespace tenon::internal
