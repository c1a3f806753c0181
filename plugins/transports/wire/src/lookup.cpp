// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Looks the names of the tables up among the descriptors, once.
#include <map>
#include <memory>
#include <stdexcept>

#include "fields.hpp"
#include "si/v1/si.pb.h"
#include "tenon/si/v1later/si.pb.h"
#include "tenon/v1/checks.pb.h"
#include "tenon/v1/recovery.pb.h"

namespace tenon::wire {
namespace {

namespace pb = google::protobuf;

const pb::FieldDescriptor *field_named(const pb::Descriptor *message, std::string_view name) {
  const pb::FieldDescriptor *field = message->FindFieldByName(std::string(name));
  if (!field) {
    throw std::logic_error(message->full_name() + " has no field " + std::string(name));
  }
  return field;
}

struct lookup {
  std::map<const pb::Descriptor *, resolved_record> record_of;
  std::map<const pb::Descriptor *, resolved_envelope> envelope_of;

  lookup() {
    for (const dialect spoken : {dialect::first, dialect::later}) {
      for (const record &each : records()) {
        add(each, spoken);
      }
    }
    for (const envelope &each : envelopes()) {
      add(each);
    }
  }

  void add(const record &each, dialect spoken) {
    const char *name = spoken == dialect::first ? each.first : each.later;
    if (!name) {
      return;
    }
    resolved_record found{
        &each, message_named(spoken, name), spoken == dialect::first ? each.by_first : implied{0, 0}, {}};
    for (const row &one : each.rows) {
      if (const char *field = spoken == dialect::first ? one.first : one.later) {
        found.rows.push_back({&one, field_named(found.message, field)});
      }
    }
    record_of.emplace(found.message, std::move(found));
  }

  void add(const envelope &each) {
    resolved_envelope found{&each, message_named(each.spoken, each.message), nullptr, nullptr, {}};
    found.rm = each.rm ? field_named(found.message, each.rm) : nullptr;
    found.resync = each.resync ? field_named(found.message, each.resync) : nullptr;
    for (const slot &one : each.slots) {
      const pb::FieldDescriptor *outer = field_named(found.message, one.where.outer);
      const pb::FieldDescriptor *inner =
          one.where.inner ? field_named(outer->message_type(), one.where.inner) : nullptr;
      const resolved_record &holds = record_of.at(message_named(each.spoken, one.message));
      found.slots.push_back({inner ? outer : nullptr, inner ? inner : outer, &holds});
    }
    envelope_of.emplace(found.message, std::move(found));
  }
};

const lookup &found() {
  static const lookup once;
  return once;
}

}  // namespace

const pb::Descriptor *message_named(dialect spoken, std::string_view name) {
  const pb::FileDescriptor *file = spoken == dialect::first ? ::si::v1::Quantity::descriptor()->file()
                                                            : tenon::si::v1later::Quantity::descriptor()->file();
  const pb::Descriptor *message = file->FindMessageTypeByName(std::string(name));
  for (const pb::FileDescriptor *ours : {v1::Check::descriptor()->file(), v1::RecoveryReport::descriptor()->file()}) {
    if (!message && spoken == dialect::later) {
      message = ours->FindMessageTypeByName(std::string(name));
    }
  }
  if (!message) {
    throw std::logic_error(file->package() + " has no message " + std::string(name));
  }
  return message;
}

dialect dialect_of(const pb::Message &message) {
  return message.GetDescriptor()->file() == ::si::v1::Quantity::descriptor()->file() ? dialect::first : dialect::later;
}

const resolved_record *record_of(const pb::Descriptor *message) {
  const auto at = found().record_of.find(message);
  return at == found().record_of.end() ? nullptr : &at->second;
}

const resolved_envelope *envelope_of(const pb::Descriptor *message) {
  const auto at = found().envelope_of.find(message);
  return at == found().envelope_of.end() ? nullptr : &at->second;
}

}  // namespace tenon::wire
