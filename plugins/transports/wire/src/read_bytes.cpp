// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Bytes as structs. Reads what clients write; anything else - unknown fields, a message in two pieces, a name twice in
// a map, text beyond ASCII, a number out of range - ends the attempt, and protobuf reads the message from its start.
#include <algorithm>
#include <cstring>

#include "schema.hpp"
#include "tenon/abi/rm_requests.h"

namespace tenon::wire {
namespace {

constexpr uint32_t varint_type = 0;
constexpr uint32_t length_type = 2;

// Bytes to be read; after a failure nothing is left.
class source {
 public:
  explicit source(std::string_view bytes) : at_(bytes.data()), end_(bytes.data() + bytes.size()) {}

  [[nodiscard]] bool more() const { return at_ != end_; }
  uint8_t byte() { return static_cast<uint8_t>(*at_++); }

  bool varint(uint64_t &out) {
    out = 0;
    for (uint32_t shift = 0; shift < 70 && at_ != end_; shift += 7) {
      const uint64_t next = byte();
      if (shift == 63 && next > 1) {
        return false;  // more than 64 bits: protobuf's to judge
      }
      out |= (next & 0x7f) << shift;
      if (next < 0x80) {
        return true;
      }
    }
    return false;
  }

  bool inside(std::string_view &out) {
    uint64_t length = 0;
    if (!varint(length) || length > static_cast<uint64_t>(end_ - at_)) {
      return false;
    }
    out = {at_, length};
    at_ += length;
    return true;
  }

 private:
  const char *at_;
  const char *end_;
};

bool is_ascii(std::string_view text) {
  uint64_t high = 0;
  size_t at = 0;
  for (; at + 8 <= text.size(); at += 8) {
    uint64_t eight = 0;
    std::memcpy(&eight, text.data() + at, 8);
    high |= eight;
  }
  for (; at < text.size(); ++at) {
    high |= static_cast<uint8_t>(text[at]);
  }
  return (high & 0x8080808080808080U) == 0;
}

bool text_of(source &from, tenon_text &out) {
  std::string_view text;
  if (!from.inside(text) || !is_ascii(text)) {
    return false;
  }
  out = {text.data(), text.size()};
  return true;
}

struct pair {
  tenon_text name{}, value{};
};
struct amount {
  tenon_text type{};
  int64_t value = 0;
};

std::string_view key_of(const pair &of) { return {of.name.data, of.name.length}; }
std::string_view key_of(const amount &of) { return {of.type.data, of.type.length}; }

// By name; false where one is there twice. Few, and often in order already.
template <class Entry>
bool sort(std::vector<Entry> &entries) {
  for (size_t i = 1; i < entries.size(); ++i) {
    if (key_of(entries[i - 1]) < key_of(entries[i])) {
      continue;
    }
    std::sort(entries.begin(), entries.end(), [](const Entry &a, const Entry &b) { return key_of(a) < key_of(b); });
    return std::adjacent_find(entries.begin(), entries.end(),
                              [](const Entry &a, const Entry &b) { return key_of(a) == key_of(b); }) == entries.end();
  }
  return true;
}

class byte_reader {
 public:
  byte_reader(const schema &of, room &into) : schema_(of), memory_(into.memory()), ranks_(scratch().ranks) {
    ranks_.resize(std::max(ranks_.size(), of.slots.size()));
    for (auto &rank : ranks_) {
      rank.clear();
    }
  }

  bool envelope(std::string_view bytes, batch &out) {
    source from(bytes);
    bool resync = false;
    uint32_t held = 0;
    while (from.more()) {
      const uint8_t tag = from.byte();
      if (tag >= 0x80) {
        return false;
      }
      const tagged_outer &field = schema_.fields[tag >> 3];
      switch (field.is) {
        case tagged_outer::what::parts:
          if (tag != field.tag || !part(field.rank, from)) {
            return false;
          }
          break;
        case tagged_outer::what::holder: {
          std::string_view inside;
          if (tag != field.tag || !from.inside(inside) || !holder(field, inside)) {
            return false;
          }
          held |= 1U << (tag >> 3);
          break;
        }
        case tagged_outer::what::rm:
          if ((tag & 7) != length_type || !text_of(from, out.rm)) {
            return false;
          }
          break;
        case tagged_outer::what::resync: {
          uint64_t action = 0;
          if ((tag & 7) != varint_type || !from.varint(action) || action > 1) {
            return false;
          }
          resync = action == 1;
          break;
        }
        case tagged_outer::what::nothing:
          return false;
      }
    }
    gather(resync, held, out);
    return true;
  }

