// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "deployment/world_shadow_keys.hpp"

#include <algorithm>
#include <array>
#include <system_error>

namespace tenon::host {
namespace {

using config::in_quotes;
using config::key_spec;
using config::value_kind;

constexpr std::array shadow_keys{
    key_spec{.key = "deployment",
             .kind = value_kind::text,
             .summary = "Deployment, relative to this file, whose modules serve the shadow's orders, and whose policy "
                        "groups are the shadow's.",
             .fallback = "this one"},
    key_spec{.key = "policy_groups",
             .kind = value_kind::text_map,
             .summary = "Group to the queues.yaml that the shadow decides by, relative to this file.",
             .fallback = "those of `deployment`; else what is in force"},
    key_spec{.key = "node_sort",
             .kind = value_kind::text,
             .summary = "Order of nodes of every partition of the shadow.",
             .fallback = "as its configuration says"},
    key_spec{.key = "every",
             .kind = value_kind::count,
             .summary = "Decisions of the daemon between two that are compared.",
             .fallback = "1000"},
    key_spec{.key = "restarts",
             .kind = value_kind::count,
             .summary = "How often the shadow is started again after it ended.",
             .fallback = "5"},
    key_spec{.key = "most_behind_mb",
             .kind = value_kind::count,
             .summary =
                 "Mebibytes of the journal that the shadow may be behind; beyond them it compares nothing until it "
                 "has caught up.",
             .fallback = "64"},
    key_spec{.key = "hang",
             .kind = value_kind::duration,
             .summary = "A shadow that says nothing for so long is killed and started again.",
             .fallback = "1m"},
};
constexpr config::object_spec world_shadow_object{
    "world shadow", "What decides beside the daemon, in a process of its own, and is compared with it.", shadow_keys};

}  // namespace

const config::object_spec &world_shadow_spec() { return world_shadow_object; }

std::optional<world_shadow_use> read_world_shadow(const config::yaml_node &root,
                                                  const std::filesystem::path &deployment_file,
                                                  config::problems &report) {
  const config::yaml_node *given = root.find("shadow");
  if (given == nullptr) return std::nullopt;
  world_shadow_use out;
  const auto file = [&](const config::yaml_node &name, const std::string &want) {
    const std::filesystem::path path = (deployment_file.parent_path() / name.text).lexically_normal();
    std::error_code failed;
    if (!std::filesystem::is_regular_file(path, failed))
      report.refuse(name.at, "no file " + in_quotes(path.string()), want,
                    "correct the name; it is relative to this file");
    return path;
  };
  if (const config::yaml_node *other = given->find("deployment"))
    out.deployment = file(*other, "the deployment of the shadow");
  if (const config::yaml_node *groups = given->find("policy_groups")) {
    for (const config::yaml_entry &group : groups->entries)
      out.policy_groups.emplace(
          group.key.text, file(group.value, "the queues.yaml of the shadow's group " + in_quotes(group.key.text)));
  }
  out.node_sort = config::text_of(*given, "node_sort");
  out.every = config::count_of(*given, "every", out.every);
  if (out.every == 0)
    report.refuse(given->find("every")->at, "every is 0", "at least 1", "leave it out for the default");
  out.restarts = config::count_of(*given, "restarts", out.restarts);
  constexpr uint64_t most_mb = uint64_t{1} << 20;
  const uint64_t behind_mb = config::count_of(*given, "most_behind_mb", out.most_behind >> 20);
  out.most_behind = std::min(behind_mb, most_mb) << 20;
  if (behind_mb == 0 || behind_mb > most_mb)
    report.refuse(given->find("most_behind_mb")->at, "most_behind_mb is " + std::to_string(behind_mb),
                  "at least 1 and at most " + std::to_string(most_mb), "leave it out for the default");
  out.hang = std::chrono::milliseconds(config::duration_ms_of(*given, "hang", out.hang.count()));
  if (out.hang <= std::chrono::seconds(1))
    report.refuse(given->find("hang")->at, "hang is " + std::to_string(out.hang.count()) + " ms", "more than 1s",
                  "leave it out for the default; a shadow speaks several times a second");
  return out;
}

}  // namespace tenon::host
