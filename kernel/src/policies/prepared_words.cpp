// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "policies/prepared_words.hpp"

#include <algorithm>

#include "base/module_words.hpp"

namespace tenon::internal {

prepared_words prepare(sort_policy &policy, const text_pairs &texts) {
  prepared_words made;
  if (!policy.prepares()) return made;
  module_words words;
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

}  // namespace tenon::internal
