// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Protobuf messages as structs. Texts are views of the message; arrays lie in the room.
#include <algorithm>
#include <cstring>
#include <string_view>
#include <type_traits>

#include "fields.hpp"
#include "resources.hpp"
#include "si/v1/si.pb.h"
#include "tenon/abi/rm_answers.h"
#include "tenon/abi/rm_requests.h"
#include "tenon/si/v1later/si.pb.h"
#include "unknown_fields.hpp"

namespace tenon::wire {
namespace {

namespace pb = google::protobuf;

tenon_text view(const std::string &text) { return {text.data(), text.size()}; }

bool before(const tenon_text &left, const tenon_text &right) {
  return std::string_view(left.data, left.length) < std::string_view(right.data, right.length);
}

// Reads one message, its parts and theirs; `place` says where it is.
class reader {
 public:
  reader(room &into, std::string &refusal) : memory_(into.memory()), refusal_(refusal) {}

  tenon_text detail(const pb::Message &message, bool around_parts) {
    if (!around_parts && !has_unknown_fields(message)) {
      return {};
    }
    const std::string bytes = unknown_fields_of(message, around_parts);
    char *kept = array<char>(bytes.size());
    std::memcpy(kept, bytes.data(), bytes.size());
    return {bytes.empty() ? nullptr : kept, bytes.size()};
  }

  // Null after a refusal.
  const tenon_rm_message *one(const resolved_record &record, const pb::Message &message, const std::string &place) {
    char *out = array<char>(record.from->size);
    set(out, 0, record.from->size);
    set(out, offsetof(tenon_rm_message, type), record.from->type);
    if (record.is.offset) {
      set(out, record.is.offset, record.is.value);
    }
    for (const resolved_row &row : record.rows) {
      if (!field(row, message, out, place)) {
        return nullptr;
      }
    }
    set(out, record.from->detail, detail(message, false));
    return reinterpret_cast<const tenon_rm_message *>(out);
  }

 private:
  template <class T>
  T *array(size_t count) {
    static_assert(std::is_trivial_v<T>);
    const size_t bytes = std::max<size_t>(count, 1) * sizeof(T);
    void *room = memory_.allocate(bytes, alignof(std::max_align_t));
    std::memset(room, 0, bytes);
    return static_cast<T *>(room);
  }

  template <class T>
  static void set(char *out, size_t offset, const T &value) {
    static_assert(std::is_trivially_copyable_v<T>);
    std::memcpy(out + offset, &value, sizeof value);
  }

  bool field(const resolved_row &row, const pb::Message &message, char *out, const std::string &place) {
    const pb::Reflection &look = *message.GetReflection();
    const pb::FieldDescriptor *field = row.field;
    const size_t at = row.from->offset;
    switch (row.from->kind) {
      case field_kind::text:
        set(out, at, view(look.GetStringReference(message, field, &unused_)));
        return true;
      case field_kind::i32:
        set(out, at, int32_t{look.GetInt32(message, field)});
        return true;
      case field_kind::i64:
        set(out, at, int64_t{look.GetInt64(message, field)});
        return true;
      case field_kind::flag:
        set(out, at, uint32_t{look.GetBool(message, field)});
        return true;
      case field_kind::open_number:
        set(out, at, static_cast<uint32_t>(look.GetEnumValue(message, field)));
        return true;
      case field_kind::number:
        return number(row, look.GetEnumValue(message, field), message, out, place);
      case field_kind::texts: {
        const auto count = static_cast<uint64_t>(look.FieldSize(message, field));
        set(out, at, texts(message, field));
        set(out, row.from->second, count);
        return true;
      }
      case field_kind::pairs:
        set(out, at, pairs(message, field));
        return true;
      case field_kind::amounts:
        set(out, at, amounts(message, field));
        return true;
      case field_kind::priority:
        set(out, at, priority(message, field));
        return true;
      case field_kind::preemption: {
        tenon_rm_preemption policy{};
        if (look.HasField(message, field)) {
          const auto &sent = static_cast<const si::v1later::PreemptionPolicy &>(look.GetMessage(message, field));
          policy = {1, sent.allowpreemptself(), sent.allowpreemptother(), 0};
        }
        set(out, at, policy);
        return true;
      }
      case field_kind::user:
        user(message, field, *reinterpret_cast<tenon_rm_application *>(out));
        return true;
      case field_kind::elements:
        return elements(row, message, out, place);
    }
    return false;
  }

