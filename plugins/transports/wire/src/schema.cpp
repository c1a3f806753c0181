// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "schema.hpp"

#include <map>
#include <stdexcept>

namespace tenon::wire {
namespace {

namespace pb = google::protobuf;

uint8_t tag_of(const pb::FieldDescriptor *field) {
  if (static_cast<uint32_t>(field->number()) >= tagged) {
    throw std::logic_error(field->full_name() + " has a number that takes more than one byte");
  }
  const bool varint = field->cpp_type() != pb::FieldDescriptor::CPPTYPE_STRING &&
                      field->cpp_type() != pb::FieldDescriptor::CPPTYPE_MESSAGE;
  return static_cast<uint8_t>(static_cast<uint32_t>(field->number()) << 3 | (varint ? 0 : 2));
}

struct schemas {
  std::map<const pb::Descriptor *, tagged_record> records;
  std::map<const pb::Descriptor *, schema> of;

  schemas() {
    for (const envelope &each : envelopes()) {
      const pb::Descriptor *message = message_named(each.spoken, each.message);
      add(*envelope_of(message), each.spoken);
    }
  }

  const tagged_record *record(const resolved_record &from, dialect spoken) {
    const auto [at, fresh] = records.try_emplace(from.message);
    tagged_record &out = at->second;
    if (!fresh) {
      return &out;
    }
    out.from = &from;
    out.spoken = spoken;
    for (const resolved_row &one : from.rows) {
      tagged_field &field = out.fields.at(static_cast<size_t>(one.field->number()));
      field.from = one.from;
      field.tag = tag_of(one.field);
      field.by_protobuf = one.from->kind == field_kind::texts;
      if (one.from->kind == field_kind::elements) {
        field.element = record(*record_of(one.field->message_type()), spoken);
      }
    }
    return &out;
  }

  void add(const resolved_envelope &from, dialect spoken) {
    schema &out = of[from.message];
    out.from = &from;
    out.prototype = pb::MessageFactory::generated_factory()->GetPrototype(from.message);
    if (from.rm) {
      out.fields.at(static_cast<size_t>(from.rm->number())).is = tagged_outer::what::rm;
    }
    if (from.resync) {
      out.fields.at(static_cast<size_t>(from.resync->number())).is = tagged_outer::what::resync;
      out.resync_tag = tag_of(from.resync);
    }
    for (const resolved_slot &one : from.slots) {
      const int rank = static_cast<int>(out.slots.size());
      out.slots.push_back({tag_of(one.field), record(*one.holds, spoken)});
      out.holders.push_back(one.outer ? tag_of(one.outer) : 0);
      tagged_outer &field = out.fields.at(static_cast<size_t>((one.outer ? one.outer : one.field)->number()));
      if (!one.outer) {
        field = {tagged_outer::what::parts, tag_of(one.field), rank, {}};
        continue;
      }
      if (field.is == tagged_outer::what::nothing) {
        field = {tagged_outer::what::holder, tag_of(one.outer), 0, {}};
        field.inner.fill(-1);
      }
      field.inner.at(static_cast<size_t>(one.field->number())) = rank;
    }
  }
};

const schemas &all() {
  static const schemas once;
  return once;
}

}  // namespace

const schema &schema_of(dialect spoken, std::string_view message) {
  const auto at = all().of.find(message_named(spoken, message));
  if (at == all().of.end()) {
    throw std::logic_error(std::string(message) + " is not a message with parts");
  }
  return at->second;
}

int rank_of(const schema &of, uint32_t type) {
  for (size_t rank = 0; rank < of.slots.size(); ++rank) {
    if (of.slots[rank].holds->from->from->type == type) {
      return static_cast<int>(rank);
    }
  }
  return type == TENON_RM_RESYNC && of.resync_tag ? 0 : -1;
}

}  // namespace tenon::wire
