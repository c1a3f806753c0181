// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Structs as bytes, in the order of the field numbers, as protobuf writes them.
#include <cstring>

#include "schema.hpp"
#include "tenon/abi/rm_requests.h"

namespace tenon::wire {
namespace {

template <class T>
T get(const tenon_rm_message *from, size_t offset) {
  T value{};
  std::memcpy(&value, reinterpret_cast<const char *>(from) + offset, sizeof value);
  return value;
}

void put_varint(std::string &out, uint64_t value) {
  while (value >= 0x80) {
    out.push_back(static_cast<char>(value | 0x80));
    value >>= 7;
  }
  out.push_back(static_cast<char>(value));
}

void put_number(std::string &out, uint8_t tag, uint64_t value) {
  if (value) {
    out.push_back(static_cast<char>(tag));
    put_varint(out, value);
  }
}

void put_bytes(std::string &out, uint8_t tag, const tenon_text &text) {
  out.push_back(static_cast<char>(tag));
  put_varint(out, text.length);
  if (text.length) {
    out.append(text.data, text.length);
  }
}

void put_text(std::string &out, uint8_t tag, const tenon_text &text) {
  if (text.length) {
    put_bytes(out, tag, text);
  }
}

// A message inside: its length stands before it, in as many bytes as it takes.
template <class Body>
bool put_inside(std::string &out, uint8_t tag, Body &&body) {
  out.push_back(static_cast<char>(tag));
  out.push_back(0);
  const size_t start = out.size();
  if (!body()) {
    return false;
  }
  const size_t length = out.size() - start;
  if (length < 0x80) {
    out[start - 1] = static_cast<char>(length);
    return true;
  }
  std::string prefix;
  put_varint(prefix, length);
  out.replace(start - 1, 1, prefix);
  return true;
}

bool put_record(const tagged_record &record, const tenon_rm_message *from, std::string &out);

void put_pairs(std::string &out, uint8_t tag, const tenon_rm_pairs &pairs) {
  for (uint64_t i = 0; i < pairs.count; ++i) {
    put_inside(out, tag, [&] {
      put_bytes(out, 0x0a, pairs.names[i]);
      put_bytes(out, 0x12, pairs.values[i]);
      return true;
    });
  }
}

void put_amounts(std::string &out, uint8_t tag, const tenon_rm_amounts &amounts) {
  if (!amounts.present) {
    return;
  }
  put_inside(out, tag, [&] {
    for (uint32_t i = 0; i < amounts.count; ++i) {
      put_inside(out, 0x0a, [&] {
        put_bytes(out, 0x0a, amounts.types[i]);
        return put_inside(out, 0x12, [&] {
          put_number(out, 0x08, static_cast<uint64_t>(amounts.values[i]));
          return true;
        });
      });
    }
    return true;
  });
}

void put_priority(std::string &out, uint8_t tag, dialect spoken, const tenon_rm_priority &priority) {
  if (spoken == dialect::later) {
    put_number(out, tag, static_cast<uint64_t>(int64_t{priority.value}));
    return;
  }
  if (priority.kind == TENON_PRIORITY_ABSENT) {
    return;
  }
  put_inside(out, tag, [&] {
    if (priority.kind == TENON_PRIORITY_VALUE) {
      out.push_back(0x08);
      put_varint(out, static_cast<uint64_t>(int64_t{priority.value}));
    } else if (priority.kind == TENON_PRIORITY_CLASS) {
      put_bytes(out, 0x12, priority.name);
    }
    return true;
  });
}

void put_preemption(std::string &out, uint8_t tag, const tenon_rm_preemption &policy) {
  if (policy.present) {
    put_inside(out, tag, [&] {
      put_number(out, 0x08, policy.allow_self != 0);
      put_number(out, 0x10, policy.allow_other != 0);
      return true;
    });
  }
}

void put_user(std::string &out, uint8_t tag, const tenon_rm_application &from) {
  if (from.user_present) {
    put_inside(out, tag, [&] {
      put_text(out, 0x0a, from.user);
      for (uint32_t i = 0; i < from.group_count; ++i) {
        put_bytes(out, 0x12, from.groups[i]);
      }
      return true;
    });
  }
}

bool put_field(const tagged_record &record, const tagged_field &field, const tenon_rm_message *from, std::string &out) {
  const size_t at = field.from->offset;
  switch (field.from->kind) {
    case field_kind::text:
      put_text(out, field.tag, get<tenon_text>(from, at));
      return true;
    case field_kind::i32:
      put_number(out, field.tag, static_cast<uint64_t>(int64_t{get<int32_t>(from, at)}));
      return true;
    case field_kind::i64:
      put_number(out, field.tag, static_cast<uint64_t>(get<int64_t>(from, at)));
      return true;
    case field_kind::flag:
      put_number(out, field.tag, get<uint32_t>(from, at) != 0);
      return true;
    case field_kind::open_number:
      put_number(out, field.tag, static_cast<uint64_t>(int64_t{get<int32_t>(from, at)}));
      return true;
    case field_kind::number: {
      const bool first = record.spoken == dialect::first;
      const uint32_t shift = first ? field.from->counted.shift : 0;
      const uint32_t count = first ? field.from->counted.first_count : field.from->counted.later_count;
      const auto value = get<uint32_t>(from, at);
      if (value < shift || value - shift >= count) {
        return false;
      }
      put_number(out, field.tag, value - shift);
      return true;
    }
    case field_kind::pairs:
      put_pairs(out, field.tag, get<tenon_rm_pairs>(from, at));
      return true;
    case field_kind::amounts:
      put_amounts(out, field.tag, get<tenon_rm_amounts>(from, at));
      return true;
    case field_kind::priority:
      put_priority(out, field.tag, record.spoken, get<tenon_rm_priority>(from, at));
      return true;
    case field_kind::preemption:
      put_preemption(out, field.tag, get<tenon_rm_preemption>(from, at));
      return true;
    case field_kind::user:
      put_user(out, field.tag, *reinterpret_cast<const tenon_rm_application *>(from));
      return true;
    case field_kind::elements: {
      const auto *elements = get<const tenon_rm_message *const *>(from, at);
      const auto count = get<uint64_t>(from, field.from->second);
      for (uint64_t i = 0; i < count; ++i) {
        if (!put_inside(out, field.tag, [&] { return put_record(*field.element, elements[i], out); })) {
          return false;
        }
      }
      return true;
    }
    case field_kind::texts:
      break;
  }
  return false;
}

// False where protobuf has to do it, or has words for why not.
bool put_record(const tagged_record &record, const tenon_rm_message *from, std::string &out) {
  if (from->type != record.from->from->type || from->size < record.from->from->size ||
      get<tenon_text>(from, record.from->from->detail).length) {
    return false;
  }
  for (const tagged_field &field : record.fields) {
    if (field.from && !put_field(record, field, from, out)) {
      return false;
    }
  }
  return true;
}

// Of several messages for one type: a new node is one message in the first dialect, a changed one another.
bool fits(const tagged_slot &slot, const tenon_rm_message *from) {
  const resolved_record &holds = *slot.holds->from;
  if (holds.from->type != from->type) {
    return false;
  }
  if (from->type != TENON_RM_NODE || holds.from->later) {
    return true;
  }
  const bool creates = get<uint32_t>(from, offsetof(tenon_rm_node, action)) == TENON_NODE_CREATE;
  return creates == (holds.is.value == TENON_NODE_CREATE);
}

}  // namespace

bool append_bytes(const schema &of, const tenon_rm_message *part, std::string &bytes, std::string &refusal) {
  const size_t before = bytes.size();
  for (size_t rank = 0; rank < of.slots.size(); ++rank) {
    const tagged_slot &slot = of.slots[rank];
    if (!fits(slot, part)) {
      continue;
    }
    const auto put = [&] { return put_inside(bytes, slot.tag, [&] { return put_record(*slot.holds, part, bytes); }); };
    if (of.holders[rank] ? put_inside(bytes, of.holders[rank], put) : put()) {
      return true;
    }
    break;
  }
  bytes.resize(before);
  const std::unique_ptr<google::protobuf::Message> message(of.prototype->New());
  batch one;
  one.messages.push_back(part);
  return write(one, *message, refusal) && message->AppendPartialToString(&bytes);
}

}  // namespace tenon::wire
