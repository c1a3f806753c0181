// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// State written down in a test, handed to a policy as the host would: exactly the columns that it declares.
//
//   policy_table nodes({"vcore", "memory"});
//   nodes.resources("node.free", {{{"vcore", 5}}, {{"vcore", 7}}});
//   EXPECT_EQ(nodes.order(*policy), (std::vector<uint32_t>{1, 0}));
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "tenon/kernel/policies.hpp"

namespace tenon::testing {

inline tenon_text as_text(std::string_view s) { return {s.data(), s.size()}; }

class policy_table {
 public:
  using amounts = std::map<std::string, int64_t>;  // a type without entry is undefined
  using tags = std::map<std::string, std::string>;
  using keys_of_items = std::vector<std::vector<uint64_t>>;

  struct sorted {
    tenon_status status = TENON_OK;
    keys_of_items keys;                                  // by position in the batch
    std::vector<int64_t> not_before_ms, valid_until_ms;  // by position in the batch
  };
  struct judged {
    tenon_status status = TENON_OK;
    std::vector<uint8_t> verdicts;
    std::vector<uint16_t> reasons;
  };

  explicit policy_table(std::vector<std::string> types) : types_(std::move(types)) {
    for (const std::string &t : types_) type_texts_.push_back(as_text(t));
  }

  int64_t now_ms = 0;

  // A column by id: one value an item. Context columns have one value in all.
  policy_table &resources(const std::string &id, const std::vector<amounts> &rows) {
    stored &s = add(id, rows.size());
    for (const amounts &row : rows) {
      uint64_t present = 0;
      for (size_t t = 0; t < types_.size(); ++t) {
        const auto found = row.find(types_[t]);
        if (found != row.end()) present |= uint64_t{1} << t;
        s.numbers.push_back(found == row.end() ? poison : found->second);
      }
      s.present.push_back(present);
    }
    s.column = {
        sizeof(tenon_column), TENON_COLUMN_RESOURCES, s.numbers.data(), s.present.data(), 8 * types_.size(), 8, 8};
    return *this;
  }
  policy_table &numbers(const std::string &id, const std::vector<int64_t> &rows) {
    stored &s = add(id, rows.size());
    s.numbers = rows;
    s.column = {sizeof(tenon_column), TENON_COLUMN_I64, s.numbers.data(), nullptr, 8, 0, 0};
    return *this;
  }
  policy_table &texts(const std::string &id, const std::vector<std::optional<std::string>> &rows) {
    stored &s = add(id, rows.size());
    for (const auto &row : rows) s.texts.push_back(row ? as_text(keep(*row)) : tenon_text{nullptr, 0});
    s.column = {sizeof(tenon_column), TENON_COLUMN_TEXT, s.texts.data(), nullptr, sizeof(tenon_text), 0, 0};
    return *this;
  }
  policy_table &maps(const std::string &id, const std::vector<tags> &rows) {
    stored &s = add(id, rows.size());
    for (const tags &row : rows) {
      auto &keys = lists_.emplace_back(), &values = lists_.emplace_back();
      for (const auto &[key, value] : row) {
        keys.push_back(as_text(keep(key)));
        values.push_back(as_text(keep(value)));
      }
      s.maps.push_back({keys.data(), values.data(), row.size()});
    }
    s.column = {sizeof(tenon_column), TENON_COLUMN_TEXT_MAP, s.maps.data(), nullptr, sizeof(tenon_text_map), 0, 0};
    return *this;
  }
  policy_table &words(const std::string &id, const std::vector<std::array<uint64_t, 4>> &rows) {
    stored &s = add(id, rows.size());
    s.words = rows;
    s.column = {sizeof(tenon_column), TENON_COLUMN_WORDS, s.words.data(), nullptr, 32, 8, 0};
    return *this;
  }

  policy_table &lists(const std::string &id, const std::vector<std::vector<int64_t>> &rows) {
    stored &s = add(id, rows.size());
    s.number_lists = rows;
    for (const std::vector<int64_t> &row : s.number_lists) s.spans.push_back({row.data(), row.size()});
    s.column = {sizeof(tenon_column), TENON_COLUMN_NUMBERS, s.spans.data(), nullptr, sizeof(tenon_numbers), 0, 0};
    return *this;
  }

  policy_table &text_lists(const std::string &id, const std::vector<std::vector<std::optional<std::string>>> &rows) {
    stored &s = add(id, rows.size());
    for (const auto &row : rows) {
      auto &list = lists_.emplace_back();
      for (const auto &one : row) list.push_back(one ? as_text(keep(*one)) : tenon_text{nullptr, 0});
      s.text_spans.push_back({list.data(), list.size()});
    }
    s.column = {sizeof(tenon_column), TENON_COLUMN_TEXTS, s.text_spans.data(), nullptr, sizeof(tenon_texts), 0, 0};
    return *this;
  }

  // A column that the call has no context for.
  policy_table &absent(const std::string &id) {
    add(id, 0).column = {sizeof(tenon_column), 0, nullptr, nullptr, 0, 0, 0};
    return *this;
  }

  // Keys of `items`, of all of them by default.
  sorted keys(const bound_policy &p, std::optional<std::vector<uint32_t>> items = std::nullopt) const {
    return call(p, p.sort->keys, items ? *items : all());
  }

  // As keys, for the ask in the context columns.
  sorted scores(const bound_policy &p, std::optional<std::vector<uint32_t>> items = std::nullopt) const {
    return call(p, p.sort->score, items ? *items : all());
  }

