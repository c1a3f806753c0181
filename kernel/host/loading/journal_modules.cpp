// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Which modules decided a journal, as its header says, and which ones would decide now.
#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "loading/module_host_impl.hpp"
#include "tenon/host/module_lock.hpp"

namespace tenon::host {
namespace {

constexpr std::string_view decides_otherwise =
    "give the recorded build with --deployment or --module-path; with another one decisions may differ";

bool has_policy(const locked_module &module, std::string_view interface, std::string_view name) {
  return std::any_of(module.provides.begin(), module.provides.end(),
                     [&](const auto &one) { return one.interface == interface && one.name == name; });
}

// "acme.binpack 1.2.0, order_rev 3, sha256:0123456789ab". Every build of one revision of a built-in module decides
// alike.
std::string decided_by(const locked_module *module, std::string_view interface, std::string_view name) {
  if (module == nullptr) return "no module";
  std::string out = module->id;
  if (!module->digest.empty()) out += " " + module->version;
  for (const provided_interface &one : module->provides)
    if (one.interface == interface && one.name == name) out += ", order_rev " + std::to_string(one.order_rev);
  if (!module->digest.empty()) out += ", sha256:" + module->digest.substr(0, 12);
  return out;
}

std::optional<module_lock> lock_in(std::string_view journal) {
  const std::string_view line = journal.substr(0, journal.find('\n'));
  const size_t at = line.find('{');
  if (at == std::string_view::npos) return std::nullopt;
  config::problems report("the journal's header");
  return parse_lock(line.substr(at), {}, report);
}

}  // namespace

// Of modules with predicates, those that every partition asks.
std::vector<locked_module> module_host::impl::deciding() const {
  std::vector<locked_module> out;
  for (const catalogued_module &module : catalog().modules()) {
    if (!is_available(module)) continue;
    const bool decides = std::any_of(module.manifest.provides.begin(), module.manifest.provides.end(),
                                     [&](const provided_interface &one) {
                                       const kind_entry *kind = find_kind(one.interface);
                                       return kind != nullptr && is_sort(kind->kind);
                                     });
    const bool asked = std::any_of(plan.predicates.begin(), plan.predicates.end(),
                                   [&](const interface_use &use) { return use.use == module.manifest.id; });
    if (decides || asked) out.push_back(locked(module.manifest, module.built_in));
  }
  return out;
}

std::string module_host::journal_origin() const { return "tenon " TENON_VERSION " " + lock_line(impl_->deciding()); }

std::vector<refusal> module_host::other_policies(std::string_view journal,
                                                 const std::vector<config::policy_name> &bound) const {
  std::vector<refusal> out;
  const auto recorded = lock_in(journal);
  if (!recorded) return out;
  const std::vector<locked_module> now = impl_->deciding();
  std::set<std::pair<std::string_view, std::string>> seen;
  const auto compare = [&](std::string_view interface, const std::string &name) {
    if (!seen.emplace(interface, name).second) return;
    const auto in = [&](const std::vector<locked_module> &modules) {
      const auto found = std::find_if(modules.begin(), modules.end(),
                                      [&](const locked_module &one) { return has_policy(one, interface, name); });
      return found == modules.end() ? nullptr : &*found;
    };
    const std::string had = decided_by(in(recorded->modules), interface, name),
                      have = decided_by(in(now), interface, name);
    if (had == have) return;
    out.push_back({std::string(kind_in(interface)) + " " + config::in_quotes(name), had + ", which decided the journal",
                   have, std::string(decides_otherwise)});
  };
  for (const config::policy_name &one : bound)
    if (is_sort(one.kind)) compare(entry_of(one.kind).interface, one.name);
  for (const auto *modules : {&recorded->modules, &now})
    for (const locked_module &module : *modules)
      for (const provided_interface &one : module.provides)
        if (one.interface == entry_of(module_kind::predicate).interface) compare(one.interface, one.name);
  return out;
}

}  // namespace tenon::host
