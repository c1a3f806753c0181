// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "rules/node_verdicts.hpp"

#include <algorithm>
#include <utility>

#include "base/kept_sizes.hpp"
#include "core.hpp"
#include "ledger/kept_counts.hpp"
#include "policies/call_contexts.hpp"

namespace tenon::internal {

void node_verdicts::adopt(std::vector<node_predicate> predicates) {
  predicates_ = std::move(predicates);
  reason_texts_.clear();
  for (const node_predicate &p : predicates_) {
    reason_texts_.push_back(p.bound->name + " failed");
    reason_texts_.insert(reason_texts_.end(), p.bound->reasons.begin(), p.bound->reasons.end());
    read_amounts_ |= (p.node_mask & column::node_amounts) != 0;
    read_need_ |= p.reads_need;
  }
}

std::string node_verdicts::reason_of(const ask_class &c, uint32_t slot) const {
  if (c.judged == nullptr || slot >= c.judged->reasons.size()) return {};
  const uint16_t reason = c.judged->reasons[slot];
  return reason < reason_texts_.size() ? reason_texts_[reason] : std::string{};
}

void node_verdicts::forget(uint32_t slot) {
  for (auto &[signature, verdicts] : sets_) verdicts->forget(slot);
}

verdict_set *node_verdicts::set_for(const ask &a, const resources &need, bool &in_common) {
  in_common = true;
  if (predicates_.empty()) return nullptr;
  std::vector<uint64_t> signature;
  const ask_facts facts{need, a.priority, a.tags};
  for (node_predicate &p : predicates_) {
    uint64_t words[2] = {0, 0};
    if (!ask_signature(p, contexts.now(), facts, words)) {  // results are this ask's alone
      words[0] = ~uint64_t{0};
      words[1] = a.arrival;
      in_common = false;
    }
    signature.insert(signature.end(), {words[0], words[1]});
  }
  if (read_need_) {
    for_each_type(need, [&](type_index t, int64_t amount) {
      signature.insert(signature.end(), {t, static_cast<uint64_t>(amount)});
    });
  }
  auto &slot = sets_[std::move(signature)];
  if (slot == nullptr) {
    slot = std::make_unique<verdict_set>();
    slot->tags = a.tags;
    slot->priority = a.priority;
    slot->first_key = a.owner->id + '/' + a.key;
    kept.add_bytes(ask_class_size + slot->first_key.size() + size_of_pairs(slot->tags) + verdict_size * nodes.slots());
  }
  return slot.get();
}

bool node_verdicts::is_passed(verdict_set &v, const resources &need, uint32_t slot) {
  if (v.verdicts.size() <= slot || v.verdicts[slot] == verdict_set::unknown) judge(v, need);
  return v.verdicts[slot] == verdict_set::pass;
}

void node_verdicts::judge(verdict_set &v, const resources &need) {
  v.cover(nodes.slots());
  std::vector<uint32_t> open = std::exchange(v.open, {});
  std::sort(open.begin(), open.end());
  std::erase_if(open, [&](uint32_t slot) {
    if (nodes.at(slot) != nullptr) return false;
    v.open.push_back(slot);
    return true;
  });
  for (const uint32_t slot : open) v.verdicts[slot] = verdict_set::pass;
  const ask_facts facts{need, v.priority, v.tags};
  uint16_t first_reason = 0;
  for (node_predicate &p : predicates_) {
    std::vector<uint8_t> verdicts(open.size(), TENON_FAIL);
    std::vector<uint16_t> reasons(open.size(), 0);
    // Fails closed: the node does not fit.
    const auto fails = [&] {
      const policy_fault fault{policy_fault::kind::predicate, partition_name, p.bound->name, v.first_key};
      if (shared.answers.says_failed(fault)) return shared.answers.note_fault(fault), true;
      if (filter_nodes(p, contexts.now(), nodes, facts, open, verdicts.data(), reasons.data())) return false;
      return shared.answers.note_fault(fault), true;
    };
    if (!open.empty() && fails()) {
      ++shared.counters.policy_faults;
      std::fill(verdicts.begin(), verdicts.end(), uint8_t{TENON_FAIL});
      std::fill(reasons.begin(), reasons.end(), uint16_t{0});
    }
    std::vector<uint32_t> passed;
    for (size_t i = 0; i < open.size(); ++i) {
      if (verdicts[i] == TENON_PASS) {
        passed.push_back(open[i]);
        continue;
      }
      v.verdicts[open[i]] = static_cast<uint8_t>(1 + std::min<uint8_t>(verdicts[i], TENON_FAIL_UNRESOLVABLE));
      const bool known = reasons[i] != 0 && reasons[i] <= p.bound->reasons.size();
      v.reasons[open[i]] = static_cast<uint16_t>(first_reason + (known ? reasons[i] : 0));
    }
    open.swap(passed);
    first_reason = static_cast<uint16_t>(first_reason + p.bound->reasons.size() + 1);
  }
}

}  // namespace tenon::internal