 private:
  // What would be allocated for each message, kept by the thread.
  struct kept {
    std::vector<std::vector<const tenon_rm_message *>> ranks;
    std::vector<pair> pairs;
    std::vector<amount> amounts;
    std::vector<tenon_text> texts;
  };
  static kept &scratch() {
    static thread_local kept one;
    return one;
  }

  void gather(bool resync, uint32_t held, batch &out) {
    static const tenon_rm_message resync_message{sizeof(tenon_rm_message), TENON_RM_RESYNC};
    if (resync) {
      out.messages.push_back(&resync_message);
    }
    for (const auto &rank : ranks_) {
      out.messages.insert(out.messages.end(), rank.begin(), rank.end());
    }
    if (held == 0) {
      return;
    }
    // The messages around lists were there, and had nothing else in them.
    char *bytes = array<char>(2 * tagged);
    out.detail = {bytes, 0};
    for (uint32_t number = 0; number < tagged; ++number) {
      if (held >> number & 1) {
        bytes[out.detail.length] = static_cast<char>(schema_.fields[number].tag);
        out.detail.length += 2;
      }
    }
  }

  bool part(int rank, source &from) {
    std::string_view bytes;
    const tenon_rm_message *read = nullptr;
    if (!from.inside(bytes) || !one(*schema_.slots[static_cast<size_t>(rank)].holds, bytes, read)) {
      return false;
    }
    ranks_[static_cast<size_t>(rank)].push_back(read);
    return true;
  }

  bool holder(const tagged_outer &field, std::string_view bytes) {
    source from(bytes);
    while (from.more()) {
      const uint8_t tag = from.byte();
      if (tag >= 0x80 || (tag & 7) != length_type || field.inner[tag >> 3] < 0 || !part(field.inner[tag >> 3], from)) {
        return false;
      }
    }
    return true;
  }

  bool one(const tagged_record &record, std::string_view bytes, const tenon_rm_message *&read) {
    char *out = array<char>(record.from->from->size);
    set(out, 0, record.from->from->size);
    set(out, offsetof(tenon_rm_message, type), record.from->from->type);
    if (record.from->is.offset) {
      set(out, record.from->is.offset, record.from->is.value);
    }
    if (!numbers_preset(record, out)) {
      return false;
    }
    source from(bytes);
    uint32_t seen = 0;
    std::vector<const tenon_rm_message *> elements;
    scratch().pairs.clear();
    const row *pairs_row = nullptr;
    while (from.more()) {
      const uint8_t tag = from.byte();
      const tagged_field &field = record.fields[(tag >> 3) & (tagged - 1)];
      if (field.from == nullptr || tag != field.tag || field.by_protobuf) {
        return false;
      }
      const bool again = (seen >> (tag >> 3) & 1) != 0;
      seen |= 1U << (tag >> 3);
      if (field.from->kind == field_kind::pairs) {
        pairs_row = field.from;
        if (!pair_of(from)) {
          return false;
        }
      } else if (field.from->kind == field_kind::elements) {
        std::string_view inside;
        const tenon_rm_message *element = nullptr;
        std::vector<pair> outer;
        outer.swap(scratch().pairs);  // an element has pairs of its own
        const bool fine = from.inside(inside) && one(*field.element, inside, element);
        outer.swap(scratch().pairs);
        if (!fine) {
          return false;
        }
        elements.push_back(element);
      } else if (!single(record, *field.from, again, from, out)) {
        return false;
      }
    }
    if (pairs_row && !put_pairs(*pairs_row, out)) {
      return false;
    }
    put_elements(record, elements, out);
    read = reinterpret_cast<const tenon_rm_message *>(out);
    return true;
  }

  // A number that is not sent is the dialect's 0.
  static bool numbers_preset(const tagged_record &record, char *out) {
    if (record.spoken == dialect::first) {
      for (const tagged_field &field : record.fields) {
        if (field.from && field.from->kind == field_kind::number) {
          set(out, field.from->offset, field.from->counted.shift);
        }
      }
    }
    for (const tagged_field &field : record.fields) {
      if (field.from && field.from->kind == field_kind::priority && record.spoken == dialect::later) {
        set(out, field.from->offset, tenon_rm_priority{TENON_PRIORITY_VALUE, 0, {}});
      }
    }
    return true;
  }

