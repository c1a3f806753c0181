// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "tenon/host/replaced_policies.hpp"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <cstdio>
#include <cstdlib>

namespace tenon::host {
namespace {

[[noreturn]] void end_over(const module_fault &fault) {
  std::fprintf(stderr, "tenon: %s '%s' in place of a built-in policy: %s %s\n", fault.interface.c_str(),
               fault.name.c_str(), fault.slot.c_str(), fault.text.c_str());
  std::_Exit(70);
}

}  // namespace

replacements replacements_from_environment() {
  replacements out;
  for (const kind_entry &one : module_kinds) {
    if (one.called != called_by::kernel) continue;
    const char *manifest = std::getenv(one.macro);
    if (manifest != nullptr && *manifest != '\0') out.emplace(one.kind, manifest);
  }
  return out;
}

result<replaced_policies::replacement> replaced_policies::open(module_kind kind,
                                                               const std::filesystem::path &manifest_file) {
  const kind_entry &about = entry_of(kind);
  config::problems report(manifest_file.string());
  const auto manifest = read_manifest(manifest_file, report);
  if (!manifest) return report.refusals().front();
  replacement out;
  for (const provided_interface &one : manifest->provides)
    if (one.interface == about.interface && out.name.empty()) out.name = one.name;
  if (out.name.empty())
    return refusal{manifest_file.string(), "a module that provides " + std::string(about.interface),
                   manifest->id + " does not", std::string("name another one in ") + about.macro};
  deployment plan;
  plan.file = manifest_file.string();
  module_use use;
  use.id = manifest->id;
  // It is tried here: what it writes behind its outputs and on which threads it is called is looked at.
  use.isolation = isolation_mode::none;
  plan.modules.push_back(use);
  if (kind == module_kind::predicate) {
    interface_use predicate;
    predicate.use = manifest->id;
    predicate.name = out.name;
    plan.predicates.push_back(std::move(predicate));
  }
  host_options options;
  // Its own folder alone: what it provides may be called as what is built in, or be that.
  options.module_path.push_back(std::filesystem::absolute(manifest_file).parent_path());
  options.built_in_modules = options.module_path.front() / "none";
  options.budgets = false;
  // What else lies in the folder is nobody's concern here.
  options.log = std::make_shared<spdlog::logger>("tenon", std::make_shared<spdlog::sinks::stderr_sink_mt>());
  options.log->set_level(spdlog::level::err);
  options.check_calls = true;
  options.on_fault = end_over;
  // Its callers hold no roles of threads.
  options.on_violation = [](const thread_violation &) {};
  auto host = open_host(std::move(plan), std::move(options));
  if (!host) return host.why();
  out.host = std::move(*host);
  return out;
}

result<std::unique_ptr<replaced_policies>> replaced_policies::make(std::unique_ptr<policy_source> inner,
                                                                   const replacements &these) {
  std::unique_ptr<replaced_policies> out(new replaced_policies(std::move(inner)));
  for (const auto &[kind, manifest] : these) {
    auto one = open(kind, manifest);
    if (!one) return one.why();
    out->replaced_.emplace(kind, std::move(*one));
  }
  return out;
}

bool replaced_policies::provides(module_kind kind, std::string_view name) const { return inner_->provides(kind, name); }

result<std::unique_ptr<bound_policy>> replaced_policies::bind(module_kind kind, std::string_view name,
                                                              std::string_view configuration,
                                                              uint32_t max_resource_types) {
  // What nobody provides stays refused, and what the built-in policy refuses of its configuration too.
  auto usual = inner_->bind(kind, name, configuration, max_resource_types);
  const auto found = replaced_.find(kind);
  if (!usual || found == replaced_.end()) return usual;
  auto bound = found->second.host->bind(kind, found->second.name, configuration, max_resource_types);
  // The configuration was written for another policy: then its own defaults hold.
  if (!bound) bound = found->second.host->bind(kind, found->second.name, "{}", max_resource_types);
  if (bound) (*bound)->name = std::string(name);
  return bound;
}

std::unique_ptr<bound_policy> replaced_policies::fallback(module_kind kind, uint32_t max_resource_types) {
  return inner_->fallback(kind, max_resource_types);
}

result<std::vector<std::unique_ptr<bound_policy>>> replaced_policies::predicates(uint32_t max_resource_types) {
  const auto found = replaced_.find(module_kind::predicate);
  return found == replaced_.end() ? inner_->predicates(max_resource_types)
                                  : found->second.host->predicates(max_resource_types);
}

}  // namespace tenon::host
