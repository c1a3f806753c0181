// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Whether memory can be read, asked of the system: a module that crashed may have written over what leads there.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace tenon::host {

class page_probe {
 public:
  page_probe() = default;
  ~page_probe();
  page_probe(const page_probe &) = delete;
  page_probe &operator=(const page_probe &) = delete;

  // Before it is asked. False: the system has no descriptors.
  bool open();
  // From a signal handler, too.
  [[nodiscard]] bool can_read(const void *from, size_t bytes);
  // What it found: pages may be gone by now.
  void forget() { known_ = {}; }

 private:
  [[nodiscard]] bool can_read_page(uintptr_t page);

  int ends_[2] = {-1, -1};  // a pipe: the system says no where it cannot read what is to be written to it
  std::array<uintptr_t, 256> known_{};
};

}  // namespace tenon::host
