// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "policies/scored_order.hpp"

#include <string_view>

namespace tenon::internal {

bool scored_order::refresh(const call_context &context) {
  if (version_ != states_.version()) start(context);
  new_states_.clear();
  new_slots_.clear();
  held_.resize(states_.count());
  if (look_at_all_ || seen_ < states_.first_raised()) {
    for (uint32_t state = 0; state < states_.count(); ++state) consider(state);
  } else {
    for (; seen_ < states_.raised(); ++seen_) consider(states_.raised_at(seen_));
  }
  seen_ = states_.raised();
  look_at_all_ = false;
  const size_t most = size_t{2} * states_.count() + first_chunk;
  if (sorted_.size() + rest_.size() > most || keys_.size() > most * stride_) compact();
  if (new_slots_.empty()) return true;
  if (!node_scores(policy_, context, table_, facts_, new_slots_, fresh_)) return false;
  for (size_t i = 0; i < new_states_.size(); ++i) {
    keep_key(new_states_[i], fresh_.words.data() + i * stride_);
    add(new_states_[i]);
  }
  return true;
}

void scored_order::start(const call_context &context) {
  version_ = states_.version();
  look_at_all_ = true;
  sorted_.clear();
  rest_.clear();
  keys_.clear();
  held_.assign(states_.count(), held{});
  words_ = policy_.order_words();
  stride_ = policy_.key_words();
  chosen_type_ = no_type;
  for (type_index t = 0; t < context.types.size() && !policy_.chosen_type.empty(); ++t) {
    if (std::string_view(context.types[t].data, context.types[t].length) == policy_.chosen_type) chosen_type_ = t;
  }
}

// One that was scored and got another first node stands elsewhere among those with the same score. That a first node
// went is seen by the search.
void scored_order::consider(uint32_t state) {
  held &h = held_[state];
  if (states_.empty(state)) return;
  if (h.stamp == states_.stamp(state)) {
    if (h.number == no_number || states_.first_number(state) < h.number) add(state);
    return;
  }
  const bool any = which_ == contents::everything;
  if (!any && !need_.fits(states_.free(state))) return;
  const uint32_t slot = states_.slot_in(state);
  if (!any && !table_.holds(need_, slot)) return;
  h.stamp = states_.stamp(state);
  h.number = 0;  // until it has an entry: raised more than once, it is scored once
  new_states_.push_back(state);
  new_slots_.push_back(slot);
}

// Entries that are gone keep theirs: the order among them is what it was.
void scored_order::keep_key(uint32_t state, const uint64_t *key) {
  held_[state].key = static_cast<uint32_t>(keys_.size() / stride_);
  keys_.insert(keys_.end(), key, key + stride_);
}

int scored_order::compare(const entry &a, const entry &b) const {
  if (a.first != b.first) return a.first < b.first ? -1 : 1;
  const uint64_t *x = key_of(a.key), *y = key_of(b.key);
  for (uint32_t w = 1; w < words_; ++w) {
    if (x[w] != y[w]) return x[w] < y[w] ? -1 : 1;
  }
  return 0;
}

void scored_order::add(uint32_t state) {
  held &h = held_[state];
  h.number = states_.first_number(state);
  const entry e{*key_of(h.key), state, h.key, h.number};
  if (sorted_.empty() || !before(e, sorted_.back())) return rest_.push_back(e);
  const auto less = [this](const entry &a, const entry &b) { return before(a, b); };
  sorted_.insert(std::upper_bound(sorted_.begin(), sorted_.end(), e, less), e);
}

void scored_order::drop(const entry &e) {
  held &h = held_[e.state];
  if (h.number == e.number && h.key == e.key) h.number = no_number;
}

void scored_order::compact() {
  const auto gone = [this](const entry &e) {
    if (!is_gone(e)) return false;
    drop(e);
    return true;
  };
  std::erase_if(sorted_, gone);
  std::erase_if(rest_, gone);
  std::vector<uint64_t> kept;
  for (uint32_t state = 0; state < held_.size(); ++state) {
    held &h = held_[state];
    if (h.stamp != states_.stamp(state)) h = {};
    if (h.key == no_slot) continue;
    const uint64_t *key = key_of(h.key);
    h.key = static_cast<uint32_t>(kept.size() / stride_);
    kept.insert(kept.end(), key, key + stride_);
  }
  keys_ = std::move(kept);
  for (entry &e : sorted_) e.key = held_[e.state].key;
  for (entry &e : rest_) e.key = held_[e.state].key;
}

// As many again as are sorted.
bool scored_order::sort_more() {
  if (rest_.empty()) return false;
  const size_t count = std::min(rest_.size(), std::max(first_chunk, sorted_.size()));
  const auto chunk = rest_.end() - static_cast<std::ptrdiff_t>(count);
  const auto greater = [this](const entry &a, const entry &b) { return before(b, a); };
  if (chunk != rest_.begin()) std::nth_element(rest_.begin(), chunk, rest_.end(), greater);
  std::sort(chunk, rest_.end(), greater);
  sorted_.insert(sorted_.end(), rest_.rbegin(), rest_.rbegin() + static_cast<std::ptrdiff_t>(count));
  rest_.erase(chunk, rest_.end());
  return true;
}

const scored_order::entry *scored_order::next(walk &w) {
  while (w.at < sorted_.size() || sort_more()) {
    const entry e = sorted_[w.at];
    const bool gone = is_gone(e);
    if (!gone && states_.first_number(e.state) == e.number) return &sorted_[w.at];
    ++w.at;
    if (gone) {
      drop(e);
    } else {
      add(e.state);  // further on
    }
  }
  return nullptr;
}

// Few stay sorted beyond what was looked at.
void scored_order::end(const walk &w) {
  sorted_.erase(sorted_.begin() + static_cast<std::ptrdiff_t>(w.kept),
                sorted_.begin() + static_cast<std::ptrdiff_t>(w.at));
  const size_t most = std::max(most_sorted, 2 * w.kept);
  if (sorted_.size() <= most) return;
  const auto half = sorted_.begin() + static_cast<std::ptrdiff_t>(most / 2);
  rest_.insert(rest_.end(), half, sorted_.end());
  sorted_.erase(half, sorted_.end());
}

}  // namespace tenon::internal
