// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "probe_table.hpp"

#include <algorithm>
#include <limits>

namespace tenon::conformance {
namespace {

constexpr int64_t noon_ms = 1'700'000'000'000;
constexpr int64_t largest = std::numeric_limits<int64_t>::max();

const std::vector<std::string> &type_names() {
  static const std::vector<std::string> names{"memory", "vcore", "pods", "nvidia.com/gpu", "ephemeral-storage"};
  return names;
}

const std::vector<std::string> &usual_values() {
  static const std::vector<std::string> values{"a",  "b",   "zone-1", "zone-2", "10",   "2.5", "0",
                                               "-3", "1e9", "true",   "x|y",    "gold", "7",   "1h"};
  return values;
}

std::vector<std::string> keys_for(const world_style &style) {
  std::vector<std::string> keys = style.vocabulary;
  for (const char *usual : {"si/zone", "zone", "rack", "deadline", "cost"}) keys.emplace_back(usual);
  return keys;
}

std::string a_value(const world_style &style, dice &d) {
  if (style.extreme && d.chance(30)) {
    static const std::vector<std::string> odd{"",    " ", "99999999999999999999999999",
                                              "nan", "-", "\xC3\xA4\xF0\x9F\x98\x80",
                                              "|||", "=", std::string(3000, 'x')};
    return d.one_of(odd);
  }
  return d.one_of(usual_values());
}

int64_t a_number(const column_declared &c, const world_style &style, dice &d) {
  if (c.id == "app.state") return static_cast<int64_t>(d.below(6));
  if (c.id == "app.starts_next" || c.id == "parent.priority_sort" || c.id == "node.schedulable")
    return static_cast<int64_t>(d.below(2));
  if (c.id == "app.submitted_ms") return noon_ms - static_cast<int64_t>(d.below(1'000'000));
  if (c.id.ends_with("priority")) {
    if (style.extreme) return d.chance(50) ? INT32_MAX : INT32_MIN;
    return static_cast<int64_t>(d.below(7)) - 3;
  }
  return static_cast<int64_t>(d.below(9));
}

void fill_amounts(cell &to, const column_declared &c, const world_style &style, uint64_t seed, uint64_t row, dice &d) {
  // What a node has is told once, so that what is free of it never exceeds it.
  dice whole(mixed(mixed(seed, 0xA11), row));
  for (uint32_t t = 0; t < style.types; ++t) {
    int64_t total = static_cast<int64_t>(whole.below(64) * 1000);
    if (style.extreme && whole.chance(40)) total = whole.chance(50) ? 0 : largest;
    int64_t value = total;
    if (c.id != "node.total") value = total / 8 * static_cast<int64_t>(d.below(9));
    if (style.extreme && c.id == "node.free" && d.chance(20)) value = -1000;
    to.amounts.push_back(value);
    const bool defined = style.extreme ? d.chance(40) : d.chance(90);
    if (defined) to.present |= uint64_t{1} << t;
  }
}

}  // namespace

uint64_t mixed(uint64_t a, uint64_t b) {
  dice d(a ^ (b * 0xD6E8FEB86659FD93 + 0x9E3779B97F4A7C15));
  return d.next();
}

uint64_t hash_of(std::string_view text) {
  uint64_t h = 0xCBF29CE484222325;
  for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001B3;
  return h;
}

cell make_cell(const column_declared &c, const world_style &style, uint64_t seed, uint64_t row) {
  cell out;
  dice d(mixed(mixed(seed, hash_of(c.id)), row));
  if (c.id == "app.submission") {  // every item has its own
    out.number = static_cast<int64_t>(row + 1);
    return out;
  }
  switch (c.value) {
    case TENON_COLUMN_I64:
      out.number = a_number(c, style, d);
      break;
    case TENON_COLUMN_RESOURCES:
      fill_amounts(out, c, style, seed, row, d);
      break;
    case TENON_COLUMN_TEXT:
      if (d.chance(75)) out.text = a_value(style, d);
      break;
    case TENON_COLUMN_TEXT_MAP: {
      const auto keys = keys_for(style);
      for (uint64_t n = d.below(5); n > 0; --n) out.map[d.one_of(keys)] = a_value(style, d);
      break;
    }
    case TENON_COLUMN_WORDS:
      for (uint64_t &word : out.words) word = d.below(5);
      break;
    case TENON_COLUMN_TEXTS:
      for (uint64_t n = d.below(9); n > 0; --n) {
        out.list.push_back(d.chance(75) ? std::optional(a_value(style, d)) : std::nullopt);
      }
      break;
    default:
      for (uint64_t n = d.below(9); n > 0; --n) out.amounts.push_back(static_cast<int64_t>(d.below(9)) * 1000);
      break;
  }
  return out;
}

table make_table(const std::vector<column_declared> &columns, const world_style &style, uint64_t seed) {
  table out;
  out.rows = style.rows;
  out.now_ms = noon_ms;
  for (uint32_t t = 0; t < style.types; ++t) {
    out.types.push_back(t < type_names().size() ? type_names()[t] : "example.com/type-" + std::to_string(t));
  }
  for (const column_declared &c : columns) {
    column_values values{c, {}, false};
    const uint32_t count = c.scope == TENON_SCOPE_CONTEXT ? 1 : style.rows;
    for (uint32_t row = 0; row < count; ++row) values.cells.push_back(make_cell(c, style, seed, row));
    out.columns.push_back(std::move(values));
  }
  return out;
}

namespace {

// Lays texts one after the other, without anything between them, at the end of one block.
class text_pool {
 public:
  tenon_text add(std::string_view text) {
    const tenon_text at{reinterpret_cast<const char *>(bytes_.size() + 1), text.size()};
    bytes_.append(text);
    return at;
  }
  void place(guarded_memory &memory) {
    base_ = memory.copy<char>("the texts of the batch", bytes_);
    if (bytes_.empty()) base_ = memory.copy<char>("an empty text of the batch", std::string_view{});
  }
  // A text that add() gave, as it is after place().
  [[nodiscard]] tenon_text at(const tenon_text &given) const {
    if (given.data == nullptr) return given;
    return {base_ + (reinterpret_cast<uintptr_t>(given.data) - 1), given.length};
  }

