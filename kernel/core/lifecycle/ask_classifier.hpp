// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Ask classifier: of which class an ask is. Asks are of one class where nothing that decides about their nodes tells
// them apart: amounts, devices, a required node, what predicates and the order of nodes read.
#pragma once

#include <array>
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
};

class ask_classifier : ask_classifier_access {
 public:
  explicit ask_classifier(const ask_classifier_access &all) : ask_classifier_access(all) {}

  ask_class &classify(std::string_view required_node, const ask &a, const resources &need,
                      const std::vector<class_devices> &devices);
  ask_class &plain_class(const resources &need, const std::vector<class_devices> &devices = {});  // for allocations

  // The class in a copy of a partition, where the predicates' verdicts are these.
  ask_class &copied_class(const ask_class &original, const ask &a, verdict_set *judged);

  [[nodiscard]] uint64_t kept_bytes() const { return kept_bytes_; }

  // -- What classes go by is other than it was. --
  void orders_changed() { forget_last(); }  // those that applications chose
  void score_changed();
  void reclassify(ask &a);  // one that stands in line
  // Who is judged by the predicate of a canary; whether that is so of any asks.
  bool canary_changed();
  // Other predicates judge: every ask, in the order in which they came.
  [[gnu::cold]] void judges_changed();

 private:
  ask_class &class_of(const class_key &key);
  const score_facts *facts_for_score(const ask &a);
  [[nodiscard]] bool is_judged_by_canary(const ask &a) const;

  // What classify() gave for asks that came lately: they come in rows of equals, or of a few kinds. What predicates and
  // scores said is good for the next ask alone.
  struct classified {
    ask_class *as = nullptr;
    const node_sorting *sorting = nullptr;
    bool by_canary = false;  // its predicate is asked
    int32_t priority = 0;
    bool shared = true;  // by asks alike
    tag_list tags;
  };
  static constexpr unsigned place_bits = 6;
  static size_t place_of(const resources &need);
  void forget_last() {
    lately_ = {};
    last_ = nullptr;
  }

  std::array<classified, size_t{1} << place_bits> lately_;
  const classified *last_ = nullptr;   // of them
  std::set<score_facts> known_facts_;  // of asks that came
  uint64_t kept_bytes_ = 0;
};

}  // namespace tenon::internal
