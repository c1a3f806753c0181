// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Ask classifier: of which class an ask is. Asks are of one class where nothing that decides about their nodes tells
// them apart: amounts, devices, a required node, what predicates and the order of nodes read.
#pragma once

#include <set>
#include <string_view>
#include <vector>

#include "forward.hpp"
#include "model/ask_class.hpp"
#include "model/objects.hpp"
#include "tenon/kernel/queue_config.hpp"

namespace tenon::internal {

struct ask_classifier_access {
  const partition_config &config;
  class_table &classes;
  slab<ask> &asks;
  node_sortings &sortings;
  ask_lines &lines;
  node_verdicts &verdicts;
  kept_counts &keeps;
};

class ask_classifier : ask_classifier_access {
 public:
  explicit ask_classifier(const ask_classifier_access &all) : ask_classifier_access(all) {}

  ask_class &classify(std::string_view required_node, const ask &a, const resources &need,
                      std::vector<class_devices> devices);
  ask_class &plain_class(const resources &need, std::vector<class_devices> devices = {});  // for allocations

  // -- What classes go by is other than it was. --
  void orders_changed() { last_class_ = nullptr; }  // those that applications chose
  void score_changed();
  void reclassify(ask &a);  // one that stands in line

 private:
  ask_class &class_of(const class_key &key);
  const score_facts *facts_for_score(const ask &a);

  // Of the last classify(), and of the ask that it was for.
  ask_class *last_class_ = nullptr;
  const node_sorting *last_sorting_ = nullptr;
  int32_t last_priority_ = 0;
  tag_list last_tags_;
  bool last_class_shared_ = true;      // asks alike share it
  std::set<score_facts> known_facts_;  // of asks that came
};

}  // namespace tenon::internal
