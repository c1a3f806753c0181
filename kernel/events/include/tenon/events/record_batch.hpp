// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Records that belong together with all their texts; made once, then shared and read by sinks and subscribers.
#pragma once

#include <deque>
#include <memory>
#include <memory_resource>
#include <string_view>
#include <vector>

#include "tenon/abi/event_sink.h"

namespace tenon::events {

class record_batch {
 public:
  record_batch() = default;
  record_batch(const record_batch &) = delete;
  record_batch &operator=(const record_batch &) = delete;

  // A copy of the text that lives as long as the batch.
  tenon_text keep(std::string_view text);
  // Room for so many, that lives as long as the batch.
  template <class T>
  T *allocate(size_t count) {
    return count == 0 ? nullptr : static_cast<T *>(texts_.allocate(count * sizeof(T), alignof(T)));
  }
  // A record with its size, the run and nothing else.
  tenon_event_record &add(uint64_t id, std::string_view run);
  // A copy of another one's with all its texts.
  void add_copy(const tenon_event_record &of);

  [[nodiscard]] const std::vector<tenon_event_record> &records() const { return records_; }
  [[nodiscard]] bool empty() const { return records_.empty(); }

 private:
  std::pmr::monotonic_buffer_resource texts_{4096};
  std::vector<tenon_event_record> records_;
  tenon_text run_{nullptr, 0};
};

using shared_batch = std::shared_ptr<const record_batch>;

}  // namespace tenon::events
