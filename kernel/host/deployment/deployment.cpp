// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "tenon/host/deployment.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <system_error>

#include "deployment/parts.hpp"
#include "manifest/list_entries.hpp"
#include "tenon/host/module_manifest.hpp"
#include "tenon/host/text_file.hpp"

namespace tenon::host {
namespace {

using config::in_quotes;
using config::key_spec;
using config::object_spec;
using config::problems;
using config::value_kind;
using config::yaml_node;

constexpr std::array<std::string_view, 1> api_versions{"tenon/v1"};
constexpr std::array<std::string_view, 5> actions{"fallback", "stop", "open", "only", "closed"};

constexpr std::array budget_keys{
    key_spec{.key = "call_us",
             .kind = value_kind::count,
             .summary = "Microseconds that one call may take.",
             .fallback = "not measured"},
    key_spec{.key = "overruns",
             .kind = value_kind::count,
             .summary = "Measured calls in a row that must be late before the module is at fault.",
             .fallback = "3"},
};
constexpr object_spec budget_object{"budget", "What `budget` of a module holds.", budget_keys};

const std::array module_keys{
    key_spec{.key = "id",
             .kind = value_kind::text,
             .summary = "The module, found on module_path by its manifest.",
             .required = true},
    key_spec{.key = "digest",
             .kind = value_kind::text,
             .summary = "SHA-256 that its library must have, whatever the lock says.",
             .fallback = "that of its manifest"},
    key_spec{.key = "on_fault",
             .kind = value_kind::text,
             .summary =
                 "What happens after a fault: fallback to the built-in policy, or stop the scheduler. A predicate "
                 "holds back all asks (closed, or fallback), those with a tag that it reads (only), or none "
                 "(open).",
             .fallback = "fallback",
             .allowed = actions},
    key_spec{.key = "budget",
             .kind = value_kind::object,
             .summary = "How long its calls may take.",
             .fallback = "its defaults",
             .object = &budget_object},
    key_spec{.key = "isolation",
             .kind = value_kind::text,
             .summary = "Where it lives: process for processes of its own, none for the scheduler's.",
             .fallback = "process; none for the project's own modules and for transports",
             .allowed = isolation_words()},
    key_spec{.key = "process",
             .kind = value_kind::object,
             .summary = "What its processes may use, where it has some.",
             .fallback = "its defaults",
             .object = &process_spec()},
    key_spec{.key = "permissions",
             .kind = value_kind::object,
             .summary = "What its processes may do, of what its manifest asks for.",
             .fallback = "nothing",
             .object = &permissions_spec()},
    key_spec{.key = "config",
             .kind = value_kind::any,
             .summary = "Configuration for every instance of the module, by its manifest's schema.",
             .fallback = "the schema's defaults"},
    key_spec{.key = "shadow",
             .kind = value_kind::object,
             .summary =
                 "Another policy that is asked whatever this module's are asked, compared with them, and decides "
                 "nothing.",
             .fallback = "none",
             .object = &shadow_spec()},
};
const object_spec module_object{"module entry", "An entry of `modules`.", module_keys};

constexpr std::array use_keys{
    key_spec{.key = "use", .kind = value_kind::text, .summary = "Module id.", .required = true},
    key_spec{.key = "name",
             .kind = value_kind::text,
             .summary = "Which of the module's implementations.",
             .fallback = "the only one"},
    key_spec{.key = "config",
             .kind = value_kind::any,
             .summary = "Configuration of this instance, on top of the module's.",
             .fallback = "the schema's defaults"},
};
constexpr object_spec use_object{
    "use entry", "An entry of `predicates`, `events` or `transports`: one instance of a module.", use_keys};

constexpr std::array control_keys{
    key_spec{.key = "socket",
             .kind = value_kind::text,
             .summary = "Unix socket on which `tenon ctl` reaches the daemon, relative to this file.",
             .fallback = "$XDG_RUNTIME_DIR/tenon/control.sock, or /run/tenon/control.sock"},
};
constexpr object_spec control_object{"control", "How people reach the daemon.", control_keys};

constexpr std::array configuration_keys{
    key_spec{.key = "store",
             .kind = value_kind::text,
             .summary = "Folder, relative to this file, in which configurations are kept that people send over REST or "
                        "the administration service. It is made where it is missing.",
             .fallback = "they are kept in memory, and gone after a restart"},
};
constexpr object_spec configuration_object{"configuration", "Configurations that did not come from a file.",
                                           configuration_keys};

constexpr std::array audit_keys{
    key_spec{.key = "file",
             .kind = value_kind::text,
             .summary = "File, relative to this one, to which every action of people is appended as a line of JSON.",
             .fallback = "audit.jsonl in $STATE_DIRECTORY, as systemd sets it; the log alone where it is not set"},
};
constexpr object_spec audit_object{"audit", "What is kept of what people did.", audit_keys};

const std::array deployment_keys{
    key_spec{.key = "apiVersion",
             .kind = value_kind::text,
             .summary = "Format of this file.",
             .allowed = api_versions,
             .required = true},
    key_spec{
        .key = "module_path",
        .kind = value_kind::text_list,
        .summary = "Folders of modules, relative to this file; the built-in modules' folder is always searched too.",
        .fallback = "none"},
    key_spec{.key = "modules",
             .kind = value_kind::object_list,
             .summary = "Modules that are used; built-in ones need not be listed.",
             .fallback = "none",
             .object = &module_object},
    key_spec{.key = "require_sandbox",
             .kind = value_kind::boolean,
             .summary =
                 "Refuses to start where a module in processes of its own is not confined by limits, seccomp and "
                 "landlock.",
             .fallback = "false"},
    key_spec{.key = "containment",
             .kind = value_kind::object,
             .summary = "What becomes of a module in the scheduler's process that does not return, or that ends it.",
             .fallback = "its defaults",
             .object = &containment_spec()},
    key_spec{.key = "policy_groups",
             .kind = value_kind::text_map,
             .summary = "What a resource manager names when it registers: group to queues.yaml, relative to this file.",
             .fallback = "none"},
    key_spec{.key = "predicates",
             .kind = value_kind::object_list,
             .summary = "Predicates of every partition, in order; all must pass.",
             .fallback = "none",
             .object = &use_object},
    key_spec{.key = "events",
             .kind = value_kind::object_list,
             .summary = "Event sinks.",
             .fallback = "none",
             .object = &use_object},
    key_spec{.key = "transports",
             .kind = value_kind::object_list,
             .summary = "Ways in for resource managers and people.",
             .fallback = "none",
             .object = &use_object},
    key_spec{.key = "cycle",
             .kind = value_kind::object,
             .summary = "How a scheduler that serves resource managers steps.",
             .fallback = "its defaults",
             .object = &cycle_spec()},
    key_spec{.key = "mailbox",
             .kind = value_kind::object,
             .summary = "What waits for the scheduler.",
             .fallback = "its defaults",
             .object = &mailbox_spec()},
    key_spec{.key = "outbox",
             .kind = value_kind::object,
             .summary = "What waits for resource managers.",
             .fallback = "its defaults",
             .object = &outbox_spec()},
    key_spec{.key = "rm",
             .kind = value_kind::object,
             .summary = "Resource managers that come, are lost and go.",
             .fallback = "its defaults",
             .object = &rm_spec()},
    key_spec{.key = "requests",
             .kind = value_kind::object,
             .summary = "How large requests may be.",
             .fallback = "its defaults",
             .object = &requests_spec()},
    key_spec{.key = "control",
             .kind = value_kind::object,
             .summary = "How people reach the daemon.",
             .fallback = "its defaults",
             .object = &control_object},
    key_spec{.key = "configuration",
             .kind = value_kind::object,
             .summary = "Configurations that did not come from a file.",
             .fallback = "its defaults",
             .object = &configuration_object},
    key_spec{.key = "audit",
             .kind = value_kind::object,
             .summary = "What is kept of what people did.",
             .fallback = "its defaults",
             .object = &audit_object},
    key_spec{.key = "shadow",
             .kind = value_kind::object,
             .summary =
                 "What decides beside the daemon, in a process of its own, and is compared with it; {}: the same "
                 "as is in force.",
             .fallback = "none",
             .object = &world_shadow_spec()},
};
const object_spec deployment_object{"deployment file", "The top of the text.", deployment_keys};

class deployment_reader {
 public:
  deployment_reader(const yaml_node &root, const std::filesystem::path &file, problems &report)
      : root_(root), file_(file), report_(report), keys_(&root, file, report) {}

