// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Plans of configurations for a running scheduler.
#include <algorithm>
#include <utility>

#include "services_impl.hpp"
#include "tenon/config/problems.hpp"
#include "tenon/config/queues.hpp"
#include "tenon/kernel/partition_name.hpp"
#include "tenon/observe/config_plan.hpp"

namespace tenon::observe {
namespace {

namespace json = boost::json;

json::array refusals_of(const std::vector<refusal> &all) {
  json::array out;
  for (const refusal &why : all)
    out.push_back(json::object{{"where", why.where}, {"want", why.want}, {"have", why.have}, {"fix", why.fix}});
  return out;
}

// As if those that are there were sent again: to the queue where they are.
std::vector<submission> submissions_in(kernel &k, const std::string &rm) {
  std::vector<submission> out;
  const kernel_snapshot state = k.snapshot(snapshot_part::applications | snapshot_part::tags);
  for (const partition_snapshot &p : state.partitions) {
    if (!p.name.starts_with(partition_prefix(rm))) continue;
    for (const application_snapshot &app : p.applications) {
      submission one;
      one.partition = p.name;
      one.queue = one.is_in = app.queue;
      one.user = app.user;
      one.groups = app.groups;
      for (const auto &[key, value] : app.tags) one.tags[key] = value;
      one.placeholder_ask = app.placeholder_ask;
      out.push_back(std::move(one));
    }
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

// Of all resource managers that have what is in force, as of one moment.
class plan_question final : public copy_question {
 public:
  plan_question(std::vector<std::string> rms, const cluster_config &before, const cluster_config &now)
      : rms_(std::move(rms)), before_(before), now_(now) {}

  std::optional<copied_part> look(kernel &) override {
    return copied_part{std::nullopt, rms_.front(), "plan against the journal that the daemon records, --journal FILE"};
  }

  void go_without(kernel &, const refusal &why) override { said.emplace(why); }

  void answer(shared_copy &on, const std::atomic<bool> &stops) override {
    json::array plans;
    for (const std::string &rm : rms_) {
      if (stops) return;
      plans.push_back(plan_json(plan_of(on.state(), rm, stops)));
    }
    said.emplace(std::move(plans));
  }

  std::optional<result<json::array>> said;  // with why there are none

 private:
  config_plan plan_of(kernel &k, const std::string &rm, const std::atomic<bool> &stops) const {
    std::vector<submission> samples = submissions_in(k, rm);
    k.forget_frozen();
    const size_t tried = std::min(samples.size(), most_tried_submissions), left_out = samples.size() - tried;
    samples.resize(tried);
    config_plan out = plan_configuration(k, rm, before_, now_, samples, &stops);
    out.submissions_left_out = left_out;
    return out;
  }

  const std::vector<std::string> rms_;
  const cluster_config &before_, &now_;
};

}  // namespace

plan_said services::plan(const plan_wish &wish, std::chrono::milliseconds within) {
  plan_said out;
  const std::string group = wish.policy_group.empty() ? std::string("default") : wish.policy_group;
  const std::vector<policy_group_record> groups = impl_->to.policy_groups();
  const auto in_force =
      std::find_if(groups.begin(), groups.end(), [&](const policy_group_record &one) { return one.name == group; });
  if (in_force == groups.end()) {
    std::vector<std::string_view> known;
    for (const policy_group_record &one : groups) known.push_back(one.name);
    out.status = TENON_UNRESOLVABLE;
    out.why = {"policy group", "one of the deployment", config::in_quotes(group), config::suggestion(group, known)};
    return out;
  }
  const config::parse_options how{impl_->modules.known(), 32, {}};
  config::parsed_queues now = config::parse_queues(wish.text, wish.place, how);
  const config::parsed_queues before =
      config::parse_queues(in_force->configuration, "policy group '" + group + "'", how);
  if (now.config && !now.has_content && before.has_content) {
    now.refusals.push_back({wish.place, "queues, as those that are in force", "a text without content",
                            "write the whole text, a file by renaming a complete one to its name"});
    now.config.reset();
  }
  out.answer = {{"refusals", refusals_of(now.refusals)}, {"plans", json::array()}, {"with_their_own", json::array()}};
  if (!now.config || !before.config) return out;
  json::array plans, others;
  std::vector<std::string> concerned;
  for (const rm_record &rm : impl_->to.rms()) {
    if (rm.policy_group != group) continue;
    if (rm.configuration == in_force->configuration) {
      concerned.push_back(rm.id);
    } else {
      others.emplace_back(rm.id);
    }
  }
  if (!concerned.empty()) {
    plan_question asked(std::move(concerned), *before.config, *now.config);
    if (!impl_->copies.ask(asked, snapshot_keeper::clock::now() + within)) {
      out.status = TENON_RETRY;
      out.why = {"", "a scheduler with time to answer", "one that is busy or stops", "try again"};
      return out;
    }
    if (!*asked.said) {
      out.status = TENON_UNSCHEDULABLE;
      out.why = asked.said->why();
      return out;
    }
    plans = std::move(**asked.said);
  }
  if (plans.empty() && others.empty()) {  // nobody is there: the texts alone
    config_plan texts;
    texts.changes = differences(*before.config, *now.config);
    plans.push_back(plan_json(texts));
  }
  out.answer["plans"] = std::move(plans);
  out.answer["with_their_own"] = std::move(others);
  return out;
}

}  // namespace tenon::observe
