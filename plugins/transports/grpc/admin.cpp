// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "admin.hpp"

#include <algorithm>
#include <vector>

#include "files.hpp"
#include "peer.hpp"
#include "status.hpp"
#include "tenon/v1/admin.pb.h"
#include "unary.hpp"

namespace tenon::grpc_transport {
namespace {

constexpr size_t kWords = 16'384;
constexpr size_t kConfiguration = size_t{4} << 20;

// Where the host puts text of its own.
class answer_room {
 public:
  explicit answer_room(size_t most) : room_(most, '\0') {
    message_ = {sizeof message_, static_cast<uint32_t>(most), room_.data(), 0};
  }
  tenon_message *place() { return &message_; }
  [[nodiscard]] std::string said() const { return room_.substr(0, message_.length); }

 private:
  std::string room_;
  tenon_message message_{};
};

grpc::Status status_from(tenon_status status, const std::string &words) {
  switch (status) {
    case TENON_OK:
      return grpc::Status::OK;
    case TENON_DECLINED:
      return status_of(grpc::StatusCode::PERMISSION_DENIED, words);
    case TENON_UNRESOLVABLE:
      return status_of(grpc::StatusCode::NOT_FOUND, words);
    case TENON_UNSCHEDULABLE:
      return status_of(grpc::StatusCode::FAILED_PRECONDITION, words);
    case TENON_INVALID_CONFIG:
      return status_of(grpc::StatusCode::INVALID_ARGUMENT, words);
    case TENON_RETRY:
      return status_of(grpc::StatusCode::UNAVAILABLE, words);
    case TENON_UNSUPPORTED:
      return {grpc::StatusCode::UNIMPLEMENTED, "this scheduler does not offer that"};
    default:
      return status_of(grpc::StatusCode::INTERNAL, words);
  }
}

// As long for a wrong token as for the right one.
bool same(std::string_view given, std::string_view wanted) {
  unsigned different = given.size() == wanted.size() ? 0 : 1;
  for (size_t i = 0; i < given.size(); ++i) {
    different |= static_cast<unsigned char>(given[i]) ^ static_cast<unsigned char>(wanted[i % wanted.size()]);
  }
  return different == 0;
}

template <class Message>
grpc::Status parse(std::string_view bytes, Message &message) {
  if (message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) return grpc::Status::OK;
  return {grpc::StatusCode::INVALID_ARGUMENT, "want a " + message.GetTypeName() + ", have bytes that are none"};
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
  methods_.add(std::string("/tenon.v1.Admin/") + name, [this, body](std::unique_ptr<incoming> opened) {
    begin_unary(
        &worker_, std::move(opened),
        [this, body](const grpc::ServerContext &from, std::string_view request, std::string &response) -> grpc::Status {
          std::string user;
          const grpc::Status may = let_in(from, user);
          if (!may.ok()) return may;
          if (admin_ == nullptr) return status_from(TENON_UNSUPPORTED, "");
          const std::string origin = "grpc " + from.peer();
          tenon_admin_caller caller{};
          caller.size = sizeof caller;
          caller.rights = TENON_CALLER_ALL;
          caller.user = sdk::text(user);
          caller.origin = sdk::text(origin);
          return (this->*body)(caller, request, response);
        });
  });
}

grpc::Status admin::let_in(const grpc::ServerContext &context, std::string &user) const {
  for (const std::string &name : settings_.admin_certificates) {
    if (has_name(context, name)) {
      user = name;
      return grpc::Status::OK;
    }
  }
  constexpr std::string_view scheme = "Bearer ";
  const auto given = context.client_metadata().find("authorization");
  if (given == context.client_metadata().end()) {
    return {grpc::StatusCode::UNAUTHENTICATED,
            "want a token or a client certificate that may administer, have neither; send \"authorization: Bearer "
            "TOKEN\" with the token of admin_token_file"};
  }
  const std::string_view value(given->second.data(), given->second.size());
  if (token_.empty() || !value.starts_with(scheme) || !same(value.substr(scheme.size()), token_)) {
    return {grpc::StatusCode::PERMISSION_DENIED, "want the token of admin_token_file, have another one"};
  }
  user = "token";
  return grpc::Status::OK;
}

template <class Request, class Response>
grpc::Status admin::configure(bool change, const tenon_admin_caller &by, std::string_view request,
                              std::string &response) {
  Request message;
  if (grpc::Status parsed = parse(request, message); !parsed.ok()) return parsed;
  std::vector<std::pair<std::string, std::string>> extra(message.extraconfig().begin(), message.extraconfig().end());
  std::sort(extra.begin(), extra.end());
  std::vector<tenon_text> names;
  std::vector<tenon_text> values;
  for (const auto &[name, value] : extra) {
    names.push_back(sdk::text(name));
    values.push_back(sdk::text(value));
  }
  answer_room words(kWords);
  answer_room checksum(128);
  answer_room old(kConfiguration);
  tenon_admin_config_in in{};
  in.size = sizeof in;
  in.caller = &by;
  in.rm = sdk::text(message.rmid());
  in.policy_group = sdk::text(message.policygroup());
  in.configuration = sdk::text(message.config());
  in.extra = {names.data(), values.data(), names.size()};
  tenon_admin_config_out out{};
  out.size = sizeof out;
  out.error = words.place();
  out.checksum = checksum.place();
  out.old = old.place();
  const tenon_status status = (change ? admin_->update_config : admin_->validate_config)(host_.handle(), &in, &out);
  if (status != TENON_OK && status != TENON_INVALID_CONFIG) return status_from(status, words.said());
  Response answer;
  answer.set_success(status == TENON_OK);
  answer.set_oldconfig(old.said());
  answer.set_checksum(checksum.said());
  if (status != TENON_OK) answer.set_reason(words.said());
  response = answer.SerializeAsString();
  return grpc::Status::OK;
}

grpc::Status admin::update_config(const tenon_admin_caller &by, std::string_view request, std::string &response) {
  return configure<v1::UpdateConfigRequest, v1::UpdateConfigResponse>(true, by, request, response);
}

grpc::Status admin::validate_config(const tenon_admin_caller &by, std::string_view request, std::string &response) {
  return configure<v1::ValidateConfigRequest, v1::ValidateConfigResponse>(false, by, request, response);
}

grpc::Status admin::recovery_done(const tenon_admin_caller &by, std::string_view request, std::string &) {
  v1::RecoveryDoneRequest message;
  if (grpc::Status parsed = parse(request, message); !parsed.ok()) return parsed;
  answer_room words(kWords);
  tenon_admin_act_in in{};
  in.size = sizeof in;
  in.action = TENON_ADMIN_RECOVERY_DONE;
  in.caller = &by;
  in.object = sdk::text(message.rmid());
  tenon_admin_act_out out{sizeof out, 0, words.place()};
  const tenon_status status = admin_->act(host_.handle(), &in, &out);
  return status_from(status, words.said());
}

grpc::Status admin::step(const tenon_admin_caller &by, std::string_view request, std::string &response) {
  v1::StepRequest message;
  if (grpc::Status parsed = parse(request, message); !parsed.ok()) return parsed;
  answer_room words(kWords);
  tenon_admin_step_in in{};
  in.size = sizeof in;
  in.most = message.most();
  in.caller = &by;
  in.partition = sdk::text(message.partition());
  tenon_admin_step_out out{sizeof out, 0, 0, words.place()};
  const tenon_status status = admin_->step(host_.handle(), &in, &out);
  v1::StepResponse answer;
  answer.set_decisions(out.decisions);
  response = answer.SerializeAsString();
  return status_from(status, words.said());
}

}  // namespace tenon::grpc_transport
