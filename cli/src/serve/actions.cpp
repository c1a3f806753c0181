// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "serve/actions.hpp"

#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "control/base64.hpp"
#include "tenon/config/problems.hpp"
#include "tenon/config/queues.hpp"
#include "tenon/sdk/found_and_fix.hpp"

namespace tenon::cli {
namespace {

namespace json = boost::json;

std::string text_of(const json::object &from, std::string_view key) {
  const json::value *found = from.if_contains(key);
  return found == nullptr ? std::string() : std::string(found->as_string());
}

}  // namespace

refusal refused(const std::string &action, const std::string &object, const observe::outcome &how,
                const fix_of_missing &fix) {
  refusal out{action + (object.empty() ? "" : " " + object), "", how.message, "try again"};
  if (how.status == TENON_RETRY) return out;
  if (how.status == TENON_DECLINED) {
    out.want = "somebody who may";
    out.fix = "ask somebody whom an adminacl of the queue, or of one above it, names, or the daemon's own user";
    return out;
  }
  out.want = how.status == TENON_UNRESOLVABLE ? "a name that is there" : "a state in which that is possible";
  constexpr std::array<std::pair<std::string_view, std::string_view>, 8> shown_by{{{"node", "nodes"},
                                                                                   {"queue", "queues"},
                                                                                   {"application", "apps"},
                                                                                   {"partition", "queues"},
                                                                                   {"recovery", "rms"},
                                                                                   {"canary", "canary"},
                                                                                   {"quarantine", "modules"},
                                                                                   {"step", "queues"}}};
  for (const auto &[word, command] : shown_by)
    if (action.find(word) != std::string::npos)
      out.fix = "`tenon ctl " + std::string(command) + "` shows what there is";
  if (fix && !how.missing.empty()) out.fix = fix(how.missing, how.name);
  // The kernel says behind what it found what to do.
  if (const auto said = sdk::split_fix(how.message); how.status == TENON_UNSCHEDULABLE && !said.fix.empty()) {
    out.have = said.found;
    out.fix = said.fix;
  }
  return out;
}

std::optional<refusal> unknown_group(const service::scheduler &of, const std::string &group) {
  const auto groups = of.policy_groups();
  if (group.empty() || groups.contains(group)) return std::nullopt;
  std::vector<std::string_view> known;
  for (const auto &[name, text] : groups) known.push_back(name);
  return refusal{"policy group", "one of the deployment", config::in_quotes(group), config::suggestion(group, known)};
}

namespace {

result<json::object> swap(observe::administration &on, const observe::caller &who, const json::object &request,
                          const std::string &name) {
  observe::module_swap wish{text_of(request, "object"),
                            name == "swap-module-back" ? host::swap_to::before
                            : name == "restore-module" ? host::swap_to::again
                                                       : host::swap_to::installed,
                            false, text_of(request, "reason")};
  if (const json::value *verify = request.if_contains("verify")) wish.verify = verify->as_bool();
  const auto made = on.swap_module(who, wish);
  if (!made) return made.why();
  return json::object{{"done", true},
                      {"action", name},
                      {"object", made->module},
                      {"partition", ""},
                      {"version", made->version},
                      {"digest", made->digest},
                      {"before", made->before},
                      {"paused_us", made->paused_us}};
}

}  // namespace

result<json::object> act(observe::administration &on, const observe::caller &who, const json::object &request,
                         const fix_of_missing &fix) {
  const std::string name = text_of(request, "action");
  if (name == "lift-quarantine") {
    const std::string module = text_of(request, "object");
    const observe::outcome how = on.lift_quarantine(who, module, text_of(request, "reason"));
    if (how.status != TENON_OK) return refused(name, module, how);
    return json::object{{"done", true}, {"action", name}, {"object", module}, {"partition", ""}};
  }
  if (name == "swap-module" || name == "swap-module-back" || name == "restore-module")
    return swap(on, who, request, name);
  observe::action what{observe::action_named(name), text_of(request, "partition"), text_of(request, "object"),
                       text_of(request, "target"), text_of(request, "reason")};
  if (what.what == 0)
    return refusal{"action", "an action", config::in_quotes(name), config::suggestion(name, observe::action_names())};
  const observe::outcome how = on.act(who, what);
  if (how.status != TENON_OK) return refused(name, what.object, how, fix);
  return json::object{{"done", true}, {"action", name}, {"object", what.object}, {"partition", what.partition}};
}

result<json::object> step(observe::administration &on, const observe::caller &who, const json::object &request) {
  const json::value *limit = request.if_contains("limit");
  const uint32_t most = limit == nullptr ? 1 : limit->to_number<uint32_t>();
  uint64_t decisions = 0;
  const observe::outcome how = on.step(who, text_of(request, "partition"), most, decisions);
  if (how.status == TENON_UNSCHEDULABLE)
    return refusal{"step", "a deployment with cycle.manual: true", "one that runs by itself",
                   "leave the step out: decisions are made without it"};
  if (how.status != TENON_OK) return refused("step", {}, how);
  return json::object{{"decisions", decisions}};
}

json::object saved_json(const observe::saved_outcome &of) {
  return {{"time_ms", of.time_ms}, {"bytes", of.journal.size()}, {"state", base64_of(of.journal)}};
}

result<json::object> configurations(const service::scheduler &of, const json::object &request) {
  const std::string group = text_of(request, "policy_group"), rm = text_of(request, "rm");
  const json::value *text = request.if_contains("text");
  const bool with_text = text != nullptr && text->as_bool();
  if (auto no = unknown_group(of, group)) return *no;
  json::array out;
  for (const service::configuration_revision &one : of.revisions()) {
    if ((!group.empty() && one.policy_group != group) || ((with_text || !rm.empty()) && one.rm != rm)) continue;
    const auto source = of.source_of(one.policy_group);
    json::object item{{"policy_group", one.policy_group},
                      {"rm", one.rm},
                      {"revision", one.number},
                      {"sent_by", one.by},
                      {"since_ms", one.since_ms},
                      {"source", one.source},
                      {"source_state", !source                                                ? "unreadable"
                                       : config::queues_checksum(source->text) == one.of_file ? "the same"
                                                                                              : "changed"},
                      {"instead_of", one.instead_of},
                      {"kept", one.kept},
                      {"checksum", one.checksum}};
    if (with_text) item["text"] = one.text;
    out.push_back(std::move(item));
  }
  if (out.empty())
    return refusal{"rm", "a resource manager for which a configuration was sent", config::in_quotes(rm),
                   "`tenon ctl config` lists which were sent, and leaving --rm out shows that of the policy group"};
  return json::object{{"configurations", std::move(out)}};
}

}  // namespace tenon::cli