  bool single(const tagged_record &record, const row &field, bool again, source &from, char *out) {
    uint64_t number = 0;
    switch (field.kind) {
      case field_kind::text: {
        tenon_text text{};
        const bool fine = text_of(from, text);
        set(out, field.offset, text);
        return fine;
      }
      case field_kind::i32:
        return from.varint(number) && set(out, field.offset, static_cast<int32_t>(number));
      case field_kind::i64:
        return from.varint(number) && set(out, field.offset, static_cast<int64_t>(number));
      case field_kind::flag:
        return from.varint(number) && set(out, field.offset, static_cast<uint32_t>(number != 0));
      case field_kind::open_number:
        return from.varint(number) && set(out, field.offset, static_cast<uint32_t>(number));
      case field_kind::number: {
        const bool first = record.spoken == dialect::first;
        return from.varint(number) && number < (first ? field.counted.first_count : field.counted.later_count) &&
               set(out, field.offset, static_cast<uint32_t>(number) + (first ? field.counted.shift : 0));
      }
      case field_kind::priority:
        if (record.spoken == dialect::later) {
          return from.varint(number) &&
                 set(out, field.offset, tenon_rm_priority{TENON_PRIORITY_VALUE, static_cast<int32_t>(number), {}});
        }
        return !again && priority(field, from, out);
      case field_kind::amounts:
        return !again && amounts(field, from, out);
      case field_kind::preemption:
        return !again && preemption(field, from, out);
      case field_kind::user:
        return !again && user(from, *reinterpret_cast<tenon_rm_application *>(out));
      case field_kind::texts:
      case field_kind::pairs:
      case field_kind::elements:
        break;
    }
    return false;
  }

  bool pair_of(source &from) {
    std::string_view bytes;
    pair found;
    if (!from.inside(bytes)) {
      return false;
    }
    source entry(bytes);
    while (entry.more()) {
      const uint8_t tag = entry.byte();
      if ((tag != 0x0a && tag != 0x12) || !text_of(entry, tag == 0x0a ? found.name : found.value)) {
        return false;
      }
    }
    scratch().pairs.push_back(found);
    return true;
  }

  bool put_pairs(const row &field, char *out) {
    std::vector<pair> &found = scratch().pairs;
    if (!sort(found)) {
      return false;
    }
    auto *names = array<tenon_text>(found.size());
    auto *values = array<tenon_text>(found.size());
    for (size_t i = 0; i < found.size(); ++i) {
      names[i] = found[i].name;
      values[i] = found[i].value;
    }
    return set(out, field.offset, tenon_rm_pairs{names, values, found.size()});
  }

  void put_elements(const tagged_record &record, const std::vector<const tenon_rm_message *> &elements, char *out) {
    if (elements.empty()) {
      return;
    }
    for (const tagged_field &field : record.fields) {
      if (field.from && field.from->kind == field_kind::elements) {
        auto *found = array<const tenon_rm_message *>(elements.size());
        std::copy(elements.begin(), elements.end(), found);
        set(out, field.from->offset, static_cast<const tenon_rm_message *const *>(found));
        set(out, field.from->second, static_cast<uint64_t>(elements.size()));
      }
    }
  }

  bool amount_of(source &from) {
    std::string_view bytes;
    if (!from.inside(bytes)) {
      return false;
    }
    source entry(bytes);
    amount found;
    bool valued = false;
    while (entry.more()) {
      const uint8_t tag = entry.byte();
      if (tag == 0x0a) {
        if (!text_of(entry, found.type)) {
          return false;
        }
        continue;
      }
      std::string_view quantity;
      if (tag != 0x12 || valued || !entry.inside(quantity)) {
        return false;
      }
      valued = true;
      source inside(quantity);
      while (inside.more()) {
        uint64_t value = 0;
        if (inside.byte() != 0x08 || !inside.varint(value)) {
          return false;
        }
        found.value = static_cast<int64_t>(value);
      }
    }
    scratch().amounts.push_back(found);
    return true;
  }

