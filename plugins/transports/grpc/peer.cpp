// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "peer.hpp"

#include <grpc/grpc_security_constants.h>

#include <algorithm>
#include <set>

namespace tenon::grpc_transport {
namespace {

std::set<std::string> names(const grpc::ServerContext &context) {
  std::set<std::string> out;
  const auto authenticated = context.auth_context();
  if (!authenticated || !authenticated->IsPeerAuthenticated()) return out;
  for (const char *property : {GRPC_X509_CN_PROPERTY_NAME, GRPC_X509_SAN_PROPERTY_NAME}) {
    for (const grpc::string_ref &value : authenticated->FindPropertyValues(property)) {
      out.emplace(value.data(), value.size());
    }
  }
  return out;
}

}  // namespace

bool is_encrypted(const grpc::ServerContext &context) {
  const auto authenticated = context.auth_context();
  if (!authenticated) return false;
  const auto types = authenticated->FindPropertyValues(GRPC_TRANSPORT_SECURITY_TYPE_PROPERTY_NAME);
  return !types.empty() && types.front() == GRPC_SSL_TRANSPORT_SECURITY_TYPE;
}

bool has_name(const grpc::ServerContext &context, std::string_view name) {
  return names(context).contains(std::string(name));
}

std::string names_of(const grpc::ServerContext &context) {
  std::string out;
  for (const std::string &name : names(context)) out += (out.empty() ? "\"" : ", \"") + name + "\"";
  return out.empty() ? "no name" : out;
}

}  // namespace tenon::grpc_transport
