// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Structs as bytes, in the order of the field numbers, as protobuf writes them. What `detail` holds is there first, so
// that nothing that was sent is lost.
#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "cursor.hpp"
#include "put.hpp"
#include "tenon/abi/rm_requests.h"
#include "wire_schema.hpp"

namespace tenon::wire {
namespace {

template <class T>
T get(const tenon_rm_message *from, size_t offset) {
  T value{};
  std::memcpy(&value, reinterpret_cast<const char *>(from) + offset, sizeof value);
  return value;
}

void put_number(std::string &out, uint8_t tag, uint64_t value) {
  if (value == 0) return;
  out.push_back(static_cast<char>(tag));
  put_varint(out, value);
}

void put_text(std::string &out, uint8_t tag, const tenon_text &text) { put_bytes(out, tag, {text.data, text.length}); }

void put_if_any(std::string &out, uint8_t tag, const tenon_text &text) {
  if (text.length != 0) put_text(out, tag, text);
}

// What came with a message and its schema does not know: fields of its own, and of messages inside.
class kept_fields {
 public:
  // False: these are none.
  bool take(const tagged_record &of, std::string_view detail) {
    return each_field(detail, own_, [&](uint32_t tag, cursor &at) {
      const tagged_field *field = of.known(tag);
      if (field == nullptr) return seen::unknown;
      std::string_view bytes;
      if (!field->is_inside || !at.inside(bytes) || !are_fields(bytes)) return seen::damaged;
      inside_.emplace_back(field->tag, bytes);
      return seen::known;
    });
  }

  [[nodiscard]] const std::string &own() const { return own_; }
  [[nodiscard]] std::string_view inside(uint8_t tag) const {
    const auto at = std::find_if(inside_.begin(), inside_.end(), [&](const auto &each) { return each.first == tag; });
    return at == inside_.end() ? std::string_view() : at->second;
  }

 private:
  std::string own_;
  std::vector<std::pair<uint8_t, std::string_view>> inside_;
};

// The same of amounts: fields of their own, and of the quantity of a type.
class kept_quantities {
 public:
  explicit kept_quantities(std::string_view resource) {
    std::string_view entry;
    each_field(resource, own_, [&](uint32_t tag, cursor &at) {
      if (tag != 0x0a) return seen::unknown;
      if (at.inside(entry)) add(entry);
      return seen::known;
    });
  }

  [[nodiscard]] const std::string &own() const { return own_; }
  [[nodiscard]] std::string_view of(const tenon_text &type) const {
    const std::string_view name(type.data, type.length);
    const auto at = std::find_if(types_.begin(), types_.end(), [&](const auto &each) { return each.first == name; });
    return at == types_.end() ? std::string_view() : at->second;
  }

 private:
  void add(std::string_view entry) {
    std::pair<std::string_view, std::string_view> found;
    std::string dropped;
    const bool fine = each_field(entry, dropped, [&](uint32_t tag, cursor &at) {
      if (tag != 0x0a && tag != 0x12) return seen::unknown;
      return known_if(at.inside(tag == 0x0a ? found.first : found.second));
    });
    if (fine && are_fields(found.second)) types_.push_back(found);
  }

  std::string own_;
  std::vector<std::pair<std::string_view, std::string_view>> types_;
};

class writer {
 public:
  explicit writer(std::string &out) : out_(out) {}

  [[nodiscard]] const std::string &refusal() const { return refusal_; }  // of the last false

  bool part(const schema &of, const tenon_rm_message *from) {
    if (from->type == TENON_RM_RESYNC && of.resync_tag != 0) {
      put_number(out_, of.resync_tag, 1);
      return true;
    }
    const auto at = std::find_if(of.slots.begin(), of.slots.end(), [&](const auto &slot) { return fits(slot, from); });
    if (at == of.slots.end()) {
      return refuse("", "a message that belongs there", "type " + std::to_string(from->type),
                    "send it with the one that docs/interface.md names");
    }
    const size_t holder = at->holder != 0 ? begin_inside(out_, at->holder) : 0;
    const size_t begin = begin_inside(out_, at->tag);
    if (!record(*at->holds, from)) return refuse_in(at->place);
    end_inside(out_, begin);
    if (at->holder != 0) end_inside(out_, holder);
    return true;
  }

