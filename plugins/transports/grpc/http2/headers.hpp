// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The header fields of a call: what is kept of a request's, and what an answer has.
#pragma once

#include <nghttp2/nghttp2.h>

#include <string>
#include <string_view>
#include <vector>

#include "status.hpp"

namespace tenon::grpc_transport {

// What a call says before its first message. Other fields are forgotten.
struct request_head {
  std::string path;  // "/si.v1.Scheduler/Update"
  std::string method;
  std::string content_type;
  std::string encoding;       // of messages
  std::string authorization;  // empty: none
  size_t size = 0;            // of all fields, as HTTP/2 counts them

  // One field; false: they are too many.
  bool add(std::string_view name, std::string_view value);

  // Whether it is a call of gRPC, by the status of HTTP: 200, 405, 415.
  [[nodiscard]] int http_status() const;
};

// Fields of an answer. Views of texts that live as long as it does.
class answer_fields {
 public:
  void add(std::string name, std::string value);
  // :status and content-type.
  void begin(int http_status);
  // grpc-status and grpc-message.
  void end(const rpc_status &how);

  [[nodiscard]] const nghttp2_nv *data();
  [[nodiscard]] size_t size() const { return texts_.size(); }

 private:
  std::vector<std::pair<std::string, std::string>> texts_;
  std::vector<nghttp2_nv> views_;
};

}  // namespace tenon::grpc_transport
