// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Memory that says when it is misused: blocks that end where nobody may read, become read-only for a call, and are
// out of bounds after it.
#pragma once

#include <cstddef>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "check_process.hpp"

namespace tenon::conformance {

// Blocks of one call. Loose ones are ordinary memory with room behind them.
class guarded_memory {
 public:
  // `only`: where not null, the name of the blocks that are guarded.
  explicit guarded_memory(bool guarded, const char *only = nullptr) : guarded_(guarded), only_(only) {}
  ~guarded_memory();  // blocks are out of bounds from here on, and their addresses are not used again soon
  guarded_memory(const guarded_memory &) = delete;
  guarded_memory &operator=(const guarded_memory &) = delete;

  // A block of zeros. `name` says what it is and must be a literal. Inputs are read-only after freeze().
  void *make(const char *name, size_t bytes, bool input, size_t alignment = 8);

  template <class T>
  T *copy(const char *name, std::span<const T> from) {
    void *to = make(name, from.size_bytes(), true, alignof(T));
    if (!from.empty()) std::memcpy(to, from.data(), from.size_bytes());
    return static_cast<T *>(to);
  }
  // A struct of which the first `bytes` exist; more than it has are filled with `tail`.
  template <class T>
  T *structure(const char *name, const T &from, size_t bytes, bool input, unsigned char tail) {
    void *to = make(name, bytes, input, alignof(T));
    std::memset(to, tail, bytes);
    std::memcpy(to, &from, bytes < sizeof from ? bytes : sizeof from);
    return static_cast<T *>(to);
  }

  void freeze();

 private:
  struct block {
    char *pages = nullptr;
    size_t length = 0;  // of the mapping, guard included
    bool input = false;
    bool guarded = false;
  };
  bool guarded_;
  const char *only_;
  std::vector<block> blocks_;
};

// From here on a fault in guarded memory says what was touched, then ends the process as ever.
void watch_faults(shared_page &page);

}  // namespace tenon::conformance
