// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Builds of modules that take over from others while the scheduler runs.
#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <system_error>

#include "loading/module_host_impl.hpp"
#include "tenon/host/text_file.hpp"

namespace tenon::host {
namespace {

namespace fs = std::filesystem;

// In each folder of the module path, and beside the folder of records of faults; by digest.
constexpr const char *builds_folder = "module-builds";

std::string short_digest(std::string_view digest) { return std::string(digest.substr(0, 12)); }

std::optional<module_manifest> manifest_in(const fs::path &folder) {
  std::error_code failed;
  for (const auto &entry : fs::directory_iterator(folder, failed)) {
    if (entry.path().extension() != ".yaml") continue;
    const auto text = read_text_file(entry.path());
    config::problems report(entry.path().string());
    if (auto manifest = text ? parse_manifest(*text, entry.path(), report) : std::nullopt) return manifest;
  }
  return std::nullopt;
}

const provided_interface *find_in(const module_manifest &in, const provided_interface &wanted) {
  for (const provided_interface &one : in.provides)
    if (one.interface == wanted.interface && one.name == wanted.name) return &one;
  return nullptr;
}

build_beside about(const catalogued_module &now, const catalogued_module &next) {
  build_beside out{next.manifest.id,
                   next.manifest.version,
                   next.manifest.digest,
                   now.manifest.digest,
                   next.manifest.file,
                   {},
                   std::chrono::steady_clock::now().time_since_epoch().count()};
  for (const module_manifest *of : {&now.manifest, &next.manifest}) {
    for (const provided_interface &one : of->provides) {
      const kind_entry *kind = find_kind(one.interface);
      if (kind == nullptr) continue;
      const std::pair policy(kind->kind, one.name);
      if (std::find(out.policies.begin(), out.policies.end(), policy) == out.policies.end())
        out.policies.push_back(policy);
    }
  }
  return out;
}

}  // namespace

std::vector<module_folder> module_host::impl::folders() const {
  std::vector<fs::path> named = loader.options().module_path;
  named.insert(named.end(), plan.module_path.begin(), plan.module_path.end());
  return module_folders(named, loader.options().built_in_modules);
}

result<catalogued_module> module_host::impl::installed(std::string_view id) const {
  const auto found = module_catalog::scan(folders());
  if (!found) return found.why();
  const catalogued_module *module = found->find(id);
  if (module == nullptr) return found->missing(id, "module " + config::in_quotes(id));
  return *module;
}

std::optional<catalogued_module> module_host::impl::build_of(std::string_view id, std::string_view digest) const {
  if (const auto found = installed(id); found && found->manifest.digest == digest) return *found;
  std::vector<fs::path> all{loader.options().fault_records.parent_path(), plan.containment.records.parent_path()};
  for (const module_folder &one : folders()) all.push_back(one.path);
  for (const fs::path &folder : all) {
    if (folder.empty()) continue;
    auto manifest = manifest_in(folder / builds_folder / digest);
    if (!manifest || manifest->id != id || manifest->digest != digest) continue;
    const catalogued_module *now = catalog().find(id);
    return catalogued_module{std::move(*manifest), false, now != nullptr && now->own && now->manifest.digest == digest};
  }
  return std::nullopt;
}

std::optional<refusal> module_host::impl::check_beside(const catalogued_module &now,
                                                       const catalogued_module &next) const {
  const std::string where = next.manifest.file.string();
  for (const module_manifest *of : {&now.manifest, &next.manifest}) {
    for (const provided_interface &one : of->provides) {
      const kind_entry *kind = find_kind(one.interface);
      if (kind == nullptr || kind->called == called_by::kernel) continue;
      const bool transport = kind->kind == module_kind::transport;
      return refusal{where, "a module of orders, predicates and placement rules alone",
                     "one that provides " + one.interface + " '" + one.name + "'",
                     transport ? "restart the daemon: the connections of resource managers live in it"
                               : "restart the daemon: what it has of questions or events under way lives in it"};
    }
  }
  for (const provided_interface &one : now.manifest.provides) {
    if (find_in(next.manifest, one) != nullptr) continue;
    return refusal{where, one.interface + " '" + one.name + "', as the build in force provides it",
                   "a build without it", "install a build that has it, or restart the daemon with this one"};
  }
  for (const provided_interface &one : next.manifest.provides) {
    if (find_in(now.manifest, one) != nullptr) continue;
    for (const catalogued_module &other : catalog().modules())
      if (other.manifest.id != next.manifest.id && is_available(other) && find_in(other.manifest, one) != nullptr)
        return refusal{where, "one module for " + one.interface + " '" + one.name + "'",
                       other.manifest.id + " provides it, too", "install a build without it"};
  }
  if (auto no = check_lane(next)) return no;
  if (lane_of(next) != lane_of(now))
    return refusal{where, "a build that lives where the one in force does", "one of another isolation",
                   "write isolation into its entry in the deployment, and restart the daemon"};
  if (std::string why = quarantine_of(next); !why.empty())
    return refusal{where, "a build that is not in quarantine", std::move(why),
                   "tenon ctl lift quarantine " + next.manifest.id + ", or install another build"};
  return std::nullopt;
}

// What a deployment pins may have been changed with the build.
std::optional<refusal> module_host::impl::open(const catalogued_module &module) {
  const module_use *use = plan.find(module.manifest.id);
  if (!plan.file.empty()) {
    const auto now = deployment_of(plan.file);
    if (!now) return now.why();
    if (now->lock) {
      if (auto no = check_lock(*now->lock, module.manifest, module.built_in)) return no;
    }
    const module_use *entry = now->find(module.manifest.id);
    if (entry != nullptr && entry->digest && *entry->digest != module.manifest.digest)
      return refusal{place(plan, entry->at), "sha256:" + *entry->digest + ", which the deployment pins",
                     "sha256:" + module.manifest.digest, "pin this build, or install the pinned one"};
  }
  boost::json::object schema = module.manifest.configuration;
  schema.erase("required");
  if (use != nullptr) {
    const auto complete = complete_configuration(schema, use->config, use->id);
    if (!complete) return complete.why();
  }
  return loader.open_build(module.manifest, use, module.own);
}

result<build_beside> module_host::open_beside(std::string_view id) {
  const catalogued_module *now = impl_->catalog().find(id);
  if (now == nullptr) return impl_->catalog().missing(id, "module");
  const auto next = impl_->installed(id);
  if (!next) return next.why();
  if (next->manifest.digest == now->manifest.digest)
    return refusal{next->manifest.file.string(), "another build than the one in force",
                   "the same: sha256:" + short_digest(now->manifest.digest),
                   "install its library and manifest, the manifest last, by renaming"};
  if (auto no = impl_->check_beside(*now, *next)) return *no;
  if (auto no = impl_->open(*next)) return *no;
  {
    const std::scoped_lock lock(impl_->builds_mutex);
    impl_->opened.insert_or_assign({next->manifest.id, next->manifest.digest}, *next);
    impl_->opened.insert_or_assign({now->manifest.id, now->manifest.digest}, *now);
  }
  return about(*now, *next);
}

result<build_beside> module_host::build_before(std::string_view id) const {
  const catalogued_module *now = impl_->catalog().find(id);
  if (now == nullptr) return impl_->catalog().missing(id, "module");
  const std::scoped_lock lock(impl_->builds_mutex);
  const auto found = impl_->before.find(std::string(id));
  if (found == impl_->before.end() || !impl_->loader.has_build(found->first, found->second.manifest.digest))
    return refusal{"module " + config::in_quotes(id), "a build from which the one in force took over",
                   "none since the daemon started", "install the build that is to decide, and swap to it"};
  return about(*now, found->second);
}

result<build_beside> module_host::build_again(std::string_view id) {
  const catalogued_module *now = impl_->catalog().find(id);
  if (now == nullptr) return impl_->catalog().missing(id, "module");
  if (!impl_->quarantine_of(*now).empty()) {
    if (auto why = lift_quarantine(id)) return refusal{"module " + config::in_quotes(id), "", std::move(*why), ""};
  }
  if (auto no = impl_->check_beside(*now, *now)) return *no;
  build_beside out = about(*now, *now);
  if (!impl_->loader.has_build(now->manifest.id, now->manifest.digest)) {
    if (auto no = impl_->open(*now)) return *no;
  }
  auto ready = impl_->loader.stand_by(out.module, [this] { return impl_->stops.load(); });
  if (!ready) return ready.why();
  out.standing_by = std::move(*ready);
  return out;
}

std::vector<std::string> module_host::due_again(std::chrono::steady_clock::time_point now) {
  using time_point = std::chrono::steady_clock::time_point;
  std::vector<std::string> out;
  for (const module_counters &one : counters()) {
    const bool was_in_quarantine = !one.quarantine.empty();
    if (!was_in_quarantine && !one.in_fallback) {
      impl_->retries.decides(one.id, now);
      continue;
    }
    const catalogued_module *module = impl_->catalog().find(one.id);
    // One that is in quarantine yet, or whose kinds are bound once for all, cannot.
    if (module == nullptr || impl_->check_beside(*module, *module)) continue;
    const time_point fault = was_in_quarantine ? time_point{} : time_point(std::chrono::nanoseconds(one.last_fault_ns));
    if (impl_->retries.is_due(one.id, now, fault)) out.push_back(one.id);
  }
  return out;
}

void module_host::use_build(std::string_view id, std::string_view digest) {
  const catalogued_module *now = impl_->catalog().find(id);
  if (now == nullptr || now->manifest.digest == digest || digest.empty()) return;
  const std::pair<std::string, std::string> key(id, digest);
  std::optional<catalogued_module> next;
  {
    const std::scoped_lock lock(impl_->builds_mutex);
    if (const auto found = impl_->opened.find(key); found != impl_->opened.end()) next = found->second;
  }
  std::string why = "no manifest of it lies on the module path";
  if (!next) {
    next = impl_->build_of(id, digest);
    if (next) {
      const auto no = impl_->loader.open_build(next->manifest, impl_->plan.find(id), next->own);
      if (no) {
        why = no->text();
        next.reset();
      }
    }
  }
  const std::scoped_lock lock(impl_->builds_mutex);
  if (!next) {
    if (impl_->missed.insert(key).second)
      impl_->loader.options().log->warn(
          "{}: the build sha256:{} is not to be had: {}; sha256:{} decides in its place, and decisions may differ", id,
          short_digest(digest), why, short_digest(now->manifest.digest));
    return;
  }
  impl_->opened.insert_or_assign({now->manifest.id, now->manifest.digest}, *now);
  impl_->opened.insert_or_assign(key, *next);
  // One that is not loaded yet is loaded when it is first asked for, by this manifest.
  impl_->loader.use_build(next->manifest.id, next->manifest.digest);
  impl_->use(impl_->catalog().with(*next));
}

void module_host::impl::keep(const catalogued_module &module) const {
  const fs::path &records = loader.options().fault_records;
  if (records.empty() || module.own) return;
  const fs::path folder = records.parent_path() / builds_folder / module.manifest.digest;
  std::error_code failed;
  if (fs::exists(folder, failed)) return;
  const fs::path draft = folder.string() + ".draft";
  fs::create_directories(draft, failed);
  fs::copy_file(module.manifest.library_path(), draft / module.manifest.library_path().filename(),
                fs::copy_options::overwrite_existing, failed);
  if (!failed)
    fs::copy_file(module.manifest.file, draft / module.manifest.file.filename(), fs::copy_options::overwrite_existing,
                  failed);
  if (!failed) {
    // The file may be another build's by now.
    const auto copied = manifest_in(draft);
    if (copied && copied->digest == module.manifest.digest) return fs::rename(draft, folder, failed);
  }
  fs::remove_all(draft, failed);
}

void module_host::took_over(const build_beside &build) {
  impl_->loader.bound_again(build.module, build.since_ns);
  if (build.digest == build.before) {
    impl_->loader.options().log->info("{}: sha256:{} ({}) decides again", build.module, short_digest(build.digest),
                                      build.version);
    return;
  }
  const std::scoped_lock lock(impl_->builds_mutex);
  const auto before = impl_->opened.find({build.module, build.before});
  if (before != impl_->opened.end()) impl_->before.insert_or_assign(build.module, before->second);
  ++impl_->swaps[build.module];
  if (const auto next = impl_->opened.find({build.module, build.digest}); next != impl_->opened.end())
    impl_->keep(next->second);
  impl_->loader.options().log->info("{}: sha256:{} ({}) decides from now on, in place of sha256:{}", build.module,
                                    short_digest(build.digest), build.version, short_digest(build.before));
}

}  // namespace tenon::host
