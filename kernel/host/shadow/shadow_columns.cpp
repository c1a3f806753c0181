// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "shadow/shadow_columns.hpp"

#include <algorithm>

#include "tenon/kernel/columns.hpp"

namespace tenon::host {
namespace {

std::optional<uint32_t> find(const std::vector<column_request> &in, std::string_view id) {
  const auto at = std::find_if(in.begin(), in.end(), [&](const column_request &one) { return one.id == id; });
  return at == in.end() ? std::nullopt : std::optional(static_cast<uint32_t>(at - in.begin()));
}

uint32_t add(std::vector<column_request> &to, std::string_view id) {
  if (const auto at = find(to, id)) return *at;
  to.push_back({std::string(id), scope_unwatched});
  return static_cast<uint32_t>(to.size() - 1);
}

refusal cannot_have(const column_request &column, std::string have) {
  return {"column " + column.id + " of the shadow", "a column that the kernel can give beside those of the first",
          std::move(have), "compare it with a policy that reads the column, too"};
}

std::optional<refusal> problem_of(module_kind kind, const column_request &column, const bound_policy &first,
                                  bool same_module) {
  const bool first_reads = find(first.columns, column.id).has_value();
  const column_entry *entry = find_column(bit_of(kind), column.id);
  if (entry == nullptr) return cannot_have(column, "one that this kernel does not have");
  if (entry->source == column_source::item_prepared && !(first_reads && same_module))
    return cannot_have(column, "words that another module prepared");
  if (!first_reads && !can_be_unwatched(*entry)) return cannot_have(column, "one for which the kernel keeps something");
  return std::nullopt;
}

}  // namespace

result<shadow_columns> columns_with_shadow(module_kind kind, const bound_policy &first, const bound_policy &shadow,
                                           bool same_module) {
  shadow_columns out;
  out.asked = first.columns;
  out.of_first = static_cast<uint32_t>(out.asked.size());
  if (kind == module_kind::placement_rule) return out;
  for (const column_request &column : shadow.columns) {
    if (auto no = problem_of(kind, column, first, same_module)) return *no;
    out.of_shadow.push_back(add(out.asked, column.id));
    const uint32_t at = out.of_shadow.back();
    out.alike = out.alike && at < out.of_first && out.asked[at].scope == column.scope;
  }
  if (kind == module_kind::queue_sort || kind == module_kind::app_sort) {
    out.name = add(out.asked, item_name_column);
    out.parent = add(out.asked, parent_name_column);
  } else {
    out.name = add(out.asked, "node.id");
    out.ask = add(out.asked, "ask.resources");
  }
  return out;
}

shadow_batch::shadow_batch(const shadow_columns &of, const tenon_batch &in, uint32_t rekey_ms,
                           std::vector<tenon_column> &room)
    : batch_(in) {
  room.clear();
  for (const uint32_t number : of.of_shadow) room.push_back(column_of(in, number));
  batch_.columns = room.data();
  batch_.column_count = static_cast<uint32_t>(room.size());
  batch_.column_stride = sizeof(tenon_column);
  if (rekey_ms != 0) batch_.now_ms -= batch_.now_ms % rekey_ms;
}

const tenon_column &column_of(const tenon_batch &batch, uint32_t number) {
  return *reinterpret_cast<const tenon_column *>(reinterpret_cast<const std::byte *>(batch.columns) +
                                                 size_t{number} * batch.column_stride);
}

std::string_view text_of(const tenon_batch &batch, std::optional<uint32_t> number, uint32_t item) {
  if (!number || *number >= batch.column_count) return {};
  const tenon_column &column = column_of(batch, *number);
  if (column.kind != TENON_COLUMN_TEXT || column.base == nullptr) return {};
  const auto &text = *reinterpret_cast<const tenon_text *>(static_cast<const std::byte *>(column.base) +
                                                           size_t{item} * column.item_stride);
  return text.data == nullptr ? std::string_view{} : std::string_view(text.data, text.length);
}

std::string amounts_of(const tenon_batch &batch, std::optional<uint32_t> number) {
  if (!number || *number >= batch.column_count) return {};
  const tenon_column &column = column_of(batch, *number);
  if (column.kind != TENON_COLUMN_RESOURCES || column.base == nullptr) return {};
  std::string out;
  for (uint32_t t = 0; t < batch.type_count; ++t) {
    if (column.present != nullptr && (*column.present >> t & 1) == 0) continue;
    const auto amount = *reinterpret_cast<const int64_t *>(static_cast<const std::byte *>(column.base) +
                                                           size_t{t} * column.type_stride);
    if (amount == 0) continue;
    out += (out.empty() ? "{" : ", ") + std::string(batch.types[t].data, batch.types[t].length) + ": " +
           std::to_string(amount);
  }
  return out.empty() ? out : out + "}";
}

}  // namespace tenon::host