  bool number(const resolved_row &row, int sent, const pb::Message &message, char *out, const std::string &place) {
    const numbers &counted = row.from->counted;
    const bool first = dialect_of(message) == dialect::first;
    const uint32_t count = first ? counted.first_count : counted.later_count;
    if (sent < 0 || static_cast<uint32_t>(sent) >= count) {
      refusal_ = place + "." + row.field->name() + ": want a number from 0 to " + std::to_string(count - 1) +
                 ", found " + std::to_string(sent) + "; send one of the interface's";
      return false;
    }
    set(out, row.from->offset, static_cast<uint32_t>(sent) + (first ? counted.shift : 0));
    return true;
  }

  const tenon_text *texts(const pb::Message &message, const pb::FieldDescriptor *field) {
    const pb::Reflection &look = *message.GetReflection();
    const int count = look.FieldSize(message, field);
    auto *out = array<tenon_text>(static_cast<size_t>(count));
    for (int i = 0; i < count; ++i) {
      out[i] = view(look.GetRepeatedStringReference(message, field, i, &unused_));
    }
    return out;
  }

  // By name, so that equal messages are equal batches: a map has no order on the wire.
  tenon_rm_pairs pairs(const pb::Message &message, const pb::FieldDescriptor *field) {
    const pb::Reflection &look = *message.GetReflection();
    const int count = look.FieldSize(message, field);
    if (count == 0) {
      return {};
    }
    struct pair {
      tenon_text name, value;
    };
    auto *found = array<pair>(static_cast<size_t>(count));
    const pb::FieldDescriptor *key = field->message_type()->map_key();
    const pb::FieldDescriptor *value = field->message_type()->map_value();
    for (int i = 0; i < count; ++i) {
      const pb::Message &entry = look.GetRepeatedMessage(message, field, i);
      const pb::Reflection &inside = *entry.GetReflection();
      found[i] = {view(inside.GetStringReference(entry, key, &unused_)),
                  view(inside.GetStringReference(entry, value, &unused_))};
    }
    std::sort(found, found + count, [](const pair &a, const pair &b) { return before(a.name, b.name); });
    auto *names = array<tenon_text>(static_cast<size_t>(count));
    auto *values = array<tenon_text>(static_cast<size_t>(count));
    for (int i = 0; i < count; ++i) {
      names[i] = found[i].name;
      values[i] = found[i].value;
    }
    return {names, values, static_cast<uint64_t>(count)};
  }

  template <class Resource>
  tenon_rm_amounts amounts_of(const Resource &sent) {
    const size_t count = sent.resources().size();
    struct amount {
      tenon_text type;
      int64_t value;
    };
    auto *found = array<amount>(count);
    size_t at = 0;
    for (const auto &[type, quantity] : sent.resources()) {  // any order: sorted below
      found[at++] = {view(type), quantity.value()};
    }
    std::sort(found, found + count, [](const amount &a, const amount &b) { return before(a.type, b.type); });
    auto *types = array<tenon_text>(count);
    auto *values = array<int64_t>(count);
    for (size_t i = 0; i < count; ++i) {
      types[i] = found[i].type;
      values[i] = found[i].value;
    }
    return {types, values, static_cast<uint32_t>(count), 1};
  }

  tenon_rm_amounts amounts(const pb::Message &message, const pb::FieldDescriptor *field) {
    const pb::Reflection &look = *message.GetReflection();
    if (!look.HasField(message, field)) {
      return {};
    }
    tenon_rm_amounts found{};
    as_resource(look.GetMessage(message, field), [&](const auto &sent) { found = amounts_of(sent); });
    return found;
  }

  static tenon_rm_priority priority(const pb::Message &message, const pb::FieldDescriptor *field) {
    const pb::Reflection &look = *message.GetReflection();
    if (dialect_of(message) == dialect::later) {
      return {TENON_PRIORITY_VALUE, look.GetInt32(message, field), {}};
    }
    if (!look.HasField(message, field)) {
      return {};
    }
    const auto &sent = static_cast<const ::si::v1::Priority &>(look.GetMessage(message, field));
    switch (sent.priority_case()) {
      case ::si::v1::Priority::kPriorityValue:
        return {TENON_PRIORITY_VALUE, sent.priorityvalue(), {}};
      case ::si::v1::Priority::kPriorityClassName:
        return {TENON_PRIORITY_CLASS, 0, view(sent.priorityclassname())};
      case ::si::v1::Priority::PRIORITY_NOT_SET:
        break;
    }
    return {TENON_PRIORITY_EMPTY, 0, {}};
  }