  bool record(const tagged_record &of, const tenon_rm_message *from) {
    if (from->type != of.from->type || from->size < of.from->least) {
      return refuse(
          "", "message type " + std::to_string(of.from->type) + " of " + std::to_string(of.from->least) + " bytes",
          "type " + std::to_string(from->type) + " of " + std::to_string(from->size), "fill it as rm_messages.h says");
    }
    std::optional<kept_fields> kept;
    if (const auto detail = get<tenon_text>(from, of.from->detail); detail.length != 0) {
      if (!kept.emplace().take(of, {detail.data, detail.length})) return refuse_detail(detail.length);
      out_.append(kept->own());
    }
    for (const tagged_field &field : of.fields) {
      if (field.from == nullptr || field.from->end > from->size) continue;
      if (!put_field(of, field, from, kept ? kept->inside(field.tag) : std::string_view())) {
        return false;
      }
    }
    return true;
  }

  bool refuse_detail(size_t length) {
    return refuse(".detail", "what came with the message", std::to_string(length) + " other bytes",
                  "pass it back unchanged");
  }
  bool refuse_in(const std::string &place) {
    refusal_.insert(0, place);
    return false;
  }

 private:
  bool refuse(const std::string &place, const std::string &want, const std::string &found, const std::string &fix) {
    refusal_ = place + ": want " + want + ", found " + found + "; " + fix;
    return false;
  }

  // Of several messages for one type: a new node is one message in the first dialect, a changed one another.
  static bool fits(const tagged_slot &slot, const tenon_rm_message *from) {
    const wire::record &holds = *slot.holds->from;
    if (holds.type != from->type) return false;
    if (from->type != TENON_RM_NODE || holds.later != nullptr) return true;
    const bool is_new = get<uint32_t>(from, offsetof(tenon_rm_node, action)) == TENON_NODE_CREATE;
    return is_new == (holds.by_first.value == TENON_NODE_CREATE);
  }

  // `kept`: with what a message inside begins.
  bool put_field(const tagged_record &of, const tagged_field &field, const tenon_rm_message *from,
                 std::string_view kept) {
    const size_t at = field.from->offset;
    switch (field.from->kind) {
      case field_kind::text:
        put_if_any(out_, field.tag, get<tenon_text>(from, at));
        return true;
      case field_kind::i32:
      case field_kind::open_number:
        put_number(out_, field.tag, static_cast<uint64_t>(int64_t{get<int32_t>(from, at)}));
        return true;
      case field_kind::i64:
        put_number(out_, field.tag, static_cast<uint64_t>(get<int64_t>(from, at)));
        return true;
      case field_kind::flag:
        put_number(out_, field.tag, get<uint32_t>(from, at) != 0 ? 1 : 0);
        return true;
      case field_kind::number:
        return put_counted(of, field, get<uint32_t>(from, at));
      case field_kind::pairs:
        put_pairs(field.tag, get<tenon_rm_pairs>(from, at));
        return true;
      case field_kind::elements:
        return put_elements(field, get<const tenon_rm_message *const *>(from, at),
                            get<uint64_t>(from, field.from->second));
      case field_kind::amounts:
        if (const auto amounts = get<tenon_rm_amounts>(from, at); amounts.present != 0) {
          put_amounts(field.tag, amounts, kept);
        }
        return true;
      case field_kind::priority:
        put_priority(field, get<tenon_rm_priority>(from, at), kept);
        return true;
      case field_kind::preemption:
        if (const auto policy = get<tenon_rm_preemption>(from, at); policy.present != 0) {
          const size_t begin = begin_kept(field.tag, kept);
          put_number(out_, 0x08, policy.allow_self != 0 ? 1 : 0);
          put_number(out_, 0x10, policy.allow_other != 0 ? 1 : 0);
          end_inside(out_, begin);
        }
        return true;
      case field_kind::user:
        put_user(field.tag, *reinterpret_cast<const tenon_rm_application *>(from), kept);
        return true;
    }
    return false;
  }

  size_t begin_kept(uint8_t tag, std::string_view kept) {
    const size_t begin = begin_inside(out_, tag);
    out_.append(kept);
    return begin;
  }

  bool put_counted(const tagged_record &of, const tagged_field &field, uint32_t value) {
    const bool first = of.spoken == dialect::first;
    const numbers &counted = field.from->counted;
    const uint32_t shift = first ? counted.shift : 0;
    const uint32_t count = first ? counted.first_count : counted.later_count;
    if (value < shift || value - shift >= count) {
      return refuse("." + field.name,
                    "a number from " + std::to_string(shift) + " to " + std::to_string(shift + count - 1),
                    std::to_string(value), "this dialect has no word for others");
    }
    put_number(out_, field.tag, value - shift);
    return true;
  }

