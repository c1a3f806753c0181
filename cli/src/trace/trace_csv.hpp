// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Tables of comma-separated values: a header line, then one row a line. Nothing is quoted; blanks around a
// field and empty lines are passed over.
#pragma once

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <span>
#include <string_view>

#include "trace/trace_field.hpp"

namespace tenon::cli {

// Gives the named columns of every row to `take`, in the order of `columns`; others are passed over. The header has the
// first `required` of them; what it has not of the others is not given. Refused at the first row that has not as many
// fields as the header, or that `take` refuses through a field.
[[nodiscard]] std::optional<refusal> read_rows(const trace_text &in, std::span<const std::string_view> columns,
                                               size_t required,
                                               const std::function<void(std::span<const trace_field> row)> &take);

// The same with rows as arrays, for structured bindings.
template <size_t Count, class Take>
[[nodiscard]] std::optional<refusal> read_table(const trace_text &in,
                                                const std::array<std::string_view, Count> &columns, Take take,
                                                size_t required = Count) {
  return read_rows(in, columns, required, [&](std::span<const trace_field> row) {
    std::array<trace_field, Count> fields;
    std::copy(row.begin(), row.end(), fields.begin());
    take(fields);
  });
}

// Whether the header line names the column.
[[nodiscard]] bool has_column(const trace_text &in, std::string_view column);

}  // namespace tenon::cli
