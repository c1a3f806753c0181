// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "routes.hpp"

#include <algorithm>
#include <iterator>
#include <vector>

#include "handlers.hpp"
#include "path_names.hpp"

namespace tenon::rest {
namespace {

constexpr query_parameter paged[] = {
    {"limit", "integer", "at most so many elements; header Tenon-Next-Cursor says where to go on"},
    {"cursor", "string", "where to go on: Tenon-Next-Cursor of the answer before"},
    {"fields", "string", "comma-separated keys: elements have no others"}};
constexpr query_parameter paged_by_status[] = {
    {"status", "string", "only those in this state; with active alone"}, paged[0], paged[1], paged[2]};
constexpr query_parameter subtree[] = {{"subtree", "boolean", "with the queues below it"}};
constexpr query_parameter batch[] = {{"start", "integer", "the first id"}, {"count", "integer", "at most so many"}};
constexpr query_parameter stream[] = {{"count", "integer", "so many of before come first"}};
constexpr query_parameter config_of[] = {
    {"rm", "string", "the resource manager; empty: the first, or all of the group"},
    {"policyGroup", "string", "the policy group; empty: default"}};
constexpr query_parameter forced[] = {
    {"force", "boolean", "also in place of what people sent, where the files are as they were then"}};
constexpr query_parameter reason_only[] = {{"reason", "string", "for the record"}};
constexpr query_parameter where_to[] = {{"queue", "string", "the path of a leaf, where the body does not have it"},
                                        reason_only[0]};

#define PARTITION "/ws/v1/partition/:partition"
#define OURS "/tenon/v1/partition/:partition"

constexpr route routes[] = {
    {"GET", "/ws/v1/clusters", get_clusters, "partitions and their resource managers", "Cluster", true},
    {"GET", "/ws/v1/metrics", get_metrics, "metrics in Prometheus' text format", ""},
    {"GET", "/ws/v1/config", get_config, "the configuration in force; YAML, or JSON where Accept says so", "", false,
     access::read, config_of},
    {"POST",
     "/ws/v1/validate-conf",
     post_validate_conf,
     "whether a configuration would be taken",
     "Validation",
     false,
     access::read,
     {},
     "queues.yaml"},
    {"GET", "/ws/v1/history/apps", get_application_history, "running applications, minute by minute",
     "ApplicationHistory", true},
    {"GET", "/ws/v1/history/containers", get_container_history, "running allocations, minute by minute",
     "ContainerHistory", true},
    {"GET", "/ws/v1/partitions", get_partitions, "all partitions", "Partition", true},
    {"GET", PARTITION "/placementrules", get_placement_rules, "the placement rules", "PlacementRule", true},
    {"GET", PARTITION "/queues", get_queues, "the queue tree", "Queue"},
    {"GET", PARTITION "/queue/:queue", get_queue, "one queue", "Queue", false, access::read, subtree},
    {"GET", PARTITION "/nodes", get_nodes, "all nodes", "Node", true, access::read, paged},
    {"GET", PARTITION "/node/:node", get_node, "one node", "Node"},
    {"GET", PARTITION "/queue/:queue/applications", get_queue_applications, "a queue's applications", "Application",
     true, access::read, paged},
    {"GET", PARTITION "/queue/:queue/applications/:state", get_queue_applications_by_state,
     "a queue's applications, by state", "Application", true, access::read, paged_by_status},
    {"GET", PARTITION "/queue/:queue/application/:application", get_queue_application, "one application of a queue",
     "Application"},
    {"GET", PARTITION "/application/:application", get_application, "one application", "Application"},
    {"GET", PARTITION "/applications/:state", get_applications_by_state, "applications: active, rejected or completed",
     "Application", true, access::read, paged_by_status},
    {"GET", PARTITION "/usage/users", get_users, "what users use", "UserUsage", true, access::read, paged},
    {"GET", PARTITION "/usage/user/:user", get_user, "what one user uses", "UserUsage"},
    {"GET", PARTITION "/usage/groups", get_groups, "what groups use", "GroupUsage", true, access::read, paged},
    {"GET", PARTITION "/usage/group/:group", get_group, "what one group uses", "GroupUsage"},
    {"GET", "/ws/v1/events/batch", get_event_batch, "events that are kept", "EventBatch", false, access::read, batch},
    {"GET", "/ws/v1/events/stream", nullptr, "events as they happen, one JSON object a line", "", false, access::read,
     stream},
    {"GET", "/ws/v1/scheduler/healthcheck", get_health, "whether all is well", "Health"},
    {"GET", "/ws/v1/scheduler/node-utilizations", get_node_utilizations, "nodes by their share of each resource",
     "NodeUtilizations", true},
    {"GET", "/ws/v1/stack", move_to_stacks, "moved to /debug/stack", ""},
    {"GET", "/ws/v1/fullstatedump", move_to_state_dump, "moved to /debug/fullstatedump", ""},
    {"GET", "/debug/stack", get_stacks, "the threads of the process", ""},
    {"GET", "/debug/fullstatedump", get_state_dump, "everything; one at a time", "StateDump"},
    {"GET", OURS "/application/:application/explain/:key", get_explanation,
     "why an ask waits, and what would let it run", "Explanation"},
    {"POST",
     OURS "/whatif",
     post_what_if,
     "what would become of asks that nobody has sent",
     "WhatIf",
     false,
     access::read,
     {},
     "{applications, within_ms}: the asks, and how long it may take"},
    {"GET", OURS "/history", get_history,
     "use, what waits and what was decided: the last quarter of an hour, six hours", "HistoryPoint", true},
    {"GET", OURS "/queue/:queue/history", get_queue_history,
     "what a queue used, what waited in it and for what: six hours", "QueueHistoryPoint", true},
    {"GET", OURS "/reservations", get_reservations, "nodes that are kept for asks", "Reservation", true},
    {"GET", OURS "/preemptions", get_preemptions, "what gave way last, the latest first", "Preemption", true},
    {"GET", OURS "/devices", get_devices, "nodes that have devices, and who holds them", "DeviceNode", true,
     access::read, paged},
    {"GET", "/tenon/v1/rms", get_rms, "resource managers, and what of theirs waits", "ResourceManager", true},
    {"GET", "/tenon/v1/modules", get_modules, "what each module did", "Module", true},
    {"GET", "/tenon/v1/call-shadows", get_call_shadows, "what shadows of policies said differently", "CallShadow",
     true},
    {"GET", "/tenon/v1/shadow", get_world_shadow, "what the shadow of the deployment found", "WorldShadow"},
    {"GET", "/tenon/v1/openapi.json", get_openapi, "this interface as an OpenAPI document", ""},
    {"POST", "/tenon/v1/config", post_config, "takes a configuration, whole or not at all", "Configured", false,
     access::change, config_of, "queues.yaml"},
    {"POST", "/tenon/v1/reload", post_reload, "reads the files of all policy groups again", "Configured", false,
     access::change, forced},
    {"POST", OURS "/stop", post_stop_partition, "nothing is decided in the partition", "Done", false, access::change,
     reason_only},
    {"POST", OURS "/start", post_start_partition, "undoes stop", "Done", false, access::change, reason_only},
    {"POST", OURS "/drain", post_drain_partition, "the partition takes nothing new, and goes when it is empty", "Done",
     false, access::change, reason_only},
    {"POST", OURS "/canary/back", post_canary_back,
     "the canary's applications have the partition's order of nodes again", "Done", false, access::change, reason_only},
    {"POST", OURS "/canary/again", post_canary_again, "a canary that went back is put in place once more", "Done",
     false, access::change, reason_only},
    {"POST", OURS "/node/:node/drain", post_drain_node, "nothing new runs on the node", "Done", false, access::change,
     reason_only},
    {"POST", OURS "/node/:node/undrain", post_undrain_node, "undoes drain", "Done", false, access::change, reason_only},
    {"POST", OURS "/queue/:queue/stop", post_stop_queue, "nothing new is scheduled in the queue", "Done", false,
     access::change, reason_only},
    {"POST", OURS "/queue/:queue/start", post_start_queue, "undoes stop", "Done", false, access::change, reason_only},
    {"POST", OURS "/application/:application/kill", post_kill_application,
     "the application fails, what it has is released", "Done", false, access::change, reason_only},
    {"POST", OURS "/application/:application/move", post_move_application,
     "the application goes to another leaf with all it has", "Done", false, access::change, where_to,
     "{queue}: the path of a leaf"},
    {"POST", "/tenon/v1/rm/:rm/recovery-done", post_recovery_done, "scheduling for the resource manager begins", "Done",
     false, access::change, reason_only},
    {"PUT", "/tenon/v1/loglevel/:level", put_log_level, "debug, info, warning or error", "Done", false, access::change,
     reason_only},
    {"GET", "/", get_page, "the dashboard", ""},
    {"GET", "/dashboard/:file", get_page_file, "a file of the dashboard", ""},
};
#undef PARTITION
#undef OURS

std::vector<std::string_view> segments(std::string_view path) {
  std::vector<std::string_view> out;
  while (path.starts_with('/')) {
    path.remove_prefix(1);
    out.push_back(path.substr(0, path.find('/')));
    path.remove_prefix(out.back().size());
  }
  return out;
}

bool fits(const std::vector<std::string_view> &pattern, const std::vector<std::string_view> &path) {
  if (pattern.size() != path.size()) return false;
  for (size_t i = 0; i < path.size(); ++i) {
    if (pattern[i].starts_with(':') ? path[i].empty() : pattern[i] != path[i]) return false;
  }
  return true;
}

// The path of a route with what stands in the place of its parameters.
std::string filled(std::string_view pattern, const std::vector<std::string_view> &path) {
  std::string out;
  size_t at = 0;
  for (const std::string_view part : segments(pattern)) {
    // What stands at the end is what is looked for.
    const bool is_there = part.starts_with(':') && at + 1 < path.size() && !path[at].empty();
    out += "/" + std::string(is_there ? path[at] : part);
    ++at;
  }
  return out;
}

// Names are escaped twice by clients that expect the path to be decoded before it is split.
bool escaped_twice(std::string_view name) { return name == "queue" || name == "user" || name == "group"; }

}  // namespace

answer not_found(std::string_view path) {
  nearest_name near(path);
  const auto parts = segments(path);
  for (const route &one : routes) near.look_at(filled(one.path, parts));
  const std::string_view first = path.substr(0, path.find('/', 1));
  const bool known = std::any_of(std::begin(routes), std::end(routes), [&](const route &one) {
    return one.path.starts_with(first) && one.path.substr(first.size()).starts_with('/');
  });
  if (!known) {
    // Where other programs have it.
    std::string meant = path == "/healthz" || path == "/livez" || path == "/readyz" || path == "/health"
                            ? "/ws/v1/scheduler/healthcheck"
                            : "";
    for (const route &one : routes)
      if (meant.empty() && one.path.ends_with(path)) meant = one.path;
    return {404,
            std::string(text_type),
            "404 page not found\nThere is no " + std::string(path.substr(0, 200)) +
                ": paths here begin with /ws/v1/, /tenon/v1/ or /debug/, and GET /tenon/v1/openapi.json lists them.\n" +
                (meant.empty() ? "" : "Did you mean " + meant + "?\n"),
            {}};
  }
  const refused no = near.not_found("Resource");
  return error_answer(no.status, no.message, no.fix);
}

answer moved_to(unsigned status, std::string_view path, const request &asked) {
  const std::string where = std::string(path) + asked.raw_query;
  std::string shown;
  for (const char c : where) shown += c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '"' ? "&#34;" : std::string(1, c);
  answer out{status, "text/html; charset=utf-8", {}, {}};
  out.body = "<a href=\"" + shown + "\">" + (status == 301 ? "Moved Permanently" : "Permanent Redirect") + "</a>.\n";
  out.headers.emplace_back("Location", where);
  return out;
}

std::span<const route> all_routes() { return routes; }

// A slip in the name of a parameter would be left aside, and with it what was asked for. Other parameters that a route
// of YuniKorn's does not know are left aside, as YuniKorn does. A route of our own refuses them.
std::optional<answer> unknown_parameter(const route &of, const request &r) {
  for (const auto &[name, value] : r.query) {
    nearest_name near(name);
    std::string all;
    for (const query_parameter &known : of.query) {
      near.look_at(known.name);
      all += (all.empty() ? "" : ", ") + std::string(known.name);
    }
    if (near.name() == name || (!near.is_slip() && !of.path.starts_with("/tenon/"))) continue;
    return error_answer(400, "there is no query parameter \"" + name + "\"",
                        near.is_slip() ? "did you mean '" + near.name() + "'?"
                        : all.empty()  ? "leave it out, this path takes none"
                                       : "leave it out, this path takes: " + all);
  }
  return std::nullopt;
}

std::string methods_of(std::string_view path) {
  const auto parts = segments(path);
  std::string out;
  for (const route &r : routes) {
    if (!fits(segments(r.path), parts)) continue;
    out += (out.empty() ? "" : ", ") + std::string(r.method);
  }
  return out.empty() ? out : out + ", OPTIONS";
}

match find_route(request &r) {
  const auto parts = segments(r.path);
  bool other_method = false;
  for (const route &one : routes) {
    const auto pattern = segments(one.path);
    if (!fits(pattern, parts)) continue;
    const bool head = r.method == "HEAD" && one.method == "GET" && one.handle != nullptr;
    if (one.method != r.method && !head) {
      other_method = true;
      continue;
    }
    for (size_t i = 0; i < pattern.size(); ++i) {
      if (!pattern[i].starts_with(':')) continue;
      const std::string_view name = pattern[i].substr(1);
      auto value = decoded(parts[i], false);
      if (value && escaped_twice(name)) value = decoded(*value, true);
      if (!value)
        return {nullptr, error_answer(400, "invalid URL escape in " + std::string(name),
                                      "write % as %25; the name of a queue is encoded twice")};
      r.parameters.emplace_back(name, std::move(*value));
    }
    if (auto no = unknown_parameter(one, r)) return {nullptr, std::move(*no)};
    return {&one, std::nullopt};
  }
  if (other_method) {
    answer no =
        error_answer(405, "Method Not Allowed", "have " + r.method + ", and this path takes " + methods_of(r.path));
    no.headers.emplace_back("Allow", methods_of(r.path));
    return {nullptr, std::move(no)};
  }
  // A slash too many or too few leads to where there is something.
  std::string other = r.path;
  if (other.size() > 1 && other.ends_with('/')) {
    other.pop_back();
  } else {
    other += '/';
  }
  if (other != "/" && !other.starts_with("//") && !methods_of(other).empty()) {
    return {nullptr, moved_to(r.method == "GET" || r.method == "HEAD" ? 301 : 308, other, r)};
  }
  return {nullptr, not_found(r.path)};
}

}  // namespace tenon::rest
