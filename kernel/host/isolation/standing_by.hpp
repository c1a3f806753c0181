// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Instances that were started before they are needed, so that whoever binds them does not wait for their processes.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "isolation/isolated_instance.hpp"

namespace tenon::host::isolation {

// From any thread. Instances that nobody took end with this object.
class standing_by {
 public:
  standing_by() = default;
  ~standing_by();
  standing_by(const standing_by &) = delete;
  standing_by &operator=(const standing_by &) = delete;

  void add(std::unique_ptr<isolated_instance> instance);
  // Returns an instance that was made of this request; nullptr if there is none.
  [[nodiscard]] std::unique_ptr<isolated_instance> take(const std::string &request);

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<isolated_instance>> instances_;
};

}  // namespace tenon::host::isolation
