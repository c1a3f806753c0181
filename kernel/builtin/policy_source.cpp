// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "tenon/builtin/policy_source.hpp"

#include <algorithm>
#include <array>
#include <cassert>

#include "tenon/builtin/policies.hpp"
#include "tenon/kernel/built_in_policies.hpp"

namespace tenon {
namespace {

std::string_view view(const tenon_text &t) { return {t.data, t.length}; }
tenon_text text(std::string_view s) { return {s.data(), s.size()}; }

// There is nothing that a built-in policy needs of a host.
tenon_status no_service(const tenon_host *, const tenon_get_service_in *, tenon_get_service_out *out) {
  out->service = nullptr;
  return TENON_UNSUPPORTED;
}
constexpr tenon_host no_host{sizeof(tenon_host), TENON_ABI_EPOCH, no_service};
constexpr tenon_nothing nothing{sizeof(tenon_nothing), 0};

struct implementation {
  const builtin::static_module *module = nullptr;
  const tenon_factory *factory = nullptr;
  uint32_t index = 0;
  tenon_description description{};
};

std::vector<implementation> implementations(std::span<const builtin::static_module> modules, module_kind kind) {
  std::vector<implementation> out;
  for (const builtin::static_module &m : modules) {
    const tenon_get_factory_in want{sizeof want, 0, text(entry_of(kind).interface)};
    tenon_get_factory_out found{sizeof found, 0, nullptr};
    if (m.entry->get_factory(&want, &found) != TENON_OK) continue;
    for (uint32_t index = 0;; ++index) {
      implementation i{&m, found.factory, index, {}};
      i.description.size = sizeof i.description;
      const tenon_describe_in in{sizeof in, index};
      if (found.factory->describe(found.factory, &in, &i.description) != TENON_OK) break;
      out.push_back(i);
    }
  }
  return out;
}

// A bound policy that ends its instance in the order of the lifecycle.
struct static_policy : bound_policy {
  static_policy(module_kind k, implementation of, std::string_view given, uint32_t most)
      : kind(k), chosen(std::move(of)), configuration(given), max_resource_types(most) {}

  const module_kind kind;
  const implementation chosen;
  const std::string configuration;
  const uint32_t max_resource_types;
  const tenon_lifecycle *lifecycle = nullptr;
  bool active = false;

  [[nodiscard]] result<std::unique_ptr<bound_policy>> another() const override;

