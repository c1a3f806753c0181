// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Resource intake: amounts by the index of their type, as commands and configurations name them. A type that is new to
// the partition gets an index; where none is left, it gets that of a type that nothing names any more.
#pragma once

#include <initializer_list>
#include <string>

#include "forward.hpp"
#include "model/objects.hpp"
#include "model/partition_model.hpp"
#include "tenon/kernel/commands.hpp"
#include "tenon/kernel/messages.hpp"

namespace tenon::internal {

struct resource_intake_access {
  const partition_model &model;
  const int64_t &now_ms;
  resource_types &types;
  node_table &nodes;
  node_sortings &sortings;
  call_contexts &contexts;
  change_dispatcher &changes;
};

class resource_intake : resource_intake_access {
 public:
  struct named_amounts {
    amounts from;
    resources &to;
  };

  explicit resource_intake(const resource_intake_access &all) : resource_intake_access(all) {}

  // "" or why not.
  std::string check_amounts(std::initializer_list<named_amounts> lists);
  std::string check_need(amounts from, resources &out);  // and not nothing
  // True if a sum would become too large: there(type) is what so many times the amounts would be added to.
  template <class There>
  [[nodiscard]] static bool is_too_much(const resources &more, int64_t times, There &&there) {
    for (type_index t = 0; t < more.size(); ++t) {
      if (is_too_much(mul_saturating(more.data()[t], times), there(t))) return true;
    }
    return false;
  }
  // What adds nothing is never too much, whatever is there.
  [[nodiscard]] static bool is_too_much(int64_t more, int64_t there) {
    return more > 0 && add_saturating(more, there) > largest_sum;
  }
  [[nodiscard]] int64_t asked_and_used(type_index t) const;  // of the partition: pending and allocated
  // True if so many asks for it more would be too much.
  [[nodiscard]] bool asks_too_much(const resources &need, int64_t times) const {
    return is_too_much(need, times, [&](type_index t) { return asked_and_used(t); });
  }
  // "" or which sum that is, the first by the name of the type.
  template <class There>
  [[nodiscard]] std::string check_sum(const resources &more, int64_t times, There &&there) const {
    if (!is_too_much(more, times, there)) return {};
    type_index first = no_type;
    for_each_type(more, [&](type_index t, int64_t amount) {
      if (!is_too_much(mul_saturating(amount, times), there(t))) return;
      if (first == no_type || types.name(t) < types.name(first)) first = t;
    });
    return messages::sum_too_large(types.name(first), more[first], times, there(first));
  }
  // The index of the type; no_type: as many are in use as may be. What a command named keeps its index until the next
  // one begins.
  type_index bring(std::string_view name);
  bool bring_all(const amount_map &from);
  void keep(const resources &named) { named_ |= named.present(); }
  void begin_command() { named_ = 0; }
  resources configured_amounts(const amount_map &from);  // nothing unless some amount is above 0
  void types_grew();

 private:
  [[nodiscard]] uint64_t types_in_use() const;
  void forget_types(uint64_t mask);

  uint64_t named_ = 0;  // types, by the command
};

}  // namespace tenon::internal
