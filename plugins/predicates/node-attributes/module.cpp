// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// An ask's tags si/... and those that the configuration lists must equal the node's attributes of the same keys;
// "a|b" is any of them. No release of resources changes an attribute: a failure is unresolvable.
#include "tenon/sdk/predicate_policy.hpp"
#include "tenon/sdk/signature.hpp"

namespace {

using namespace tenon::sdk;

struct node_attributes {
  static constexpr std::string_view name = "node-attributes";
  static constexpr std::tuple columns{text_map_column{"node.attrs"}, text_map_column{"ask.tags", scope::context}};
  static constexpr std::array<std::string_view, 2> reasons{"the node lacks an attribute that the ask names",
                                                           "an attribute of the node has another value"};

  explicit node_attributes(const config &settings) : keys_(settings.texts("keys", {})) {}

  void begin(const auto &nodes) {
    wanted_.clear();
    const text_map tags = nodes.context().template get<1>();
    for (uint64_t i = 0; i < tags.size(); ++i)
      if (is_requirement(tags.key(i))) wanted_.emplace_back(tags.key(i), tags.value(i));
  }

  verdict filter(const auto &node) const {
    const text_map attributes = node.template get<0>();
    for (const auto &[key, values] : wanted_) {
      const auto have = attributes.find(key);
      if (!have || !is_one_of(*have, values)) return unresolvable(have ? 2 : 1);
    }
    return pass();
  }

  std::array<uint64_t, 2> signature(const auto &) const {
    signature_builder s;
    for (const auto &[key, values] : wanted_) s.add(key), s.add(values);
    return s.words();
  }

 private:
  bool is_requirement(std::string_view key) const {
    // These keys of the scheduler interface describe the allocation itself.
    if (key == "si/application-id" || key == "si/container-image" || key == "si/container-ports") return false;
    return key.starts_with("si/") || std::find(keys_.begin(), keys_.end(), key) != keys_.end();
  }

  static bool is_one_of(std::string_view have, std::string_view values) {
    for (size_t end; (end = values.find('|')) != values.npos; values.remove_prefix(end + 1))
      if (have == values.substr(0, end)) return true;
    return have == values;
  }

  const std::vector<std::string> keys_;
  std::vector<std::pair<std::string_view, std::string_view>> wanted_;  // of the batch at hand
};

}  // namespace

TENON_MODULE(predicate<node_attributes>)
