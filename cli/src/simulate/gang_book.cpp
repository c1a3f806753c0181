// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "simulate/gang_book.hpp"

namespace tenon::cli {

gang_book::gang_book(const load &of, gang_style style) {
  for (uint32_t i = 0; i < of.asks.size(); ++i) {
    const uint32_t application = of.asks[i].application;
    if (!of.applications[application].gang) continue;
    if (gangs_.empty()) gang_of_ask_.assign(of.asks.size(), no_gang);
    if (gangs_.empty() || gangs_.back().application != application) {
      gangs_.emplace_back();
      gangs_.back().application = application;
      gangs_.back().first_ask = i;
      gangs_.back().asked = style == gang_style::none;
    }
    ++gangs_.back().size;
    gang_of_ask_[i] = static_cast<uint32_t>(gangs_.size() - 1);
  }
  if (style == gang_style::none || gangs_.empty()) return;
  keys_.resize(of.asks.size());
  for (uint32_t g = 0; g < gangs_.size(); ++g) {
    gang_of_application_.emplace(of.applications[gangs_[g].application].id, g);
    for (uint32_t i = gangs_[g].first_ask; i < gangs_[g].first_ask + gangs_[g].size; ++i) {
      keys_[i] = "tg-" + of.asks[i].key;
      asks_by_key_.emplace(keys_[i], i);
    }
  }
}

gang *gang_book::of_ask(uint32_t ask) {
  if (ask >= gang_of_ask_.size() || gang_of_ask_[ask] == no_gang) return nullptr;
  return &gangs_[gang_of_ask_[ask]];
}

gang *gang_book::of_application(std::string_view id) {
  const auto found = gang_of_application_.find(id);
  return found == gang_of_application_.end() ? nullptr : &gangs_[found->second];
}

const uint32_t *gang_book::ask_of_placeholder(std::string_view key) const {
  const auto found = asks_by_key_.find(key);
  return found == asks_by_key_.end() ? nullptr : &found->second;
}

}  // namespace tenon::cli
