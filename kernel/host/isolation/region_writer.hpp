// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Puts things one after the other into a region that is mapped at one address here and at another one there.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <string_view>

#include "isolation/shared_memory.hpp"
#include "tenon/abi/base.h"

namespace tenon::host::isolation {

struct region_full : std::exception {
  [[nodiscard]] const char *what() const noexcept override { return "more than a call can carry to a process"; }
};

// An array in the region.
template <class T>
struct placed {
  T *here = nullptr;
  uint64_t there = 0;
  // What the other side sees as its pointer.
  [[nodiscard]] T *pointer() const { return reinterpret_cast<T *>(static_cast<uintptr_t>(there)); }
};

class region_writer {
 public:
  region_writer(std::byte *here, size_t from, size_t bytes) : here_(here), used_(from), bytes_(bytes), backed_(bytes) {}
  // Which grows with what is put into it.
  region_writer(shared_memory &region, size_t from)
      : here_(region.base()), used_(from), bytes_(region.most()), backed_(region.bytes()), region_(&region) {}

  void mapped_at(uint64_t there) { there_ = there; }
  [[nodiscard]] size_t used() const { return used_; }
  void rewind(size_t to) { used_ = to; }

  // Room for so many, with whatever was there before.
  template <class T>
  placed<T> room(size_t count) {
    constexpr size_t align = 8;
    static_assert(alignof(T) <= align);
    const size_t at = (used_ + align - 1) / align * align;
    if (count > (bytes_ - at) / sizeof(T)) throw region_full();
    used_ = at + count * sizeof(T);
    if (used_ > backed_) grow();
    return {reinterpret_cast<T *>(here_ + at), there_ + at};
  }

  tenon_text text(const tenon_text &from) {
    if (from.data == nullptr) return from;
    const placed<char> to = room<char>(from.length);
    if (from.length != 0) std::memcpy(to.here, from.data, from.length);
    return {to.pointer(), from.length};
  }

  const tenon_text *texts(const tenon_text *from, size_t count) {
    if (from == nullptr) return nullptr;
    const placed<tenon_text> to = room<tenon_text>(count);
    for (size_t i = 0; i < count; ++i) to.here[i] = text(from[i]);
    return to.pointer();
  }

 private:
  void grow() {
    constexpr size_t step = size_t{1} << 20;
    const size_t wanted = std::min(bytes_, (used_ + step - 1) / step * step);
    if (region_ == nullptr || !region_->grow(wanted)) throw region_full();
    backed_ = wanted;
  }

  std::byte *here_;
  uint64_t there_ = 0;
  size_t used_, bytes_, backed_;
  shared_memory *region_ = nullptr;
};

}  // namespace tenon::host::isolation
