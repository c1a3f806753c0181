// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "unknown_fields.hpp"

#include <google/protobuf/unknown_field_set.h>

#include <memory>
#include <vector>

#include "resources.hpp"

namespace tenon::wire {
namespace {

namespace pb = google::protobuf;

template <class Function>
void each_single(const pb::Message &message, Function function) {
  std::vector<const pb::FieldDescriptor *> fields;
  message.GetReflection()->ListFields(message, &fields);
  for (const pb::FieldDescriptor *field : fields) {
    if (field->cpp_type() == pb::FieldDescriptor::CPPTYPE_MESSAGE && !field->is_repeated()) {
      function(field, message.GetReflection()->GetMessage(message, field));
    }
  }
}

void copy(const pb::Message &from, pb::Message &to, bool around_parts) {
  to.GetReflection()->MutableUnknownFields(&to)->MergeFrom(from.GetReflection()->GetUnknownFields(from));
  as_resource(from, [&](const auto &resource) {
    auto &out = static_cast<std::remove_cvref_t<decltype(resource)> &>(to);
    for (const auto &[type, quantity] : resource.resources()) {  // any order: into a map
      if (has_unknown_fields(quantity)) {
        copy(quantity, (*out.mutable_resources())[type], false);
      }
    }
  });
  each_single(from, [&](const pb::FieldDescriptor *field, const pb::Message &part) {
    if (around_parts || has_unknown_fields(part)) {
      copy(part, *to.GetReflection()->MutableMessage(&to, field), false);
    }
  });
}

}  // namespace

bool has_unknown_fields(const pb::Message &message) {
  if (!message.GetReflection()->GetUnknownFields(message).empty()) {
    return true;
  }
  bool found = false;
  as_resource(message, [&](const auto &resource) {
    for (const auto &[type, quantity] : resource.resources()) {  // any order: a question about all
      found = found || has_unknown_fields(quantity);
    }
  });
  each_single(message,
              [&](const pb::FieldDescriptor *, const pb::Message &part) { found = found || has_unknown_fields(part); });
  return found;
}

std::string unknown_fields_of(const pb::Message &message, bool around_parts) {
  const std::unique_ptr<pb::Message> kept(message.New());
  copy(message, *kept, around_parts);
  return kept->SerializePartialAsString();
}

}  // namespace tenon::wire
