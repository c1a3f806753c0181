// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "model/ask_class.hpp"

#include <boost/container_hash/hash.hpp>

namespace tenon::internal {

size_t class_key_hash::operator()(const class_key &key) const {
  size_t seed = key.need.present();
  for_each_type(key.need, [&](type_index, int64_t amount) { boost::hash_combine(seed, amount); });
  boost::hash_combine(seed, std::hash<std::string>{}(key.required_node));
  boost::hash_combine(seed, key.timeout_ms);
  boost::hash_combine(seed, reinterpret_cast<uintptr_t>(key.judged));  // any order: equality decides
  boost::hash_combine(seed, reinterpret_cast<uintptr_t>(key.scored));  // any order: as above
  for (const class_devices &d : key.devices) boost::hash_combine(seed, d.amount);
  return seed;
}

ask_class &class_table::intern(const class_key &key, bool &made) {
  const auto [found, inserted] = by_key_.try_emplace(key, static_cast<uint32_t>(classes_.size()));
  made = inserted;
  if (!inserted) return classes_[found->second];
  ask_class &c = classes_.emplace_back();
  c.id = found->second;
  c.need = key.need;
  c.required_node = key.required_node;
  c.timeout_ms = key.timeout_ms;
  c.judged = key.judged;
  c.scored = key.scored;
  for_each_type(c.need, [&](type_index t, int64_t amount) {
    if (amount <= 0) return;
    c.positive.push_back({t, coarse_of(amount), amount});
    c.types |= uint64_t{1} << t;
  });
  c.devices = key.devices;
  return c;
}

}  // namespace tenon::internal
