// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Guards of tenon_predicate_v1.
#include <algorithm>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <cstddef>
#include <sstream>
#include <string>

#include "guards/guarded_policy.hpp"
#include "tenon/host/expression.hpp"
#include "tenon/host/reader_question.hpp"

namespace tenon::host {
namespace {

// Returns true if the schema of a module's tags names this tag. A schema that names none may mean any.
bool is_named_by(const boost::json::object &schema, std::string_view tag) {
  const boost::json::value *names = schema.if_contains("properties"),
                           *patterns = schema.if_contains("patternProperties");
  if (names == nullptr && patterns == nullptr) return true;
  if (names != nullptr && names->is_object() && names->get_object().contains(tag)) return true;
  if (patterns == nullptr || !patterns->is_object()) return false;
  return std::any_of(patterns->get_object().begin(), patterns->get_object().end(), [&](const auto &one) {
    const auto pattern = expression::compile(one.key());
    return pattern && pattern->found_in(tag);
  });
}

// Returns true if the ask of the batch has a tag that the predicate reads. A predicate that reads no tags concerns
// every ask.
bool concerns_ask(const guarded_instance &self, const tenon_batch &in) {
  bool reads_tags = false;
  std::istringstream ids(self.origin.columns);
  std::string id;
  for (uint32_t i = 0; i < in.column_count && std::getline(ids, id); ++i) {
    if (!id.starts_with("ask.tag")) continue;
    reads_tags = true;
    const auto &column = *reinterpret_cast<const tenon_column *>(reinterpret_cast<const std::byte *>(in.columns) +
                                                                 size_t{i} * in.column_stride);
    if (column.base == nullptr) continue;
    if (column.kind == TENON_COLUMN_TEXT && static_cast<const tenon_text *>(column.base)->length != 0) return true;
    if (column.kind != TENON_COLUMN_TEXT_MAP) continue;
    const auto &tags = *static_cast<const tenon_text_map *>(column.base);
    for (uint64_t k = 0; k < tags.count; ++k)
      if (is_named_by(self.tags, view(tags.keys[k]))) return true;
  }
  return !reads_tags;
}

// Returns true if the ask of the batch may go on without the predicate that is at fault.
bool is_left_out(const guarded_instance &self, const tenon_batch &in) {
  return self.guard.action() == fault_action::open ||
         (self.guard.action() == fault_action::only && !concerns_ask(self, in));
}

bool only_ok(tenon_status status) { return status == TENON_OK; }

// What the kernel relies on: known verdicts, and reasons that have words.
std::string verdict_problem(const guarded_instance &self, const uint8_t *verdicts, const uint16_t *reasons,
                            uint32_t items) {
  uint8_t highest_verdict = 0;
  uint16_t highest_reason = 0;
  for (uint32_t i = 0; i < items; ++i) {
    highest_verdict = std::max(highest_verdict, verdicts[i]);
    highest_reason = std::max(highest_reason, reasons[i]);
  }
  if (highest_verdict > TENON_FAIL_UNRESOLVABLE) return "gave the unknown verdict " + std::to_string(highest_verdict);
  if (highest_reason > self.reason_count)
    return "gave reason " + std::to_string(highest_reason) + " of " + std::to_string(self.reason_count) +
           " that it described";
  return {};
}

tenon_status filter(tenon_instance *handle, const tenon_batch *in, tenon_filter_out *out) {
  guarded_instance &self = guarded_instance::of(handle);
  const tenon_status status = self.guard.call(
      "filter", slot_tag::cycle, {in->item_count, call_shape::batch, in},
      [&] { return self.predicate.filter(self.real, in, out); }, only_ok,
      [&](tenon_status) { return verdict_problem(self, out->verdicts, out->reasons, in->item_count); });
  if (status == TENON_OK && !reader_question::is_asked()) {
    const auto passed = std::count(out->verdicts, out->verdicts + in->item_count, static_cast<uint8_t>(TENON_PASS));
    self.guard.judge(in->item_count, static_cast<uint64_t>(passed));
  }
  if (status == TENON_OK || !is_left_out(self, *in)) return status;
  std::fill_n(out->verdicts, in->item_count, static_cast<uint8_t>(TENON_PASS));
  std::fill_n(out->reasons, in->item_count, uint16_t{0});
  return TENON_OK;
}

tenon_status signature(tenon_instance *handle, const tenon_batch *in, tenon_signature_out *out) {
  guarded_instance &self = guarded_instance::of(handle);
  return self.guard.call(
      "signature", slot_tag::cycle, {1, call_shape::batch, in},
      [&] { return self.predicate.signature(self.real, in, out); }, only_ok);
}

tenon_status filter_prefix(tenon_instance *handle, const tenon_filter_prefix_in *in, tenon_filter_prefix_out *out) {
  guarded_instance &self = guarded_instance::of(handle);
  return self.guard.call(
      "filter_prefix", slot_tag::cycle, {in->victim_count, call_shape::prefix, in},
      [&] { return self.predicate.filter_prefix(self.real, in, out); },
      [](tenon_status status) { return status == TENON_OK || status == TENON_UNSCHEDULABLE; },
      [&](tenon_status status) -> std::string {
        if (status != TENON_OK || (out->index >= in->start && out->index < in->victim_count)) return {};
        return "gave the index " + std::to_string(out->index) + " outside of " + std::to_string(in->start) + " to " +
               std::to_string(in->victim_count);
      });
}

tenon_predicate_v1 guarded_table_of_predicate(const tenon_predicate_v1 &real) {
  tenon_predicate_v1 out{sizeof(tenon_predicate_v1), 0, filter, nullptr, nullptr};
  if (real.signature != nullptr) out.signature = signature;
  if (real.filter_prefix != nullptr) out.filter_prefix = filter_prefix;
  return out;
}

}  // namespace

const kind_guard predicate_guard{
    [](kind_tables &real, const void *given) { real.predicate = known_part<tenon_predicate_v1>(given); },
    [](const kind_tables &real) -> std::string_view { return real.predicate.filter == nullptr ? "filter" : ""; },
    [](const kind_tables &real, kind_tables &own, bound_module &policy) {
      own.predicate = guarded_table_of_predicate(real.predicate);
      policy.predicate = &own.predicate;
    }};

}  // namespace tenon::host
