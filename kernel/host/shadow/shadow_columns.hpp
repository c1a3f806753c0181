// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Which columns a policy with a shadow asks of the kernel, and which of them each of the two sees.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tenon/abi/columns.h"
#include "tenon/kernel/policies.hpp"

namespace tenon::host {

struct shadow_columns {
  std::vector<column_request> asked;  // first those of the first policy, as it declares them
  uint32_t of_first = 0;              // so many of them
  std::vector<uint32_t> of_shadow;    // where its columns are among `asked`
  // Likewise; columns that only tell people what a difference is about.
  std::optional<uint32_t> name, parent, ask;
  // The shadow reads nothing that the first does not: keys of both hold until the same changes.
  bool alike = true;
};

// Refused where the kernel cannot give a column without changing what it does for the first. `same_module`: the two are
// of one library.
[[nodiscard]] result<shadow_columns> columns_with_shadow(module_kind kind, const bound_policy &first,
                                                         const bound_policy &shadow, bool same_module);

// A batch with the columns of the shadow, and back to the first's.
class shadow_batch {
 public:
  // `of` stays as it is while this is used, and so does `in`.
  shadow_batch(const shadow_columns &of, const tenon_batch &in, uint32_t rekey_ms, std::vector<tenon_column> &room);
  [[nodiscard]] const tenon_batch *get() const { return &batch_; }

 private:
  tenon_batch batch_;
};

[[nodiscard]] const tenon_column &column_of(const tenon_batch &batch, uint32_t number);
// Of a column of texts; nothing where there is none.
[[nodiscard]] std::string_view text_of(const tenon_batch &batch, std::optional<uint32_t> number, uint32_t item);
// "{memory: 4, vcore: 1000}" of a column of resources; nothing where there is none.
[[nodiscard]] std::string amounts_of(const tenon_batch &batch, std::optional<uint32_t> number);

}  // namespace tenon::host
