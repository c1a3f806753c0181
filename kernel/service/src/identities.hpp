// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Who looks up users of which partition. Of the cycle thread.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "tenon/host/identity_resolver.hpp"
#include "tenon/host/module_host.hpp"
#include "tenon/kernel/partition_name.hpp"
#include "tenon/kernel/queue_config.hpp"

namespace tenon::service {

class identities {
 public:
  explicit identities(host::module_host &modules) : modules_(modules) {}

  // Remembers what the partitions of an RM use; `full_name` of each is [rm]name.
  std::optional<refusal> use(std::string_view rm, const cluster_config &config) {
    for (const partition_config &one : config.partitions) {
      const std::string &type = one.user_group_resolver;
      host::identity_resolver *resolver = nullptr;
      if (!type.empty() && type != "none") {
        auto &made = resolvers_[type];
        if (made == nullptr) {
          auto source = host::bind_identity(modules_, type);
          if (!source) return source.why();
          made = std::make_unique<host::identity_resolver>(std::move(*source));
        }
        resolver = made.get();
      }
      of_partition_[full_partition_name(rm, one.name)] = resolver;
    }
    return std::nullopt;
  }

  // Null: a user's only group has the user's name.
  [[nodiscard]] host::identity_resolver *of(std::string_view partition) const {
    const auto found = of_partition_.find(partition);
    return found == of_partition_.end() ? nullptr : found->second;
  }

  // Lookups that are under way end.
  void close() {
    of_partition_.clear();
    resolvers_.clear();
  }

 private:
  host::module_host &modules_;
  std::map<std::string, std::unique_ptr<host::identity_resolver>> resolvers_;
  std::map<std::string, host::identity_resolver *, std::less<>> of_partition_;
};

}  // namespace tenon::service
