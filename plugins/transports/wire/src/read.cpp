// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Bytes as structs. Texts are views of the bytes; arrays lie in the arena.
#include <utf8.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>
#include <functional>
#include <span>

#include "cursor.hpp"
#include "put.hpp"
#include "tenon/abi/rm_requests.h"
#include "wire_schema.hpp"

namespace tenon::wire {
namespace {

std::string_view view(const tenon_text &text) { return {text.data, text.length}; }

bool is_ascii(std::string_view text) {
  uint64_t high = 0;
  size_t at = 0;
  for (; at + 8 <= text.size(); at += 8) {
    uint64_t eight = 0;
    std::memcpy(&eight, text.data() + at, 8);
    high |= eight;
  }
  for (; at < text.size(); ++at) high |= static_cast<uint8_t>(text[at]);
  return (high & 0x8080808080808080U) == 0;
}

bool text_of(cursor &at, tenon_text &out) {
  std::string_view text;
  if (!at.inside(text)) return false;
  out = {text.data(), text.size()};
  return is_ascii(text) || utf8::is_valid(text);
}

// What came of a map; `order` is that in which it came.
struct pair {
  uint32_t field = 0;
  uint32_t order = 0;
  tenon_text name{}, value{};
};
struct amount {
  tenon_text type{};
  int64_t value = 0;
  uint32_t order = 0;
  std::string_view unknown;  // fields of the quantity
};

bool before(const pair &a, const pair &b) {
  return a.field != b.field ? a.field < b.field : view(a.name) < view(b.name);
}
bool before(const amount &a, const amount &b) { return view(a.type) < view(b.type); }

// By name, so that equal messages are equal batches: a map has no order on the wire. Of equal names the last counts.
template <class Entry>
void keep_last_of_each(std::vector<Entry> &entries, size_t first) {
  const auto begin = entries.begin() + static_cast<std::ptrdiff_t>(first);
  const auto in_order = [](const Entry &a, const Entry &b) { return before(a, b); };
  if (std::adjacent_find(begin, entries.end(), std::not_fn(in_order)) == entries.end()) return;
  std::sort(begin, entries.end(),
            [](const Entry &a, const Entry &b) { return before(a, b) || (a.order > b.order && !before(b, a)); });
  entries.erase(std::unique(begin, entries.end(), std::not_fn(in_order)), entries.end());
}

// One more payload of a message that came before.
struct repeated_payload {
  uint32_t inside = 0;
  std::string_view bytes;
};

// What would be allocated for each message, kept by the thread. A record that is inside of another leaves what it finds
// behind that one's.
struct scratch {
  std::vector<std::vector<const tenon_rm_message *>> ranks;
  std::vector<pair> pairs;
  std::vector<amount> amounts;
  std::vector<tenon_text> texts;
  std::vector<repeated_payload> repeated;
  std::string dropped;  // protobuf drops what it does not know of an entry of a map

  static scratch &of_thread() {
    static thread_local scratch one;
    return one;
  }
  void begin(size_t rank_count) {
    ranks.resize(std::max(ranks.size(), rank_count));
    for (auto &rank : ranks) rank.clear();
    pairs.clear();
    texts.clear();
    repeated.clear();
    dropped.clear();
  }
};

class reader {
 public:
  reader(const schema &of, arena &into) : schema_(of), memory_(into.memory()), scratch_(scratch::of_thread()) {
    scratch_.begin(of.slots.size());
  }

  bool whole(std::string_view bytes, batch &out) {
    if (schema_.alone == nullptr) return parts(bytes, out) || refuse_in(schema_.name);
    const tenon_rm_message *read = nullptr;
    if (!one(*schema_.alone, bytes, read)) return refuse_in(schema_.name);
    out.messages.push_back(read);
    return true;
  }

  // Empty after bytes that are no message.
  [[nodiscard]] const std::string &refusal() const { return refusal_; }

 private:
  struct held {
    uint8_t tag = 0;
    std::string unknown;
  };

  bool refuse_number(const std::string &name, uint32_t count, int32_t found) {
    refusal_ = "." + name + ": want a number from 0 to " + std::to_string(count - 1) + ", found " +
               std::to_string(found) + "; send one of the interface's";
    return false;
  }
  bool refuse_in(const std::string &place) {
    if (!refusal_.empty()) refusal_.insert(0, place);
    return false;
  }

