// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Predicates: verdicts with reasons, signatures that share no more than they may, prefixes of victims.
#include <array>
#include <map>

#include "asked_slot.hpp"

namespace tenon::conformance {
namespace {

// Asks of `count` kinds for the same nodes: the context columns change, the rows stay.
question another_ask(const instance &of, question q, uint64_t seed, const world_style &style) {
  for (column_values &c : q.rows.columns) {
    // Only asks with equal resources share results.
    if (c.is.scope != TENON_SCOPE_CONTEXT || c.is.id == "ask.resources") continue;
    c.cells[0] = make_cell(c.is, style, seed, 0);
  }
  (void)of;
  return q;
}

void verdicts_known(probe &p) {
  const opened_module module = opened_module::start(p);
  const auto one = instance::active(module);
  const size_t reasons = one->says().reasons.size();
  for (uint64_t i = 0; i < 60; ++i) {
    const question q = usual_question(*one, slot::filter, mixed(p.seed(), i), {.rows = 10, .extreme = i % 4 == 3});
    const answer a = ask(*one, q);
    for (size_t at = 0; at < a.verdicts.size(); ++at) {
      if (a.verdicts[at] > TENON_FAIL_UNRESOLVABLE)
        probe::fail("filter gave the verdict " + number(a.verdicts[at]) + ", which there is not");
      if (a.reasons[at] > reasons)
        probe::fail("filter gave reason " + number(a.reasons[at]) + " of " + number(reasons));
    }
  }
}

void reasons_present(probe &p) {
  const opened_module module = opened_module::start(p);
  const auto one = instance::active(module);
  for (const std::string &reason : one->says().reasons) {
    if (reason.find_first_not_of(" \t") == std::string::npos) probe::fail("one of its reasons has no reason");
  }
  for (uint64_t i = 0; i < 60; ++i) {
    const answer a = ask(*one, usual_question(*one, slot::filter, mixed(p.seed(), i), {.rows = 10}));
    for (size_t at = 0; at < a.verdicts.size(); ++at) {
      if (a.verdicts[at] != TENON_PASS && a.reasons[at] == 0)
        probe::fail("filter fails a node without a reason: `explain` has nothing to say of it");
      if (a.verdicts[at] == TENON_PASS && a.reasons[at] != 0)
        probe::fail("filter gives a reason with a verdict that passes");
    }
  }
}

void filter_time(probe &p) {
  const opened_module module = opened_module::start(p);
  const auto one = instance::active(module);
  if (one->says().rekey_ms != 0) probe::skip("it has rekey_ms: its verdicts are asked for anew");
  for (const slot s : {slot::filter, slot::signature}) {
    if (!has_slot(*one, s)) continue;
    question q = usual_question(*one, s, p.seed(), {.rows = 12});
    const answer first = ask(*one, q);
    const int64_t now = q.rows.now_ms;
    for (const int64_t later : {1LL, 60'000LL, 3'600'000LL * 7, 86'400'000LL * 3, 86'400'000LL * 4000}) {
      q.rows.now_ms = now + later;
      if (!(ask(*one, q) == first))
        probe::fail(std::string(slot_name(s)) +
                    " depends on the time; verdicts are kept until a declared column changes");
    }
  }
}

void signature_sound(probe &p) {
  const opened_module module = opened_module::start(p);
  const auto one = instance::active(module);
  if (!has_slot(*one, slot::signature)) probe::skip("it has no signature");
  const world_style style{.rows = 24, .vocabulary = vocabulary(*one)};
  const question nodes = usual_question(*one, slot::filter, p.seed(), style);
  std::map<std::vector<uint64_t>, answer> seen;
  for (uint64_t i = 0; i < 400; ++i) {
    question q = another_ask(*one, nodes, mixed(p.seed(), i), style);
    const answer verdicts = ask(*one, q);
    q.of = slot::signature;
    q.items.clear();
    for (column_values &c : q.rows.columns) c.absent = c.is.scope != TENON_SCOPE_CONTEXT;
    const answer signature = ask(*one, q);
    if (signature.status != TENON_OK) continue;
    const auto [before, first] = seen.emplace(signature.words, verdicts);
    if (!first && before->second.verdicts != verdicts.verdicts)
      probe::fail("two asks with one signature get different verdicts");
  }
}

bool is_of_resources(const column_values &c) { return c.is.id == "node.free" || c.is.id.starts_with("node.devices:"); }

// What no release of resources can help stays as it is, whatever is free.
void unresolvable_true(probe &p) {
  const opened_module module = opened_module::start(p);
  const auto one = instance::active(module);
  const world_style style{.rows = 10};
  for (uint64_t i = 0; i < 20; ++i) {
    question q = usual_question(*one, slot::filter, mixed(p.seed(), i), style);
    const answer before = ask(*one, q);
    bool any = false;
    for (uint64_t change = 0; change < 10; ++change) {
      for (column_values &c : q.rows.columns) {
        if (!is_of_resources(c)) continue;
        any = true;
        for (uint32_t row = 0; row < c.cells.size(); ++row) {
          c.cells[row] = make_cell(c.is, style, mixed(p.seed(), i * 100 + change + 1), row);
          if (change == 0) {
            for (int64_t &amount : c.cells[row].amounts) amount = 64'000;
            c.cells[row].present = ~uint64_t{0};
          }
        }
      }
      if (!any) probe::skip("it reads nothing that a release of resources changes");
      const answer after = ask(*one, q);
      for (size_t at = 0; at < before.verdicts.size(); ++at) {
        if (before.verdicts[at] == TENON_FAIL_UNRESOLVABLE && after.verdicts[at] == TENON_PASS)
          probe::fail("filter says that no release of resources can help a node, and passes it when more is free");
      }
    }
  }
}

void filter_prefix_agrees(probe &p) {
  const opened_module module = opened_module::start(p);
  const auto one = instance::active(module);
  if (!has_slot(*one, slot::filter_prefix)) probe::skip("it has no filter_prefix");
  for (uint64_t i = 0; i < 80; ++i) {
    const question q = usual_question(*one, slot::filter_prefix, mixed(p.seed(), i), {.rows = 8});
    const answer prefix = ask(*one, q);
    question node = q;
    node.of = slot::filter;
    const answer verdict = ask(*one, node);
    if (prefix.status == TENON_OK && (prefix.words[0] < q.start || prefix.words[0] >= q.victims))
      probe::fail("filter_prefix gave index " + number(prefix.words[0]) + ", from " + number(q.start) + " of " +
                  number(q.victims) + " victims");
    // What passes with nobody gone passes with the first prefix; what nothing can resolve, no prefix does.
    if (verdict.verdicts[0] == TENON_PASS && !(prefix.status == TENON_OK && prefix.words[0] == q.start))
      probe::fail("filter passes the node as it is, and filter_prefix does not give the first prefix");
    if (verdict.verdicts[0] == TENON_FAIL_UNRESOLVABLE && prefix.status != TENON_UNSCHEDULABLE)
      probe::fail("filter says that nothing helps, and filter_prefix found a prefix that does");
  }
}

constexpr std::array predicate_list{
    check{"verdicts-known", "predicate", about::predicate, "answers-repeat",
          "Verdicts are pass, fail or unresolvable, and reasons are among those that are described.", verdicts_known},
    check{"reasons-present", "predicate", about::predicate, "answers-repeat",
          "A node that fails gets a reason with words, one that passes gets none.", reasons_present},
    check{"filter-time", "predicate", about::predicate, "answers-repeat",
          "Verdicts and signatures do not depend on the time, for they are kept until a declared column changes.",
          filter_time},
    check{"signature-sound", "predicate", about::predicate, "answers-repeat",
          "Asks with equal resources and equal signatures get equal verdicts on every node.", signature_sound},
    check{"unresolvable-true", "predicate", about::predicate, "answers-repeat",
          "A node that is unresolvable does not pass when more of it is free.", unresolvable_true},
    check{"filter-prefix-agrees", "predicate", about::predicate, "answers-repeat",
          "filter_prefix gives a prefix that it was asked for, and what filter says in that world.",
          filter_prefix_agrees},
};

}  // namespace

checks predicate_checks() { return predicate_list; }

}  // namespace tenon::conformance