  deployment read() {
    deployment out;
    out.file = file_.string();
    read_module_path(out);
    read_modules(out);
    out.policy_groups = keys_.files("policy_groups", "the queues.yaml of group ");
    keys_.flag("require_sandbox", out.require_sandbox);
    out.containment = read_containment(keys_.object("containment"));
    out.predicates = uses("predicates");
    out.events = uses("events");
    out.transports = uses("transports");
    out.running = read_running_limits(keys_);
    keys_.object("control").path("socket", out.control_socket, "the path of a Unix socket");
    keys_.object("configuration").path("store", out.configuration_store, "a folder");
    keys_.object("audit").path("file", out.audit_file, "a file");
    if (root_.find("shadow") != nullptr) out.shadow = read_world_shadow(keys_.object("shadow"));
    return out;
  }

 private:
  void read_module_path(deployment &out) {
    const yaml_node *list = root_.find("module_path");
    if (list == nullptr) return;
    const auto folders = config::texts_of(root_, "module_path");
    for (size_t i = 0; i < folders.size(); ++i) {
      const std::filesystem::path folder = keys_.resolve(folders[i]);
      std::error_code failed;
      if (!std::filesystem::is_directory(folder, failed))
        report_.refuse(i < list->items.size() ? list->items[i].at : list->at, "no folder " + in_quotes(folder.string()),
                       "a folder of modules", "correct module_path; it is relative to this file");
      out.module_path.push_back(folder);
    }
  }

