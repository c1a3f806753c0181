// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Looks the names of the tables up among the descriptors, once.
#include "wire_schema.hpp"

#include <cstring>
#include <map>
#include <stdexcept>

#include "si/v1/si.pb.h"
#include "tenon/abi/rm_messages.h"
#include "tenon/si/v1later/si.pb.h"
#include "tenon/v1/checks.pb.h"
#include "tenon/v1/configuration.pb.h"
#include "tenon/v1/recovery.pb.h"
#include "tenon/v1/reports.pb.h"

namespace tenon::wire {
namespace {

namespace pb = google::protobuf;

const pb::FieldDescriptor *field_named(const pb::Descriptor *message, std::string_view name) {
  const pb::FieldDescriptor *field = message->FindFieldByName(std::string(name));
  if (field == nullptr) throw std::logic_error(message->full_name() + " has no field " + std::string(name));
  return field;
}

uint8_t tag_of(const pb::FieldDescriptor *field) {
  if (static_cast<uint32_t>(field->number()) >= tagged_numbers) {
    throw std::logic_error(field->full_name() + " has a number that takes more than one byte");
  }
  const bool varint = field->cpp_type() != pb::FieldDescriptor::CPPTYPE_STRING &&
                      field->cpp_type() != pb::FieldDescriptor::CPPTYPE_MESSAGE;
  return static_cast<uint8_t>(static_cast<uint32_t>(field->number()) << 3 | (varint ? 0 : 2));
}

template <class T>
void put(std::string &out, size_t offset, const T &value) {
  std::memcpy(out.data() + offset, &value, sizeof value);
}

std::string blank_of(const tagged_record &record) {
  const bool first = record.spoken == dialect::first;
  std::string out(record.from->size, '\0');
  put(out, offsetof(tenon_rm_message, size), record.from->size);
  put(out, offsetof(tenon_rm_message, type), record.from->type);
  if (const implied &is = record.from->by_first; first && is.offset != 0) put(out, is.offset, is.value);
  for (const tagged_field &field : record.fields) {
    if (field.from == nullptr) continue;
    // A number that is not sent is the dialect's 0.
    if (field.from->kind == field_kind::number) put(out, field.from->offset, first ? field.from->counted.shift : 0U);
    if (field.from->kind == field_kind::priority && !field.is_inside) {
      put(out, field.from->offset, tenon_rm_priority{TENON_PRIORITY_VALUE, 0, {}});
    }
  }
  return out;
}

class schemas {
 public:
  schemas() {
    for (const dialect spoken : {dialect::first, dialect::later}) {
      for (const record &each : records()) {
        const char *name = spoken == dialect::first ? each.first : each.later;
        if (name != nullptr) add(each, message_named(spoken, name), spoken);
      }
    }
    for (const envelope &each : envelopes()) add(each, message_named(each.spoken, each.message));
  }

  [[nodiscard]] const schema *find(const pb::Descriptor *message) const {
    const auto at = schemas_.find(message);
    return at == schemas_.end() ? nullptr : &at->second;
  }

 private:
  // One that is a list of another's comes before that one in the tables, or after it: both find the same.
  void add(const record &from, const pb::Descriptor *message, dialect spoken) {
    tagged_record &out = records_[message];
    out.from = &from;
    out.spoken = spoken;
    out.name = message->name();
    size_t inside = 0;
    for (const row &one : from.rows) {
      const char *name = spoken == dialect::first ? one.first : one.later;
      if (name == nullptr) continue;
      const pb::FieldDescriptor *at = field_named(message, name);
      tagged_field &field = out.fields.at(static_cast<size_t>(at->number()));
      field.from = &one;
      field.tag = tag_of(at);
      field.name = name;
      field.is_inside = at->cpp_type() == pb::FieldDescriptor::CPPTYPE_MESSAGE && !at->is_repeated();
      if (field.is_inside) {
        field.inside = static_cast<uint8_t>(inside);
        out.inside.at(inside++) = &field;
      }
      if (one.kind == field_kind::elements) {
        only(out.elements, one, at);
        field.element = &records_[at->message_type()];
      }
    }
    out.blank = blank_of(out);
    schema &alone = schemas_[message];
    alone.name = message->name();
    alone.alone = &out;
  }

