// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// A placement rule from a plain struct:
//
//   struct by_department {
//     static constexpr std::string_view name = "department";              // as queues.yaml says it
//     placement place(const submission &app) const {
//       const auto department = app.tag("department");
//       return department ? below_parent(one_level(*department)) : next_rule();
//     }
//   };
//   TENON_MODULE(tenon::sdk::placement_rule<by_department>)
//
// place is a pure function of the submission, the queues and the configuration; it throws invalid_config to reject
// the application, in those words. Optional: order_rev, a constructor from const config & (key "value" is the
// rule's in queues.yaml) or const setup &; init(host_services &), activate(), deactivate().
#pragma once

#include <algorithm>
#include <concepts>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include "tenon/abi/placement_rule.h"
#include "tenon/sdk/module.hpp"

namespace tenon::sdk {

// What a rule says: a queue, or nothing.
struct placement {
  std::string name;        // empty: the next rule is asked
  bool qualified = false;  // the name is a full path, from "root" down
};
[[nodiscard]] inline placement next_rule() { return {}; }
// Below what the rule's `parent` gives, or below root. Each part of a name with dots is one level.
[[nodiscard]] inline placement below_parent(std::string name) { return {std::move(name), false}; }
[[nodiscard]] inline placement full_path(std::string path) { return {std::move(path), true}; }

// A text as one level of a path: dots become "_dot_".
[[nodiscard]] inline std::string one_level(std::string_view text) {
  std::string out;
  for (const char c : text) c == '.' ? out += "_dot_" : out += c;
  return out;
}
// A queue as people write it: a full path where it begins with "root.", else one level below the parent.
[[nodiscard]] inline placement as_written(std::string_view queue) {
  return queue.substr(0, 5) == "root." ? full_path(std::string(queue)) : below_parent(one_level(queue));
}

// An application that asks for a place. Valid for the call.
class submission {
 public:
  struct found_queue {
    bool leaf = false;
    uint32_t state = 0;  // TENON_QUEUE_*
  };

  explicit submission(const tenon_place_in &in) : in_(&in) {}

  [[nodiscard]] std::string_view application() const { return view(in_->application); }
  [[nodiscard]] std::string_view queue() const { return view(in_->queue); }  // as submitted
  [[nodiscard]] std::string_view user() const { return view(in_->user); }
  [[nodiscard]] uint32_t group_count() const { return in_->group_count; }
  [[nodiscard]] std::string_view group(uint32_t i) const { return view(in_->groups[i]); }
  [[nodiscard]] int64_t now_ms() const { return in_->now_ms; }

  // The value of a tag, whatever the letter case of its name.
  [[nodiscard]] std::optional<std::string_view> tag(std::string_view name) const {
    for (uint64_t i = 0; i < in_->tag_count; ++i) {
      if (same_letters(view(in_->tag_names[i]), name)) return view(in_->tag_values[i]);
    }
    return std::nullopt;
  }

  // A queue of the partition by its path from root; nothing where there is none.
  [[nodiscard]] std::optional<found_queue> find(std::string_view path) const {
    const tenon_find_queue_in in{sizeof in, 0, text(path), in_->world};
    tenon_find_queue_out out{sizeof out, 0, 0, 0};
    if (in_->queues->find(in_->queues, &in, &out) != TENON_OK || out.exists == 0) return std::nullopt;
    return found_queue{out.leaf != 0, out.state};
  }

 private:
  static char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
  static bool same_letters(std::string_view a, std::string_view b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) { return lower(x) == lower(y); });
  }

  const tenon_place_in *in_;
};

namespace internal {

template <class P>
struct placement_slots {
  static tenon_status place(tenon_instance *self, const tenon_place_in *in, tenon_place_out *out) noexcept {
    if (in == nullptr || out == nullptr || !TENON_COVERS(in, tenon_place_in, now_ms) ||
        !TENON_COVERS(out, tenon_place_out, error)) {
      return TENON_UNSUPPORTED;
    }
    return instance<P>::cycle(self, [&](const P &policy) {
      placement said;
      try {
        said = policy.place(submission(*in));
      } catch (const invalid_config &e) {  // the application's fault, not the rule's
        explain(out->error, e.what());
        return TENON_INVALID_CONFIG;
      }
      if (said.name.empty()) return TENON_DECLINED;
      if (said.name.size() > out->name_capacity) return TENON_EXHAUSTED;
      std::memcpy(out->name, said.name.data(), said.name.size());
      out->name_length = said.name.size();
      out->qualified = said.qualified ? 1 : 0;
      return TENON_OK;
    });
  }
  static constexpr tenon_placement_rule_v1 slots{sizeof(tenon_placement_rule_v1), 0, place};
};

}  // namespace internal

template <class P>
struct placement_rule {
  static constexpr std::string_view interface_id = TENON_PLACEMENT_RULE;

  static tenon_description describe() noexcept { return internal::describe_common<P>(); }
  static tenon_status make(const tenon_create_in &in, tenon_create_out &out) noexcept {
    static_assert(
        requires(const P &policy, const submission &app) {
          { policy.place(app) } -> std::same_as<placement>;
        },
        "a placement rule has: placement place(const submission &) const");
    return internal::create<P>(in, out, internal::placement_slots<P>::slots, [](const P &) { return 0U; });
  }
};

}  // namespace tenon::sdk
