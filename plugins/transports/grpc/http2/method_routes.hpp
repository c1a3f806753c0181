// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What a server answers to: methods by their paths, whose messages are bytes. Two dialects share a path, so none of
// them is bound to a type.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "call.hpp"

namespace tenon::grpc_transport {

// Bytes that a question to one of gRPC's own services needs at most.
inline constexpr size_t question = size_t{4} << 10;

struct route {
  // Makes what answers the call, which frees itself.
  std::function<void(std::unique_ptr<incoming>)> make;
  size_t most = 0;  // bytes of a request
};

// By path, as "/si.v1.Scheduler/Update". A call with one request is a stream, too.
class routes {
 public:
  void add(std::string path, size_t most, std::function<void(std::unique_ptr<incoming>)> make) {
    all_[std::move(path)] = {std::move(make), most};
  }
  [[nodiscard]] const route *find(const std::string &path) const {
    const auto at = all_.find(path);
    return at == all_.end() ? nullptr : &at->second;
  }

 private:
  std::map<std::string, route> all_;
};

}  // namespace tenon::grpc_transport