  bool parts(std::string_view bytes, batch &out) {
    std::string unknown;
    uint64_t action = 0;
    std::vector<held> holders;
    const auto look = [&](uint32_t tag, cursor &at) {
      const tagged_outer *field = schema_.known(tag);
      if (field == nullptr) return seen::unknown;
      switch (field->is) {
        case tagged_outer::what::parts:
          return known_if(part(field->rank, at));
        case tagged_outer::what::holder:
          return known_if(holder(*field, at, holders));
        case tagged_outer::what::rm:
          return known_if(text_of(at, out.rm));
        case tagged_outer::what::resync:
          return known_if(at.varint(action));
        case tagged_outer::what::nothing:
          break;
      }
      return seen::unknown;
    };
    if (!each_field(bytes, unknown, look)) return false;
    const auto sent = static_cast<int32_t>(action);
    if (sent < 0 || sent > 1) return refuse_number(schema_.resync_name, 2, sent);
    gather(sent == 1, out);
    for (const held &each : holders) put_bytes(unknown, each.tag, each.unknown);
    out.detail = kept(unknown);
    return true;
  }

  void gather(bool resyncs, batch &out) {
    static constexpr tenon_rm_message resync_message{sizeof(tenon_rm_message), TENON_RM_RESYNC};
    if (resyncs) out.messages.push_back(&resync_message);
    for (const auto &rank : scratch_.ranks) out.messages.insert(out.messages.end(), rank.begin(), rank.end());
  }

  bool part(int rank, cursor &from) {
    const tagged_slot &slot = schema_.slots[static_cast<size_t>(rank)];
    auto &parts_of_rank = scratch_.ranks[static_cast<size_t>(rank)];
    std::string_view bytes;
    const tenon_rm_message *read = nullptr;
    if (!from.inside(bytes)) return false;
    if (!one(*slot.holds, bytes, read)) return refuse_in(slot.place + place_in_list(parts_of_rank.size()));
    parts_of_rank.push_back(read);
    return true;
  }

  static std::string place_in_list(size_t index) { return "[" + std::to_string(index) + "]"; }

  bool holder(const tagged_outer &field, cursor &from, std::vector<held> &holders) {
    std::string_view bytes;
    if (!from.inside(bytes)) return false;
    auto at = std::find_if(holders.begin(), holders.end(), [&](const held &each) { return each.tag == field.tag; });
    if (at == holders.end()) at = holders.insert(at, {field.tag, {}});
    return each_field(bytes, at->unknown, [&](uint32_t tag, cursor &inner) {
      const int rank = tag < 8 * tagged_numbers && (tag & 7) == length_follows ? field.inner[tag >> 3] : -1;
      return rank < 0 ? seen::unknown : known_if(part(rank, inner));
    });
  }

  // A message and what is known of it while its fields are read.
  struct open_record {
    const tagged_record &record;
    char *out;
    size_t first_pair, first_repeated;  // in the scratch
    uint32_t has_inside = 0;            // by place among tagged_record::inside
    uint32_t has_number = 0;            // numbers that the dialects count differently, by field
    std::array<std::string_view, most_inside> inside;
    std::vector<const tenon_rm_message *> elements;
  };

  bool one(const tagged_record &record, std::string_view bytes, const tenon_rm_message *&read) {
    open_record open{
        record, allocate<char>(record.blank.size()), scratch_.pairs.size(), scratch_.repeated.size(), 0, 0, {}, {}};
    std::memcpy(open.out, record.blank.data(), record.blank.size());
    std::string unknown;
    const bool fine = each_field(bytes, unknown, [&](uint32_t tag, cursor &at) {
      const tagged_field *field = record.known(tag);
      if (field == nullptr) return seen::unknown;
      tenon_text text{};
      if (field->from->kind != field_kind::text) return known_if(take(*field, at, open));
      return known_if(text_of(at, text) && set(open.out, field->from->offset, text));  // most are
    });
    if (!fine || !close(open, unknown)) return false;
    read = reinterpret_cast<const tenon_rm_message *>(open.out);
    return true;
  }

