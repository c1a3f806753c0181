// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Random: any node that fits, and any of its GPUs with room. A key is a pure function, so chance is a hash of the node
// and of the ask's name. Resource managers of Kubernetes send that as a tag, and then each ask draws anew. Of asks
// without it those that want the same draw together: a node keeps its lot until something changes there.
#pragma once

#include "question.hpp"

namespace packing {

struct random : chooser {
  static constexpr std::string_view name = "packing-random";
  static constexpr uint32_t order_rev = 3;
  static constexpr std::tuple columns = std::tuple_cat(
      chooser::columns,
      std::tuple{text_column{"node.id"}, text_column{"ask.tag:kubernetes.io/meta/podName", scope::context}});

  explicit random(const config &settings) : seed_(static_cast<uint64_t>(settings.whole("seed", 0, 0, UINT32_MAX))) {}

  uint64_t key(const auto &node) const { return score(node).key; }
  with_devices<uint64_t> score(const auto &node) const {
    const question q = read(node);
    uint64_t hash = seed_;
    for (const std::string_view of : {node.template get<7>().value_or(""), node.template get<6>().value_or("")}) {
      for (const char c : of) hash = mixed(hash, c);
    }
    for (const int64_t value : {q.vcore, q.memory, q.wanted_vcore, q.wanted_gpu}) hash = mixed(hash, value);
    for (const int64_t free : q.free.free()) hash = mixed(hash, free);
    return {hash, chooses(q, node) ? any_gpu(q, hash) : 0};
  }

 private:
  static uint64_t mixed(uint64_t hash, int64_t value) {  // splitmix64
    hash += static_cast<uint64_t>(value) + 0x9E37'79B9'7F4A'7C15;
    hash = (hash ^ hash >> 30) * 0xBF58'476D'1CE4'E5B9;
    hash = (hash ^ hash >> 27) * 0x94D0'49BB'1331'11EB;
    return hash ^ hash >> 31;
  }
  static uint64_t any_gpu(const question &q, uint64_t hash) {
    const auto free = q.free.free();
    uint64_t chosen = 0, least = 0;
    for (size_t i = 0; i < free.size(); ++i) {
      const uint64_t lot = mixed(hash, static_cast<int64_t>(i));
      if (free[i] < q.wanted_gpu || (chosen != 0 && lot >= least)) continue;
      chosen = uint64_t{1} << i;
      least = lot;
    }
    return chosen;
  }

  uint64_t seed_;
};

}  // namespace packing
