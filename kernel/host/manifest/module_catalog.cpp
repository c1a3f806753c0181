// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "tenon/host/module_catalog.hpp"

#include <algorithm>
#include <cstdlib>
#include <set>
#include <system_error>

#include "manifest/own_modules.hpp"
#include "tenon/host/text_file.hpp"

namespace tenon::host {
namespace {

namespace fs = std::filesystem;

// The manifests of a folder and of the folders directly below it, in the order of their names. A link is the file to
// which it points, whose library lies beside that file.
std::vector<fs::path> manifest_files(const fs::path &folder) {
  std::vector<fs::path> files;
  std::error_code failed;
  fs::recursive_directory_iterator at(folder, fs::directory_options::skip_permission_denied, failed);
  for (const fs::recursive_directory_iterator end; !failed && at != end; at.increment(failed)) {
    if (at.depth() >= 1) at.disable_recursion_pending();
    std::error_code ignored;
    if (at->path().extension() != ".yaml" || at->is_directory(ignored)) continue;
    const fs::path target = at->is_symlink(ignored) ? fs::canonical(at->path(), ignored) : fs::path();
    files.push_back(target.empty() ? at->path() : target);
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string id_of(const std::string &text, const fs::path &file) {
  config::problems ignored(file.string());
  const auto root = config::read_yaml(text, ignored);
  return root ? config::text_of(*root, "id") : std::string{};
}

}  // namespace

std::optional<refusal> refusal_of_folder(const fs::path &folder) {
  std::error_code failed;
  if (fs::is_directory(folder, failed)) return std::nullopt;
  return refusal{folder.string(), "a folder of modules", failed ? failed.message() : "no folder",
                 "correct the name, or leave it out"};
}

std::vector<module_folder> module_folders(const std::vector<fs::path> &first, const fs::path &built_in) {
  std::vector<module_folder> out;
  std::set<fs::path> seen;
  const auto add = [&](const fs::path &folder, bool is_built_in) {
    if (folder.empty()) return;
    std::error_code failed;
    const fs::path real = fs::weakly_canonical(folder, failed);
    if (seen.insert(failed ? folder : real).second) out.push_back({folder, is_built_in});
  };
  // First, so that naming the folder once more does not make its modules strangers; searched last.
  add(built_in, true);
  for (const fs::path &folder : first) add(folder, false);
  const char *variable = ::secure_getenv("TENON_MODULE_PATH");
  for (std::string_view rest = variable == nullptr ? "" : variable; !rest.empty();) {
    const size_t end = std::min(rest.find(':'), rest.size());
    add(fs::path(rest.substr(0, end)), false);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  if (!built_in.empty()) std::rotate(out.begin(), out.begin() + 1, out.end());
  return out;
}

fs::path default_module_folder() {
  std::error_code failed;
  const fs::path program = fs::read_symlink("/proc/self/exe", failed);
  return failed ? fs::path{} : program.parent_path().parent_path() / "lib" / "tenon" / "modules";
}

result<module_catalog> module_catalog::scan(const std::vector<module_folder> &folders) {
  module_catalog out;
  out.folders_ = folders;
  std::set<fs::path> seen;  // by a link and by its folder, a manifest may be found twice
  for (const module_folder &folder : folders) {
    for (const fs::path &file : manifest_files(folder.path)) {
      std::error_code failed;
      const fs::path real = fs::weakly_canonical(file, failed);
      if (!seen.insert(failed ? file : real).second) continue;
      config::problems report(file.string());
      const auto text = read_text_file(file);
      if (!text) {
        out.broken_.push_back({file, {}, {text.why()}});
      } else if (auto manifest = parse_manifest(*text, file, report)) {
        const bool own = is_own(manifest->digest);
        out.modules_.push_back({std::move(*manifest), folder.built_in, own});
      } else {
        out.broken_.push_back({file, id_of(*text, file), report.refusals()});
      }
    }
  }
  std::stable_sort(out.modules_.begin(), out.modules_.end(),
                   [](const auto &a, const auto &b) { return a.manifest.id < b.manifest.id; });
  const auto twin = std::adjacent_find(out.modules_.begin(), out.modules_.end(),
                                       [](const auto &a, const auto &b) { return a.manifest.id == b.manifest.id; });
  if (twin != out.modules_.end())
    return refusal{
        (twin + 1)->manifest.file.string(), "one manifest for each module id",
        "the id " + config::in_quotes(twin->manifest.id) + " is also that of " + twin->manifest.file.string(),
        "remove one of the two from the module path"};
  return out;
}

const catalogued_module *module_catalog::find(std::string_view id) const {
  const auto at =
      std::lower_bound(modules_.begin(), modules_.end(), id,
                       [](const auto &module, std::string_view wanted) { return module.manifest.id < wanted; });
  return at == modules_.end() || at->manifest.id != id ? nullptr : &*at;
}

module_catalog module_catalog::with(const catalogued_module &build) const {
  module_catalog out = *this;
  for (catalogued_module &one : out.modules_)
    if (one.manifest.id == build.manifest.id) one = build;
  return out;
}

refusal module_catalog::missing(std::string_view id, std::string where) const {
  for (const broken_manifest &broken : broken_)
    if (broken.id == id) return broken.reasons.front();
  std::vector<std::string_view> ids;
  for (const catalogued_module &module : modules_) ids.push_back(module.manifest.id);
  std::string searched;
  for (const module_folder &folder : folders_) searched += (searched.empty() ? "" : ", ") + folder.path.string();
  std::string have = "no module " + config::in_quotes(id);
  have += searched.empty() ? ", and no folder to look in" : " in " + searched;
  if (!broken_.empty())
    have += " (" + std::to_string(broken_.size()) + " manifests there cannot be read, as " +
            broken_.front().reasons.front().text() + ")";
  std::string fix = config::suggestion(id, ids);
  if (fix.empty()) fix = "install the module with its manifest, or name its folder in module_path";
  return {std::move(where), "the manifest of a module with this id", std::move(have), std::move(fix)};
}

void add_unlisted(const catalogued_module &module, config::known_policies &to) {
  for (const provided_interface &one : module.manifest.provides) {
    const kind_entry *kind = find_kind(one.interface);
    if (kind != nullptr && config::named_by_queues(*kind)) to.add_unlisted(kind->kind, one.name, module.manifest.id);
  }
}

}  // namespace tenon::host
