// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "queueing/fresh_keys.hpp"

#include <vector>

#include "policies/policy_batch.hpp"

namespace tenon::internal {
namespace {

template <class Item>
auto keyed(const std::vector<Item *> &items, const key_batch &batch, bool ok, uint32_t words, int64_t now_ms) {
  std::map<const Item *, sort_key> out;  // any order: looked up, never walked
  for (size_t i = 0; i < items.size(); ++i) {
    sort_key &key = out[items[i]];
    if (!ok) continue;
    key.words.assign(batch.words.data() + i * words, batch.words.data() + (i + 1) * words);
    if (batch.not_before_ms[i] > now_ms) key.not_before_ms = batch.not_before_ms[i];
  }
  return out;
}

}  // namespace

fresh_keys::keys_of<queue> fresh_keys::of_children(const queue &parent, bool *fine) const {
  std::vector<queue *> items;
  for (const auto &child : parent.children) items.push_back(child.get());
  key_batch batch;
  const bool ok = items.empty() || queue_keys(*parent.order, contexts.now(), parent, items, batch);
  if (fine != nullptr) *fine = ok;
  return keyed(items, batch, ok, parent.order->key_words(), shared.now_ms);
}

fresh_keys::keys_of<application> fresh_keys::of_applications(const queue &leaf, bool *fine) const {
  return of_applications(leaf, {leaf.apps.begin(), leaf.apps.end()}, fine);
}

fresh_keys::keys_of<application> fresh_keys::of_applications(const queue &leaf, const std::vector<application *> &some,
                                                             bool *fine) const {
  key_batch batch;
  const bool ok = some.empty() || app_keys(*leaf.order, contexts.now(), leaf, some, batch);
  if (fine != nullptr) *fine = ok;
  return keyed(some, batch, ok, leaf.order->key_words(), shared.now_ms);
}

}  // namespace tenon::internal
