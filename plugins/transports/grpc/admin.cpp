// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "admin.hpp"

#include <algorithm>
#include <sstream>
#include <vector>

#include "files.hpp"
#include "host_words.hpp"
#include "http2/status.hpp"
#include "tenon/v1/admin.pb.h"
#include "unary.hpp"

namespace tenon::grpc_transport {
namespace {

constexpr size_t max_configuration_bytes = size_t{4} << 20;

// As long for a wrong token as for the right one.
bool same(std::string_view given, std::string_view wanted) {
  unsigned different = given.size() == wanted.size() ? 0 : 1;
  for (size_t i = 0; i < given.size(); ++i) {
    different |= static_cast<unsigned char>(given[i]) ^ static_cast<unsigned char>(wanted[i % wanted.size()]);
  }
  return different == 0;
}

}  // namespace

admin::admin(const settings &with, const sdk::host_services &host)
    : settings_(with),
      host_(host),
      admin_(host.find<tenon_host_admin>(TENON_HOST_ADMIN)),
      token_(token_in(with.admin_token_file)) {
  add("UpdateConfig", &admin::update_config);
  add("ValidateConfig", &admin::validate_config);
  add("RecoveryDone", &admin::recovery_done);
  add("Step", &admin::step);
}

void admin::add(const char *name, method body) {
  methods_.add(std::string("/tenon.v1.Admin/") + name, settings_.message_bytes,
               [this, body](std::unique_ptr<incoming> opened) {
                 std::string user;
                 rpc_status may = let_in(*opened, user);
                 begin_unary(&worker_, std::move(opened), std::move(may),
                             [this, body, user](const call &from, std::string_view request, std::string &response) {
                               if (admin_ == nullptr) return status_from(TENON_UNSUPPORTED, "");
                               const std::string origin = "grpc " + from.by().address;
                               tenon_admin_caller caller{};
                               caller.size = sizeof caller;
                               caller.rights = TENON_CALLER_ALL;
                               caller.user = sdk::text(user);
                               caller.origin = sdk::text(origin);
                               return (this->*body)(caller, request, response);
                             });
               });
}

rpc_status admin::let_in(const incoming &from, std::string &user) const {
  for (const std::string &name : settings_.admin_certificates) {
    if (from.by->has_name(name)) {
      user = name;
      return rpc_status{};
    }
  }
  constexpr std::string_view scheme = "Bearer ";
  const std::string_view value = from.head.authorization;
  if (value.empty()) {
    return {status_code::unauthenticated,
            "want a token or a client certificate that may administer, have neither; send \"authorization: Bearer "
            "TOKEN\" with the token of admin_token_file"};
  }
  if (token_.empty() || !value.starts_with(scheme) || !same(value.substr(scheme.size()), token_)) {
    return {status_code::permission_denied, "want the token of admin_token_file, have another one"};
  }
  user = "token";
  return rpc_status{};
}

template <class Request, class Response>
rpc_status admin::configure(bool change, const tenon_admin_caller &by, std::string_view request,
                            std::string &response) {
  Request message;
  if (rpc_status parsed = parse(request, message); !parsed.ok()) return parsed;
  std::vector<std::pair<std::string, std::string>> extra(message.extraconfig().begin(), message.extraconfig().end());
  std::sort(extra.begin(), extra.end());
  std::vector<tenon_text> names;
  std::vector<tenon_text> values;
  for (const auto &[name, value] : extra) {
    names.push_back(sdk::text(name));
    values.push_back(sdk::text(value));
  }
  answer_room why;
  answer_room checksum(128);
  answer_room old(max_configuration_bytes);
  answer_room notes;
  tenon_admin_config_in in{};
  in.size = sizeof in;
  if constexpr (requires { message.force(); }) in.flags = message.force() ? TENON_ADMIN_FORCED : 0;
  in.caller = &by;
  in.rm = sdk::text(message.rmid());
  in.policy_group = sdk::text(message.policygroup());
  in.configuration = sdk::text(message.config());
  in.extra = {names.data(), values.data(), names.size()};
  tenon_admin_config_out out{};
  out.size = sizeof out;
  out.error = why.place();
  out.checksum = checksum.place();
  out.old = old.place();
  out.notes = notes.place();
  const tenon_status status = (change ? admin_->update_config : admin_->validate_config)(host_.handle(), &in, &out);
  if (status != TENON_OK && status != TENON_INVALID_CONFIG) return status_from(status, why.said());
  Response answer;
  answer.set_success(status == TENON_OK);
  answer.set_oldconfig(old.said());
  answer.set_checksum(checksum.said());
  if (status != TENON_OK) answer.set_reason(why.said());
  if constexpr (requires { answer.set_revision(out.revision); }) {
    answer.set_revision(out.revision);
    std::istringstream lines(notes.said());
    for (std::string line; std::getline(lines, line);) answer.add_warnings(line);
  }
  response = answer.SerializeAsString();
  return rpc_status{};
}

rpc_status admin::update_config(const tenon_admin_caller &by, std::string_view request, std::string &response) {
  return configure<v1::UpdateConfigRequest, v1::UpdateConfigResponse>(true, by, request, response);
}

rpc_status admin::validate_config(const tenon_admin_caller &by, std::string_view request, std::string &response) {
  return configure<v1::ValidateConfigRequest, v1::ValidateConfigResponse>(false, by, request, response);
}

rpc_status admin::recovery_done(const tenon_admin_caller &by, std::string_view request, std::string &) {
  v1::RecoveryDoneRequest message;
  if (rpc_status parsed = parse(request, message); !parsed.ok()) return parsed;
  answer_room why;
  tenon_admin_act_in in{};
  in.size = sizeof in;
  in.action = TENON_ADMIN_RECOVERY_DONE;
  in.caller = &by;
  in.object = sdk::text(message.rmid());
  tenon_admin_act_out out{sizeof out, 0, why.place()};
  const tenon_status status = admin_->act(host_.handle(), &in, &out);
  return status_from(status, why.said());
}

rpc_status admin::step(const tenon_admin_caller &by, std::string_view request, std::string &response) {
  v1::StepRequest message;
  if (rpc_status parsed = parse(request, message); !parsed.ok()) return parsed;
  answer_room why;
  tenon_admin_step_in in{};
  in.size = sizeof in;
  in.most = message.most();
  in.caller = &by;
  in.partition = sdk::text(message.partition());
  tenon_admin_step_out out{sizeof out, 0, 0, why.place()};
  const tenon_status status = admin_->step(host_.handle(), &in, &out);
  v1::StepResponse answer;
  answer.set_decisions(out.decisions);
  response = answer.SerializeAsString();
  return status_from(status, why.said());
}

}  // namespace tenon::grpc_transport
