// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// A source of groups from a plain struct:
//
//   struct by_file {
//     static constexpr std::string_view name = "file";                    // as usergroupresolver.type says it
//     std::optional<std::vector<std::string>> groups(std::string_view user);
//   };
//   TENON_MODULE(tenon::sdk::identity<by_file>)
//
// groups gives the groups of a user, the most telling one first, or nothing where there is no such user; it throws
// unavailable where the source cannot be asked now. It may wait. Optional: order_rev, a constructor from
// const config & or const setup &; init(host_services &), activate(), deactivate().
#pragma once

#include <concepts>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tenon/abi/identity.h"
#include "tenon/sdk/module.hpp"
#include "tenon/sdk/unavailable.hpp"

namespace tenon::sdk {

namespace internal {

// Writes the groups, or says how much room they want.
inline tenon_status write_groups(const std::vector<std::string> &groups, tenon_resolve_out &out) {
  uint64_t bytes = 0;
  for (const std::string &group : groups) bytes += group.size();
  out.group_count = groups.size();
  out.room_length = bytes;
  if (groups.size() > out.group_capacity || bytes > out.room_capacity) return TENON_EXHAUSTED;
  char *at = out.room;
  for (size_t i = 0; i < groups.size(); ++i) {
    std::memcpy(at, groups[i].data(), groups[i].size());
    out.groups[i] = {at, groups[i].size()};
    at += groups[i].size();
  }
  return TENON_OK;
}

template <class P>
struct identity_slots {
  static tenon_status resolve(tenon_instance *self, const tenon_resolve_in *in, tenon_resolve_out *out) noexcept {
    if (in == nullptr || out == nullptr || !TENON_COVERS(in, tenon_resolve_in, user) ||
        !TENON_COVERS(out, tenon_resolve_out, error)) {
      return TENON_UNSUPPORTED;
    }
    return instance<P>::io(self, [&](P &policy) {
      try {
        const std::optional<std::vector<std::string>> groups = policy.groups(view(in->user));
        return groups ? write_groups(*groups, *out) : TENON_DECLINED;
      } catch (const unavailable &e) {
        explain(out->error, e.what());
        return TENON_RETRY;
      }
    });
  }
  static constexpr tenon_identity_v1 slots{sizeof(tenon_identity_v1), 0, resolve};
};

}  // namespace internal

template <class P>
struct identity {
  static constexpr std::string_view interface_id = TENON_IDENTITY;

  static tenon_description describe() noexcept { return internal::describe_common<P>(); }
  static tenon_status make(const tenon_create_in &in, tenon_create_out &out) noexcept {
    static_assert(
        requires(P & policy, std::string_view user) {
          { policy.groups(user) } -> std::convertible_to<std::optional<std::vector<std::string>>>;
        },
        "a source of groups has: std::optional<std::vector<std::string>> groups(std::string_view user)");
    return internal::create<P>(in, out, internal::identity_slots<P>::slots, [](const P &) { return 0U; });
  }
};

}  // namespace tenon::sdk
