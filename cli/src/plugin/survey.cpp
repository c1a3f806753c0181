// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "plugin/survey.hpp"

#include <algorithm>
#include <array>

#include "plugin/installed_versions.hpp"
#include "run/output_file.hpp"
#include "run/quiet_log.hpp"
#include "tenon/config/bound_policies.hpp"
#include "tenon/config/queues.hpp"
#include "tenon/host/module_host.hpp"

namespace tenon::cli {
namespace {

constexpr std::array<std::string_view, 4> standings{"used", "available", "not listed", "refused"};

std::string with_more(const config::problems &report, const std::string &file) {
  const refusal &first = report.refusals().front();
  if (report.refused_count() == 1) return first.have;
  return first.have + " (and " + std::to_string(report.refused_count() - 1) + " more: see `tenon config check " + file +
         "`)";
}

result<host::deployment> read_plan(const survey_options &options) {
  if (options.deployment.empty()) return host::default_deployment();
  config::problems report(options.deployment);
  std::optional<host::deployment> plan;
  if (options.ignore_lock) {
    const auto text = read_file(options.deployment);
    if (!text) return text.why();
    plan = host::parse_deployment(*text, options.deployment, report);
  } else {
    plan = host::read_deployment(options.deployment, report);
  }
  if (plan) return std::move(*plan);
  refusal why = report.refusals().front();
  why.have = with_more(report, options.deployment);
  return why;
}

class surveyor {
 public:
  surveyor(const survey_options &options, survey &out) : options_(options), out_(out) {}

  std::optional<refusal> make() {
    std::vector<std::filesystem::path> folders;
    if (!options_.module_path.empty()) folders.emplace_back(options_.module_path);
    for (const auto &folder : folders)
      if (auto no = host::refusal_of_folder(folder)) return no;
    folders.insert(folders.end(), out_.plan.module_path.begin(), out_.plan.module_path.end());
    auto found = host::module_catalog::scan(host::module_folders(folders, host::default_module_folder()));
    if (!found) return found.why();
    catalog_ = std::move(*found);
    for (const host::catalogued_module &module : catalog_.modules()) add(module);
    for (const host::broken_manifest &broken : catalog_.broken()) add(broken);
    if (auto no = collect_names()) return no;
    for (served_name &name : out_.served) serve(name);
    for (const host::module_use &listed : out_.plan.modules) expect(listed);
    for (const auto *uses : {&out_.plan.predicates, &out_.plan.events, &out_.plan.transports}) serve_uses(*uses);
    for (const host::module_use &listed : out_.plan.modules) serve_shadow(listed);
    return std::nullopt;
  }

 private:
  [[nodiscard]] std::string place_of(config::text_position at) const {
    return config::problems(out_.plan.file).where(at);
  }

  [[nodiscard]] const host::interface_use *use_of(const std::string &id) const {
    for (const auto *uses : {&out_.plan.predicates, &out_.plan.events, &out_.plan.transports}) {
      for (const host::interface_use &use : *uses) {
        if (use.use == id) return &use;
      }
    }
    return nullptr;
  }

  void add(const host::catalogued_module &module) {
    const host::module_manifest &m = module.manifest;
    surveyed_module one{
        m.id, m.version, m.description, m.file, m.provides, {}, module.built_in, module_standing::available, {}, {}};
    if (const auto installed = installed_versions::of(m)) one.versions = installed->all();
    const host::module_use *listed = out_.plan.find(m.id);
    const host::interface_use *used = use_of(m.id);
    if (listed != nullptr) {
      one.standing = module_standing::used;
      one.why = "listed at " + place_of(listed->at);
    } else if (used != nullptr) {
      one.standing = module_standing::used;
      one.why = out_.plan.file.empty() ? "the default deployment uses it" : "used at " + place_of(used->at);
    } else if (module.built_in) {
      one.why = "built in: serves every deployment";
    } else if (out_.plan.file.empty()) {
      one.why = "without a deployment file, everything on the module path serves";
    } else {
      one.standing = module_standing::unlisted;
      one.why = "on the module path, but not listed: `- id: " + m.id + "` in modules adds it";
    }
    if (one.standing != module_standing::unlisted) check(module, listed, one);
    out_.modules.push_back(std::move(one));
  }