  bool amounts(const row &field, source &from, char *out) {
    std::string_view bytes;
    if (!from.inside(bytes)) {
      return false;
    }
    std::vector<amount> &found = scratch().amounts;
    found.clear();
    source resource(bytes);
    while (resource.more()) {
      if (resource.byte() != 0x0a || !amount_of(resource)) {
        return false;
      }
    }
    if (!sort(found)) {
      return false;
    }
    auto *types = array<tenon_text>(found.size());
    auto *values = array<int64_t>(found.size());
    for (size_t i = 0; i < found.size(); ++i) {
      types[i] = found[i].type;
      values[i] = found[i].value;
    }
    return set(out, field.offset, tenon_rm_amounts{types, values, static_cast<uint32_t>(found.size()), 1});
  }

  static bool priority(const row &field, source &from, char *out) {
    std::string_view bytes;
    if (!from.inside(bytes)) {
      return false;
    }
    tenon_rm_priority found{TENON_PRIORITY_EMPTY, 0, {}};
    source inside(bytes);
    while (inside.more()) {
      uint64_t value = 0;
      switch (inside.byte()) {
        case 0x08:
          if (!inside.varint(value)) {
            return false;
          }
          found = {TENON_PRIORITY_VALUE, static_cast<int32_t>(value), {}};
          break;
        case 0x12:
          found = {TENON_PRIORITY_CLASS, 0, {}};
          if (!text_of(inside, found.name)) {
            return false;
          }
          break;
        default:
          return false;
      }
    }
    return set(out, field.offset, found);
  }

  static bool preemption(const row &field, source &from, char *out) {
    std::string_view bytes;
    if (!from.inside(bytes)) {
      return false;
    }
    tenon_rm_preemption found{1, 0, 0, 0};
    source inside(bytes);
    while (inside.more()) {
      uint64_t value = 0;
      const uint8_t tag = inside.byte();
      if ((tag != 0x08 && tag != 0x10) || !inside.varint(value)) {
        return false;
      }
      (tag == 0x08 ? found.allow_self : found.allow_other) = value != 0;
    }
    return set(out, field.offset, found);
  }

  bool user(source &from, tenon_rm_application &out) {
    std::string_view bytes;
    if (!from.inside(bytes)) {
      return false;
    }
    std::vector<tenon_text> &groups = scratch().texts;
    groups.clear();
    source inside(bytes);
    while (inside.more()) {
      const uint8_t tag = inside.byte();
      tenon_text text{};
      if ((tag != 0x0a && tag != 0x12) || !text_of(inside, text)) {
        return false;
      }
      if (tag == 0x0a) {
        out.user = text;
      } else {
        groups.push_back(text);
      }
    }
    auto *kept_groups = array<tenon_text>(groups.size());
    std::copy(groups.begin(), groups.end(), kept_groups);
    out.groups = kept_groups;
    out.group_count = static_cast<uint32_t>(groups.size());
    out.user_present = 1;
    return true;
  }

  template <class T>
  T *array(size_t count) {
    static_assert(std::is_trivial_v<T>);
    const size_t bytes = std::max<size_t>(count, 1) * sizeof(T);
    void *at = memory_.allocate(bytes, alignof(uint64_t));
    std::memset(at, 0, bytes);
    return static_cast<T *>(at);
  }

  template <class T>
  static bool set(char *out, size_t offset, const T &value) {
    static_assert(std::is_trivially_copyable_v<T>);
    std::memcpy(out + offset, &value, sizeof value);
    return true;
  }

  const schema &schema_;
  std::pmr::monotonic_buffer_resource &memory_;
  std::vector<std::vector<const tenon_rm_message *>> &ranks_;
};

}  // namespace

bool read_bytes(const schema &of, std::string_view bytes, room &into, batch &out, std::string &refusal) {
  out.rm = {};
  out.detail = {};
  out.messages.clear();
  if (byte_reader(of, into).envelope(bytes, out)) {
    return true;
  }
  google::protobuf::Message &message = into.keep(std::unique_ptr<google::protobuf::Message>(of.prototype->New()));
  if (!message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    refusal = message.GetDescriptor()->name() + ": want a message of this type, found " + std::to_string(bytes.size()) +
              " bytes that are none; send one that protobuf wrote, with texts in UTF-8";
    return false;
  }
  return read(message, into, out, refusal);
}

}  // namespace tenon::wire
