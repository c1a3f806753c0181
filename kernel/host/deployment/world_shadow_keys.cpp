// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include <array>

#include "deployment/parts.hpp"

namespace tenon::host {
namespace {

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

world_shadow_use read_world_shadow(const key_reader &given) {
  world_shadow_use out;
  if (const config::yaml_node *other = given.find("deployment"))
    out.deployment = given.file(*other, "the deployment of the shadow");
  out.policy_groups = given.files("policy_groups", "the queues.yaml of the shadow's group ");
  given.text("node_sort", out.node_sort);
  given.count("every", out.every, 1, UINT64_MAX);
  given.count("restarts", out.restarts, 0, UINT64_MAX);
  uint64_t behind_mb = out.most_behind >> 20;
  given.count("most_behind_mb", behind_mb, 1, uint64_t{1} << 20);
  out.most_behind = behind_mb << 20;
  given.duration("hang", out.hang, 0);
  if (out.hang <= std::chrono::seconds(1))
    given.report().refuse(given.find("hang")->at, "hang is " + std::to_string(out.hang.count()) + " ms", "more than 1s",
                          "leave it out for the default; a shadow speaks several times a second");
  return out;
}

}  // namespace tenon::host
