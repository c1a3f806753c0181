// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "through_codec.hpp"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <algorithm>
#include <memory>
#include <set>
#include <vector>

namespace tenon::testing {

namespace pb = google::protobuf;

const wire::schema &schema_of(const pb::Message &type) {
  const bool first = type.GetDescriptor()->file()->package() == "si.v1";
  return wire::schema_of(first ? wire::dialect::first : wire::dialect::later, type.GetDescriptor()->name());
}

std::string bytes_of(const pb::Message &message) {
  std::string out;
  {
    pb::io::StringOutputStream stream(&out);
    pb::io::CodedOutputStream coded(&stream);
    coded.SetSerializationDeterministic(true);
    message.SerializePartialToCodedStream(&coded);
  }
  return out;
}

bool read(const pb::Message &message, std::string &bytes, wire::arena &into, wire::batch &out, std::string &refusal) {
  bytes = bytes_of(message);
  return wire::read(schema_of(message), bytes, into, out, refusal);
}

bool write(const wire::batch &from, pb::Message &out, std::string &refusal) {
  std::string bytes;
  if (!wire::write(schema_of(out), from, bytes, refusal)) return false;
  if (out.ParseFromString(bytes)) return true;
  refusal = out.GetDescriptor()->name() + ": written bytes are no such message";
  return false;
}

std::string difference(std::string_view bytes, const pb::Message &type) {
  const std::unique_ptr<pb::Message> sent(type.New());
  const bool parsed = sent->ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
  wire::arena arena;
  wire::batch between;
  std::string refusal;
  const bool taken = wire::read(schema_of(type), bytes, arena, between, refusal);
  if (!parsed) return taken ? "takes what is no message to protobuf" : "";
  const bool undefined = has_undefined_number(*sent);
  if (!taken) return undefined ? "" : "refuses " + sent->DebugString() + "with " + refusal;
  if (undefined) return "takes a number that nobody defined of " + sent->DebugString();
  const std::unique_ptr<pb::Message> back(type.New());
  if (!write(between, *back, refusal)) return "does not write " + sent->DebugString() + refusal;
  if (bytes_of(*back) == bytes_of(*sent)) return "";
  return "read\n" + sent->DebugString() + "and wrote\n" + back->DebugString();
}

bool has_undefined_number(const pb::Message &message) {
  // Numbers that are passed on, whatever they are.
  static const std::set<std::string> open{"eventChangeType", "eventChangeDetail"};
  const pb::Reflection &look = *message.GetReflection();
  std::vector<const pb::FieldDescriptor *> fields;
  look.ListFields(message, &fields);
  return std::any_of(fields.begin(), fields.end(), [&](const pb::FieldDescriptor *field) {
    if (field->cpp_type() == pb::FieldDescriptor::CPPTYPE_ENUM) {
      return !open.contains(field->name()) &&
             field->enum_type()->FindValueByNumber(look.GetEnumValue(message, field)) == nullptr;
    }
    if (field->cpp_type() != pb::FieldDescriptor::CPPTYPE_MESSAGE || field->is_map()) return false;
    if (!field->is_repeated()) return has_undefined_number(look.GetMessage(message, field));
    for (int i = 0; i < look.FieldSize(message, field); ++i) {
      if (has_undefined_number(look.GetRepeatedMessage(message, field, i))) return true;
    }
    return false;
  });
}

}  // namespace tenon::testing
