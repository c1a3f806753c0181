// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// queues.yaml: text in, the kernel's cluster_config or reasons out.
//
// A text is refused exactly where the field's validator refuses it, and where the field would accept it and
// then fail to run it (docs/configuration.md lists those).
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tenon/config/yaml.hpp"
#include "tenon/kernel/module_kinds.hpp"
#include "tenon/kernel/queue_config.hpp"
#include "tenon/kernel/refusal.hpp"

namespace tenon::config {

// Names of policies that the deployment's modules provide, the built-in ones included, per kind. Where a kind
// is not given nobody knows: unknown names are then warned about, except node sort policies, of which only
// the built-in ones pass. Where it is given an unknown name is refused; but an unknown application sort policy
// is replaced by fifo with a warning, as the field does silently. Who looks up no users, as a simulation, gives no
// identities.
class known_policies {
 public:
  using names = std::optional<std::vector<std::string>>;

  [[nodiscard]] names &operator[](module_kind kind) { return names_[static_cast<size_t>(kind)]; }
  [[nodiscard]] const names &operator[](module_kind kind) const { return names_[static_cast<size_t>(kind)]; }

  // A module that the deployment could have, and does not list, provides `name`: whoever names it is told.
  void add_unlisted(module_kind kind, const std::string &name, const std::string &module) {
    unlisted_.emplace(std::pair(kind, name), module);
  }
  // Empty: there is none.
  [[nodiscard]] std::string unlisted(module_kind kind, std::string_view name) const {
    const auto found = unlisted_.find(std::pair(kind, std::string(name)));
    return found == unlisted_.end() ? std::string() : found->second;
  }

 private:
  std::array<names, module_kinds.size()> names_;
  std::map<std::pair<module_kind, std::string>, std::string> unlisted_;  // the module's id
};

// Of the kinds that the deployment names, queues.yaml names a predicate where a canary is asked by it.
constexpr bool named_by_queues(const kind_entry &kind) {
  return kind.named == named_in::queues || kind.kind == module_kind::predicate;
}

struct parse_options {
  known_policies known;
  uint32_t max_queue_depth = 32;  // levels below root and root itself; kernel_options has the same
  yaml_limits limits;
};

struct parsed_queues {
  std::optional<cluster_config> config;  // where nothing was refused
  std::vector<refusal> refusals;         // in the order of the field's checks, at most 100
  std::vector<refusal> warnings;         // accepted, but hardly meant; at most 100
  size_t refused = 0;                    // refusals beyond the 100 included
  bool has_content = true;               // false: an empty text or one of remarks alone, read as the built-in one
};

// Reads a whole text and reports everything that is wrong with it. `file_name` is for messages.
[[nodiscard]] parsed_queues parse_queues(std::string_view text, std::string_view file_name,
                                         const parse_options &options = {});

// Of refusals, for callers with room for one reason: the first one, with the number of others.
[[nodiscard]] refusal first_reason(const parsed_queues &refused);

// As parse_queues, for such callers.
[[nodiscard]] result<cluster_config> parse_queues_yaml(std::string_view text, std::string_view file_name,
                                                       const parse_options &options = {});

// The text that holds where none is given: every namespace has a queue, everybody may submit.
[[nodiscard]] std::string_view default_queues_yaml();

// Upper-case SHA-256 of a text without its "checksum: <64 hex digits>".
[[nodiscard]] std::string queues_checksum(std::string_view text);

}  // namespace tenon::config