  void add(const host::broken_manifest &broken) {
    surveyed_module one;
    one.id = broken.id;
    one.manifest = broken.file;
    one.standing = module_standing::refused;
    one.why = "its manifest cannot be used";
    one.refused = broken.reasons.front();
    out_.modules.push_back(std::move(one));
  }

  // The lock, and with `open` all that a host does before the first call.
  void check(const host::catalogued_module &module, const host::module_use *listed, surveyed_module &one) const {
    if (options_.open) {
      host::deployment alone;
      alone.file = out_.plan.file.empty() ? "the built-in deployment" : out_.plan.file;
      alone.module_path = {module.manifest.file.parent_path()};
      alone.modules.emplace_back();
      alone.modules.back().id = module.manifest.id;
      if (listed != nullptr) alone.modules.back() = *listed;
      host::host_options how;
      how.log = quiet_log();
      how.shadows = false;  // which may lie elsewhere
      if (const auto opened = host::open_host(std::move(alone), std::move(how)); !opened) {
        one.standing = module_standing::refused;
        one.refused = opened.why();
        return;
      }
    }
    if (one.standing == module_standing::used) check_lock(module, one);
  }

  // What a queues.yaml may name: everything on the path. Who is not listed, or refused, is said name by name.
  [[nodiscard]] config::parse_options with_names_of_modules() const {
    config::parse_options out;
    for (const kind_entry &kind : module_kinds) {
      if (kind.named != named_in::queues) continue;
      auto &names = out.known[kind.kind].emplace();
      for (const surveyed_module &module : out_.modules) {
        for (const host::provided_interface &one : module.provides) {
          if (one.interface == kind.interface) names.push_back(one.name);
        }
      }
    }
    return out;
  }

  // Each policy once, with the first file that leads to the policy.
  void want(const std::string &file, const cluster_config &queues) {
    for (const config::policy_name &one : config::bound_policies(queues)) {
      const std::string_view kind = entry_of(one.kind).name();
      const bool known = std::any_of(out_.served.begin(), out_.served.end(),
                                     [&](const served_name &s) { return s.kind == kind && s.name == one.name; });
      if (!known) out_.served.push_back({std::string(kind), one.name, file + ", " + one.wanted_by, {}, 0, {}, {}});
    }
  }

  std::optional<refusal> collect_names() {
    const config::parse_options how = with_names_of_modules();
    std::vector<std::string> files = options_.queues;
    for (const auto &[group, file] : out_.plan.policy_groups) files.push_back(file.string());
    if (files.empty()) {
      const auto parsed = config::parse_queues_yaml(config::default_queues_yaml(), "the built-in queues");
      if (!parsed) return parsed.why();
      want("the built-in queues", *parsed);
    }
    for (const std::string &file : files) {
      const auto text = read_file(file);
      if (!text) return text.why();
      const auto parsed = config::parse_queues_yaml(*text, file, how);
      if (!parsed) return parsed.why();
      want(file, *parsed);
    }
    return std::nullopt;
  }

  void serve(served_name &wanted) {
    std::vector<surveyed_module *> able, unlisted;
    for (surveyed_module &module : out_.modules) {
      for (const host::provided_interface &one : module.provides) {
        if (kind_in(one.interface) != wanted.kind || one.name != wanted.name) continue;
        (module.standing == module_standing::unlisted ? unlisted : able).push_back(&module);
        wanted.order_rev = one.order_rev;
      }
    }
    if (able.size() > 1) {
      wanted.refused =
          refusal{able[1]->manifest.string(), "one module for " + wanted.kind + " '" + wanted.name + "'",
                  able[0]->id + " and " + able[1]->id + " provide it", "take one of the two out of the deployment"};
    } else if (able.empty() && !unlisted.empty()) {
      wanted.refused = refusal{wanted.wanted_by, "a module that is listed in the deployment",
                               "only " + unlisted.front()->id + " provides " + wanted.kind + " '" + wanted.name + "'",
                               "add `- id: " + unlisted.front()->id + "` to modules"};
    } else if (able.empty()) {
      wanted.refused = refusal{wanted.wanted_by, "a module that provides " + wanted.kind + " '" + wanted.name + "'",
                               "none on the module path", "install one, or name another"};
    } else {
      take(*able.front(), wanted);
    }
  }