  void read_modules(deployment &out) {
    std::map<std::string, config::text_position> seen;
    for (const yaml_node *item : list_entries(root_, "modules", report_)) {
      const key_reader entry(item, file_, report_);
      module_use one;
      entry.module_id("id", one.id);
      one.at = item->find("id")->at;
      const auto [first, fresh] = seen.emplace(one.id, one.at);
      if (!fresh)
        report_.refuse(one.at,
                       "module " + in_quotes(one.id) + " is listed twice, first at " + report_.where(first->second),
                       "each module once", "remove one of the entries");
      read_digest(*item, one);
      entry.object("budget").count("call_us", one.budget.call_us, 1, UINT64_MAX);
      entry.object("budget").count("overruns", one.budget.overruns, 1, UINT64_MAX);
      read_isolation(entry, one);
      one.on_fault = static_cast<fault_action>(
          std::find(actions.begin(), actions.end(), config::text_of(*item, "on_fault", "fallback")) - actions.begin());
      one.config = configuration_of(*item);
      if (const yaml_node *given = item->find("shadow")) {
        read_shadow(entry.object("shadow"), one.shadow.emplace());
        one.shadow->config = configuration_of(*given);
      }
      out.modules.push_back(std::move(one));
    }
  }

  void read_digest(const yaml_node &item, module_use &one) {
    const yaml_node *node = item.find("digest");
    if (node == nullptr) return;
    one.digest = digest_digits(node->text);
    if (!one.digest)
      report_.refuse(
          node->at, "digest is " + in_quotes(node->text), "sha256: and 64 lower-case hexadecimal digits",
          "take it from the module's manifest, or leave it out and run `tenon plugin lock " + file_.string() + "`");
  }

