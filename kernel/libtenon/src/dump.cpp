// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include <boost/json.hpp>
#include <utility>

#include "embedded.hpp"
#include "tenon/json/state_json.hpp"

namespace tenon::embedded {
namespace {

namespace json = boost::json;

constexpr state_json::old_key old_keys[] = {{"state", "now_ms", "now"},
                                            {"queue", "running_apps", "runningApplications"},
                                            {"ask", "pending_count", "pending"},
                                            {"rm", "policy_group", "policyGroup"},
                                            {"rm", "waiting_requests", "waitingRequests"},
                                            {"rm", "waiting_answers", "waitingAnswers"}};

}  // namespace

std::string dump(const kernel_snapshot &state, const std::vector<service::rm_status> &rms,
                 const std::map<uint64_t, std::string> &said, const std::string &journal_failure) {
  json::object out = state_json::write(state, {old_keys, {}, false});
  json::array managers;
  for (const service::rm_status &one : rms) {
    json::object rm = state_json::write(one, {old_keys});
    if (const auto words = said.find(one.session); words != said.end()) rm["says"] = words->second;
    managers.push_back(std::move(rm));
  }
  out["resourceManagers"] = std::move(managers);
  if (!journal_failure.empty()) out["journalFailure"] = journal_failure;
  return json::serialize(out);
}

}  // namespace tenon::embedded
