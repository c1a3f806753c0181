// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "plugin/install_command.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <ostream>

#include "plugin/checks_library.hpp"
#include "plugin/installed_versions.hpp"
#include "plugin/new_command.hpp"
#include "plugin/pack_file.hpp"
#include "run/complain.hpp"
#include "run/output_file.hpp"
#include "tenon/host/deployment.hpp"
#include "tenon/host/module_catalog.hpp"
#include "tenon/host/verified_library.hpp"

namespace tenon::cli {
namespace {

namespace fs = std::filesystem;

// A refusal with the status with which the command ends.
struct no_installation {
  refusal why;
  exit_code code = exit_code::failed;
};

struct target {
  fs::path modules;
  std::optional<host::deployment> plan;
};

result<target> target_of(const install_place &place, const std::string &id) {
  target out{place.module_path, std::nullopt};
  if (!place.deployment.empty()) {
    auto plan = host::deployment_of(place.deployment);
    if (!plan) return plan.why();
    out.plan = std::move(*plan);
  }
  if (!out.modules.empty()) return out;
  if (!out.plan)
    return refusal{"tenon plugin", "--module-path DIR or --deployment FILE", "neither", "name the folder of modules"};
  const auto &folders = out.plan->module_path;
  if (folders.empty())
    return refusal{place.deployment, "a folder in which modules are found", "no module_path",
                   "write `module_path: [modules]` into the deployment"};
  const auto has_it = std::find_if(folders.begin(), folders.end(), [&](const fs::path &folder) {
    return installed_versions(folder, id).in_use().has_value();
  });
  out.modules = has_it == folders.end() ? folders.front() : *has_it;
  return out;
}

// A host refuses two manifests of one module.
std::optional<refusal> check_alone(const fs::path &modules, const std::string &id) {
  const auto catalog = host::module_catalog::scan(host::module_folders({modules}, host::default_module_folder()));
  if (!catalog) return catalog.why();
  const host::catalogued_module *found = catalog->find(id);
  if (found == nullptr) return std::nullopt;
  const fs::path file = found->manifest.file;
  std::error_code failed;
  if (file.parent_path().parent_path() == fs::weakly_canonical(modules / id, failed)) return std::nullopt;
  return refusal{file.string(), "no manifest of " + id + " but those that were installed in " + modules.string(),
                 "one of another place", "remove it with its library, and install again"};
}

// The signature may be another one: it says nothing about what runs.
std::optional<refusal> check_same(const module_pack &pack, const fs::path &folder, const std::string &where) {
  for (const tar_member &file : pack.files) {
    const auto there = read_file(folder / file.name);
    if (file.name.ends_with(".sig") || (there && *there == file.bytes)) continue;
    return refusal{where + ": " + file.name,
                   "the same bytes as in " + folder.string() + ", which is that version already", "other bytes",
                   "ask the vendor for a version of its own: what is installed never changes"};
  }
  return std::nullopt;
}

std::optional<refusal> check_behaviour(const fs::path &manifest, const fs::path &shown, std::ostream &err) {
  const auto checks = open_checks();
  if (!checks) return checks.why();
  conformance::verify_options how;
  how.manifest = manifest;
  how.on_result = [&](const conformance::check_result &one) {
    if (one.bad()) err << (*checks)->as_text(one, shown) << std::flush;
  };
  const auto report = (*checks)->verify(how);
  if (!report) return report.why();
  if (report->good()) return std::nullopt;
  return refusal{shown.string(), "a module that passes every check of `tenon plugin verify`",
                 "one that does not pass those above",
                 "ask the vendor for a build that does; --no-verify installs this one"};
}

std::optional<no_installation> add_version(const installed_versions &to, const module_pack &pack,
                                           const plugin_install_options &options, std::ostream &err) {
  const std::string &version = pack.manifest.version;
  std::error_code failed;
  if (fs::exists(to.folder(version), failed)) {
    auto no = check_same(pack, to.folder(version), options.pack);
    return no ? std::optional(no_installation{std::move(*no)}) : std::nullopt;
  }
  version_draft draft(to);
  if (auto no = draft.write(pack.files)) return no_installation{std::move(*no), exit_code::bad_input};
  if (!options.unverified) {
    const fs::path shown = fs::path(pack_name(pack.manifest)) / pack.manifest_name;
    if (auto no = check_behaviour(draft.folder() / pack.manifest_name, shown, err))
      return no_installation{std::move(*no)};
  }
  if (auto no = draft.keep_as(version)) return no_installation{std::move(*no), exit_code::bad_input};
  return std::nullopt;
}

bool is_listed(const host::deployment &plan, const std::string &id) {
  if (plan.find(id) != nullptr) return true;
  for (const auto *uses : {&plan.predicates, &plan.events, &plan.transports})
    for (const host::interface_use &use : *uses)
      if (use.use == id) return true;
  return false;
}

// What else has to be done before the version decides.
void print_next(const target &in, const host::module_manifest &manifest, std::ostream &out) {
  const host::module_use *entry = in.plan ? in.plan->find(manifest.id) : nullptr;
  if (!in.plan || !is_listed(*in.plan, manifest.id)) {
    std::error_code failed;
    out << "Write into the deployment:\n  module_path: [" << fs::weakly_canonical(in.modules, failed).string()
        << "]\n  modules:\n    - id: " << manifest.id << '\n';
  }
  for (const host::provided_interface &one : manifest.provides) {
    const kind_entry *kind = find_kind(one.interface);
    out << "To use the " << kind->name() << ' ' << one.name << ", an operator " << use_of(kind->kind) << ".\n";
  }
  const bool restart = std::any_of(manifest.provides.begin(), manifest.provides.end(), [](const auto &one) {
    return find_kind(one.interface)->called == called_by::service;
  });
  out << "A daemon that runs takes this version ";
  if (!restart) out << "by `tenon ctl modules swap " + manifest.id + " --verify`, or ";
  out << "when it starts again.\n";
  if (entry != nullptr && entry->digest && *entry->digest != manifest.digest)
    remark(out, "",
           {config::problems(in.plan->file).where(entry->at), "sha256:" + manifest.digest,
            "the deployment pins another build", "write this digest, or leave `digest` out"});
  if (in.plan && in.plan->lock) {
    if (auto no = host::check_lock(*in.plan->lock, manifest, false)) remark(out, "", *no);
  }
}

void print_use(const installed_versions &of, const target &in, const host::module_manifest &manifest,
               std::ostream &out) {
  out << manifest.id << ' ' << manifest.version << ": in use in " << in.modules.string();
  if (const auto before = of.before()) out << ", before it " << *before;
  out << '\n';
}

result<host::module_manifest> whole_version(const installed_versions &of, const std::string &version) {
  const fs::path file = *of.manifest(version);
  config::problems report(file.string());
  auto manifest = host::read_manifest(file, report);
  if (!manifest) return report.refusals().front();
  const auto library = host::read_library(manifest->library_path());
  if (!library) return library.why();
  if (auto no = host::check_digest(*manifest, *library)) return *no;
  return std::move(*manifest);
}

// The version that a rollback puts in use.
result<std::string> version_wanted(const installed_versions &of, const plugin_rollback_options &options,
                                   const fs::path &modules) {
  const std::vector<std::string> all = of.all();
  std::string there;
  for (const std::string &one : all) there += (there.empty() ? "" : ", ") + one;
  if (all.empty())
    return refusal{modules.string(), "a module that was installed", "no version of " + config::in_quotes(options.id),
                   "see `tenon plugin list --module-path " + modules.string() + "`"};
  if (options.version.empty()) {
    if (const auto before = of.before()) return *before;
    return refusal{modules.string(), "a version of " + options.id + " that was in use before",
                   "none; there is " + there, "name the version with --to"};
  }
  if (std::find(all.begin(), all.end(), options.version) != all.end()) return options.version;
  return refusal{modules.string(), "a version of " + options.id + " that is there: " + there,
                 config::in_quotes(options.version), "name one of these, or install the pack of that version"};
}

}  // namespace

exit_code install_plugin(const plugin_install_options &options, std::ostream &out, std::ostream &err) {
  const auto refuse = [&](const refusal &why, exit_code code) {
    complain(err, why);
    return code;
  };
  const auto bytes = read_pack_file(options.pack);
  if (!bytes) return refuse(bytes.why(), exit_code::bad_input);
  const auto pack = open_pack(*bytes, options.pack, options.key);
  if (!pack) return refuse(pack.why(), exit_code::failed);
  const host::module_manifest &manifest = pack->manifest;
  const auto to = target_of(options.to, manifest.id);
  if (!to) return refuse(to.why(), exit_code::bad_input);
  if (auto no = check_alone(to->modules, manifest.id)) return refuse(*no, exit_code::bad_input);
  const installed_versions versions(to->modules, manifest.id);
  if (auto no = add_version(versions, *pack, options, err)) return refuse(no->why, no->code);
  if (auto no = versions.put_in_use(manifest.version)) return refuse(*no, exit_code::bad_input);
  print_use(versions, *to, manifest, out);
  out << "  build id:  " << pack->build_id << "\n  signature: "
      << (!pack->is_signed      ? "none"
          : options.key.empty() ? "not checked; --key FILE checks it by the vendor's public key"
                                : "good, by the key " + options.key)
      << '\n';
  print_next(*to, manifest, out);
  return exit_code::ok;
}

exit_code roll_back_plugin(const plugin_rollback_options &options, std::ostream &out, std::ostream &err) {
  const auto refuse = [&](const refusal &why, exit_code code) {
    complain(err, why);
    return code;
  };
  const auto in = target_of(options.in, options.id);
  if (!in) return refuse(in.why(), exit_code::bad_input);
  const installed_versions versions(in->modules, options.id);
  const auto wanted = version_wanted(versions, options, in->modules);
  if (!wanted) return refuse(wanted.why(), exit_code::failed);
  const auto manifest = whole_version(versions, *wanted);
  if (!manifest) return refuse(manifest.why(), exit_code::failed);
  if (auto no = versions.put_in_use(*wanted)) return refuse(*no, exit_code::bad_input);
  print_use(versions, *in, *manifest, out);
  print_next(*in, *manifest, out);
  return exit_code::ok;
}

}  // namespace tenon::cli
