// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Guards of tenon_sort_v1.
#include <algorithm>
#include <optional>
#include <vector>

#include "containment/input_copy.hpp"
#include "guarded_policy.hpp"

namespace tenon::host {
namespace {

using keys_slot = tenon_status (*)(tenon_instance *, const tenon_batch *, tenon_keys_out *);

constexpr uint64_t canary = 0x7e40c0ffee5afe11;

bool only_ok(tenon_status status) { return status == TENON_OK; }

std::string shape_problem(const tenon_keys_out &before, const tenon_keys_out &after) {
  if (after.size == before.size && after.key_words == before.key_words && after.keys == before.keys &&
      after.not_before_ms == before.not_before_ms && after.valid_until_ms == before.valid_until_ms)
    return {};
  return "changed the size or the pointers of its output";
}

tenon_status plain_keys(guarded_instance &self, const char *name, keys_slot slot, const tenon_batch *in,
                        tenon_keys_out *out) {
  const tenon_keys_out before = *out;
  const tenon_status status = self.guard.call(
      name, slot_tag::cycle, {in->item_count, call_shape::batch, in, out->key_words},
      [&] { return slot(self.real, in, out); }, only_ok, [&](tenon_status) { return shape_problem(before, *out); });
  *out = before;
  return status;
}

// The module writes into buffers with a canary behind them.
tenon_status checked_keys(guarded_instance &self, const char *name, keys_slot slot, const tenon_batch *in,
                          tenon_keys_out *out) {
  const size_t items = in->item_count, words = items * out->key_words;
  std::vector<uint64_t> keys(words + 1, canary);
  std::copy(out->keys, out->keys + words, keys.begin());
  const auto with_canary = [&](const int64_t *times) {
    std::vector<int64_t> copy(times, times + items);
    copy.push_back(static_cast<int64_t>(canary));
    return copy;
  };
  std::vector<int64_t> not_before = with_canary(out->not_before_ms), valid_until = with_canary(out->valid_until_ms);
  tenon_keys_out inner = *out;
  inner.keys = keys.data();
  inner.not_before_ms = not_before.data();
  inner.valid_until_ms = valid_until.data();
  const tenon_keys_out before = inner;
  std::optional<input_copy> input;
  if (self.guard.checks_input()) input.emplace().take(*in);
  bool wrote_input = false;
  const tenon_status status = self.guard.call(
      name, slot_tag::cycle, {in->item_count, call_shape::batch, in, out->key_words},
      [&] {
        const tenon_status given = slot(self.real, in, &inner);
        wrote_input = input && input->put_back(*in);
        return given;
      },
      only_ok,
      [&](tenon_status) -> std::string {
        if (wrote_input) return "wrote its input, which is put back";
        if (keys.back() != canary || not_before.back() != static_cast<int64_t>(canary) ||
            valid_until.back() != static_cast<int64_t>(canary))
          return "wrote behind the end of its output";
        return shape_problem(before, inner);
      });
  std::copy(keys.begin(), keys.begin() + static_cast<ptrdiff_t>(words), out->keys);
  std::copy_n(not_before.begin(), items, out->not_before_ms);
  std::copy_n(valid_until.begin(), items, out->valid_until_ms);
  return status;
}

tenon_status guarded_keys(guarded_instance &self, const char *name, keys_slot slot, const tenon_batch *in,
                          tenon_keys_out *out) {
  return self.guard.checks_output() ? checked_keys(self, name, slot, in, out) : plain_keys(self, name, slot, in, out);
}

tenon_status keys(tenon_instance *handle, const tenon_batch *in, tenon_keys_out *out) {
  guarded_instance &self = guarded_instance::of(handle);
  return guarded_keys(self, "keys", self.sort.keys, in, out);
}

tenon_status score(tenon_instance *handle, const tenon_batch *in, tenon_keys_out *out) {
  guarded_instance &self = guarded_instance::of(handle);
  return guarded_keys(self, "score", self.sort.score, in, out);
}

tenon_status prepare(tenon_instance *handle, const tenon_prepare_in *in, tenon_prepare_out *out) {
  guarded_instance &self = guarded_instance::of(handle);
  return self.guard.call(
      "prepare", slot_tag::cycle, {1, call_shape::prepare, in}, [&] { return self.sort.prepare(self.real, in, out); },
      [](tenon_status status) { return status == TENON_OK || status == TENON_INVALID_CONFIG; },
      [&](tenon_status) -> std::string {
        if (out->error == nullptr || out->error->length <= out->error->capacity) return {};
        out->error->length = 0;
        return "said that its words are longer than the room for them";
      });
}

tenon_sort_v1 guarded_table_of_sort(const tenon_sort_v1 &real) {
  tenon_sort_v1 out{sizeof(tenon_sort_v1), 0, keys, nullptr, nullptr};
  if (real.prepare != nullptr) out.prepare = prepare;
  if (real.score != nullptr) out.score = score;
  return out;
}

}  // namespace

const kind_guard sort_guard{
    [](kind_tables &real, const void *given) { real.sort = known_part<tenon_sort_v1>(given); },
    [](const kind_tables &real) -> std::string_view { return real.sort.keys == nullptr ? "keys" : ""; },
    [](const kind_tables &real, kind_tables &own, bound_module &policy) {
      own.sort = guarded_table_of_sort(real.sort);
      policy.sort = &own.sort;
    }};

}  // namespace tenon::host
