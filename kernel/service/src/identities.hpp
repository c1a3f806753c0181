// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Who looks up users, by the type that a configuration names. Of the cycle thread.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "tenon/host/identity_resolver.hpp"
#include "tenon/host/module_host.hpp"
#include "tenon/kernel/queue_config.hpp"

namespace tenon::service {

class identities {
 public:
  explicit identities(host::module_host &modules) : modules_(modules) {}

  using by_type = std::map<std::string, std::unique_ptr<host::identity_resolver>>;

  // Makes those that the partitions use and that neither are there nor in `made`.
  std::optional<refusal> prepare(const cluster_config &config, by_type &made) const {
    for (const partition_config &one : config.partitions) {
      const std::string &type = one.user_group_resolver;
      if (type.empty() || type == "none" || resolvers_.contains(type) || made.contains(type)) continue;
      auto source = host::bind_identity(modules_, type);
      if (!source) return source.why();
      made[type] = std::make_unique<host::identity_resolver>(std::move(*source));
    }
    return std::nullopt;
  }
  void adopt(by_type made) { resolvers_.merge(made); }

  // Of the type, which was made; null: of none.
  [[nodiscard]] host::identity_resolver *of(const std::string &type) const {
    const auto found = resolvers_.find(type);
    return found == resolvers_.end() ? nullptr : found->second.get();
  }

  // Lookups that are under way end.
  void close() { resolvers_.clear(); }

 private:
  host::module_host &modules_;
  by_type resolvers_;
};

}  // namespace tenon::service
