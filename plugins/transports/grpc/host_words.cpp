// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "host_words.hpp"

namespace tenon::grpc_transport {

answer_room::answer_room(size_t most) : room_(most, '\0') {
  message_ = {sizeof message_, static_cast<uint32_t>(most), room_.data(), 0};
}

rpc_status status_from(tenon_status status, const std::string &why) {
  switch (status) {
    case TENON_OK:
      return rpc_status{};
    case TENON_DECLINED:
      return status_of(status_code::permission_denied, why);
    case TENON_UNRESOLVABLE:
      return status_of(status_code::not_found, why);
    case TENON_UNSCHEDULABLE:
      return status_of(status_code::failed_precondition, why);
    case TENON_INVALID_CONFIG:
      return status_of(status_code::invalid_argument, why);
    case TENON_RETRY:
    case TENON_EXHAUSTED:
      return status_of(status_code::unavailable, why);
    case TENON_UNSUPPORTED:
      return {status_code::unimplemented, "this scheduler does not offer that"};
    default:
      return status_of(status_code::internal, why);
  }
}

rpc_status parse(std::string_view bytes, google::protobuf::MessageLite &message) {
  if (message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) return rpc_status{};
  return {status_code::invalid_argument, "want a " + message.GetTypeName() + ", have bytes that are none"};
}

}  // namespace tenon::grpc_transport
