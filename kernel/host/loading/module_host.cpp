// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "tenon/host/module_host.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <boost/json.hpp>
#include <optional>

#include "loading/module_host_impl.hpp"
#include "tenon/host/reader_question.hpp"

namespace tenon::host {

// What lies there runs as the daemon.
void module_host::impl::warn_of_open(const std::vector<module_folder> &folders) const {
  for (const module_folder &each : folders) {
    std::error_code none;
    const auto mode = std::filesystem::status(each.path, none).permissions();
    if (none || (mode & std::filesystem::perms::others_write) == std::filesystem::perms::none) continue;
    loader.options().log->warn(
        "module_path: everybody on this machine may write to {}, whose modules run as the daemon; chmod o-w {}",
        each.path.string(), each.path.string());
  }
}

std::optional<refusal> module_host::impl::scan() {
  for (const std::filesystem::path &given : loader.options().module_path) {
    if (auto no = refusal_of_folder(given)) return no;
  }
  const std::vector<module_folder> where = folders();
  if (!plan.file.empty()) warn_of_open(where);
  auto found = module_catalog::scan(where);
  if (!found) return found.why();
  use(std::move(*found));
  for (const broken_manifest &broken : catalog().broken()) {
    if (plan.file.empty()) return broken.reasons.front();
    loader.options().log->warn("manifest not used: {}", broken.reasons.front().text());
  }
  return check_unique();
}

// Two available modules that provide one name make the choice between them depend on nothing.
std::optional<refusal> module_host::impl::check_unique() const {
  std::map<std::pair<std::string, std::string>, const catalogued_module *> seen;
  for (const catalogued_module &module : catalog().modules()) {
    if (!is_available(module)) continue;
    for (const provided_interface &one : module.manifest.provides) {
      const auto [first, fresh] = seen.emplace(std::pair{one.interface, one.name}, &module);
      if (!fresh)
        return refusal{module.manifest.file.string(), "one module for " + one.interface + " '" + one.name + "'",
                       module.manifest.id + " provides it, and so does " + first->second->manifest.id + " (" +
                           first->second->manifest.file.string() + ")",
                       "take one of the two out of the deployment or off the module path"};
    }
  }
  return std::nullopt;
}

std::optional<refusal> module_host::impl::load_named() {
  for (const module_use &use : plan.modules)
    if (auto no = check_module(use)) return no;
  if (auto no = check_uses(plan.predicates, module_kind::predicate)) return no;
  if (auto no = check_uses(plan.events, module_kind::event_sink)) return no;
  return check_uses(plan.transports, module_kind::transport);
}

std::string module_host::impl::quarantine_of(const catalogued_module &module) const {
  // In processes of its own it ends nothing.
  if (module.own || lane_of(module) == isolation_mode::process) return {};
  const auto found = held.find(fault_key(module.manifest.digest, plan.find(module.manifest.id)), unix_now_ms());
  return found ? "is in quarantine and not loaded: " + found->text() : std::string();
}

std::optional<refusal> module_host::impl::check_lane(const catalogued_module &module) const {
  if (lane_of(module) == isolation_mode::none) return std::nullopt;
  const module_use *use = plan.find(module.manifest.id);
  const std::string where = use == nullptr ? module.manifest.file.string() : place(plan, use->at);
  if (auto no = isolation::check_served(module.manifest, use, where)) return no;
  return use == nullptr ? std::nullopt : isolation::check_granted(module.manifest, use->granted, where);
}

std::optional<refusal> module_host::impl::check_module(const module_use &use) {
  const catalogued_module *module = catalog().find(use.id);
  if (module == nullptr) return catalog().missing(use.id, place(plan, use.at));
  if (is_of_predicates(use.on_fault) && !module->manifest.provides_kind(module_kind::predicate))
    return refusal{place(plan, use.at), "on_fault: fallback or stop",
                   "on_fault: " + std::string(action_name(use.on_fault)) + " for " + config::in_quotes(use.id) +
                       ", which provides no predicate",
                   "leave on_fault out, or write fallback or stop"};
  if (auto no = check_lane(*module)) return no;
  if (auto no = check_locked(*module)) return no;
  if (const std::string why = quarantine_of(*module); !why.empty()) {
    static_cast<void>(loader.in_quarantine(module->manifest, &use, why));
    loader.options().log->error("{} {} {}", module->manifest.id, module->manifest.version, why);
    return std::nullopt;
  }
  if (use.shadow && loader.options().shadows) {
    if (auto no = check_shadow(use, module->manifest)) return no;
  }
  const auto loaded = loader.load(module->manifest, &use, module->own, [&]() -> std::optional<refusal> {
    // Keys that an instance must be given may come with the instance.
    boost::json::object schema = module->manifest.configuration;
    schema.erase("required");
    const auto complete = complete_configuration(schema, use.config, use.id);
    return complete ? std::nullopt : std::optional(complete.why());
  });
  if (loaded) keep(*module);
  return loaded ? std::nullopt : std::optional(loaded.why());
}

std::optional<refusal> module_host::impl::check_uses(const std::vector<interface_use> &uses, module_kind kind) {
  for (const interface_use &use : uses) {
    const auto name = chosen(use, kind);
    if (!name) return name.why();
    if (!quarantine_of(*catalog().find(use.use)).empty()) continue;
    const auto ready = prepare(*catalog().find(use.use), use.config);
    if (!ready) return ready.why();
  }
  return std::nullopt;
}

// The modules that provide some version of a kind's interface, by their ids.
std::string module_host::impl::providers_of(std::string_view interface) const {
  std::string out;
  for (const catalogued_module &module : catalog().modules()) {
    const bool one = std::any_of(module.manifest.provides.begin(), module.manifest.provides.end(),
                                 [&](const provided_interface &each) { return each.interface.starts_with(interface); });
    if (one) out += (out.empty() ? "" : ", ") + module.manifest.id;
  }
  return out.empty() ? "none on module_path provides one" : out;
}

// Which implementation an entry means, of whichever version of the kind's interface.
result<const provided_interface *> module_host::impl::chosen(const interface_use &use, module_kind kind) const {
  const std::string_view interface = entry_of(kind).family();
  const catalogued_module *module = catalog().find(use.use);
  if (module == nullptr) return catalog().missing(use.use, place(plan, use.at));
  std::vector<const provided_interface *> fitting;
  std::vector<std::string_view> names;
  for (const provided_interface &one : module->manifest.provides) {
    if (one.interface.compare(0, interface.size(), interface) != 0) continue;
    names.push_back(one.name);
    if (use.name.empty() || use.name == one.name) fitting.push_back(&one);
  }
  if (fitting.size() == 1) return fitting.front();
  const std::string what = "one implementation of " + std::string(interface.substr(0, interface.size() - 1));
  if (names.empty())
    return refusal{place(plan, use.at), what, config::in_quotes(use.use) + " provides none",
                   "name a module that does: " + providers_of(interface)};
  if (fitting.empty())
    return refusal{place(plan, use.at), what,
                   config::in_quotes(use.use) + " provides none with the name " + config::in_quotes(use.name),
                   config::suggestion(use.name, names)};
  return refusal{place(plan, use.at), what, config::in_quotes(use.use) + " provides " + std::to_string(fitting.size()),
                 "say which with name: " + std::string(names.front()) + " or another of its names"};
}

std::vector<std::string> module_host::impl::names(module_kind kind) const {
  std::vector<std::string> out;
  for (const catalogued_module &module : catalog().modules()) {
    if (!is_available(module)) continue;
    for (const provided_interface &one : module.manifest.provides)
      if (one.interface == entry_of(kind).interface) out.push_back(one.name);
  }
  return out;
}

result<const catalogued_module *> module_host::impl::provider(module_kind kind, std::string_view name) const {
  const kind_entry &wanted = entry_of(kind);
  std::vector<std::string_view> names;
  const catalogued_module *unlisted = nullptr;
  for (const catalogued_module &module : catalog().modules()) {
    for (const provided_interface &one : module.manifest.provides) {
      if (one.interface != wanted.interface) continue;
      if (is_available(module)) {
        if (one.name == name) return &module;
        names.push_back(one.name);
      } else if (one.name == name) {
        unlisted = &module;
      }
    }
  }
  const std::string have =
      "no module of the deployment provides " + std::string(wanted.name()) + " " + config::in_quotes(name);
  if (unlisted != nullptr)
    return refusal{plan.file, "a module that is listed in the deployment",
                   have + "; " + unlisted->manifest.id + " on the module path would",
                   "add `- id: " + unlisted->manifest.id + "` to modules"};
  std::sort(names.begin(), names.end());
  std::string known;
  for (const std::string_view one : names) known += (known.empty() ? "" : ", ") + std::string(one);
  std::string fix = "add a module that provides it";
  if (const auto close = config::closest(name, names); !close.empty())
    fix = "did you mean " + config::in_quotes(close) + "?";
  return refusal{"", names.empty() ? "a module that provides this kind" : "one of " + known, have, std::move(fix)};
}

result<ready_module> module_host::impl::prepare(const catalogued_module &module, configuration given) {
  const module_use *use = plan.find(module.manifest.id);
  if (use != nullptr) {
    for (const auto &[key, value] : use->config.values)
      if (!given.values.contains(key)) given.values.insert_or_assign(key, value);
  }
  if (auto no = check_lane(module)) return *no;
  if (auto no = check_locked(module)) return *no;
  ready_module out;
  auto loaded = loader.load(module.manifest, use, module.own, [&]() -> std::optional<refusal> {
    auto complete = complete_configuration(module.manifest.configuration, given, module.manifest.id);
    if (!complete) return complete.why();
    out.configuration = boost::json::serialize(*complete);
    return std::nullopt;
  });
  if (!loaded) return loaded.why();
  keep(module);
  out.in_use = std::move(*loaded);
  return out;
}

result<std::unique_ptr<bound_policy>> module_host::impl::make(const catalogued_module &module, module_kind kind,
                                                              std::string_view name, configuration given,
                                                              uint32_t max_resource_types) {
  const std::string where = given.file;
  if (const std::string why = quarantine_of(module); !why.empty()) {
    const auto &provides = module.manifest.provides;
    const auto promised = std::find_if(provides.begin(), provides.end(), [&](const provided_interface &one) {
      return one.interface == entry_of(kind).interface && one.name == name;
    });
    return std::unique_ptr<bound_policy>(make_quarantined_policy(
        kind, *promised, loader.in_quarantine(module.manifest, plan.find(module.manifest.id), why), why,
        module.manifest.tags));
  }
  auto ready = prepare(module, given);
  if (!ready) return ready.why();
  const implementation *one = ready->in_use.module->find(entry_of(kind).interface, name);
  auto made = make_policy(ready->in_use.module, *one, kind, ready->in_use.tally,
                          {std::move(ready->configuration), max_resource_types, where});
  if (!made) return made.why();
  loader.lift(module.manifest.id);
  return with_shadow(std::move(*made), module, kind, *one->promised, given, max_resource_types);
}

// -- Shadows. --

module_use module_host::impl::entry_of_shadow(const module_use &first) const {
  const call_shadow_use &shadow = *first.shadow;
  module_use out;
  if (const module_use *own = plan.find(shadow.use)) {
    out.digest = own->digest;
    out.granted = own->granted;
    out.process = own->process;
    out.config = own->config;
  }
  out.id = shadow.use;
  out.at = shadow.at;
  out.isolation = shadow.in_process ? isolation_mode::none : isolation_mode::process;
  out.process.answer_within(shadow.call_deadline);
  out.process.processor_wait = {};  // the scheduler waits for a shadow no longer than its deadline
  return out;
}

const provided_interface *module_host::impl::beside(const provided_interface &first, const module_manifest &shadow,
                                                    const std::string &wanted) {
  const kind_entry *kind = find_kind(first.interface);
  if (kind == nullptr || kind->called != called_by::kernel) return nullptr;
  std::vector<const provided_interface *> of_kind;
  for (const provided_interface &one : shadow.provides)
    if (one.interface == first.interface && (wanted.empty() || one.name == wanted)) of_kind.push_back(&one);
  if (of_kind.size() == 1) return of_kind.front();
  for (const provided_interface *one : of_kind)
    if (one->name == first.name) return one;
  return nullptr;
}

std::optional<refusal> module_host::impl::check_shadow(const module_use &first, const module_manifest &manifest) {
  const call_shadow_use &use = *first.shadow;
  const std::string where = place(plan, use.at);
  const catalogued_module *shadow = catalog().find(use.use);
  if (shadow == nullptr) return catalog().missing(use.use, where);
  const module_use entry = entry_of_shadow(first);
  if (use.in_process && !shadow->own)
    return refusal{where, "isolation: process for a shadow that is not the project's own",
                   "isolation: none for " + config::in_quotes(use.use), "leave isolation out"};
  if (auto no = isolation::check_served(shadow->manifest, &entry, where)) {
    no->want = "a shadow that can live in a process of its own";
    no->fix = "name another module";
    return no;
  }
  if (auto no = check_locked(*shadow)) return no;
  const bool stands_beside =
      std::any_of(manifest.provides.begin(), manifest.provides.end(),
                  [&](const provided_interface &one) { return beside(one, shadow->manifest, use.name) != nullptr; });
  if (!stands_beside)
    return refusal{
        where,
        "a module that provides a queue-sort, app-sort, node-sort, predicate or placement-rule as " +
            config::in_quotes(first.id) + " does",
        config::in_quotes(use.use) + (use.name.empty() ? ", of which none is the shadow's, or several could be"
                                                       : ", which has none called " + config::in_quotes(use.name)),
        "name another module, or say which of its implementations with name"};
  const auto loaded =
      loader.load_shadow(first.id, shadow->manifest, entry, shadow->own, [&]() -> std::optional<refusal> {
        boost::json::object schema = shadow->manifest.configuration;
        schema.erase("required");
        const auto complete = complete_configuration(
            schema, configuration_of_shadow(shadow->manifest, entry, use, first.config), use.use);
        return complete ? std::nullopt : std::optional(complete.why());
      });
  return loaded ? std::nullopt : std::optional(loaded.why());
}

configuration module_host::impl::configuration_of_shadow(const module_manifest &shadow, const module_use &entry,
                                                         const call_shadow_use &use, const configuration &given) {
  configuration out = use.config;
  const auto add = [&](const boost::json::object &values, bool known_alone) {
    const boost::json::value *properties = shadow.configuration.if_contains("properties");
    for (const auto &[key, value] : values) {
      const bool known = properties != nullptr && properties->is_object() && properties->get_object().contains(key);
      if ((known || !known_alone) && !out.values.contains(key)) out.values.insert_or_assign(key, value);
    }
  };
  // What was written for the first is for the shadow as far as it knows it.
  add(given.values, true);
  add(entry.config.values, false);
  return out;
}

std::shared_ptr<shadow_record> module_host::impl::record_of(const module_use &first, const call_shadow_status &about) {
  const std::scoped_lock lock(shadow_mutex);
  auto &record = shadow_records[{first.id, about.kind, about.name}];
  if (record == nullptr) record = std::make_shared<shadow_record>(about, first.shadow->faults, loader.options().log);
  return record;
}

std::unique_ptr<bound_policy> module_host::impl::with_shadow(std::unique_ptr<bound_policy> first,
                                                             const catalogued_module &module, module_kind kind,
                                                             const provided_interface &promised,
                                                             const configuration &given, uint32_t max_resource_types) {
  const module_use *use = plan.find(module.manifest.id);
  if (use == nullptr || !use->shadow || !loader.options().shadows || reader_question::is_asked()) return first;
  const catalogued_module *found = catalog().find(use->shadow->use);
  const provided_interface *one = found == nullptr ? nullptr : beside(promised, found->manifest, use->shadow->name);
  if (one == nullptr) return first;
  const catalogued_module &shadow = *found;
  call_shadow_status about;
  about.module = module.manifest.id;
  about.version = module.manifest.version;
  about.kind = entry_of(kind).name();
  about.name = promised.name;
  about.shadow = shadow.manifest.id;
  about.shadow_version = shadow.manifest.version;
  about.shadow_name = one->name;
  const std::shared_ptr<shadow_record> record = record_of(*use, about);
  record->start();
  // Whatever is wrong with it, the first is bound as ever.
  auto made = make_shadow(*use, shadow, kind, *one, given, max_resource_types, record);
  if (!made) {
    record->switch_off(made.why().text());
    return first;
  }
  auto columns = columns_with_shadow(kind, *first, **made, module.manifest.digest == shadow.manifest.digest);
  if (!columns) {
    record->switch_off(columns.why().text());
    return first;
  }
  return make_shadowed_policy({kind, std::move(first), std::move(*made), std::move(*columns), record});
}

result<std::unique_ptr<bound_policy>> module_host::impl::make_shadow(
    const module_use &first, const catalogued_module &shadow, module_kind kind, const provided_interface &one,
    const configuration &given, uint32_t max_resource_types, const std::shared_ptr<shadow_record> &record) {
  const module_use entry = entry_of_shadow(first);
  std::string complete_text;
  auto loaded = loader.load_shadow(first.id, shadow.manifest, entry, shadow.own, [&]() -> std::optional<refusal> {
    auto complete = complete_configuration(shadow.manifest.configuration,
                                           configuration_of_shadow(shadow.manifest, entry, *first.shadow, given),
                                           shadow.manifest.id);
    if (!complete) return complete.why();
    complete_text = boost::json::serialize(*complete);
    return std::nullopt;
  });
  if (!loaded) return loaded.why();
  auto tally = loader.tally_of_shadow(shadow.manifest, entry, shadow.own, [record](const module_fault &fault) {
    if (fault.between_processes)
      record->skipped();
    else
      record->fault(fault.slot + " " + fault.text);
  });
  auto made = make_policy(*loaded, *(*loaded)->find(one.interface, one.name), kind, std::move(tally),
                          {std::move(complete_text), max_resource_types, place(plan, first.shadow->at)});
  if (!made) return made.why();
  return std::unique_ptr<bound_policy>(std::move(*made));
}

std::vector<call_shadow_status> module_host::shadows() const {
  const std::scoped_lock lock(impl_->shadow_mutex);
  std::vector<call_shadow_status> out;
  for (const auto &[of, record] : impl_->shadow_records) out.push_back(record->status());
  return out;
}

module_host::module_host(std::unique_ptr<impl> state) : impl_(std::move(state)) {}
module_host::~module_host() = default;

result<std::unique_ptr<bound_policy>> module_host::bind(module_kind kind, std::string_view name,
                                                        std::string_view configuration_text,
                                                        uint32_t max_resource_types) {
  const auto module = impl_->provider(kind, name);
  if (!module) return module.why();
  boost::system::error_code failed;
  const auto parsed = boost::json::parse(configuration_text.empty() ? "{}" : configuration_text, failed);
  configuration given{{}, std::string(entry_of(kind).name()) + " " + config::in_quotes(name), {}};
  if (failed || !parsed.is_object())
    return refusal{given.file, "a JSON object", "a configuration that is none", "write one in braces, as {}"};
  given.values = parsed.get_object();
  return impl_->make(**module, kind, name, std::move(given), max_resource_types);
}

bool module_host::provides(module_kind kind, std::string_view name) const {
  return static_cast<bool>(impl_->provider(kind, name));
}

std::optional<refusal> module_host::refusal_by_lock(const cluster_config &queues) const {
  if (!impl_->plan.lock) return std::nullopt;
  for (const config::policy_name &one : config::bound_policies(queues)) {
    const auto module = impl_->provider(one.kind, one.name);
    if (!module) continue;  // what nobody provides is refused by the kernel, or has a built-in policy in its place
    if (auto no = impl_->check_locked(**module)) {
      no->have += ", and " + one.wanted_by + " leads to " + std::string(entry_of(one.kind).name()) + " " +
                  config::in_quotes(one.name);
      return no;
    }
  }
  return std::nullopt;
}

config::known_policies module_host::known() const {
  config::known_policies out;
  for (const kind_entry &kind : module_kinds)
    if (config::named_by_queues(kind)) out[kind.kind] = impl_->names(kind.kind);
  for (const catalogued_module &module : impl_->catalog().modules()) {
    if (!impl_->is_available(module)) add_unlisted(module, out);
  }
  return out;
}

std::unique_ptr<bound_policy> module_host::fallback(module_kind kind, uint32_t max_resource_types) {
  return impl_->fallbacks.fallback(kind, max_resource_types);
}

result<std::vector<std::unique_ptr<bound_policy>>> module_host::predicates(uint32_t max_resource_types) {
  std::vector<std::unique_ptr<bound_policy>> out;
  for (const interface_use &use : impl_->plan.predicates) {
    const auto one = impl_->chosen(use, module_kind::predicate);
    if (!one) return one.why();
    auto policy = impl_->make(*impl_->catalog().find(use.use), module_kind::predicate, (*one)->name, use.config,
                              max_resource_types);
    if (!policy) return policy.why();
    out.push_back(std::move(*policy));
  }
  return out;
}

// Modules are loaded here, and instances made of them later.
result<std::vector<listed_module>> module_host::impl::listed(const std::vector<interface_use> &uses, module_kind kind) {
  std::vector<listed_module> out;
  for (const interface_use &use : uses) {
    const auto one = chosen(use, kind);
    if (!one) return one.why();
    // Nobody else can be a way in, or keep what happened.
    if (!quarantine_of(*catalog().find(use.use)).empty()) continue;
    auto ready = prepare(*catalog().find(use.use), use.config);
    if (!ready) return ready.why();
    const implementation *found = ready->in_use.module->find((*one)->interface, (*one)->name);
    constexpr uint32_t no_types = 1;  // they see resources by name
    out.push_back({use.use, (*one)->name,
                   [in_use = ready->in_use, found, kind,
                    request = policy_request{ready->configuration, no_types, place(plan, use.at)}] {
                     return make_policy(in_use.module, *found, kind, in_use.tally, request);
                   }});
  }
  return out;
}

result<std::vector<listed_module>> module_host::event_sinks() {
  return impl_->listed(impl_->plan.events, module_kind::event_sink);
}

result<std::vector<listed_module>> module_host::transports() {
  return impl_->listed(impl_->plan.transports, module_kind::transport);
}

const tenon_host *module_host::linked_host(std::string name, std::vector<std::string> services) {
  return impl_->linked
      .emplace_back(std::make_unique<host_services>(std::move(name), std::move(services), impl_->loader.options().log,
                                                    impl_->loader.offered()))
      .get();
}

void module_host::note(std::string_view line) const { impl_->loader.options().log->info("{}", one_line(line, 4096)); }
void module_host::warn(std::string_view line) const { impl_->loader.options().log->warn("{}", one_line(line, 4096)); }

void module_host::offer(const offered_service &service) { impl_->loader.offer(service); }

const deployment &module_host::plan() const { return impl_->plan; }
const module_catalog &module_host::catalog() const { return impl_->catalog(); }

std::vector<module_status> module_host::modules() const {
  const auto counted = counters();
  std::vector<module_status> out;
  for (const catalogued_module &module : impl_->catalog().modules()) {
    const module_manifest &m = module.manifest;
    module_status status{
        m.id,  m.version,        m.description, m.file, m.provides, module.built_in, impl_->is_named(m.id),
        false, {m.id, m.version}};
    for (const module_counters &one : counted) {
      if (one.id != m.id) continue;
      status.loaded = one.quarantine.empty();
      status.counters = one;
    }
    status.digest = m.digest;
    const std::scoped_lock lock(impl_->builds_mutex);
    if (const auto found = impl_->before.find(m.id); found != impl_->before.end())
      status.before = found->second.manifest.digest;
    if (const auto found = impl_->swaps.find(m.id); found != impl_->swaps.end()) status.swaps = found->second;
    out.push_back(std::move(status));
  }
  return out;
}

std::vector<module_finding> module_host::findings() const {
  std::vector<module_finding> out;
  const uint64_t most = impl_->plan.containment.refusals;
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  for (const module_counters &one : counters()) {
    if (most == 0 || one.refused_in_a_row < most) continue;
    const auto lasts =
        std::chrono::duration_cast<std::chrono::seconds>(now - std::chrono::nanoseconds(one.refusing_since_ns));
    out.push_back({one.id, "let none of the last " + std::to_string(one.refused_in_a_row) +
                               " nodes pass that it was asked about, for " + std::to_string(lasts.count()) + " s"});
  }
  return out;
}

std::vector<long_call> module_host::long_calls() const {
  return impl_->watch ? impl_->watch->long_calls() : std::vector<long_call>{};
}

void module_host::limit_last_calls(std::chrono::milliseconds most) {
  impl_->stops = true;
  if (impl_->watch) impl_->watch->limit({most, most, true});
}

std::optional<std::string> module_host::lift_quarantine(std::string_view id) {
  const catalogued_module *module = impl_->catalog().find(std::string(id));
  if (module == nullptr) return "there is no module '" + std::string(id) + "'";
  if (impl_->quarantine_of(*module).empty()) return "module '" + std::string(id) + "' is in no quarantine";
  if (!impl_->held.lift(fault_key(module->manifest.digest, impl_->plan.find(module->manifest.id))))
    return "the record of module '" + std::string(id) + "' cannot be put aside";
  impl_->loader.lift(module->manifest.id);
  return std::nullopt;
}

bool module_host::holds_up_cycle() const { return impl_->watch && impl_->watch->cycle_is_held_up(); }

std::vector<module_counters> module_host::counters() const { return impl_->loader.counters(); }

result<std::unique_ptr<module_host>> open_host(deployment plan, host_options options) {
  auto state = std::make_unique<module_host::impl>(std::move(plan), std::move(options));
  if (auto no = state->scan()) return *no;
  if (state->plan.file.empty())
    // The default names what a full installation has; a smaller one does without.
    std::erase_if(state->plan.predicates,
                  [&](const interface_use &use) { return state->catalog().find(use.use) == nullptr; });
  if (auto no = state->load_named()) return *no;
  return std::unique_ptr<module_host>(new module_host(std::move(state)));
}

result<std::unique_ptr<module_host>> open_deployment(const std::filesystem::path &file, host_options options) {
  auto plan = deployment_of(file);
  if (!plan) return plan.why();
  return open_host(std::move(*plan), std::move(options));
}

}  // namespace tenon::host
