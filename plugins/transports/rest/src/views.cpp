// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "views.hpp"

namespace tenon::rest {

boost::json::object json_of(const tenon_rm_amounts &amounts) {
  boost::json::object out;
  out.reserve(amounts.count);
  for (uint32_t i = 0; i < amounts.count; ++i) out[view(amounts.types[i])] = amounts.values[i];
  return out;
}

boost::json::object json_of(const tenon_rm_pairs &texts) {
  boost::json::object out;
  out.reserve(texts.count);
  for (uint64_t i = 0; i < texts.count; ++i) out[view(texts.names[i])] = view(texts.values[i]);
  return out;
}

boost::json::array json_of(const tenon_view_texts &texts) {
  boost::json::array out;
  out.reserve(texts.count);
  for (uint64_t i = 0; i < texts.count; ++i) out.emplace_back(view(texts.texts[i]));
  return out;
}

int64_t percent_of(int64_t there, int64_t used) {
  if (there <= 0) return used > 0 ? 100 : 0;
  const long double share = static_cast<long double>(used) / static_cast<long double>(there) * 100.0L;
  return share > 9e18L ? INT64_MAX : static_cast<int64_t>(share);
}

boost::json::object percent_of(const tenon_rm_amounts &there, const tenon_rm_amounts &used) {
  boost::json::object out;
  for (uint32_t i = 0, u = 0; i < there.count; ++i) {
    while (u < used.count && view(used.types[u]) < view(there.types[i])) ++u;
    if (u == used.count) break;
    if (view(used.types[u]) == view(there.types[i])) {
      out[view(there.types[i])] = percent_of(there.values[i], used.values[u]);
    }
  }
  return out;
}

}  // namespace tenon::rest