  ~static_policy() override {
    if (instance == nullptr) return;
    if (active) lifecycle->deactivate(instance, &nothing, nullptr);
    lifecycle->destroy(instance, &nothing, nullptr);
  }
};

void take_table(bound_policy &policy, module_kind kind, const void *table) {
  if (is_sort(kind)) policy.sort = static_cast<const tenon_sort_v1 *>(table);
  if (kind == module_kind::predicate) policy.predicate = static_cast<const tenon_predicate_v1 *>(table);
  if (kind == module_kind::placement_rule) policy.placement = static_cast<const tenon_placement_rule_v1 *>(table);
  if (kind == module_kind::identity) policy.identity = static_cast<const tenon_identity_v1 *>(table);
}

result<std::unique_ptr<bound_policy>> make(module_kind kind, const implementation &chosen,
                                           std::string_view configuration, uint32_t max_resource_types) {
  std::array<char, 512> buffer{};
  tenon_message error{sizeof error, buffer.size(), buffer.data(), 0};
  const tenon_description &d = chosen.description;
  const auto refused = [&](std::string_view what) {
    return refusal{std::string(view(d.name)), "", std::string(what) + ": " + std::string(buffer.data(), error.length),
                   "see the configuration schema of " + std::string(chosen.module->id)};
  };
  const tenon_create_in in{sizeof in, chosen.index, text(configuration), max_resource_types, 0, &no_host};
  tenon_create_out made = {};
  made.size = sizeof made;
  made.error = &error;
  if (chosen.factory->create(chosen.factory, &in, &made) != TENON_OK) return refused("the configuration is refused");

  auto bound = std::make_unique<static_policy>(kind, chosen, configuration, max_resource_types);
  bound->instance = made.instance;
  bound->lifecycle = made.lifecycle;
  bound->name = view(d.name);
  bound->provider = std::string(chosen.module->id) + " " + std::string(view(d.version)) + " (built in)";
  bound->key_words = made.key_words != 0 ? made.key_words : d.key_words;
  bound->rekey_ms = d.rekey_ms;
  const bool own = made.columns != nullptr;
  const auto *column = reinterpret_cast<const char *>(own ? made.columns : d.columns);
  for (uint32_t i = 0; i < (own ? made.column_count : d.column_count); ++i) {
    const auto *use = reinterpret_cast<const tenon_column_use *>(column);
    bound->columns.push_back({std::string(view(use->id)), use->scope});
    column += own ? made.column_stride : d.column_stride;
  }
  for (uint32_t i = 0; i < d.reason_count; ++i) bound->reasons.emplace_back(view(d.reasons[i]));
  take_table(*bound, kind, made.interface_table);
  if (made.lifecycle->init(made.instance, &nothing, &error) != TENON_OK) return refused("init failed");
  if (made.lifecycle->activate(made.instance, &nothing, &error) != TENON_OK) return refused("activate failed");
  bound->active = true;
  return std::unique_ptr<bound_policy>(std::move(bound));
}

result<std::unique_ptr<bound_policy>> static_policy::another() const {
  return make(kind, chosen, configuration, max_resource_types);
}

}  // namespace

builtin_policy_source::builtin_policy_source(std::vector<predicate_use> predicates)
    : predicates_(std::move(predicates)) {
  const tenon_module_init_in in{sizeof in, TENON_ABI_EPOCH, &no_host};
  for (const builtin::static_module &m : builtin::policies) m.entry->init(&in, nullptr);
}

builtin_policy_source::~builtin_policy_source() {
  for (const builtin::static_module &m : builtin::policies) m.entry->deinit(&nothing, nullptr);
}

result<std::unique_ptr<bound_policy>> bind_static(std::span<const builtin::static_module> modules, module_kind kind,
                                                  std::string_view name, std::string_view configuration,
                                                  uint32_t max_resource_types) {
  std::string known;
  for (const implementation &i : implementations(modules, kind)) {
    if (view(i.description.name) == name) return make(kind, i, configuration, max_resource_types);
    known += (known.empty() ? "" : ", ") + std::string(view(i.description.name));
  }
  return refusal{"", known.empty() ? "a module that provides this kind" : "one of " + known,
                 "no policy is named \"" + std::string(name) + "\"",
                 "name one that exists, or add a module that provides it"};
}

bool builtin_policy_source::provides(module_kind kind, std::string_view name) const {
  const auto all = implementations(builtin::policies, kind);
  return std::any_of(all.begin(), all.end(), [&](const auto &one) { return view(one.description.name) == name; });
}

result<std::unique_ptr<bound_policy>> builtin_policy_source::bind(module_kind kind, std::string_view name,
                                                                  std::string_view configuration,
                                                                  uint32_t max_resource_types) {
  return bind_static(builtin::policies, kind, name, configuration, max_resource_types);
}

std::unique_ptr<bound_policy> builtin_policy_source::fallback(module_kind kind, uint32_t max_resource_types) {
  const std::string_view name = fallback_of(kind);
  if (name.empty()) return nullptr;
  auto bound = bind(kind, name, "{}", max_resource_types);
  assert(bound && "a fallback has no configuration that could be refused");
  return std::move(*bound);
}

result<std::vector<std::unique_ptr<bound_policy>>> builtin_policy_source::predicates(uint32_t max_resource_types) {
  std::vector<std::unique_ptr<bound_policy>> out;
  for (const predicate_use &use : predicates_) {
    auto bound = bind(module_kind::predicate, use.name, use.configuration, max_resource_types);
    if (!bound) return bound.why();
    out.push_back(std::move(*bound));
  }
  return out;
}

}  // namespace tenon
