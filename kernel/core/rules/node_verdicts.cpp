// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "rules/node_verdicts.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "base/kept_sizes.hpp"
#include "core.hpp"
#include "model/node_table.hpp"
#include "policies/call_contexts.hpp"

namespace tenon::internal {
namespace {

constexpr int64_t held_ms = 1000;

}  // namespace

void node_verdicts::adopt(std::vector<node_predicate> predicates) {
  predicates_ = std::move(predicates);
  reason_texts_.clear();
  read_amounts_ = read_need_ = false;
  for (const node_predicate &p : predicates_) {
    reason_texts_.push_back(p.bound->name + " failed");
    reason_texts_.insert(reason_texts_.end(), p.bound->reasons.begin(), p.bound->reasons.end());
    read_amounts_ |= (p.node_mask & column::node_amounts) != 0;
    read_need_ |= p.reads_need;
  }
}

std::vector<node_predicate> node_verdicts::replace(std::vector<node_predicate> fresh) {
  for (verdict_set *v : seldom_->held) v->held = 0;
  seldom_->held.clear();
  for (auto &[signature, v] : sets_) {
    v->forget_all();
    seldom_->former.push_back(std::move(v));
  }
  sets_.clear();
  for (size_t i = 0; i < fresh.size(); ++i) {
    if (fresh[i].bound == nullptr) {
      std::swap(fresh[i], predicates_[i]);
      continue;
    }
    fresh[i].calls = predicates_[i].calls;
    fresh[i].faults = predicates_[i].faults;
  }
  std::vector<node_predicate> gone = std::move(predicates_);
  adopt(std::move(fresh));
  return gone;
}

std::string node_verdicts::reason_of(const ask_class &c, uint32_t slot) const {
  const verdict_set *v = c.judged;
  if (v != nullptr && v->others != nullptr && slot < v->others->verdicts.size() &&
      v->others->verdicts[slot] >= verdict_set::refused) {
    v = v->others;
  }
  if (v == nullptr || slot >= v->reasons.size()) return {};
  const std::vector<std::string> &texts = reasons_for(*v);
  return v->reasons[slot] < texts.size() ? texts[v->reasons[slot]] : std::string{};
}

std::string node_verdicts::refusals_of(const ask_class &c) const {
  std::map<std::string, uint64_t> nodes_by_reason;
  for (uint32_t slot = 0; slot < nodes.slots(); ++slot) {
    const node *n = nodes.at(slot);
    if (n == nullptr || !n->schedulable() || !nodes.holds(c, slot)) continue;
    const uint8_t known = known_of(c, slot);
    if (known == verdict_set::pass) return {};
    if (known != verdict_set::unknown) ++nodes_by_reason[reason_of(c, slot)];
  }
  std::string text;
  for (const auto &[reason, count] : nodes_by_reason) {
    text += (text.empty() ? "" : "; ") + reason + " (" + std::to_string(count) + "x)";
  }
  return text;
}

uint8_t node_verdicts::known_of(const ask_class &c, uint32_t slot) const {
  const auto said = [slot](const verdict_set *v) {
    return v == nullptr ? verdict_set::pass : slot < v->verdicts.size() ? v->verdicts[slot] : verdict_set::unknown;
  };
  const uint8_t now = said(c.judged), by_others = c.judged == nullptr ? now : said(c.judged->others);
  if (by_others >= verdict_set::refused || now >= verdict_set::refused) return std::max(by_others, now);
  return std::min(by_others, now);
}

void node_verdicts::forget(uint32_t slot) {
  for (auto &[signature, verdicts] : sets_) verdicts->forget(slot);
  if (canary_->predicate != nullptr) forget_of_canary(slot);
}

void node_verdicts::forget_of_canary(uint32_t slot) {
  for (auto &[signature, verdicts] : canary_->sets) verdicts->forget(slot);
}

verdict_set *node_verdicts::set_for(const ask &a, const resources &need, bool &in_common) {
  in_common = true;
  if (predicates_.empty()) return nullptr;
  std::vector<uint64_t> &signature = signature_;
  signature.clear();
  const ask_facts facts{need, a.priority, a.tags()};
  for (node_predicate &p : predicates_) {
    uint64_t words[2] = {0, 0};
    if (!is_signed(p, a, facts, words)) {  // results are this ask's alone
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
  auto &slot = sets_[signature];
  if (slot == nullptr) {
    slot = std::make_unique<verdict_set>();
    begin_set(*slot, a, in_common);
    kept_bytes_ += ask_class_size + slot->first_key.size() + size_of_pairs(slot->tags) + verdict_size * nodes.slots();
  }
  return slot.get();
}

void node_verdicts::begin_set(verdict_set &v, const ask &a, bool in_common) {
  v.tags = a.tags();
  v.priority = a.priority;
  v.first_key = a.owner->id + '/';
  v.first_key += a.key.view();
  v.first_arrival = a.arrival;
  v.alone = !in_common;
}

// -- The predicate of a canary. --

void node_verdicts::adopt_canary(std::unique_ptr<node_predicate> predicate) {
  canary_->predicate = std::move(predicate);
  canary_->has_failed = false;
  ++canary_->number;
  std::erase_if(seldom_->held, [](const verdict_set *v) { return v->canary != 0; });
  canary_->reason_texts.clear();
  canary_->reads_amounts = false;
  // What they said is of the canary before: those that this one needs begin anew.
  for (auto &[signature, verdicts] : canary_->sets) {
    verdicts->verdicts = {};
    verdicts->reasons = {};
    verdicts->open = {};
    verdicts->held = 0;
  }
  if (canary_->predicate == nullptr) return;
  canary_->reads_amounts = (canary_->predicate->node_mask & column::node_amounts) != 0;
  const bound_policy &bound = *canary_->predicate->bound;
  canary_->reason_texts.push_back(bound.name + " failed (canary)");
  for (const std::string &reason : bound.reasons) canary_->reason_texts.push_back(reason + " (canary)");
}

verdict_set *node_verdicts::canary_set_for(const ask &a, const resources &need, verdict_set *others, bool &in_common) {
  if (canary_->predicate == nullptr) return others;
  std::vector<uint64_t> signature(2);
  const ask_facts facts{need, a.priority, a.tags()};
  const bool is_common = is_signed(*canary_->predicate, a, facts, signature.data());
  if (!is_common) signature = {~uint64_t{0}, a.arrival};
  in_common = in_common && is_common;
  if (canary_->predicate->reads_need) {
    for_each_type(need, [&](type_index t, int64_t amount) {
      signature.insert(signature.end(), {t, static_cast<uint64_t>(amount)});
    });
  }
  auto &slot = canary_->sets[{others, std::move(signature)}];
  if (slot == nullptr) {
    slot = std::make_unique<verdict_set>();
    kept_bytes_ += ask_class_size + size_of_pairs(a.tags()) + verdict_size * nodes.slots();
  }
  if (slot->canary != canary_->number) {
    begin_set(*slot, a, is_common);
    slot->canary = canary_->number;
    slot->others = others;
    slot->held = 0;
    slot->forget_all();
  }
  return slot.get();
}

std::span<node_predicate> node_verdicts::asked_for(const verdict_set &v) {
  if (v.canary == 0) return predicates_;
  if (v.canary != canary_->number || canary_->predicate == nullptr) return {};
  return {canary_->predicate.get(), 1};
}

const std::vector<std::string> &node_verdicts::reasons_for(const verdict_set &v) const {
  return v.canary == 0 ? reason_texts_ : canary_->reason_texts;
}

bool node_verdicts::is_signed(node_predicate &p, const ask &a, const ask_facts &facts, uint64_t words[2]) {
  if (!shared.answers.are_told() || !shared.answers.says_failed(fault_of(p, a))) {
    const signed_as how = ask_signature(p, contexts.now(), facts, words);
    if (how != signed_as::fault) return how == signed_as::words;
  }
  ++shared.counters.policy_faults;
  shared.answers.note_fault(fault_of(p, a));
  if (&p == of_canary()) canary_->has_failed = true;
  return false;
}

policy_fault node_verdicts::fault_of(const node_predicate &p, const ask &a) const {
  const std::string_view asks = shared.keep(a.owner->id + '/' + std::string(a.key.view()));
  const bool of_them = &p != of_canary();
  return {of_them ? policy_fault::kind::predicate_signature : policy_fault::kind::canary_predicate_signature,
          partition_name, of_them ? std::string_view(p.bound->name) : shared.keep(p.bound->name), asks, a.arrival};
}

bool node_verdicts::is_passed(verdict_set &v, const resources &need, uint32_t slot) {
  if (v.others != nullptr && !is_judged(*v.others, need, slot)) return false;
  return is_judged(v, need, slot);
}

bool node_verdicts::is_judged(verdict_set &v, const resources &need, uint32_t slot) {
  if (v.verdicts.size() <= slot || v.verdicts[slot] == verdict_set::unknown) judge(v, need);
  return v.verdicts[slot] == verdict_set::pass;
}

bool node_verdicts::may_be_passed(verdict_set &v, const resources &need, uint32_t slot) {
  const auto may_be = [&](verdict_set &said) {
    if (said.verdicts.size() <= slot || said.verdicts[slot] == verdict_set::unknown) {
      const onlooker looks(*this);
      judge(said, need);
    }
    return said.verdicts[slot] <= verdict_set::pass;
  };
  return (v.others == nullptr || may_be(*v.others)) && may_be(v);
}

policy_fault node_verdicts::fault_of(const node_predicate &p, const verdict_set &v) const {
  if (v.canary == 0)
    return {policy_fault::kind::predicate, partition_name, p.bound->name, v.first_key, v.first_arrival, v.alone};
  return {policy_fault::kind::canary_predicate,
          partition_name,
          shared.keep(p.bound->name),
          shared.keep(v.first_key),
          v.first_arrival,
          v.alone};
}

void node_verdicts::judge(verdict_set &v, const resources &need) {
  v.cover(nodes.slots());
  if (v.held != 0) return v.refuse_all(v.held_for);
  std::vector<uint32_t> &open = judged_.open, &passed = judged_.passed;
  std::vector<uint8_t> &verdicts = judged_.verdicts;
  std::vector<uint16_t> &reasons = judged_.reasons;
  open.clear();
  open.swap(v.open);
  std::sort(open.begin(), open.end());
  std::erase_if(open, [&](uint32_t slot) {
    if (nodes.at(slot) != nullptr) return false;
    v.open.push_back(slot);
    return true;
  });
  for (const uint32_t slot : open) v.verdicts[slot] = verdict_set::pass;
  const ask_facts facts{need, v.priority, v.tags};
  judged_.asked = open;
  uint16_t first_reason = 0;
  for (node_predicate &p : asked_for(v)) {
    verdicts.assign(open.size(), TENON_FAIL);
    reasons.assign(open.size(), 0);
    if (!open.empty()) {
      const bool told = !only_looks_ && shared.answers.are_told() && shared.answers.says_failed(fault_of(p, v));
      if (told || !filter_nodes(p, contexts.now(), nodes, facts, open, verdicts.data(), reasons.data())) {
        return failed(v, p);
      }
    }
    passed.clear();
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

void node_verdicts::failed(verdict_set &v, const node_predicate &p) {
  if (!only_looks_) return hold(v, p);
  ++shared.counters.policy_faults;
  for (const uint32_t slot : judged_.asked) v.forget(slot);
}

// Fails closed: the nodes do not fit.
void node_verdicts::hold(verdict_set &v, const node_predicate &p) {
  ++shared.counters.policy_faults;
  ++faults_;
  shared.answers.note_fault(fault_of(p, v));
  v.held_for = 0;
  if (v.canary != 0) canary_->has_failed = true;
  for (const node_predicate *before = asked_for(v).data(); before != &p; ++before) {
    v.held_for = static_cast<uint16_t>(v.held_for + before->bound->reasons.size() + 1);
  }
  v.held = clock.next_epoch();
  v.refuse_all(v.held_for);
  seldom_->held.push_back(&v);
  clock.arm(add_saturating(clock.now_ms(), held_ms), timer_kind::predicate, 0, v.held);
}

void node_verdicts::hold(const policy_fault &as_told) {
  const bool of_them = as_told.what == policy_fault::kind::predicate;
  if ((!of_them && as_told.what != policy_fault::kind::canary_predicate) || as_told.arrival == 0) return;
  const auto hold_in = [&](const auto &sets) {
    std::vector<verdict_set *> by_arrival;
    for (const auto &[signature, v] : sets) by_arrival.push_back(v.get());
    std::sort(by_arrival.begin(), by_arrival.end(), [](const verdict_set *a, const verdict_set *b) {
      return std::pair(a->first_arrival, a->alone) < std::pair(b->first_arrival, b->alone);
    });
    for (verdict_set *v : by_arrival) {
      const std::span<node_predicate> asked = asked_for(*v);
      const auto p = std::find_if(asked.begin(), asked.end(),
                                  [&](const node_predicate &one) { return one.bound->name == as_told.policy; });
      if (p != asked.end() && v->held == 0 && v->first_arrival == as_told.arrival && v->alone == as_told.alone &&
          v->first_key == as_told.asks) {
        v->cover(nodes.slots());
        hold(*v, *p);
      }
    }
  };
  of_them ? hold_in(sets_) : hold_in(canary_->sets);
}

bool node_verdicts::is_void(uint64_t epoch) const {
  return std::none_of(seldom_->held.begin(), seldom_->held.end(),
                      [&](const verdict_set *v) { return v->held == epoch; });
}

void node_verdicts::ask_again(uint64_t epoch) {
  const auto v = std::find_if(seldom_->held.begin(), seldom_->held.end(),
                              [&](const verdict_set *one) { return one->held == epoch; });
  (*v)->held = 0;
  (*v)->forget_all();
  seldom_->held.erase(v);
}

verdict_set *node_verdicts::copy_of(const verdict_set *original) {
  only_looks_ = true;
  if (original == nullptr) return nullptr;
  const auto [known, made] = seldom_->copies.try_emplace(original);
  if (!made) return known->second;
  auto &v = sets_[{~uint64_t{0}, original->first_arrival,
                   seldom_->copies.size()}];  // signatures have an even number of words
  v = std::make_unique<verdict_set>();
  v->tags = original->tags;
  v->priority = original->priority;
  v->first_key = original->first_key;
  v->first_arrival = original->first_arrival;
  v->alone = original->alone;
  v->held = original->held;
  v->held_for = original->held_for;
  if (original->canary != 0) {
    v->canary = canary_->number;
    v->others = copy_of(original->others);
  }
  return known->second = v.get();
}

}  // namespace tenon::internal
