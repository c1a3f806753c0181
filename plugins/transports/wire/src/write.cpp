// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Structs as protobuf messages. What `detail` holds is there first, so that nothing that was sent is lost.
#include <cstring>

#include "fields.hpp"
#include "resources.hpp"
#include "si/v1/si.pb.h"
#include "tenon/abi/rm_answers.h"
#include "tenon/abi/rm_requests.h"
#include "tenon/si/v1later/si.pb.h"

namespace tenon::wire {
namespace {

namespace pb = google::protobuf;

std::string copied(const tenon_text &text) { return text.length ? std::string(text.data, text.length) : std::string(); }

template <class T>
T get(const tenon_rm_message *from, size_t offset) {
  T value{};
  std::memcpy(&value, reinterpret_cast<const char *>(from) + offset, sizeof value);
  return value;
}

bool take_detail(const tenon_text &detail, pb::Message &out, const std::string &place, std::string &refusal) {
  if (detail.length == 0 || out.ParsePartialFromString(copied(detail))) {
    return true;
  }
  refusal = place + ".detail: want what came with the message, found " + std::to_string(detail.length) +
            " other bytes; pass it back unchanged";
  return false;
}

void set_pairs(const tenon_rm_pairs &from, pb::Message &out, const pb::FieldDescriptor *field) {
  const pb::Reflection &look = *out.GetReflection();
  for (uint64_t i = 0; i < from.count; ++i) {
    pb::Message *entry = look.AddMessage(&out, field);
    entry->GetReflection()->SetString(entry, field->message_type()->map_key(), copied(from.names[i]));
    entry->GetReflection()->SetString(entry, field->message_type()->map_value(), copied(from.values[i]));
  }
}

template <class Resource>
void set_amounts(const tenon_rm_amounts &from, Resource &out) {
  for (uint32_t i = 0; i < from.count; ++i) {
    (*out.mutable_resources())[copied(from.types[i])].set_value(from.values[i]);
  }
}

void set_priority(const tenon_rm_priority &from, pb::Message &out, const pb::FieldDescriptor *field) {
  const pb::Reflection &look = *out.GetReflection();
  if (dialect_of(out) == dialect::later) {
    look.SetInt32(&out, field, from.value);
  } else if (from.kind != TENON_PRIORITY_ABSENT) {
    auto &priority = static_cast<::si::v1::Priority &>(*look.MutableMessage(&out, field));
    if (from.kind == TENON_PRIORITY_VALUE) {
      priority.set_priorityvalue(from.value);
    } else if (from.kind == TENON_PRIORITY_CLASS) {
      priority.set_priorityclassname(copied(from.name));
    }
  }
}

void set_user(const tenon_rm_application &from, pb::Message &out, const pb::FieldDescriptor *field) {
  if (!from.user_present) {
    return;
  }
  pb::Message *user = out.GetReflection()->MutableMessage(&out, field);
  const pb::Reflection &look = *user->GetReflection();
  look.SetString(user, user->GetDescriptor()->FindFieldByNumber(1), copied(from.user));
  for (uint32_t i = 0; i < from.group_count; ++i) {
    look.AddString(user, user->GetDescriptor()->FindFieldByNumber(2), copied(from.groups[i]));
  }
}

bool set_number(const resolved_row &row, uint32_t value, pb::Message &out, const std::string &place,
                std::string &refusal) {
  const numbers &counted = row.from->counted;
  const bool first = dialect_of(out) == dialect::first;
  const uint32_t shift = first ? counted.shift : 0;
  const uint32_t count = first ? counted.first_count : counted.later_count;
  if (value < shift || value - shift >= count) {
    refusal = place + "." + row.field->name() + ": want a number from " + std::to_string(shift) + " to " +
              std::to_string(shift + count - 1) + ", found " + std::to_string(value) +
              "; this dialect has no word for others";
    return false;
  }
  out.GetReflection()->SetEnumValue(&out, row.field, static_cast<int>(value - shift));
  return true;
}

bool write_one(const resolved_record &record, const tenon_rm_message *from, pb::Message &out, const std::string &place,
               std::string &refusal);

bool write_field(const resolved_row &row, const tenon_rm_message *from, pb::Message &out, const std::string &place,
                 std::string &refusal) {
  const pb::Reflection &look = *out.GetReflection();
  const pb::FieldDescriptor *field = row.field;
  const size_t at = row.from->offset;
  switch (row.from->kind) {
    case field_kind::text:
      look.SetString(&out, field, copied(get<tenon_text>(from, at)));
      return true;
    case field_kind::i32:
      look.SetInt32(&out, field, get<int32_t>(from, at));
      return true;
    case field_kind::i64:
      look.SetInt64(&out, field, get<int64_t>(from, at));
      return true;
    case field_kind::flag:
      look.SetBool(&out, field, get<uint32_t>(from, at) != 0);
      return true;
    case field_kind::open_number:
      look.SetEnumValue(&out, field, static_cast<int>(get<uint32_t>(from, at)));
      return true;
    case field_kind::number:
      return set_number(row, get<uint32_t>(from, at), out, place, refusal);
    case field_kind::texts: {
      const auto *texts = get<const tenon_text *>(from, at);
      const auto count = get<uint64_t>(from, row.from->second);
      for (uint64_t i = 0; i < count; ++i) {
        look.AddString(&out, field, copied(texts[i]));
      }
      return true;
    }
    case field_kind::pairs:
      set_pairs(get<tenon_rm_pairs>(from, at), out, field);
      return true;
    case field_kind::amounts:
      if (const auto amounts = get<tenon_rm_amounts>(from, at); amounts.present) {
        as_resource(*look.MutableMessage(&out, field), [&](auto &resource) { set_amounts(amounts, resource); });
      }
      return true;
    case field_kind::priority:
      set_priority(get<tenon_rm_priority>(from, at), out, field);
      return true;
    case field_kind::preemption:
      if (const auto policy = get<tenon_rm_preemption>(from, at); policy.present) {
        auto &sent = static_cast<si::v1later::PreemptionPolicy &>(*look.MutableMessage(&out, field));
        sent.set_allowpreemptself(policy.allow_self != 0);
        sent.set_allowpreemptother(policy.allow_other != 0);
      }
      return true;
    case field_kind::user:
      set_user(*reinterpret_cast<const tenon_rm_application *>(from), out, field);
      return true;
    case field_kind::elements: {
      const auto *elements = get<const tenon_rm_message *const *>(from, at);
      const auto count = get<uint64_t>(from, row.from->second);
      for (uint64_t i = 0; i < count; ++i) {
        const std::string inside = place + "." + field->name() + "[" + std::to_string(i) + "]";
        if (!write_one(*record_of(field->message_type()), elements[i], *look.AddMessage(&out, field), inside,
                       refusal)) {
          return false;
        }
      }
      return true;
    }
  }
  return false;
}

bool write_one(const resolved_record &record, const tenon_rm_message *from, pb::Message &out, const std::string &place,
               std::string &refusal) {
  if (from->type != record.from->type || from->size < record.from->size) {
    refusal = place + ": want message type " + std::to_string(record.from->type) + " of " +
              std::to_string(record.from->size) + " bytes, found type " + std::to_string(from->type) + " of " +
              std::to_string(from->size) + "; fill it as rm_messages.h says";
    return false;
  }
  if (!take_detail(get<tenon_text>(from, record.from->detail), out, place, refusal)) {
    return false;
  }
  for (const resolved_row &row : record.rows) {
    if (!write_field(row, from, out, place, refusal)) {
      return false;
    }
  }
  return true;
}

// Of several messages for one type: a new node is one message in the first dialect, a changed one another.
bool fits(const resolved_slot &slot, const tenon_rm_message *from) {
  if (slot.holds->from->type != from->type) {
    return false;
  }
  if (from->type != TENON_RM_NODE || slot.holds->from->later) {
    return true;
  }
  const bool creates = get<uint32_t>(from, offsetof(tenon_rm_node, action)) == TENON_NODE_CREATE;
  return creates == (slot.holds->is.value == TENON_NODE_CREATE);
}

bool write_parts(const resolved_envelope &around, const batch &from, pb::Message &out, std::string &refusal) {
  const pb::Reflection &look = *out.GetReflection();
  const std::string &name = out.GetDescriptor()->name();
  if (!take_detail(from.detail, out, name, refusal)) {
    return false;
  }
  if (around.rm) {
    look.SetString(&out, around.rm, copied(from.rm));
  }
  for (const tenon_rm_message *message : from.messages) {
    if (message->type == TENON_RM_RESYNC && around.resync) {
      look.SetEnumValue(&out, around.resync, 1);
      continue;
    }
    const resolved_slot *found = nullptr;
    for (const resolved_slot &slot : around.slots) {
      found = found || !fits(slot, message) ? found : &slot;
    }
    if (!found) {
      refusal = name + ": want a message that belongs there, found type " + std::to_string(message->type) +
                "; send it with the one that docs/interface.md names";
      return false;
    }
    pb::Message *holder = found->outer ? look.MutableMessage(&out, found->outer) : &out;
    pb::Message *part = holder->GetReflection()->AddMessage(holder, found->field);
    if (!write_one(*found->holds, message, *part, name + "." + found->field->name(), refusal)) {
      return false;
    }
  }
  return true;
}

}  // namespace

bool write(const batch &from, pb::Message &out, std::string &refusal) {
  out.Clear();
  if (const resolved_envelope *around = envelope_of(out.GetDescriptor())) {
    return write_parts(*around, from, out, refusal);
  }
  const resolved_record *record = record_of(out.GetDescriptor());
  if (!record || from.messages.size() != 1) {
    refusal = out.GetDescriptor()->full_name() + ": want one message of the scheduler interface, found " +
              std::to_string(from.messages.size()) + "; send one";
    return false;
  }
  return write_one(*record, from.messages[0], out, out.GetDescriptor()->name(), refusal);
}

}  // namespace tenon::wire
