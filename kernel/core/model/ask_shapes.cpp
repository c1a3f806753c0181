// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "model/ask_shapes.hpp"

#include <algorithm>
#include <utility>

namespace tenon::internal {
namespace {

std::string value_of(texts tags, std::string_view key) {
  const auto found = std::find_if(tags.begin(), tags.end(), [&](const named_text &tag) { return tag.key == key; });
  return found == tags.end() ? std::string() : std::string(found->value);
}

// Rows of equal length, one after the other.
listed_numbers rows_of(const std::vector<std::vector<int64_t>> &rows) {
  size_t length = 0;
  for (const auto &row : rows) length = std::max(length, row.size());
  std::vector<int64_t> out(rows.size() * length);
  for (size_t i = 0; i < rows.size(); ++i)
    std::copy(rows[i].begin(), rows[i].end(), out.begin() + static_cast<ptrdiff_t>(i * length));
  return listed_numbers(std::move(out));
}

shape_generation::node_groups groups_by(const std::string &key, node_table &nodes) {
  const node_table::grouping &same = nodes.groups_by(key);
  std::vector<std::vector<int64_t>> totals(same.count());
  for (uint32_t slot = 0; slot < nodes.slots(); ++slot) {
    if (nodes.at(slot) == nullptr) continue;
    std::vector<int64_t> &total = totals[same.of[slot]];
    total.resize(nodes.stride());
    for (type_index t = 0; t < nodes.stride(); ++t) total[t] = add_saturating(total[t], nodes.total(slot)[t]);
  }
  std::vector<std::string> values;
  std::vector<std::vector<int64_t>> rows;
  const auto list = [&](const std::string &value, uint32_t number) {
    if (totals[number].empty()) return;  // no node is left there
    values.push_back(value);
    rows.push_back(std::move(totals[number]));
  };
  list({}, 0);
  for (const auto &[value, number] : same.numbers) list(value, number);
  return {listed_texts(std::move(values)), rows_of(rows)};
}

}  // namespace

listed_numbers::listed_numbers(std::vector<int64_t> values)
    : values_(std::move(values)), column_{values_.data(), values_.size()} {}

listed_texts::listed_texts(std::vector<std::string> values) : values_(std::move(values)) {
  for (const std::string &value : values_) texts_.push_back({value.empty() ? nullptr : value.data(), value.size()});
  column_ = {texts_.data(), texts_.size()};
}

const tenon_texts *shape_generation::tags_of(std::string_view key) const {
  static constexpr tenon_texts none{nullptr, 0};
  const auto found = tags.find(key);
  return found == tags.end() ? &none : found->second.column();
}

const tenon_texts *shape_generation::values_of(std::string_view key) const {
  static constexpr tenon_texts none{nullptr, 0};
  const auto found = groups.find(key);
  return found == groups.end() ? &none : found->second.values.column();
}

const tenon_numbers *shape_generation::totals_of(std::string_view key) const {
  static constexpr tenon_numbers none{nullptr, 0};
  const auto found = groups.find(key);
  return found == groups.end() ? &none : found->second.totals.column();
}

ask_shapes::ask_shapes(const saved_shapes &from) {
  if (!from.followed) return;
  keys_ = from.keys;
  for (const auto &[amounts, tags, count] : from.counted) counts_.emplace(shape{amounts, tags}, count);
  asks_ = from.asks;
  length_ = from.length;
  auto seen = std::make_shared<shape_generation>();
  seen->counts = listed_numbers(from.counts);
  seen->amounts = listed_numbers(from.amounts);
  for (const auto &[key, tags, values, totals] : from.seen_keys) {
    seen->tags.emplace(key, listed_texts(tags));
    seen->groups.emplace(key, shape_generation::node_groups{listed_texts(values), listed_numbers(totals)});
  }
  generation_ = std::move(seen);
}

saved_shapes ask_shapes::saved() const {
  saved_shapes out;
  if (!followed()) return out;
  out.followed = true;
  out.keys = keys_;
  for (const auto &[as, count] : counts_) out.counted.push_back({as.amounts, as.tags, count});
  out.asks = asks_;
  out.length = length_;
  out.counts = generation_->counts.values();
  out.amounts = generation_->amounts.values();
  for (const auto &[key, tags] : generation_->tags) {
    const shape_generation::node_groups &groups = generation_->groups.at(key);
    out.seen_keys.push_back({key, tags.values(), groups.values.values(), groups.totals.values()});
  }
  return out;
}

void ask_shapes::follow(const std::vector<std::string> &keys) {
  if (generation_ == nullptr) generation_ = std::make_shared<const shape_generation>();
  for (const std::string &key : keys) {
    if (std::find(keys_.begin(), keys_.end(), key) == keys_.end()) keys_.push_back(key);
  }
  // What came before has no value of a new key.
  std::map<shape, int64_t> counts;
  for (auto &[as, count] : counts_) {
    shape wider = as;
    wider.tags.resize(keys_.size());
    counts.emplace(std::move(wider), count);
  }
  counts_ = std::move(counts);
}

uint64_t ask_shapes::types() const {
  uint64_t out = 0;
  const auto add = [&out](const auto &amounts, size_t width) {
    for (size_t i = 0; i < amounts.size(); ++i) out |= uint64_t{amounts[i] != 0} << i % width;
  };
  for (const auto &[seen, times] : counts_) add(seen.amounts, max_types);
  if (generation_ == nullptr || generation_->counts.values().empty()) return out;
  const auto &amounts = generation_->amounts.values();
  if (!amounts.empty()) add(amounts, amounts.size() / generation_->counts.values().size());
  return out;
}

bool ask_shapes::count(const resources &need, texts tags, int64_t allocations) {
  shape as{{need.data(), need.data() + need.size()}, {}};
  while (!as.amounts.empty() && as.amounts.back() == 0) as.amounts.pop_back();
  for (const std::string &key : keys_) as.tags.push_back(value_of(tags, key));
  const auto found = counts_.find(as);
  if (found != counts_.end()) {
    found->second = add_saturating(found->second, allocations);
  } else if (counts_.size() < most_shapes) {
    counts_.emplace(std::move(as), allocations);
  }
  return ++asks_ == length_;
}

void ask_shapes::begin_generation(node_table &nodes) {
  auto made = std::make_shared<shape_generation>();
  std::vector<int64_t> counts;
  std::vector<std::vector<int64_t>> amounts;
  for (const auto &[as, count] : counts_) {
    counts.push_back(count);
    amounts.push_back(as.amounts);
  }
  made->counts = listed_numbers(std::move(counts));
  made->amounts = rows_of(amounts);
  for (size_t i = 0; i < keys_.size(); ++i) {
    std::vector<std::string> values;
    for (const auto &[as, count] : counts_) values.push_back(as.tags[i]);
    made->tags.emplace(keys_[i], listed_texts(std::move(values)));
    made->groups.emplace(keys_[i], groups_by(keys_[i], nodes));
  }
  generation_ = std::move(made);
  asks_ = 0;
  if (length_ == longest) return halve();
  length_ *= 2;
}

void ask_shapes::halve() {
  for (auto &[as, count] : counts_) count /= 2;
  std::erase_if(counts_, [](const auto &counted) { return counted.second == 0; });
}

}  // namespace tenon::internal
