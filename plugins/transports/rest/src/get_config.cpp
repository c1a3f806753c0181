// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The configuration in force, whether another one would be taken, and placement rules.
#include "configuration_text.hpp"
#include "handlers.hpp"
#include "one_at_a_time.hpp"
#include "path_names.hpp"
#include "views.hpp"

namespace tenon::rest {
namespace {

namespace json = boost::json;

pairs pairs_of(const tenon_rm_pairs &p) {
  pairs out;
  for (uint64_t i = 0; i < p.count; ++i) out.emplace_back(view(p.names[i]), view(p.values[i]));
  return out;
}

answer configuration(const context &c, const tenon_text &text, const tenon_text &checksum, const pairs &extra) {
  if (c.asked.accept == "application/json") {
    return json_answer(configuration_json(view(text), view(checksum), extra));
  }
  return {200, "application/x-yaml; charset=UTF-8", configuration_yaml(view(text), view(checksum), extra), {}};
}

}  // namespace

answer get_config(const context &c) {
  const snapshot all(c.use, 0);
  const std::string_view wanted = c.asked.asked("rm").value_or(std::string_view{});
  const std::string_view group = c.asked.asked("policyGroup").value_or(std::string_view{});
  nearest_name near(wanted.empty() ? group : wanted);
  for (const auto &rm : listed<tenon_view_rm>(all->rms)) {
    if (!wanted.empty()) near.look_at(view(rm.id));
    if (wanted.empty() && !group.empty()) break;  // which an RM may have left for a configuration of its own
    if (!wanted.empty() && view(rm.id) != wanted) continue;
    if (!group.empty() && view(rm.policy_group) != group) continue;
    return configuration(c, rm.configuration, rm.checksum, pairs_of(rm.extra));
  }
  // Of no RM: what is in force for the group.
  for (const auto &one : listed<tenon_view_policy_group>(all->policy_groups)) {
    if (wanted.empty()) near.look_at(view(one.name));
    if (!wanted.empty() || view(one.name) != (group.empty() ? "default" : group)) continue;
    return configuration(c, one.configuration, one.checksum, {});
  }
  throw near.not_found("Configuration");
}

answer post_validate_conf(const context &c) {
  static std::atomic<bool> validating = false;
  const one_at_a_time alone(validating, "another configuration is being checked");
  if (c.use.admin == nullptr || c.use.admin->validate_config == nullptr) {
    throw refused{503, "the scheduler checks no configurations"};
  }
  text_buffer why(65'536), checksum(256);
  tenon_admin_caller caller{};
  caller.size = sizeof caller;
  caller.user = sdk::text(c.asked.from.user);
  tenon_admin_config_in in{};
  in.size = sizeof in;
  in.caller = &caller;
  in.configuration = sdk::text(c.asked.body);
  tenon_admin_config_out out{};
  out.size = sizeof out;
  out.error = why.out();
  out.checksum = checksum.out();
  const tenon_status status = c.use.admin->validate_config(c.use.host, &in, &out);
  if (status == TENON_OK) {
    json::object good{{"allowed", true}};
    if (!checksum.text().empty()) {
      bool in_force = false;
      const snapshot all(c.use, 0);
      for (const auto &rm : listed<tenon_view_rm>(all->rms))
        in_force = in_force || view(rm.checksum) == checksum.text();
      good["checksum"] = checksum.text();
      good["checksumMatch"] = in_force;
    }
    return json_answer(good);
  }
  if (status != TENON_INVALID_CONFIG) refuse(status, why.text());
  return json_answer(json::object{{"allowed", false}, {"reason", why.text()}});
}

answer get_placement_rules(const context &c) {
  const partition_view p(c.use, c.asked.parameter("partition"), 0);
  for (const auto &rm : listed<tenon_view_rm>(p.all().rms)) {
    if (view(rm.id) == view(p->rm)) {
      return json_answer(placement_rules_json(view(rm.configuration), view(p->short_name)));
    }
  }
  return json_answer(json::array{});
}

}  // namespace tenon::rest
