// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "serve/reload.hpp"

#include <spdlog/spdlog.h>

#include "serve/service_notice.hpp"
#include "tenon/config/problems.hpp"
#include "tenon/host/text_file.hpp"

namespace tenon::cli {
namespace {

std::string text_of(const std::string &file) {
  const auto text = host::read_text_file(file);
  return text ? *text : std::string();
}

}  // namespace

reloading::reloading(observe::administration &people, const host::deployment &plan, spdlog::logger &log)
    : people_(people), plan_(plan), log_(log), text_(text_of(plan.file)) {}

std::optional<refusal> reloading::look_at_deployment() {
  config::problems report(plan_.file);
  const auto now = host::read_deployment(plan_.file, report);
  if (!now) return report.refusals().front();
  if (now->policy_groups != plan_.policy_groups)
    return refusal{plan_.file, "the policy_groups that the daemon was started with", "others",
                   "restart the daemon, or take that back"};
  if (text_of(plan_.file) != text_)
    log_.warn("{} has changed: of it the files of policy_groups are read again alone, the rest waits for a restart",
              plan_.file);
  return std::nullopt;
}

observe::configuration_outcome reloading::reload(const observe::caller &who,
                                                 const observe::configuration_change &what) {
  const std::lock_guard lock(one_);
  tell_reloading();
  observe::configuration_outcome out;
  out.why = look_at_deployment();
  if (out.why) {
    out.how = {TENON_INVALID_CONFIG, out.why->text()};
    log_.error("{}: reload refused: {}", who.text(), out.how.message);
  } else {
    out = people_.configure(who, what);
  }
  tell_ready();
  return out;
}

}  // namespace tenon::cli
