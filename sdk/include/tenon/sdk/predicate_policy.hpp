// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// A predicate from a plain struct:
//
//   struct same_zone {
//     static constexpr std::string_view name = "same-zone";
//     static constexpr std::tuple columns{text_column{"node.attr:zone"}, text_column{"ask.tag:zone", scope::context}};
//     static constexpr std::array<std::string_view, 1> reasons{"the node is in another zone"};
//     verdict filter(const auto &node) const {
//       const auto [zone, wanted] = node.values();
//       return !wanted || zone == wanted ? pass() : unresolvable(1);
//     }
//   };
//   TENON_MODULE(tenon::sdk::predicate<same_zone>)
//
// Optional: signature(context row) -> std::array<uint64_t, 2>, which reads context columns alone; and what
// sort_policy.hpp lists: order_rev, a constructor, begin(batch), init, activate, deactivate.
#pragma once

#include <algorithm>

#include "tenon/abi/predicate.h"
#include "tenon/sdk/module.hpp"

namespace tenon::sdk {

struct verdict {
  uint8_t value = TENON_PASS;
  uint16_t reason = 0;  // 1-based into the policy's `reasons`; 0: none
};
[[nodiscard]] constexpr verdict pass() { return {}; }
[[nodiscard]] constexpr verdict fail(uint16_t reason) { return {TENON_FAIL, reason}; }
[[nodiscard]] constexpr verdict unresolvable(uint16_t reason) { return {TENON_FAIL_UNRESOLVABLE, reason}; }

namespace internal {

template <class P>
struct predicate_slots {
  using batch = batch_of<P>;

  static tenon_status filter(tenon_instance *self, const tenon_batch *in, tenon_filter_out *out) noexcept {
    if (in == nullptr || out == nullptr || !batch::matches(*in) || !TENON_COVERS(out, tenon_filter_out, reasons)) {
      return TENON_UNSUPPORTED;
    }
    return instance<P>::cycle(self, [&](P &policy) {
      const batch nodes(*in);
      if constexpr (requires { policy.begin(nodes); }) policy.begin(nodes);
      for (uint32_t i = 0; i < nodes.size(); ++i) {
        const verdict v = policy.filter(nodes[i]);
        out->verdicts[i] = v.value;
        out->reasons[i] = v.reason;
      }
      return TENON_OK;
    });
  }

  static tenon_status signature(tenon_instance *self, const tenon_batch *in, tenon_signature_out *out) noexcept {
    if (in == nullptr || out == nullptr || !batch::matches(*in) || !TENON_COVERS(out, tenon_signature_out, words)) {
      return TENON_UNSUPPORTED;
    }
    return instance<P>::cycle(self, [&](P &policy) {
      const batch nodes(*in);
      if constexpr (requires { policy.begin(nodes); }) policy.begin(nodes);
      const std::array<uint64_t, 2> words = policy.signature(nodes.context());
      std::copy(words.begin(), words.end(), out->words);
      return TENON_OK;
    });
  }

  static constexpr tenon_predicate_v1 table() {
    tenon_predicate_v1 t{sizeof(tenon_predicate_v1), 0, filter, nullptr, nullptr};
    if constexpr (requires(P & p, const row_of<P> &row) { p.signature(row); }) t.signature = signature;
    return t;
  }
  static constexpr tenon_predicate_v1 slots = table();
};

}  // namespace internal

template <class P>
struct predicate {
  static constexpr std::string_view interface_id = TENON_PREDICATE;

  static tenon_description describe() noexcept {
    tenon_description d = internal::describe_common<P>();
    if constexpr (requires { P::reasons; }) {
      static constexpr auto words = [] {
        std::array<tenon_text, P::reasons.size()> out{};
        std::transform(P::reasons.begin(), P::reasons.end(), out.begin(), text);
        return out;
      }();
      d.reasons = words.data();
      d.reason_count = static_cast<uint32_t>(words.size());
    }
    return d;
  }
  static tenon_status make(const tenon_create_in &in, tenon_create_out &out) noexcept {
    return internal::create<P>(in, out, internal::predicate_slots<P>::slots, [](const P &) { return 0U; });
  }
};

}  // namespace tenon::sdk
