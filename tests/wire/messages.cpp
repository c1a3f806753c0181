// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "messages.hpp"

#include <google/protobuf/stubs/logging.h>
#include <google/protobuf/unknown_field_set.h>

#include <set>

#include "si/v1/si.pb.h"
#include "tenon/si/v1later/si.pb.h"
#include "tenon/v1/checks.pb.h"
#include "tenon/v1/configuration.pb.h"
#include "tenon/v1/recovery.pb.h"
#include "tenon/v1/reports.pb.h"

namespace tenon::testing {

namespace pb = google::protobuf;

namespace {

// Protobuf prints a line for each text that is no UTF-8.
[[maybe_unused]] const bool quiet = (pb::SetLogHandler(nullptr), true);

void set_scalar(pb::Message &message, const pb::FieldDescriptor *field, int64_t value) {
  const pb::Reflection &look = *message.GetReflection();
  const std::string text = "t" + std::to_string(value);
  switch (field->cpp_type()) {
    case pb::FieldDescriptor::CPPTYPE_STRING:
      field->is_repeated() ? look.AddString(&message, field, text) : look.SetString(&message, field, text);
      break;
    case pb::FieldDescriptor::CPPTYPE_INT32:
      look.SetInt32(&message, field, static_cast<int32_t>(value));
      break;
    case pb::FieldDescriptor::CPPTYPE_INT64:
      look.SetInt64(&message, field, value);
      break;
    case pb::FieldDescriptor::CPPTYPE_BOOL:
      look.SetBool(&message, field, true);
      break;
    case pb::FieldDescriptor::CPPTYPE_ENUM: {
      const auto count = static_cast<uint64_t>(field->enum_type()->value_count());
      const auto index = static_cast<int>(1 + static_cast<uint64_t>(value) % (count - 1));
      look.SetEnumValue(&message, field, field->enum_type()->value(index)->number());
      break;
    }
    default:
      throw std::logic_error(field->full_name() + " is of a kind that tests do not know");
  }
}

pb::Message &inside(pb::Message &message, const pb::FieldDescriptor *field) {
  const pb::Reflection &look = *message.GetReflection();
  return field->is_repeated() ? *look.AddMessage(&message, field) : *look.MutableMessage(&message, field);
}

void add_unknown(pb::Message &message, std::mt19937_64 &random) {
  pb::UnknownFieldSet &unknown = *message.GetReflection()->MutableUnknownFields(&message);
  unknown.AddVarint(900 + static_cast<int>(random() % 5), random());
  unknown.AddLengthDelimited(950, "later");
}

using step = std::function<pb::Message &(pb::Message &)>;

void fields_alone(const pb::Message &empty, const pb::Descriptor *type, const step &down, const std::string &path,
                  const std::function<void(const pb::Message &, const std::string &)> &call) {
  for (int i = 0; i < type->field_count(); ++i) {
    const pb::FieldDescriptor *field = type->field(i);
    const std::string here = path + "." + field->name();
    const std::unique_ptr<pb::Message> message(empty.New());
    if (field->cpp_type() != pb::FieldDescriptor::CPPTYPE_MESSAGE) {
      set_scalar(down(*message), field, 7);
      call(*message, here);
      continue;
    }
    inside(down(*message), field);  // present, with nothing in it
    call(*message, here);
    fields_alone(
        empty, field->message_type(), [&](pb::Message &top) -> pb::Message & { return inside(down(top), field); }, here,
        call);
  }
}

// Of the interface, but nobody sends them: docs/differences.md, section 2, PreemptionPredicates.
bool is_unsent(const pb::Descriptor &message) { return message.name().starts_with("PreemptionPredicates"); }

}  // namespace

bool is_value(const pb::Descriptor &message) {
  static const std::set<std::string> values{
      "Priority", "Resource", "Quantity", "UserGroupInformation", "PreemptionPolicy", "AllocationReleasesRequest"};
  return values.contains(message.name());
}

std::vector<any_message> every_message() {
  std::vector<any_message> out;
  const pb::FileDescriptor *later = si::v1later::Quantity::descriptor()->file();
  for (const pb::FileDescriptor *file :
       {::si::v1::Quantity::descriptor()->file(), later, v1::Check::descriptor()->file(),
        v1::RecoveryReport::descriptor()->file(), v1::ReportRequest::descriptor()->file(),
        v1::OwnConfiguration::descriptor()->file()}) {
    const bool checks = file == v1::Check::descriptor()->file();
    for (int i = 0; i < file->message_type_count(); ++i) {
      // A registration at the checks has the bytes of a later one and is read as that.
      if (checks && later->FindMessageTypeByName(file->message_type(i)->name())) {
        continue;
      }
      if (!is_value(*file->message_type(i)) && !is_unsent(*file->message_type(i))) {
        out.emplace_back(pb::MessageFactory::generated_factory()->GetPrototype(file->message_type(i))->New());
      }
    }
  }
  return out;
}

void each_field_alone(const pb::Message &empty,
                      const std::function<void(const pb::Message &, const std::string &)> &call) {
  const step stay = [](pb::Message &top) -> pb::Message & { return top; };
  fields_alone(empty, empty.GetDescriptor(), stay, empty.GetDescriptor()->full_name(), call);
}

void fill(pb::Message &message, std::mt19937_64 &random, bool unknown) {
  const pb::Descriptor *type = message.GetDescriptor();
  for (int i = 0; i < type->field_count(); ++i) {
    const pb::FieldDescriptor *field = type->field(i);
    const uint64_t count = field->is_repeated() ? random() % 4 : random() % 2;
    for (uint64_t n = 0; n < count; ++n) {
      if (field->cpp_type() == pb::FieldDescriptor::CPPTYPE_MESSAGE) {
        fill(inside(message, field), random, unknown && !field->is_map());
      } else {
        set_scalar(message, field, static_cast<int64_t>(random() >> (1 + random() % 60)));
      }
    }
  }
  if (unknown && random() % 4 == 0) {
    add_unknown(message, random);
  }
}

}  // namespace tenon::testing