 private:
  std::string bytes_;
  const char *base_ = nullptr;
};

// A text that belongs to no row of the batch: reading it is reading what one was not asked about.
const tenon_text nobody{reinterpret_cast<const char *>(uintptr_t{16}), 7};

struct encoder {
  const table &from;
  const std::vector<uint32_t> &items;
  const shape &as;
  guarded_memory &memory;
  text_pool texts;
  uint32_t slots = 0;  // rows in memory, those of nobody included

  [[nodiscard]] uint32_t slot_of(uint32_t row) const { return row * (as.gap + 1) + as.gap; }
  [[nodiscard]] uint64_t other(uint64_t at) const { return mixed(as.others_seed, at); }

  void numbers(const column_values &c, tenon_column &to, size_t count, bool one) {
    const size_t stride = as.larger ? 24 : 8;
    auto *base = static_cast<char *>(memory.make("a column of numbers", count * stride, true));
    for (size_t i = 0; i < count * stride / 8; ++i) {
      const uint64_t garbage = other(i);
      std::memcpy(base + i * 8, &garbage, 8);
    }
    for (uint32_t row = 0; row < c.cells.size(); ++row) {
      std::memcpy(base + (one ? 0 : slot_of(row)) * stride, &c.cells[row].number, 8);
    }
    to.base = base;
    to.item_stride = one ? 0 : stride;
  }