  bool take(const tagged_field &field, cursor &at, open_record &open) {
    const size_t offset = field.from->offset;
    uint64_t number = 0;
    if (field.is_inside) return take_inside(field, at, open);
    switch (field.from->kind) {
      case field_kind::i32:
        return at.varint(number) && set(open.out, offset, static_cast<int32_t>(number));
      case field_kind::i64:
        return at.varint(number) && set(open.out, offset, static_cast<int64_t>(number));
      case field_kind::flag:
        return at.varint(number) && set(open.out, offset, static_cast<uint32_t>(number != 0));
      case field_kind::open_number:
        return at.varint(number) && set(open.out, offset, static_cast<uint32_t>(number));
      case field_kind::number:
        open.has_number |= 1U << (field.tag >> 3);
        return at.varint(number) && set(open.out, offset, static_cast<int32_t>(number));
      case field_kind::priority:
        return at.varint(number) &&
               set(open.out, offset, tenon_rm_priority{TENON_PRIORITY_VALUE, static_cast<int32_t>(number), {}});
      case field_kind::pairs:
        return pair_of(field, at);
      case field_kind::elements:
        return element(field, at, open);
      case field_kind::text:
      case field_kind::amounts:
      case field_kind::preemption:
      case field_kind::user:
        break;
    }
    return false;
  }

  // They are read when all of their payloads are there.
  bool take_inside(const tagged_field &field, cursor &at, open_record &open) {
    std::string_view bytes;
    if (!at.inside(bytes)) return false;
    const uint32_t bit = 1U << field.inside;
    if ((open.has_inside & bit) != 0) {
      scratch_.repeated.push_back({field.inside, bytes});
    } else {
      open.inside[field.inside] = bytes;
    }
    open.has_inside |= bit;
    return true;
  }

  bool element(const tagged_field &field, cursor &at, open_record &open) {
    std::string_view bytes;
    const tenon_rm_message *read = nullptr;
    if (!at.inside(bytes)) return false;
    if (!one(*field.element, bytes, read)) {
      return refuse_in("." + field.name + place_in_list(open.elements.size()));
    }
    open.elements.push_back(read);
    return true;
  }

  bool pair_of(const tagged_field &field, cursor &at) {
    std::string_view bytes;
    pair found{static_cast<uint32_t>(field.tag >> 3), static_cast<uint32_t>(scratch_.pairs.size()), {}, {}};
    const auto look = [&](uint32_t tag, cursor &entry) {
      if (tag != 0x0a && tag != 0x12) return seen::unknown;
      return known_if(text_of(entry, tag == 0x0a ? found.name : found.value));
    };
    if (!at.inside(bytes) || !each_field(bytes, scratch_.dropped, look)) return false;
    scratch_.pairs.push_back(found);
    return true;
  }

  bool close(open_record &open, std::string &unknown) {
    if (scratch_.repeated.size() > open.first_repeated && !join_repeated(open)) return false;
    for (uint32_t left = open.has_inside; left != 0; left &= left - 1) {
      const auto at = static_cast<size_t>(std::countr_zero(left));
      if (!inside(*open.record.inside[at], open.inside[at], open.out, unknown)) return false;
    }
    if (scratch_.pairs.size() > open.first_pair) put_pairs(open);
    if (!open.elements.empty()) {
      auto *const elements = allocate<const tenon_rm_message *>(open.elements.size());
      std::copy(open.elements.begin(), open.elements.end(), elements);
      set(open.out, open.record.elements->offset, elements);
      set(open.out, open.record.elements->second, uint64_t{open.elements.size()});
    }
    if (open.has_number != 0 && !check_numbers(open)) return false;
    if (!unknown.empty()) set(open.out, open.record.from->detail, kept(unknown));
    return true;
  }

  // A message in several payloads is the one that they are one after the other, if each is fields by itself.
  bool join_repeated(open_record &open) {
    for (uint32_t place = 0; place < most_inside; ++place) {
      size_t length = open.inside[place].size();
      bool fine = true;
      for (size_t i = open.first_repeated; i < scratch_.repeated.size(); ++i) {
        const repeated_payload &each = scratch_.repeated[i];
        if (each.inside != place) continue;
        length += each.bytes.size();
        fine = fine && are_fields(each.bytes);
      }
      if (length == open.inside[place].size()) continue;
      if (!fine || !are_fields(open.inside[place])) return false;
      char *const all = allocate<char>(length);
      char *end = std::copy(open.inside[place].begin(), open.inside[place].end(), all);
      for (size_t i = open.first_repeated; i < scratch_.repeated.size(); ++i) {
        const repeated_payload &each = scratch_.repeated[i];
        if (each.inside == place) end = std::copy(each.bytes.begin(), each.bytes.end(), end);
      }
      open.inside[place] = {all, length};
    }
    scratch_.repeated.resize(open.first_repeated);
    return true;
  }

