// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "faulty_predicates.hpp"

#include <utility>

namespace tenon::sim {
namespace {

constexpr int64_t fault_percent = 10;

struct faulty_predicate : bound_policy {
  faulty_predicate(std::unique_ptr<bound_policy> sound, faulty_predicates &by)
      : bound_policy(*sound), inner(std::move(sound)), source(by) {
    instance = reinterpret_cast<tenon_instance *>(this);
    table.filter = [](tenon_instance *self, const tenon_batch *batch, tenon_filter_out *out) {
      auto &one = *reinterpret_cast<faulty_predicate *>(self);
      if (one.source.fails()) return tenon_status{TENON_INTERNAL};
      return one.inner->predicate->filter(one.inner->instance, batch, out);
    };
    table.signature = [](tenon_instance *self, const tenon_batch *batch, tenon_signature_out *out) {
      auto &one = *reinterpret_cast<faulty_predicate *>(self);
      if (one.source.fails()) return tenon_status{TENON_INTERNAL};
      return one.inner->predicate->signature(one.inner->instance, batch, out);
    };
    predicate = &table;
  }

  std::unique_ptr<bound_policy> inner;
  faulty_predicates &source;
  tenon_predicate_v1 table{sizeof(tenon_predicate_v1), 0, nullptr, nullptr, nullptr};
};

// With these weights alone, which no order of nodes has but canaries (make_config.cpp): what others fail with, the
// oracle does not know.
constexpr std::string_view weights_of_canaries = R"({"resourceweights":{"memory":0.5,"vcore":2}})";

struct faulty_order : bound_policy {
  faulty_order(std::unique_ptr<bound_policy> sound, faulty_predicates &by)
      : bound_policy(*sound), inner(std::move(sound)), source(by), table(*inner->sort) {
    instance = reinterpret_cast<tenon_instance *>(this);
    if (table.keys != nullptr) {
      table.keys = [](tenon_instance *self, const tenon_batch *batch, tenon_keys_out *out) {
        auto &one = *reinterpret_cast<faulty_order *>(self);
        if (one.source.fails()) return tenon_status{TENON_INTERNAL};
        return one.inner->sort->keys(one.inner->instance, batch, out);
      };
    }
    if (table.score != nullptr) {
      table.score = [](tenon_instance *self, const tenon_batch *batch, tenon_keys_out *out) {
        auto &one = *reinterpret_cast<faulty_order *>(self);
        if (one.source.fails()) return tenon_status{TENON_INTERNAL};
        return one.inner->sort->score(one.inner->instance, batch, out);
      };
    }
    sort = &table;
  }

  std::unique_ptr<bound_policy> inner;
  faulty_predicates &source;
  tenon_sort_v1 table;
};

}  // namespace

faulty_predicates::faulty_predicates(std::unique_ptr<policy_source> sound, std::optional<uint64_t> seed)
    : sound_(std::move(sound)) {
  if (seed) chance_.emplace(*seed);
}

bool faulty_predicates::fails() { return armed_ && chance_->percent(fault_percent); }

result<std::vector<std::unique_ptr<bound_policy>>> faulty_predicates::predicates(uint32_t max_resource_types) {
  auto all = sound_->predicates(max_resource_types);
  if (!all || !chance_) return all;
  for (auto &one : *all) one = std::make_unique<faulty_predicate>(std::move(one), *this);
  return all;
}

result<std::unique_ptr<bound_policy>> faulty_predicates::bind(module_kind kind, std::string_view name,
                                                              std::string_view configuration,
                                                              uint32_t max_resource_types) {
  auto bound = sound_->bind(kind, name, configuration, max_resource_types);
  if (bound && chance_ && kind == module_kind::predicate) {  // of canaries alone
    return std::unique_ptr<bound_policy>(std::make_unique<faulty_predicate>(std::move(*bound), *this));
  }
  if (!bound || !chance_ || kind != module_kind::node_sort || configuration != weights_of_canaries) return bound;
  return std::unique_ptr<bound_policy>(std::make_unique<faulty_order>(std::move(*bound), *this));
}

}  // namespace tenon::sim