  void user(const pb::Message &message, const pb::FieldDescriptor *field, tenon_rm_application &out) {
    const pb::Reflection &look = *message.GetReflection();
    if (!look.HasField(message, field)) {
      return;
    }
    const pb::Message &sent = look.GetMessage(message, field);
    const pb::Descriptor *type = sent.GetDescriptor();
    const pb::FieldDescriptor *groups = type->FindFieldByNumber(2);
    out.user = view(sent.GetReflection()->GetStringReference(sent, type->FindFieldByNumber(1), &unused_));
    out.groups = texts(sent, groups);
    out.group_count = static_cast<uint32_t>(sent.GetReflection()->FieldSize(sent, groups));
    out.user_present = 1;
  }

  bool elements(const resolved_row &row, const pb::Message &message, char *out, const std::string &place) {
    const pb::Reflection &look = *message.GetReflection();
    const int count = look.FieldSize(message, row.field);
    auto *found = array<const tenon_rm_message *>(static_cast<size_t>(count));
    const resolved_record &record = *record_of(row.field->message_type());
    for (int i = 0; i < count; ++i) {
      const std::string inside = place + "." + row.field->name() + "[" + std::to_string(i) + "]";
      if (!(found[i] = one(record, look.GetRepeatedMessage(message, row.field, i), inside))) {
        return false;
      }
    }
    set(out, row.from->offset, static_cast<const tenon_rm_message *const *>(found));
    set(out, row.from->second, static_cast<uint64_t>(count));
    return true;
  }

  std::pmr::monotonic_buffer_resource &memory_;
  std::string &refusal_;
  std::string unused_;  // for fields that are not kept as std::string; none is
};

const tenon_rm_message resync_message{sizeof(tenon_rm_message), TENON_RM_RESYNC};

bool read_parts(const resolved_envelope &around, const pb::Message &message, reader &by, batch &out,
                std::string &refusal) {
  const pb::Reflection &look = *message.GetReflection();
  if (around.rm) {
    std::string unused;
    out.rm = view(look.GetStringReference(message, around.rm, &unused));
  }
  if (around.resync) {
    const int action = look.GetEnumValue(message, around.resync);
    if (action < 0 || action > 1) {
      refusal = message.GetDescriptor()->name() + "." + around.resync->name() + ": want a number from 0 to 1, found " +
                std::to_string(action) + "; send one of the interface's";
      return false;
    }
    if (action == 1) {
      out.messages.push_back(&resync_message);
    }
  }
  for (const resolved_slot &slot : around.slots) {
    const pb::Message &holder = slot.outer ? look.GetMessage(message, slot.outer) : message;
    const pb::Reflection &inside = *holder.GetReflection();
    const std::string place =
        message.GetDescriptor()->name() + "." + (slot.outer ? slot.outer->name() + "." : "") + slot.field->name() + "[";
    const int count = inside.FieldSize(holder, slot.field);
    for (int i = 0; i < count; ++i) {
      const pb::Message &part = inside.GetRepeatedMessage(holder, slot.field, i);
      const tenon_rm_message *read = by.one(*slot.holds, part, place + std::to_string(i) + "]");
      if (!read) {
        return false;
      }
      out.messages.push_back(read);
    }
  }
  out.detail = by.detail(message, true);
  return true;
}

}  // namespace

bool read(const pb::Message &message, room &into, batch &out, std::string &refusal) {
  out.rm = {};
  out.detail = {};
  out.messages.clear();
  reader by(into, refusal);
  if (const resolved_envelope *around = envelope_of(message.GetDescriptor())) {
    return read_parts(*around, message, by, out, refusal);
  }
  const resolved_record *record = record_of(message.GetDescriptor());
  if (!record) {
    refusal = message.GetDescriptor()->full_name() + ": want a message of the scheduler interface; send one of those";
    return false;
  }
  const tenon_rm_message *read = by.one(*record, message, message.GetDescriptor()->name());
  if (read) {
    out.messages.push_back(read);
  }
  return read != nullptr;
}

}  // namespace tenon::wire