  std::vector<interface_use> uses(std::string_view key) {
    std::vector<interface_use> out;
    for (const yaml_node *item : list_entries(root_, key, report_)) {
      const key_reader entry(item, file_, report_);
      interface_use &one = out.emplace_back();
      entry.module_id("use", one.use);
      one.at = item->find("use")->at;
      entry.policy_name("name", one.name);
      one.config = configuration_of(*item);
    }
    return out;
  }

  configuration configuration_of(const yaml_node &item) {
    configuration out{{}, file_.string(), {}};
    const yaml_node *node = item.find("config");
    if (node == nullptr) {
      out.source.at = item.at;
      return out;
    }
    out.source = *node;
    auto values = to_json(*node);
    if (values.is_object())
      out.values = std::move(values.get_object());
    else
      report_.refuse(node->at, "config is " + node->describe(), "a map");
    return out;
  }

  const yaml_node &root_;
  const std::filesystem::path &file_;
  problems &report_;
  const key_reader keys_;
};

}  // namespace

std::string_view action_name(fault_action action) { return actions[static_cast<size_t>(action)]; }

const module_use *deployment::find(std::string_view id) const {
  const auto found = std::find_if(modules.begin(), modules.end(), [&](const module_use &use) { return use.id == id; });
  return found == modules.end() ? nullptr : &*found;
}

const object_spec &deployment_spec() { return deployment_object; }

std::optional<deployment> parse_deployment(std::string_view text, const std::filesystem::path &file, problems &report) {
  const auto root = config::read_yaml(text, report);
  if (!root) return std::nullopt;
  if (!config::check_shape(*root, deployment_object, report)) return std::nullopt;
  deployment out = deployment_reader(*root, file, report).read();
  if (report.refused()) return std::nullopt;
  return out;
}

std::optional<deployment> read_deployment(const std::filesystem::path &file, problems &report) {
  const auto text = read_text_file(file);
  if (!text) {
    report.refuse({}, text.why().have, "a deployment file", text.why().fix);
    return std::nullopt;
  }
  auto out = parse_deployment(*text, file, report);
  const std::filesystem::path lock = lock_file_of(file);
  std::error_code failed;
  if (!out || !std::filesystem::exists(lock, failed)) return out;
  problems of_lock(lock.string());
  out->lock = read_lock(lock, of_lock);
  if (out->lock) return out;
  const refusal &why = of_lock.refusals().front();
  report.refuse({}, "its lock cannot be used: " + why.where + ": " + why.have, why.want, why.fix);
  return std::nullopt;
}

deployment default_deployment() {
  deployment out;
  interface_use attributes;
  attributes.use = "tenon.node-attributes";
  attributes.config.file = "the built-in deployment";
  out.predicates.push_back(std::move(attributes));
  return out;
}

result<deployment> deployment_of(const std::filesystem::path &file) {
  if (file.empty()) return default_deployment();
  config::problems report(file.string());
  auto plan = read_deployment(file, report);
  if (plan) return std::move(*plan);
  refusal first = report.refusals().front();
  if (report.refused_count() > 1) first.have += " (and " + std::to_string(report.refused_count() - 1) + " more)";
  return first;
}

void configure_module(deployment &plan, const std::string &id, const boost::json::object &values) {
  const auto set = [&](configuration &of) {
    for (const auto &[key, value] : values) of.values.insert_or_assign(key, value);
  };
  if (plan.find(id) == nullptr) {
    module_use use;
    use.id = id;
    plan.modules.push_back(std::move(use));
  }
  for (module_use &one : plan.modules)
    if (one.id == id) set(one.config);
  for (auto *uses : {&plan.predicates, &plan.events, &plan.transports})
    for (interface_use &one : *uses)
      if (one.use == id) set(one.config);
}

}  // namespace tenon::host
