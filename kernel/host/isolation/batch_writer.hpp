// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Writes what a slot is given into the region of requests, with pointers as the process sees them, so that the slot is
// called on it as it lies there.
#pragma once

#include "isolation/region_writer.hpp"
#include "tenon/abi/columns.h"

namespace tenon::host::isolation {

class batch_writer {
 public:
  explicit batch_writer(region_writer &to) : to_(to), start_(to.used()) {}

  // Begins a call: what the one before it wrote is void.
  void start() { to_.rewind(start_); }

  // Items keep their indexes: a column has room from the first to the last of them, and the values of those alone.
  // Throws region_full.
  placed<tenon_batch> write(const tenon_batch &batch);

 private:
  struct extent {
    const uint32_t *items;
    uint32_t count;
    uint32_t first = 0, span = 0;  // the lowest index, and how many from it to the highest
  };
  static extent extent_of(const tenon_batch &batch);

  const tenon_text *types(const tenon_batch &batch);
  tenon_column column(const tenon_column &from, const extent &items, uint32_t types);
  template <class T, class Put>
  const void *values(const void *base, uint64_t stride, const extent &items, size_t each, Put &&put);

  region_writer &to_;
  size_t start_;  // behind the names of types, which stay from call to call
  const tenon_text *types_ = nullptr;
  uint32_t type_count_ = 0;
};

}  // namespace tenon::host::isolation