  void take(surveyed_module &module, served_name &wanted) const {
    wanted.module = module.id;
    wanted.why = module.built_in ? "built in" : module.why;
    if (module.standing == module_standing::available) {
      module.standing = module_standing::used;
      module.why += "; '" + wanted.name + "' for " + wanted.wanted_by;
      check_lock(*catalog_.find(module.id), module);
    }
    wanted.refused = module.refused;
  }

  void check_lock(const host::catalogued_module &module, surveyed_module &one) const {
    if (!out_.plan.lock) return;
    auto no = host::check_lock(*out_.plan.lock, module.manifest, module.built_in);
    if (!no) return;
    one.standing = module_standing::refused;
    one.refused = std::move(*no);
  }

  // A module that is nothing but a shadow provides no name.
  void serve_shadow(const host::module_use &first) {
    if (!first.shadow) return;
    for (surveyed_module &module : out_.modules) {
      if (module.id != first.shadow->use) continue;
      if (module.standing != module_standing::available && module.standing != module_standing::unlisted) return;
      module.standing = module_standing::used;
      module.why = "the shadow of " + first.id + " at " + place_of(first.shadow->at);
      return check(*catalog_.find(module.id), nullptr, module);
    }
    host::module_use wanted;
    wanted.id = first.shadow->use;
    wanted.at = first.shadow->at;
    expect(wanted);
  }

  // A module that the deployment lists must be there, whether a configuration names what it provides or not.
  void expect(const host::module_use &listed) {
    if (catalog_.find(listed.id) != nullptr) return;
    served_name one;
    one.kind = "module";
    one.name = listed.id;
    one.wanted_by = place_of(listed.at);
    one.refused = catalog_.missing(listed.id, one.wanted_by);
    out_.served.push_back(std::move(one));
  }

  void serve_uses(const std::vector<host::interface_use> &uses) {
    for (const host::interface_use &use : uses) {
      served_name one;
      one.name = use.name;
      one.wanted_by = out_.plan.file.empty() ? "the default deployment" : place_of(use.at);
      const auto found = std::find_if(out_.modules.begin(), out_.modules.end(),
                                      [&](const surveyed_module &module) { return module.id == use.use; });
      if (found == out_.modules.end()) {
        // The default names what a full installation has; a smaller one does without.
        if (out_.plan.file.empty()) continue;
        one.kind = "module";
        one.refused = catalog_.missing(use.use, one.wanted_by);
      } else {
        take_use(*found, one);
      }
      out_.served.push_back(std::move(one));
    }
  }

  void take_use(surveyed_module &module, served_name &wanted) const {
    for (const host::provided_interface &one : module.provides) {
      if (!wanted.name.empty() && one.name != wanted.name) continue;
      wanted.kind = kind_in(one.interface);
      wanted.name = one.name;
      wanted.order_rev = one.order_rev;
      break;
    }
    if (wanted.kind.empty()) wanted.kind = "module";
    take(module, wanted);
  }

  const survey_options &options_;
  survey &out_;
  host::module_catalog catalog_;
};

}  // namespace

std::string_view standing_word(module_standing standing) { return standings[static_cast<size_t>(standing)]; }

result<survey> make_survey(const survey_options &options) {
  auto plan = read_plan(options);
  if (!plan) return plan.why();
  survey out;
  out.plan = std::move(*plan);
  if (auto no = surveyor(options, out).make()) return *no;
  return out;
}

}  // namespace tenon::cli