  // The last of each counts, so they are checked when all were read.
  bool check_numbers(const open_record &open) {
    const bool first = open.record.spoken == dialect::first;
    for (uint32_t left = open.has_number; left != 0; left &= left - 1) {
      const tagged_field &field = open.record.fields[static_cast<size_t>(std::countr_zero(left))];
      const numbers &counted = field.from->counted;
      const uint32_t count = first ? counted.first_count : counted.later_count;
      uint32_t sent = 0;
      std::memcpy(&sent, open.out + field.from->offset, sizeof sent);
      if (sent >= count) return refuse_number(field.name, count, static_cast<int32_t>(sent));
      set(open.out, field.from->offset, sent + (first ? counted.shift : 0));
    }
    return true;
  }

  void put_pairs(const open_record &open) {
    std::vector<pair> &found = scratch_.pairs;
    keep_last_of_each(found, open.first_pair);
    for (size_t begin = open.first_pair, end = begin; begin < found.size(); begin = end) {
      const uint32_t field = found[begin].field;
      while (end < found.size() && found[end].field == field) ++end;
      auto *const names = allocate<tenon_text>(end - begin);
      auto *const values = allocate<tenon_text>(end - begin);
      for (size_t i = begin; i < end; ++i) {
        names[i - begin] = found[i].name;
        values[i - begin] = found[i].value;
      }
      set(open.out, open.record.fields[field].from->offset, tenon_rm_pairs{names, values, end - begin});
    }
    found.resize(open.first_pair);
  }

  // Takes them out of the scratch.
  std::span<const tenon_text> texts_since(size_t first) {
    const size_t count = scratch_.texts.size() - first;
    auto *const out = allocate<tenon_text>(count);
    std::copy(scratch_.texts.begin() + static_cast<std::ptrdiff_t>(first), scratch_.texts.end(), out);
    scratch_.texts.resize(first);
    return {out, count};
  }

  // A message inside that is no list. What it has and the schema does not know is appended to `unknown`, with its tag.
  bool inside(const tagged_field &field, std::string_view bytes, char *out, std::string &unknown) {
    std::string own;
    if (!known_inside(field, bytes, out, own)) return false;
    if (!own.empty()) put_bytes(unknown, field.tag, own);
    return true;
  }

  bool known_inside(const tagged_field &field, std::string_view bytes, char *out, std::string &unknown) {
    switch (field.from->kind) {
      case field_kind::amounts:
        return amounts(field.from->offset, bytes, out, unknown);
      case field_kind::priority:
        return priority(field.from->offset, bytes, out, unknown);
      case field_kind::preemption:
        return preemption(field.from->offset, bytes, out, unknown);
      case field_kind::user:
        return user(bytes, *reinterpret_cast<tenon_rm_application *>(out), unknown);
      default:
        return false;
    }
  }

  bool amounts(size_t offset, std::string_view bytes, char *out, std::string &unknown) {
    std::vector<amount> &found = scratch_.amounts;
    found.clear();
    const auto look = [&](uint32_t tag, cursor &at) { return tag == 0x0a ? known_if(amount_of(at)) : seen::unknown; };
    if (!each_field(bytes, unknown, look)) return false;
    keep_last_of_each(found, 0);
    auto *const types = allocate<tenon_text>(found.size());
    auto *const values = allocate<int64_t>(found.size());
    for (size_t i = 0; i < found.size(); ++i) {
      types[i] = found[i].type;
      values[i] = found[i].value;
      if (found[i].unknown.empty()) continue;
      const size_t begin = begin_inside(unknown, 0x0a);
      put_bytes(unknown, 0x0a, view(found[i].type));
      put_bytes(unknown, 0x12, found[i].unknown);
      end_inside(unknown, begin);
    }
    return set(out, offset, tenon_rm_amounts{types, values, static_cast<uint32_t>(found.size()), 1});
  }

