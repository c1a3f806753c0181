// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// A made-up cluster as columns: values by seed, and their encoding as a batch in many shapes that mean the same.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "guarded_memory.hpp"
#include "tenon/kernel/columns.hpp"

namespace tenon::conformance {

struct column_declared {
  std::string id;
  uint32_t scope = TENON_SCOPE_ITEM;
  uint32_t value = TENON_COLUMN_I64;  // TENON_COLUMN_*
};

// One value of a column of any kind.
struct cell {
  int64_t number = 0;
  std::vector<int64_t> amounts;  // by type, also of numbers
  uint64_t present = 0;
  std::optional<std::string> text;
  std::vector<std::optional<std::string>> list;
  std::map<std::string, std::string> map;
  std::array<uint64_t, 4> words{};
  bool operator==(const cell &) const = default;
};

struct column_values {
  column_declared is;
  std::vector<cell> cells;  // one a row; of the context: one
  bool absent = false;      // the call has no such context
};

struct table {
  std::vector<std::string> types;
  std::vector<column_values> columns;
  uint32_t rows = 0;
  int64_t now_ms = 0;
  tenon_world world = TENON_WORLD_LIVE;
};

// What values are made of.
struct world_style {
  uint32_t rows = 8;
  uint32_t types = 4;
  bool extreme = false;                      // zeros, the largest numbers, undefined types, empty texts
  std::vector<std::string> vocabulary = {};  // names of tags and attributes, beside those that are always there
};

// The same seed and style give the same table, whatever the library's random numbers are.
table make_table(const std::vector<column_declared> &columns, const world_style &style, uint64_t seed);
// New values for one row of a column, or for its context.
cell make_cell(const column_declared &column, const world_style &style, uint64_t seed, uint64_t row);

// How a table becomes memory. Every shape means the same to whoever reads as the headers say.
struct shape {
  bool guarded = false;              // inputs end at forbidden memory, are read-only, and gone after the call
  const char *guard_only = nullptr;  // where not null: only the block of this name
  bool larger = false;               // structs and strides of a later host
  uint32_t gap = 0;                  // rows of nobody between two rows of the batch
  uint64_t others_seed = 0;          // what those rows hold
  uint32_t batch_bytes = 0;          // where not 0: the batch struct has only so many
};

// The batch of `items` (rows of the table, in this order). Lives as long as `memory`.
const tenon_batch *encode(const table &from, const std::vector<uint32_t> &items, const shape &as,
                          guarded_memory &memory);

// A small generator of our own: the library's distributions differ between implementations.
class dice {
 public:
  explicit dice(uint64_t seed) : state_(seed) {}
  uint64_t next() {
    uint64_t z = state_ += 0x9E3779B97F4A7C15;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    return z ^ (z >> 31);
  }
  uint64_t below(uint64_t n) { return n == 0 ? 0 : next() % n; }
  bool chance(uint64_t percent) { return below(100) < percent; }
  template <class T>
  const T &one_of(const std::vector<T> &from) {
    return from[below(from.size())];
  }

 private:
  uint64_t state_;
};

uint64_t mixed(uint64_t a, uint64_t b);
uint64_t hash_of(std::string_view text);

}  // namespace tenon::conformance
