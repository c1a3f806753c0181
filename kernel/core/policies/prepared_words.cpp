// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "policies/prepared_words.hpp"

#include <algorithm>

#include "base/module_text.hpp"

namespace tenon::internal {

prepared_words prepare(sort_policy &policy, const text_pairs &texts) {
  prepared_words made;
  if (!policy.prepares()) return made;
  module_text words;
  const tenon_prepare_in in{sizeof in, 0, texts.names().data(), texts.values().data(), texts.names().size()};
  tenon_prepare_out out{sizeof out, 0, {0, 0, 0, 0}, words.room()};
  ++policy.calls;
  switch (policy.bound->sort->prepare(policy.bound->instance, &in, &out)) {
    case TENON_OK:
      std::copy_n(out.words, made.words.size(), made.words.begin());
      break;
    case TENON_INVALID_CONFIG:
      made.refused = true;
      made.why = words.readable();
      break;
    default:
      made.failed = true;
      ++policy.faults;
  }
  return made;
}

namespace {

std::array<uint64_t, 4> prepare_late(sort_policy &policy, const text_pairs &texts, uint64_t &faults) {
  const prepared_words made = prepare(policy, texts);
  if (made.failed || made.refused) ++faults;
  return made.words;
}

}  // namespace

uint64_t prepare_items(queue &q) {
  uint64_t faults = 0;
  if (!q.order->prepares()) return faults;
  for (application *app : q.apps) app->prepared = prepare_late(*q.order, text_pairs(app->tags), faults);
  for (const auto &child : q.children) child->prepared = prepare_late(*q.order, text_pairs(child->properties), faults);
  return faults;
}

uint64_t prepare_queue(queue &q) {
  uint64_t faults = 0;
  if (q.parent->order->prepares()) q.prepared = prepare_late(*q.parent->order, text_pairs(q.properties), faults);
  return faults;
}

}  // namespace tenon::internal
