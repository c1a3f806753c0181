// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "policies/node_states.hpp"

#include <algorithm>
#include <cstring>
#include <string_view>

namespace tenon::internal {
namespace {

void add(std::string &text, const void *bytes, size_t count) { text.append(static_cast<const char *>(bytes), count); }
template <class Number>
void add(std::string &text, Number number) {
  add(text, &number, sizeof number);
}
void add(std::string &text, std::string_view of) {
  add(text, of.size());
  text.append(of);
}

}  // namespace

// -- One state. --

// The shorter side makes room.
void node_states::members::insert(uint32_t slot, const node_table &table) {
  const auto before = [&](uint32_t a, uint32_t b) { return table.order_number(a) < table.order_number(b); };
  if (slots.size() == head || before(slots.back(), slot)) return slots.push_back(slot);
  const auto from = slots.begin() + static_cast<std::ptrdiff_t>(head);
  const auto at = std::lower_bound(from, slots.end(), slot, before);
  if (head != 0 && at - from < slots.end() - at) {
    std::copy(from, at, from - 1);
    *(at - 1) = slot;
    --head;
  } else {
    slots.insert(at, slot);
  }
}

void node_states::members::erase(uint32_t slot, const node_table &table) {
  const auto before = [&](uint32_t a, uint32_t b) { return table.order_number(a) < table.order_number(b); };
  const auto from = slots.begin() + static_cast<std::ptrdiff_t>(head);
  const auto at = std::lower_bound(from, slots.end(), slot, before);
  if (at - from < slots.end() - at) {
    std::copy_backward(from, at, at + 1);
    ++head;
  } else {
    slots.erase(at);
  }
  if (slots.size() == head) {
    if (slots.capacity() > 64) {
      slots = {};
    } else {
      slots.clear();
    }
    head = 0;
  } else if (head >= 64 && head * 2 > slots.size()) {
    slots.erase(slots.begin(), slots.begin() + static_cast<std::ptrdiff_t>(head));
    head = 0;
  }
}

// -- Nodes in states. --

void node_states::touch(uint32_t slot) {
  if (rebuild_) return;
  if (is_touched_.size() <= slot) is_touched_.resize(slot + 1);
  if (is_touched_[slot] != 0) return;
  is_touched_[slot] = 1;
  touched_.push_back(slot);
}

void node_states::removed(uint32_t slot) {
  if (!is_rebuilt() && slot < state_of_.size()) unfile(slot);
}

void node_states::refresh(uint32_t types) {
  rebuild_ = is_rebuilt() || types_ != types;
  types_ = types;
  if (rebuild_) return rebuild();
  if (state_of_.size() != table_.slots()) look_at_columns();
  for (const uint32_t slot : touched_) unfile(slot);
  for (const uint32_t slot : touched_) {
    file(slot);
    is_touched_[slot] = 0;
  }
  touched_.clear();
}

// Columns of attributes move where slots come.
void node_states::look_at_columns() {
  state_of_.resize(table_.slots(), no_state);
  groupings_.clear();
  attributes_.clear();
  for (const column_binding &c : policy_.columns) {
    if (!c.is_watched()) continue;
    if (c.source == column_source::app_count_by) groupings_.push_back(&table_.groups_by(c.argument));
    if (c.source == column_source::node_attr) attributes_.push_back(table_.attribute_column(c.argument));
    reads_totals_ |= c.source == column_source::node_total;
    reads_ids_ |= c.source == column_source::node_id;
    reads_all_attributes_ |= c.source == column_source::node_attrs;
  }
}

void node_states::rebuild() {
  rebuild_ = false;
  ++version_;
  numbering_ = table_.numbering();
  state_of_.clear();
  look_at_columns();
  states_.clear();
  summaries_.clear();
  free_.clear();
  by_text_.clear();
  empty_.clear();
  raised_before_ += raised_.size();
  raised_.clear();
  live_ = 0;
  touched_.clear();
  is_touched_.assign(table_.slots(), 0);
  for (const auto &[id, n] : table_.by_id()) file(n->slot);
}

void node_states::file(uint32_t slot) {
  if (table_.at(slot) == nullptr || !table_.open(slot)) return;
  describe(slot);
  const uint32_t number = number_for_text();
  members &s = states_[number];
  if (summaries_[number].nodes++ == 0) ++live_;
  s.insert(slot, table_);
  if (s.nodes().front() == slot) note_raised(number);
  state_of_[slot] = number;
}

void node_states::unfile(uint32_t slot) {
  const uint32_t number = state_of_[slot];
  if (number == no_state) return;
  state_of_[slot] = no_state;
  members &s = states_[number];
  s.erase(slot, table_);
  if (--summaries_[number].nodes != 0) return;
  --live_;
  s.emptied = ++emptied_;
  empty_.push_back({number, s.emptied});
  if (empty_.size() > size_t{2} * count() + 64) {
    std::erase_if(empty_, [this](const emptied_state &e) {
      return summaries_[e.number].nodes != 0 || states_[e.number].emptied != e.when;
    });
  }
}

// What is free decides whether asks fit; so it is part of every state, read by the policy or not.
void node_states::describe(uint32_t slot) {
  text_.clear();  // number_for_text() knows what comes first
  add(text_, table_.free(slot), types_ * sizeof(int64_t));
  if (reads_totals_) add(text_, table_.total(slot), types_ * sizeof(int64_t));
  add(text_, table_.present()[slot]);
  for (const node_table::grouping *by : groupings_) add(text_, by->of[slot]);
  for (const tenon_text *values : attributes_) {
    add(text_, values[slot].data != nullptr);
    add(text_, std::string_view(values[slot].data, values[slot].length));
  }
  add(text_, table_.devices().of(slot).size());
  for (const device_group &group : table_.devices().of(slot)) {
    add(text_, group.type);
    add(text_, std::string_view(group.type_name));
    add(text_, group.size);
    add(text_, group.free.size());
    add(text_, group.free.data(), group.free.size() * sizeof(int64_t));
  }
  if (reads_ids_) add(text_, std::string_view(table_.at(slot)->id));
  if (!reads_all_attributes_) return;
  const tenon_text_map &all = table_.attributes_column()[slot];
  for (uint64_t i = 0; i < all.count; ++i) {
    add(text_, std::string_view(all.keys[i].data, all.keys[i].length));
    add(text_, std::string_view(all.values[i].data, all.values[i].length));
  }
}

uint32_t node_states::number_for_text() {
  const auto [at, made] = by_text_.try_emplace(text_, no_state);
  if (!made) return at->second;
  uint32_t number = oldest_empty();
  if (number == no_state) {
    number = count();
    states_.emplace_back();
    summaries_.emplace_back();
    free_.resize(free_.size() + types_);
  } else {
    by_text_.erase(by_text_.find(*states_[number].text));
    ++summaries_[number].stamp;
  }
  at->second = number;
  states_[number].text = &at->first;
  std::memcpy(free_.data() + size_t{number} * types_, text_.data(), types_ * sizeof(int64_t));
  return number;
}

// As many as there are with nodes are kept.
uint32_t node_states::oldest_empty() {
  constexpr size_t kept = 64;
  while (!empty_.empty() && count() - live_ > live_ + kept) {
    const auto [number, when] = empty_.front();
    empty_.pop_front();
    if (summaries_[number].nodes == 0 && states_[number].emptied == when) return number;
  }
  return no_state;
}

void node_states::note_raised(uint32_t number) {
  if (raised_.size() >= size_t{2} * count() + 1024) {
    const size_t half = raised_.size() / 2;
    raised_before_ += half;
    raised_.erase(raised_.begin(), raised_.begin() + static_cast<std::ptrdiff_t>(half));
  }
  raised_.push_back(number);
}

}  // namespace tenon::internal
