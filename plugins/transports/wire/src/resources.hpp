// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The three messages for amounts, each of a schema that stands alone: equal on the wire, three types in C++.
#pragma once

#include <google/protobuf/message.h>

#include <type_traits>

#include "si/v1/si.pb.h"
#include "tenon/si/v1later/si.pb.h"
#include "tenon/v1/resource.pb.h"

namespace tenon::wire {

// Calls `function` with `message` as what it is where it is a Resource; false where it is none. `Message` is
// google::protobuf::Message, const or not.
template <class Message, class Function>
bool as_resource(Message &message, Function function) {
  const auto tried = [&]<class Resource>(std::type_identity<Resource>) {
    if (message.GetDescriptor() != Resource::descriptor()) {
      return false;
    }
    function(static_cast<std::conditional_t<std::is_const_v<Message>, const Resource, Resource> &>(message));
    return true;
  };
  return tried(std::type_identity<::si::v1::Resource>()) || tried(std::type_identity<si::v1later::Resource>()) ||
         tried(std::type_identity<v1::Resource>());
}

}  // namespace tenon::wire
