// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Messages in a log: without what may be secret.
#include <memory>
#include <vector>

#include "si/v1/si.pb.h"
#include "tenon/v1/options.pb.h"
#include "tenon/wire/convert.hpp"

namespace tenon::wire {
namespace {

namespace pb = google::protobuf;

// The interface's own option, and Tenon's, which says the same.
bool is_secret(const pb::FieldDescriptor &field) {
  return field.options().GetExtension(::si::v1::si_secret) || field.options().GetExtension(v1::secret);
}

void remove_secrets(pb::Message &message) {
  const pb::Reflection &look = *message.GetReflection();
  std::vector<const pb::FieldDescriptor *> fields;
  look.ListFields(message, &fields);
  for (const pb::FieldDescriptor *field : fields) {
    if (is_secret(*field)) {
      look.ClearField(&message, field);
    } else if (field->cpp_type() != pb::FieldDescriptor::CPPTYPE_MESSAGE) {
      continue;
    } else if (!field->is_repeated()) {
      remove_secrets(*look.MutableMessage(&message, field));
    } else {
      for (int i = 0; i < look.FieldSize(message, field); ++i) {
        remove_secrets(*look.MutableRepeatedMessage(&message, field, i));
      }
    }
  }
}

}  // namespace

std::string log_line(const pb::Message &message) {
  const std::unique_ptr<pb::Message> shown(message.New());
  shown->CopyFrom(message);
  shown->DiscardUnknownFields();
  remove_secrets(*shown);
  return message.GetDescriptor()->name() + " { " + shown->ShortDebugString() + " }";
}

}  // namespace tenon::wire