  static void only(const row *&list, const row &one, const pb::FieldDescriptor *field) {
    if (list != nullptr) throw std::logic_error(field->full_name() + " is a second list of its message");
    list = &one;
  }

  void add(const envelope &from, const pb::Descriptor *message) {
    schema &out = schemas_[message];
    out.name = message->name();
    if (from.rm != nullptr) {
      out.rm_tag = outer(out, field_named(message, from.rm), tagged_outer::what::rm).tag;
    }
    if (from.resync != nullptr) {
      out.resync_name = from.resync;
      out.resync_tag = outer(out, field_named(message, from.resync), tagged_outer::what::resync).tag;
    }
    for (const slot &one : from.slots) add(out, one, message, from.spoken);
  }

  void add(schema &out, const slot &one, const pb::Descriptor *message, dialect spoken) {
    const int rank = static_cast<int>(out.slots.size());
    const tagged_record *holds = &records_.at(message_named(spoken, one.message));
    const pb::FieldDescriptor *field = field_named(message, one.where.outer);
    const std::string place = std::string(".") + one.where.outer;
    if (one.where.inner == nullptr) {
      outer(out, field, tagged_outer::what::parts).rank = rank;
      out.slots.push_back({tag_of(field), 0, holds, place});
      return;
    }
    const pb::FieldDescriptor *inner = field_named(field->message_type(), one.where.inner);
    outer(out, field, tagged_outer::what::holder).inner.at(static_cast<size_t>(inner->number())) = rank;
    out.slots.push_back({tag_of(inner), tag_of(field), holds, place + "." + one.where.inner});
  }

  static tagged_outer &outer(schema &of, const pb::FieldDescriptor *field, tagged_outer::what is) {
    tagged_outer &out = of.fields.at(static_cast<size_t>(field->number()));
    if (out.is == tagged_outer::what::nothing) out.inner.fill(-1);
    out.is = is;
    out.tag = tag_of(field);
    return out;
  }

  std::map<const pb::Descriptor *, tagged_record> records_;
  std::map<const pb::Descriptor *, schema> schemas_;
};

}  // namespace

const pb::Descriptor *message_named(dialect spoken, std::string_view name) {
  const pb::FileDescriptor *file = spoken == dialect::first ? ::si::v1::Quantity::descriptor()->file()
                                                            : tenon::si::v1later::Quantity::descriptor()->file();
  const pb::Descriptor *message = file->FindMessageTypeByName(std::string(name));
  for (const pb::Descriptor *ours : {v1::Check::descriptor(), v1::RecoveryReport::descriptor(),
                                     v1::ReportRequest::descriptor(), v1::OwnConfiguration::descriptor()}) {
    if (message == nullptr && spoken == dialect::later)
      message = ours->file()->FindMessageTypeByName(std::string(name));
  }
  if (message == nullptr) throw std::logic_error(file->package() + " has no message " + std::string(name));
  return message;
}

const schema &schema_of(dialect spoken, std::string_view message) {
  static const schemas all;
  const schema *found = all.find(message_named(spoken, message));
  if (found == nullptr) throw std::logic_error(std::string(message) + " is only ever inside of others");
  return *found;
}

int rank_of(const schema &of, uint32_t type) {
  for (size_t rank = 0; rank < of.slots.size(); ++rank) {
    if (of.slots[rank].holds->from->type == type) return static_cast<int>(rank);
  }
  return type == TENON_RM_RESYNC && of.resync_tag != 0 ? 0 : -1;
}

}  // namespace tenon::wire