  void put_texts(uint8_t tag, const tenon_text *texts, uint64_t count) {
    for (uint64_t i = 0; i < count; ++i) put_text(out_, tag, texts[i]);
  }

  void put_pairs(uint8_t tag, const tenon_rm_pairs &pairs) {
    for (uint64_t i = 0; i < pairs.count; ++i) {
      const size_t begin = begin_inside(out_, tag);
      put_text(out_, 0x0a, pairs.names[i]);
      put_text(out_, 0x12, pairs.values[i]);
      end_inside(out_, begin);
    }
  }

  bool put_elements(const tagged_field &field, const tenon_rm_message *const *elements, uint64_t count) {
    for (uint64_t i = 0; i < count; ++i) {
      const size_t begin = begin_inside(out_, field.tag);
      if (!record(*field.element, elements[i])) return refuse_in("." + field.name + "[" + std::to_string(i) + "]");
      end_inside(out_, begin);
    }
    return true;
  }

  void put_amounts(uint8_t tag, const tenon_rm_amounts &amounts, std::string_view kept) {
    std::optional<kept_quantities> quantities;
    if (!kept.empty()) quantities.emplace(kept);
    const size_t begin = begin_kept(tag, quantities ? std::string_view(quantities->own()) : kept);
    for (uint32_t i = 0; i < amounts.count; ++i) {
      const size_t entry = begin_inside(out_, 0x0a);
      put_text(out_, 0x0a, amounts.types[i]);
      const size_t quantity = begin_kept(0x12, quantities ? quantities->of(amounts.types[i]) : kept);
      put_number(out_, 0x08, static_cast<uint64_t>(amounts.values[i]));
      end_inside(out_, quantity);
      end_inside(out_, entry);
    }
    end_inside(out_, begin);
  }

  void put_priority(const tagged_field &field, const tenon_rm_priority &priority, std::string_view kept) {
    const auto value = static_cast<uint64_t>(int64_t{priority.value});
    if (!field.is_inside) {
      put_number(out_, field.tag, value);
      return;
    }
    if (priority.kind == TENON_PRIORITY_ABSENT) return;
    const size_t begin = begin_kept(field.tag, kept);
    if (priority.kind == TENON_PRIORITY_VALUE) {
      out_.push_back(0x08);  // 0 as well: it is one of several
      put_varint(out_, value);
    } else if (priority.kind == TENON_PRIORITY_CLASS) {
      put_text(out_, 0x12, priority.name);
    }
    end_inside(out_, begin);
  }

  void put_user(uint8_t tag, const tenon_rm_application &from, std::string_view kept) {
    if (from.user_present == 0) return;
    const size_t begin = begin_kept(tag, kept);
    put_if_any(out_, 0x0a, from.user);
    put_texts(0x12, from.groups, from.group_count);
    end_inside(out_, begin);
  }

  std::string &out_;
  std::string refusal_;
};

bool put_batch(const schema &of, const batch &from, writer &by, std::string &out) {
  if (of.alone != nullptr) return by.record(*of.alone, from.messages.front());
  const std::string_view detail(from.detail.data, from.detail.length);
  if (!are_fields(detail)) return by.refuse_detail(detail.size());
  out.append(detail);
  if (of.rm_tag != 0) put_if_any(out, of.rm_tag, from.rm);
  return std::all_of(from.messages.begin(), from.messages.end(),
                     [&](const tenon_rm_message *each) { return by.part(of, each); });
}

}  // namespace

bool write(const schema &of, const batch &from, std::string &bytes, std::string &refusal) {
  if (of.alone != nullptr && from.messages.size() != 1) {
    refusal = of.name + ": want one message of the scheduler interface, found " + std::to_string(from.messages.size()) +
              "; send one";
    return false;
  }
  const size_t before = bytes.size();
  writer by(bytes);
  if (put_batch(of, from, by, bytes)) return true;
  bytes.resize(before);
  refusal = of.name + by.refusal();
  return false;
}

bool append(const schema &of, const tenon_rm_message *part, std::string &bytes, std::string &refusal) {
  const size_t before = bytes.size();
  writer by(bytes);
  if (by.part(of, part)) return true;
  bytes.resize(before);
  refusal = of.name + by.refusal();
  return false;
}

}  // namespace tenon::wire
