// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "grpc_what_if.hpp"

#include <google/protobuf/util/json_util.h>

#include "host_words.hpp"
#include "tenon/sdk/error.hpp"
#include "tenon/v1/what_if.pb.h"
#include "unary.hpp"

namespace tenon::grpc_transport {
namespace {

namespace pb = google::protobuf;

rpc_status json_of(const v1::WhatIfRequest &asked, std::string &to) {
  pb::util::JsonPrintOptions how;
  how.preserve_proto_field_names = true;
  const auto made = pb::util::MessageToJsonString(asked, &to, how);
  if (made.ok()) return rpc_status{};
  return status_of(status_code::invalid_argument,
                   "want a question that can be written as JSON, have one that cannot: " + std::string(made.message()));
}

// What a newer host says beside it is left out.
rpc_status message_of(std::string_view json, std::string &to) {
  v1::WhatIfResponse response;
  pb::util::JsonParseOptions how;
  how.ignore_unknown_fields = true;
  const auto read = pb::util::JsonStringToMessage({json.data(), json.size()}, &response, how);
  if (!read.ok()) return status_of(status_code::internal, std::string(read.message()));
  to = response.SerializeAsString();
  return rpc_status{};
}

rpc_status message_of(const tenon_explanation &from, std::string &to) {
  v1::ExplainResponse response;
  response.set_pending(from.pending != 0);
  response.set_waiting(from.waiting);
  response.set_outcome(std::string(sdk::view(from.outcome)));
  response.set_after(from.after);
  response.set_text(std::string(sdk::view(from.words)));
  const std::string_view json = sdk::view(from.json);
  const auto read = pb::util::JsonStringToMessage({json.data(), json.size()}, response.mutable_explanation());
  if (!read.ok()) return status_of(status_code::internal, std::string(read.message()));
  to = response.SerializeAsString();
  return rpc_status{};
}

}  // namespace

what_if::what_if(const settings &with, const sdk::host_services &host, registry &rms, const admin &admins)
    : host_(host), registry_(rms), explain_(host.find<tenon_host_explain>(TENON_HOST_EXPLAIN)) {
  if (explain_ != nullptr && !TENON_COVERS(explain_, tenon_host_explain, what_if)) explain_ = nullptr;
  offer("/tenon.v1.WhatIf/Ask", with.message_bytes, admins, &what_if::ask);
  offer("/tenon.v1.WhatIf/Explain", with.message_bytes, admins, &what_if::explain);
}

void what_if::offer(const std::string &path, uint32_t most_bytes, const admin &admins, question how) {
  methods_.add(path, most_bytes, [this, &admins, how](std::unique_ptr<incoming> opened) {
    std::string name;
    const rpc_status may = admins.let_in(*opened, name);
    begin_unary(&worker_, std::move(opened), rpc_status{},
                [this, may, how](const call &from, std::string_view request, std::string &response) {
                  return (this->*how)(from, may, request, response);
                });
  });
}

rpc_status what_if::let_in(const call &from, const rpc_status &may_administer, const std::string &rm,
                           const std::string &own_name, std::string &partition) {
  if (rm.empty()) {
    if (may_administer.ok()) return rpc_status{};
    return status_of(may_administer.code, may_administer.message + "; or ask as an RM about its partitions: set rmID");
  }
  partition = "[" + rm + "]" + (own_name.empty() ? "default" : own_name);
  return may_administer.ok() ? may_administer : registry_.may_speak_for(from, rm);
}

rpc_status what_if::explain(const call &from, const rpc_status &may_administer, std::string_view request,
                            std::string &response) {
  v1::ExplainRequest asked;
  if (rpc_status parsed = parse(request, asked); !parsed.ok()) return parsed;
  std::string partition;
  if (rpc_status may = let_in(from, may_administer, asked.rmid(), asked.partition(), partition); !may.ok()) return may;
  if (explain_ == nullptr) return status_from(TENON_UNSUPPORTED, "");
  answer_room why;
  tenon_explain_in in{};
  in.size = sizeof in;
  in.partition = sdk::text(partition.empty() ? asked.partition() : partition);
  in.application = sdk::text(asked.application());
  in.key = sdk::text(asked.key());
  tenon_explain_out out{};
  out.size = sizeof out;
  out.error = why.place();
  const tenon_status status = explain_->explain(host_.handle(), &in, &out);
  if (status != TENON_OK) return status_from(status, why.said());
  rpc_status made = message_of(*out.explanation, response);
  const tenon_explain_close_in close{sizeof close, 0, out.id};
  explain_->close(host_.handle(), &close);
  return made;
}

rpc_status what_if::ask(const call &from, const rpc_status &may_administer, std::string_view request,
                        std::string &response) {
  v1::WhatIfRequest asked;
  if (rpc_status parsed = parse(request, asked); !parsed.ok()) return parsed;
  const std::string rm = asked.rmid();
  asked.clear_rmid();
  std::string partition;
  if (rpc_status may = let_in(from, may_administer, rm, asked.partition(), partition); !may.ok()) return may;
  if (!rm.empty()) asked.clear_partition();
  if (explain_ == nullptr) return status_from(TENON_UNSUPPORTED, "");
  std::string json;
  if (rpc_status written = json_of(asked, json); !written.ok()) return written;
  answer_room why;
  tenon_what_if_in in{};
  in.size = sizeof in;
  in.partition = sdk::text(partition);
  in.question = sdk::text(json);
  tenon_what_if_out out{};
  out.size = sizeof out;
  out.error = why.place();
  const tenon_status status = explain_->what_if(host_.handle(), &in, &out);
  if (status != TENON_OK) return status_from(status, why.said());
  rpc_status made = message_of(sdk::view(out.answer), response);
  const tenon_explain_close_in close{sizeof close, 0, out.id};
  explain_->close(host_.handle(), &close);
  return made;
}

}  // namespace tenon::grpc_transport