  void resources(const column_values &c, tenon_column &to, size_t count, bool one) {
    const size_t types = std::max<size_t>(from.types.size(), 1);
    const size_t type_stride = as.larger ? 16 : 8, stride = types * type_stride + (as.larger ? 40 : 0);
    auto *base = static_cast<char *>(memory.make("a column of resources", count * stride, true));
    auto *present = static_cast<uint64_t *>(memory.make("the presence masks of a column", count * 8, true));
    for (size_t i = 0; i < count * stride / 8; ++i) {
      const uint64_t garbage = other(i * 3 + 1);
      std::memcpy(base + i * 8, &garbage, 8);
    }
    for (size_t i = 0; i < count; ++i) present[i] = other(i);
    for (uint32_t row = 0; row < c.cells.size(); ++row) {
      const size_t slot = one ? 0 : slot_of(row);
      present[slot] = c.cells[row].present;
      for (size_t t = 0; t < c.cells[row].amounts.size(); ++t) {
        // What is undefined has no value that anybody could read.
        if ((c.cells[row].present >> t & 1) == 0) continue;
        std::memcpy(base + slot * stride + t * type_stride, &c.cells[row].amounts[t], 8);
      }
    }
    to.base = base;
    to.present = present;
    to.item_stride = one ? 0 : stride;
    to.present_stride = one ? 0 : 8;
    to.type_stride = type_stride;
  }

  // Structs of `width` bytes, one a slot, that `write` makes of a cell; rows of nobody get `garbage`.
  template <class Struct, class Write>
  void structs(const char *name, const column_values &c, tenon_column &to, size_t count, bool one,
               const Struct &garbage, Write &&write) {
    const size_t stride = sizeof(Struct) + (as.larger ? 16 : 0);
    auto *base = static_cast<char *>(memory.make(name, count * stride, true));
    for (size_t i = 0; i < count; ++i) std::memcpy(base + i * stride, &garbage, sizeof garbage);
    for (uint32_t row = 0; row < c.cells.size(); ++row) {
      const Struct value = write(c.cells[row]);
      std::memcpy(base + (one ? 0 : slot_of(row)) * stride, &value, sizeof value);
    }
    to.base = base;
    to.item_stride = one ? 0 : stride;
  }

  // The maps of a column lie one after the other, as do the lists.
  void maps(const column_values &c, tenon_column &to, size_t count, bool one) {
    std::vector<tenon_text> keys, values;
    for (const cell &value : c.cells) {
      for (const auto &[key, text] : value.map) {
        keys.push_back(texts.at(pooled[key]));
        values.push_back(texts.at(pooled[text]));
      }
    }
    const tenon_text *next_key = memory.copy<tenon_text>("the keys of a column of maps", keys);
    const tenon_text *next_value = memory.copy<tenon_text>("the values of a column of maps", values);
    structs("a column of maps", c, to, count, one, tenon_text_map{&nobody, &nobody, 1}, [&](const cell &v) {
      const tenon_text_map out{next_key, next_value, v.map.size()};
      next_key += v.map.size();
      next_value += v.map.size();
      return out;
    });
  }

  void lists(const column_values &c, tenon_column &to, size_t count, bool one) {
    std::vector<int64_t> all;
    for (const cell &value : c.cells) all.insert(all.end(), value.amounts.begin(), value.amounts.end());
    const int64_t *next = memory.copy<int64_t>("the lists of a column", all);
    structs("a column of lists", c, to, count, one, tenon_numbers{reinterpret_cast<const int64_t *>(16), 1},
            [&](const cell &v) {
              const tenon_numbers out{v.amounts.empty() ? nullptr : next, v.amounts.size()};
              next += v.amounts.size();
              return out;
            });
  }

  [[nodiscard]] tenon_text placed(const std::optional<std::string> &text) {
    return text ? texts.at(pooled[*text]) : tenon_text{nullptr, 0};
  }

  void text_lists(const column_values &c, tenon_column &to, size_t count, bool one) {
    std::vector<tenon_text> all;
    for (const cell &value : c.cells) {
      for (const auto &text : value.list) all.push_back(placed(text));
    }
    const tenon_text *next = memory.copy<tenon_text>("the texts of a column of lists", all);
    structs("a column of lists of texts", c, to, count, one, tenon_texts{&nobody, 1}, [&](const cell &v) {
      const tenon_texts out{v.list.empty() ? nullptr : next, v.list.size()};
      next += v.list.size();
      return out;
    });
  }