  // Eligible items in key order, equals in the order of `items`.
  std::vector<uint32_t> order(const bound_policy &p, std::optional<std::vector<uint32_t>> items = std::nullopt) const {
    const std::vector<uint32_t> chosen = items ? *items : all();
    const sorted s = keys(p, chosen);
    if (s.status != TENON_OK) throw std::runtime_error("keys failed with status " + std::to_string(s.status));
    std::vector<uint32_t> positions;
    for (uint32_t i = 0; i < chosen.size(); ++i) {
      if (s.not_before_ms[i] <= now_ms) positions.push_back(i);
    }
    std::stable_sort(positions.begin(), positions.end(), [&](uint32_t a, uint32_t b) { return s.keys[a] < s.keys[b]; });
    for (uint32_t &position : positions) position = chosen[position];
    return positions;
  }

  judged filter(const bound_policy &p, std::optional<std::vector<uint32_t>> items = std::nullopt) const {
    const std::vector<uint32_t> chosen = items ? *items : all();
    const std::vector<tenon_column> columns = columns_of(p);
    const tenon_batch batch = batch_of(chosen, columns);
    judged out{TENON_OK, std::vector<uint8_t>(chosen.size(), 0xFF), std::vector<uint16_t>(chosen.size(), 0)};
    tenon_filter_out result{sizeof result, 0, out.verdicts.data(), out.reasons.data()};
    out.status = p.predicate->filter(p.instance, &batch, &result);
    return out;
  }

  // As the host asks for it: context columns alone, no item.
  std::array<uint64_t, 2> signature(const bound_policy &p) const {
    std::vector<tenon_column> columns = columns_of(p);
    for (size_t i = 0; i < columns.size(); ++i) {
      if (p.columns[i].scope != TENON_SCOPE_CONTEXT) columns[i].base = columns[i].present = nullptr;
    }
    const tenon_batch batch = batch_of({}, columns);
    tenon_signature_out result{sizeof result, 0, {0, 0}};
    if (p.predicate->signature(p.instance, &batch, &result) != TENON_OK) throw std::runtime_error("signature failed");
    return {result.words[0], result.words[1]};
  }

  [[nodiscard]] std::vector<uint32_t> all() const {
    std::vector<uint32_t> items(item_count_);
    std::iota(items.begin(), items.end(), 0U);
    return items;
  }

  // The declared columns in the declared order; throws where the table has none of that id.
  [[nodiscard]] std::vector<tenon_column> columns_of(const bound_policy &p) const {
    std::vector<tenon_column> out;
    for (const column_request &c : p.columns) {
      const auto found = stored_.find(c.id);
      if (found == stored_.end()) throw std::logic_error("the table has no column " + c.id);
      out.push_back(found->second.column);
      if (c.scope == TENON_SCOPE_CONTEXT) out.back().item_stride = out.back().present_stride = 0;
    }
    return out;
  }

  [[nodiscard]] tenon_batch batch_of(const std::vector<uint32_t> &items,
                                     const std::vector<tenon_column> &columns) const {
    tenon_batch b = {};
    b.size = sizeof b;
    b.item_count = static_cast<uint32_t>(items.size());
    b.items = items.data();
    b.columns = columns.data();
    b.column_count = static_cast<uint32_t>(columns.size());
    b.column_stride = sizeof(tenon_column);
    b.types = type_texts_.data();
    b.type_count = static_cast<uint32_t>(types_.size());
    b.now_ms = now_ms;
    return b;
  }

 private:
  using slot = tenon_status (*)(tenon_instance *, const tenon_batch *, tenon_keys_out *);

  sorted call(const bound_policy &p, slot called, const std::vector<uint32_t> &chosen) const {
    const std::vector<tenon_column> columns = columns_of(p);
    const tenon_batch batch = batch_of(chosen, columns);
    sorted out;
    std::vector<uint64_t> flat(chosen.size() * p.key_words);
    out.not_before_ms.assign(chosen.size(), std::numeric_limits<int64_t>::min());
    out.valid_until_ms.assign(chosen.size(), std::numeric_limits<int64_t>::max());
    tenon_keys_out result{sizeof result, p.key_words, flat.data(), out.not_before_ms.data(), out.valid_until_ms.data()};
    out.status = called(p.instance, &batch, &result);
    for (size_t i = 0; i < chosen.size(); ++i) {
      const auto first = flat.begin() + static_cast<std::ptrdiff_t>(i * p.key_words);
      out.keys.emplace_back(first, first + p.key_words);
    }
    return out;
  }

  static constexpr int64_t poison = 0x5A5A5A5A5A5A5A5A;  // what a policy reads that ignores the mask

  struct stored {
    tenon_column column{};
    std::vector<int64_t> numbers;
    std::vector<uint64_t> present;
    std::vector<tenon_text> texts;
    std::vector<tenon_text_map> maps;
    std::vector<std::array<uint64_t, 4>> words;
    std::vector<std::vector<int64_t>> number_lists;
    std::vector<tenon_numbers> spans;
    std::vector<tenon_texts> text_spans;
  };

  stored &add(const std::string &id, size_t rows) {
    item_count_ = std::max(item_count_, rows);
    stored_.erase(id);
    return stored_[id];
  }
  std::string_view keep(const std::string &s) { return kept_.emplace_back(s); }

  std::vector<std::string> types_;
  std::vector<tenon_text> type_texts_;
  std::map<std::string, stored> stored_;
  std::deque<std::string> kept_;
  std::deque<std::vector<tenon_text>> lists_;
  size_t item_count_ = 0;
};

}  // namespace tenon::testing
