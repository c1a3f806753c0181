// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "guards/guarded_policy.hpp"

namespace tenon::host {
namespace {

// No slot does anything.
template <class In, class Out>
tenon_status refuse(tenon_instance *, const In *, Out *) {
  return TENON_INTERNAL;
}

constexpr tenon_sort_v1 no_sort{sizeof no_sort, 0, refuse, nullptr, nullptr};
constexpr tenon_predicate_v1 no_predicate{sizeof no_predicate, 0, refuse, nullptr, nullptr};
constexpr tenon_placement_rule_v1 no_placement{sizeof no_placement, 0, refuse};
constexpr tenon_identity_v1 no_identity{sizeof no_identity, 0, refuse};

const void *table_of(module_kind kind) {
  switch (kind) {
    case module_kind::predicate:
      return &no_predicate;
    case module_kind::placement_rule:
      return &no_placement;
    case module_kind::identity:
      return &no_identity;
    default:
      return &no_sort;
  }
}

class quarantined_policy final : public bound_module {
 public:
  quarantined_policy(module_kind kind, const provided_interface &promised, std::shared_ptr<module_tally> tally,
                     std::string why, boost::json::object tags)
      : kind_(kind), promised_(promised), tally_(tally), why_(why), guarded_(tally, promised.interface, promised.name) {
    // What the module would read is known from its manifest alone.
    const bool names_tags = tags.contains("properties") || tags.contains("patternProperties");
    if (kind == module_kind::predicate && tally->action == fault_action::only && names_tags) {
      columns = {{"ask.tags", TENON_SCOPE_CONTEXT}};
      guarded_.origin.columns = "ask.tags\n";
    }
    guarded_.tags = std::move(tags);
    name = promised.name;
    provider = tally->id + " " + tally->version;
    key_words = 1;
    instance = guarded_.handle();
    guarded_.guard.explain_by([why = std::move(why)] { return why; });
    guard_of(kind).take(guarded_, table_of(kind));
    guard_of(kind).guard(guarded_, own_, *this);
  }

  [[nodiscard]] result<std::unique_ptr<bound_policy>> another() const override {
    return std::unique_ptr<bound_policy>(make_quarantined_policy(kind_, promised_, tally_, why_, guarded_.tags));
  }

 private:
  const module_kind kind_;
  const provided_interface promised_;
  const std::shared_ptr<module_tally> tally_;
  const std::string why_;
  guarded_instance guarded_;
  kind_tables own_;
};

}  // namespace

std::unique_ptr<bound_module> make_quarantined_policy(module_kind kind, const provided_interface &promised,
                                                      std::shared_ptr<module_tally> tally, std::string why,
                                                      boost::json::object tags) {
  return std::make_unique<quarantined_policy>(kind, promised, std::move(tally), std::move(why), std::move(tags));
}

}  // namespace tenon::host