  std::map<std::string, tenon_text, std::less<>> pooled;
  void pool(const std::string &text) {
    if (!pooled.contains(text)) pooled[text] = texts.add(text);
  }
  void pool_all() {
    for (const column_values &c : from.columns) {
      for (const cell &value : c.cells) {
        if (value.text) pool(*value.text);
        for (const auto &text : value.list) {
          if (text) pool(*text);
        }
        for (const auto &[key, text] : value.map) pool(key), pool(text);
      }
    }
    texts.place(memory);
  }

  tenon_column column(const column_values &c) {
    tenon_column to{};
    to.size = static_cast<uint32_t>(column_stride());
    to.kind = c.is.value;
    const bool one = c.is.scope == TENON_SCOPE_CONTEXT;
    if (c.absent) return to;
    const size_t count = one ? 1 : slots;
    switch (c.is.value) {
      case TENON_COLUMN_I64:
        numbers(c, to, count, one);
        break;
      case TENON_COLUMN_RESOURCES:
        resources(c, to, count, one);
        break;
      case TENON_COLUMN_TEXT:
        structs("a column of texts", c, to, count, one, nobody, [&](const cell &v) { return placed(v.text); });
        break;
      case TENON_COLUMN_TEXT_MAP:
        maps(c, to, count, one);
        break;
      case TENON_COLUMN_WORDS:
        structs("a column of words", c, to, count, one, std::array<uint64_t, 4>{other(1), other(2), other(3), other(4)},
                [](const cell &v) { return v.words; });
        break;
      case TENON_COLUMN_NUMBERS:
        lists(c, to, count, one);
        break;
      case TENON_COLUMN_TEXTS:
        text_lists(c, to, count, one);
        break;
      default:
        break;
    }
    return to;
  }

  [[nodiscard]] size_t column_stride() const { return sizeof(tenon_column) + (as.larger ? 24 : 0); }

  const tenon_batch *run() {
    slots = from.rows == 0 ? 0 : slot_of(from.rows - 1) + 1 + as.gap;
    pool_all();
    auto *columns = static_cast<char *>(
        memory.make("the columns that it declares", from.columns.size() * column_stride(), true, 8));
    for (size_t i = 0; i < from.columns.size(); ++i) {
      const tenon_column c = column(from.columns[i]);
      std::memset(columns + i * column_stride(), 0x5A, column_stride());
      std::memcpy(columns + i * column_stride(), &c, sizeof c);
    }
    std::vector<uint32_t> indexes;
    for (const uint32_t row : items) indexes.push_back(slot_of(row));
    std::vector<tenon_text> types;
    for (const std::string &name : from.types)
      types.push_back({memory.copy<char>("the name of a type", name), name.size()});
    tenon_batch batch{};
    const size_t bytes = as.batch_bytes != 0 ? as.batch_bytes : sizeof batch + (as.larger ? 32 : 0);
    batch.size = static_cast<uint32_t>(bytes);
    batch.item_count = static_cast<uint32_t>(items.size());
    batch.items = memory.copy<uint32_t>("the items of the batch", indexes);
    batch.columns = reinterpret_cast<const tenon_column *>(columns);
    batch.column_count = static_cast<uint32_t>(from.columns.size());
    batch.column_stride = static_cast<uint32_t>(column_stride());
    batch.types = memory.copy<tenon_text>("the names of the types", types);
    batch.type_count = static_cast<uint32_t>(types.size());
    batch.now_ms = from.now_ms;
    batch.world = from.world;
    return memory.structure("the batch", batch, bytes, true, 0x5A);
  }
};

}  // namespace

const tenon_batch *encode(const table &from, const std::vector<uint32_t> &items, const shape &as,
                          guarded_memory &memory) {
  return encoder{from, items, as, memory, {}, 0, {}}.run();
}

}  // namespace tenon::conformance