  bool amount_of(cursor &at) {
    std::string_view bytes;
    std::string unknown;
    amount found;
    found.order = static_cast<uint32_t>(scratch_.amounts.size());
    const auto look_at_quantity = [&](uint32_t tag, cursor &quantity) {
      uint64_t value = 0;
      if (tag != 0x08) return seen::unknown;
      if (!quantity.varint(value)) return seen::damaged;
      found.value = static_cast<int64_t>(value);
      return seen::known;
    };
    const auto look = [&](uint32_t tag, cursor &entry) {
      std::string_view quantity;
      if (tag == 0x0a) return known_if(text_of(entry, found.type));
      if (tag != 0x12) return seen::unknown;
      return known_if(entry.inside(quantity) && each_field(quantity, unknown, look_at_quantity));
    };
    if (!at.inside(bytes) || !each_field(bytes, scratch_.dropped, look)) return false;
    if (!unknown.empty()) found.unknown = view(kept(unknown));
    scratch_.amounts.push_back(found);
    return true;
  }

  static bool priority(size_t offset, std::string_view bytes, char *out, std::string &unknown) {
    tenon_rm_priority found{TENON_PRIORITY_EMPTY, 0, {}};
    const auto look = [&](uint32_t tag, cursor &at) {
      uint64_t value = 0;
      if (tag == 0x08) {
        if (!at.varint(value)) return seen::damaged;
        found = {TENON_PRIORITY_VALUE, static_cast<int32_t>(value), {}};
        return seen::known;
      }
      if (tag != 0x12) return seen::unknown;
      found = {TENON_PRIORITY_CLASS, 0, {}};
      return known_if(text_of(at, found.name));
    };
    return each_field(bytes, unknown, look) && set(out, offset, found);
  }

  static bool preemption(size_t offset, std::string_view bytes, char *out, std::string &unknown) {
    tenon_rm_preemption found{1, 0, 0, 0};
    const auto look = [&](uint32_t tag, cursor &at) {
      uint64_t value = 0;
      if (tag != 0x08 && tag != 0x10) return seen::unknown;
      if (!at.varint(value)) return seen::damaged;
      (tag == 0x08 ? found.allow_self : found.allow_other) = value != 0;
      return seen::known;
    };
    return each_field(bytes, unknown, look) && set(out, offset, found);
  }

  bool user(std::string_view bytes, tenon_rm_application &out, std::string &unknown) {
    const size_t first = scratch_.texts.size();
    const auto look = [&](uint32_t tag, cursor &at) {
      if (tag == 0x0a) return known_if(text_of(at, out.user));
      if (tag != 0x12) return seen::unknown;
      return known_if(text_of(at, scratch_.texts.emplace_back()));
    };
    if (!each_field(bytes, unknown, look)) return false;
    const std::span<const tenon_text> groups = texts_since(first);
    out.groups = groups.data();
    out.group_count = static_cast<uint32_t>(groups.size());
    out.user_present = 1;
    return true;
  }

  template <class T>
  T *allocate(size_t count) {
    static_assert(std::is_trivial_v<T>);
    return static_cast<T *>(memory_.allocate(std::max<size_t>(count, 1) * sizeof(T), alignof(uint64_t)));
  }

  tenon_text kept(const std::string &bytes) {
    if (bytes.empty()) return {};
    char *const out = allocate<char>(bytes.size());
    std::copy(bytes.begin(), bytes.end(), out);
    return {out, bytes.size()};
  }

  template <class T>
  static bool set(char *out, size_t offset, const T &value) {
    static_assert(std::is_trivially_copyable_v<T>);
    std::memcpy(out + offset, &value, sizeof value);
    return true;
  }

  const schema &schema_;
  std::pmr::monotonic_buffer_resource &memory_;
  scratch &scratch_;
  std::string refusal_;
};

}  // namespace

bool read(const schema &of, std::string_view bytes, arena &into, batch &out, std::string &refusal) {
  out.rm = {};
  out.detail = {};
  out.messages.clear();
  reader by(of, into);
  if (by.whole(bytes, out)) return true;
  refusal = by.refusal();
  if (refusal.empty()) {
    refusal = of.name + ": want a message of this type, found " + std::to_string(bytes.size()) +
              " bytes that are none; send one that protobuf wrote, with texts in UTF-8";
  }
  return false;
}

}  // namespace tenon::wire
