// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Answers depend on what was asked and on nothing else: not on the past, the clock, the order or the company of items.
#include <algorithm>
#include <array>
#include <numeric>

#include "asked_slot.hpp"
#include "imports.hpp"

namespace tenon::conformance {
namespace {

std::string named(slot s) { return std::string(slot_name(s)); }

bool reads_items(slot s) { return s == slot::keys || s == slot::score || s == slot::filter; }

bool reads_siblings(const instance &of) {
  return std::any_of(of.columns().begin(), of.columns().end(),
                     [](const column_declared &c) { return c.scope == TENON_SCOPE_SIBLINGS; });
}

// The part of an answer that is about the item at `position`.
struct item_answer {
  std::vector<uint64_t> key;
  int64_t not_before_ms = 0, valid_until_ms = 0;
  uint32_t verdict = 0, reason = 0;
  bool operator==(const item_answer &) const = default;
};

item_answer of_item(const instance &of, const answer &a, size_t position) {
  item_answer out;
  if (!a.verdicts.empty()) {
    out.verdict = a.verdicts[position];
    out.reason = a.reasons[position];
    return out;
  }
  out.key = a.key(position, of.key_words());
  // Of nodes nobody looks at times.
  if (!of.asker().is(about::node_sort)) {
    out.not_before_ms = a.not_before_ms[position];
    out.valid_until_ms = a.valid_until_ms[position];
  }
  return out;
}

void answers_fresh(probe &p) {
  const opened_module module = opened_module::start(p);
  const auto used = instance::active(module);
  for (const slot s : slots_of(*used)) {
    for (uint64_t i = 0; i < 12; ++i) {
      // The same rows with other values, more rows, more types: whatever was kept of before is wrong now.
      world_style style;
      style.rows = static_cast<uint32_t>(i % 3 == 2 ? 20 : 8);
      style.types = static_cast<uint32_t>(2 + i % 4);
      const question q = usual_question(*used, s, mixed(p.seed(), i), style);
      const answer seen = ask(*used, q);
      const auto fresh = instance::active(module);
      if (!(ask(*fresh, q) == seen))
        probe::fail(named(s) + " of an instance that was asked other things before answers otherwise than a new one");
    }
  }
}

void answers_outside(probe &p) {
  const opened_module module = opened_module::start(p);
  const auto one = instance::active(module);
  const auto questions = usual_questions(*one, 3, p.seed());
  std::vector<answer> want;
  for (const question &q : questions) want.push_back(ask(*one, q));
  const size_t imported = replace_clocks(module);
  if (imported == 0) probe::skip("it imports no clock, no lot and nothing of the process");
  std::vector<int64_t> later{1, 86'400LL * 32, 86'400LL * 400};
  for (int64_t hours = 1; hours < 24; ++hours) later.push_back(hours * 3'601 + hours * 86'400 % 604'800);
  for (const int64_t later_s : later) {
    set_clocks(later_s);
    for (size_t i = 0; i < questions.size(); ++i) {
      if (!(ask(*one, questions[i]) == want[i]))
        probe::fail(named(questions[i].of) +
                    " depends on the machine's clock, a random number, the process or its variables");
    }
  }
}

void answers_order(probe &p) {
  const opened_module module = opened_module::start(p);
  const auto one = instance::active(module);
  for (const slot s : slots_of(*one)) {
    if (!reads_items(s)) continue;
    for (uint64_t i = 0; i < 6; ++i) {
      question q = usual_question(*one, s, mixed(p.seed(), i), {.rows = 11});
      const answer straight = ask(*one, q);
      question turned = q;
      std::shuffle(turned.items.begin(), turned.items.end(), p.random());
      const answer mixed_up = ask(*one, turned);
      for (size_t at = 0; at < turned.items.size(); ++at) {
        if (!(of_item(*one, mixed_up, at) == of_item(*one, straight, turned.items[at])))
          probe::fail(named(s) + " gives an item another answer in another order of the batch");
      }
    }
  }
}

// One question in parts: singles, pairs and thirds.
void in_parts(probe &p, slot s, const instance &of) {
  for (uint64_t i = 0; i < 6; ++i) {
    const question q = usual_question(of, s, mixed(p.seed(), i), {.rows = 9});
    const answer whole = ask(of, q);
    for (const uint32_t size : {1U, 2U, 3U}) {
      for (uint32_t first = 0; first < q.items.size(); first += size) {
        question part = q;
        part.items.assign(q.items.begin() + first, q.items.begin() + std::min<size_t>(first + size, q.items.size()));
        const answer a = ask(of, part);
        for (size_t at = 0; at < part.items.size(); ++at) {
          if (!(of_item(of, a, at) == of_item(of, whole, part.items[at])))
            probe::fail(named(s) + " gives an item another answer in a batch of " + number(size) + " than in one of " +
                        number(q.items.size()));
        }
      }
    }
  }
}

void answers_parts(probe &p) {
  const opened_module module = opened_module::start(p);
  const auto one = instance::active(module);
  if (reads_siblings(*one)) probe::skip("it declares that it reads siblings: all items are always keyed together");
  for (const slot s : slots_of(*one)) {
    if (reads_items(s)) in_parts(p, s, *one);
  }
}

// A row changes, and as a host would only that row is keyed anew.
void keys_incremental(probe &p) {
  const opened_module module = opened_module::start(p);
  const auto one = instance::active(module);
  if (reads_siblings(*one)) probe::skip("it declares that it reads siblings: all items are always keyed together");
  for (const slot s : slots_of(*one)) {
    if (s != slot::keys && s != slot::score) continue;
    question q = usual_question(*one, s, p.seed(), {.rows = 10});
    const world_style style{.rows = 10, .vocabulary = vocabulary(*one)};
    answer kept = ask(*one, q);
    std::vector<item_answer> keys;
    for (size_t i = 0; i < q.items.size(); ++i) keys.push_back(of_item(*one, kept, i));
    for (uint64_t change = 0; change < 30; ++change) {
      const auto row = static_cast<uint32_t>(p.pick(q.rows.rows));
      for (column_values &c : q.rows.columns) {
        if (c.is.scope != TENON_SCOPE_ITEM || c.absent) continue;
        c.cells[row] = make_cell(c.is, style, mixed(p.seed(), change + 100), row);
      }
      question only = q;
      only.items = {row};
      keys[row] = of_item(*one, ask(*one, only), 0);
    }
    const answer whole = ask(*instance::active(module), q);
    for (size_t i = 0; i < q.items.size(); ++i) {
      if (!(of_item(*one, whole, i) == keys[i]))
        probe::fail(named(s) + " of one changed item differs from the key that it has when all are keyed");
    }
  }
}

void keys_equal_items(probe &p) {
  const opened_module module = opened_module::start(p);
  const auto one = instance::active(module);
  for (const slot s : slots_of(*one)) {
    if (!reads_items(s)) continue;
    question q = usual_question(*one, s, p.seed(), {.rows = 6});
    for (column_values &c : q.rows.columns) {
      if (c.is.scope == TENON_SCOPE_CONTEXT) continue;
      const std::vector<cell> once = c.cells;
      c.cells.insert(c.cells.end(), once.begin(), once.end());
    }
    q.rows.rows = 12;
    q.items.resize(12);
    std::iota(q.items.begin(), q.items.end(), 0U);
    const answer a = ask(*one, q);
    for (size_t i = 0; i < 6; ++i) {
      if (!(of_item(*one, a, i) == of_item(*one, a, i + 6)))
        probe::fail(named(s) + " tells two items apart whose declared columns are equal; ties are the kernel's");
    }
  }
}

void keys_total_order(probe &p) {
  const opened_module module = opened_module::start(p);
  const auto one = instance::active(module);
  if (reads_siblings(*one)) probe::skip("it declares that it reads siblings: pairs alone say nothing");
  for (const slot s : slots_of(*one)) {
    if (s != slot::keys && s != slot::score) continue;
    for (const bool extreme : {false, true}) {
      const question q = usual_question(*one, s, p.seed(), {.rows = 12, .extreme = extreme});
      const answer whole = ask(*one, q);
      for (uint32_t a = 0; a < 12; ++a) {
        for (uint32_t b = a + 1; b < 12; ++b) {
          question pair = q;
          pair.items = {b, a};
          const answer two = ask(*one, pair);
          const auto together = whole.key(a, one->key_words()) <=> whole.key(b, one->key_words());
          const auto alone = two.key(1, one->key_words()) <=> two.key(0, one->key_words());
          if (together != alone)
            probe::fail(named(s) + " orders two items otherwise when they are alone: there is no one order of all");
        }
      }
    }
  }
}

// A key that changes with the time says until when it holds.
void keys_time(probe &p) {
  const opened_module module = opened_module::start(p);
  const auto one = instance::active(module);
  const bool node = p.is(about::node_sort);
  const int64_t step = std::max<int64_t>(one->says().rekey_ms, 1);
  for (const slot s : slots_of(*one)) {
    if (s != slot::keys && s != slot::score) continue;
    question q = usual_question(*one, s, p.seed(), {.rows = 10});
    q.rows.now_ms = q.rows.now_ms / step * step;
    const int64_t now = q.rows.now_ms;
    const answer first = ask(*one, q);
    for (size_t i = 0; i < q.items.size() && !node; ++i) {
      if (first.valid_until_ms[i] <= now)
        probe::fail(named(s) + " says of a key made at " + number(static_cast<uint64_t>(now)) +
                    " that it holds until then or earlier: it would be made anew for ever");
    }
    if (one->says().rekey_ms != 0) continue;  // all keys are made anew, nothing is compared across times
    for (const int64_t later : {1LL, 999LL, 60'000LL, 3'600'000LL, 86'400'000LL * 3, 86'400'000LL * 4000}) {
      q.rows.now_ms = now + later;
      const answer then = ask(*one, q);
      for (size_t i = 0; i < q.items.size(); ++i) {
        if (!node && first.valid_until_ms[i] <= q.rows.now_ms) continue;
        const bool same = then.key(i, one->key_words()) == first.key(i, one->key_words()) &&
                          (node || then.not_before_ms[i] == first.not_before_ms[i]);
        if (!same)
          probe::fail(named(s) + " gives another key " + number(static_cast<uint64_t>(later)) +
                      " ms later, and neither valid_until_ms nor rekey_ms says so");
      }
    }
  }
}

bool reads_the_ask(const instance &of) {
  return std::any_of(of.columns().begin(), of.columns().end(),
                     [](const column_declared &c) { return is_of_the_ask(c.id); });
}

void score_keys(probe &p) {
  const opened_module module = opened_module::start(p);
  const auto one = instance::active(module);
  if (!has_slot(*one, slot::score)) probe::skip("it has no score");
  if (reads_the_ask(*one)) probe::skip("its score reads the ask, and may order otherwise for each");
  for (uint64_t i = 0; i < 5; ++i) {
    question q = usual_question(*one, slot::keys, mixed(p.seed(), i), {.rows = 10});
    const answer keys = ask(*one, q);
    q.of = slot::score;
    const answer scores = ask(*one, q);
    for (uint32_t a = 0; a < 10; ++a) {
      for (uint32_t b = 0; b < 10; ++b) {
        const bool by_key = keys.key(a, one->key_words()) < keys.key(b, one->key_words());
        const bool by_score = scores.key(a, one->key_words()) < scores.key(b, one->key_words());
        if (by_key != by_score) probe::fail("score reads nothing of the ask, and orders otherwise than keys");
      }
    }
  }
}

void columns_known(probe &p) {
  const opened_module module = opened_module::start(p);
  const auto one = instance::active(module);
  for (const column_declared &c : one->columns()) {
    const column_entry *known = find_column(p.of().kind, c.id);
    if (known == nullptr) probe::fail("it declares the column '" + c.id + "', which this kind does not have");
    const bool context = (known->context_of & p.of().kind) != 0;
    if (context != (c.scope == TENON_SCOPE_CONTEXT))
      probe::fail("it declares the column '" + c.id + "' " + (context ? "of the items; it is" : "as") +
                  " of the context" + (context ? "" : "; it is of the items"));
    if (c.scope < TENON_SCOPE_ITEM || c.scope > TENON_SCOPE_CONTEXT)
      probe::fail("the column '" + c.id + "' has scope " + number(c.scope));
  }
}

void answers_world(probe &p) {
  const opened_module module = opened_module::start(p);
  const auto one = instance::active(module);
  for (question q : usual_questions(*one, 3, p.seed())) {
    if (q.of == slot::prepare || q.of == slot::place) continue;
    const answer live = ask(*one, q);
    q.rows.world = 7;
    if (!(ask(*one, q) == live))
      probe::fail(named(q.of) + " answers otherwise in another world whose columns are the same");
  }
}

// Of what is refused the person who asked is told why.
void refusal_text(probe &p) {
  const opened_module module = opened_module::start(p);
  const auto one = instance::active(module);
  std::vector<std::string> keys = vocabulary(*one);
  keys.insert(keys.end(), {"namespace", "deadline", "zone"});
  for (const slot s : slots_of(*one)) {
    if (s != slot::prepare && s != slot::place) continue;
    for (const char *odd :
         {"", "-1", "x", "99999999999999999999", "1e400", "nan", "  7 ", "2026-13-45", "\xC3\xA4", "{"}) {
      question q = usual_question(*one, s, p.seed());
      std::map<std::string, std::string> tags;
      for (const std::string &key : keys) tags[key] = odd;
      q.tags.assign(tags.begin(), tags.end());
      q.user = q.queue = odd;
      const answer a = ask(*one, q);
      if (!may_give(s, a.status))
        probe::fail(named(s) + " gave " + status_name(a.status) + " for tags of '" + odd + "'");
      if (a.status == TENON_INVALID_CONFIG && !a.explained)
        probe::fail(named(s) + " refuses tags of '" + odd + "' and says nothing of why");
    }
  }
}

void columns_undeclared(probe &p) {
  const opened_module module = opened_module::start(p);
  const auto one = instance::active(module);
  for (const question &q : usual_questions(*one, 3, p.seed())) {
    manner m;
    m.in.guarded = true;
    m.in.guard_only = "the columns that it declares";
    (void)ask(*one, q, m);
  }
}

constexpr std::array purity_list{
    check{"answers-fresh", "purity", about::asked, "answers-repeat",
          "What an instance was asked before changes no answer: it answers as a new one does.", answers_fresh},
    check{"answers-outside", "purity", about::policies, "answers-repeat",
          "No answer depends on the machine's clock, on chance, on the process or on its variables.", answers_outside},
    check{"answers-world", "purity", about::columns, "answers-repeat",
          "In another world with the same columns the answer is the same.", answers_world},
    check{"refusal-words", "slots", about::policies, "slots-answer",
          "Tags, users and queues that are odd are answered or refused, and a refusal comes with words.", refusal_text},
    check{"columns-known", "columns", about::columns, "instance-starts",
          "Every declared column is one of the kind's, in the scope that it has.", columns_known},
    check{"columns-undeclared", "columns", about::columns, "answers-repeat",
          "A slot reads the columns that are declared, and no other.", columns_undeclared},
    check{"answers-order", "purity", about::columns, "answers-repeat",
          "The order of the items in a batch changes no item's answer.", answers_order},
    check{"answers-parts", "purity", about::columns, "answers-order",
          "An item's answer is the same alone, in a part of a batch and in the whole of it.", answers_parts},
    check{"keys-incremental", "sort", about::sorts, "answers-order",
          "Keying one changed item gives the key that it has when all are keyed.", keys_incremental},
    check{"equal-items", "purity", about::columns, "answers-order",
          "Items whose declared columns are equal get equal answers.", keys_equal_items},
    check{"keys-total-order", "sort", about::sorts, "answers-order",
          "Any two items are in the same order alone as among others, extreme values included.", keys_total_order},
    check{"keys-time", "sort", about::sorts, "answers-repeat",
          "A key that changes with the time says until when it holds, or all are re-keyed; and that is later than now.",
          keys_time},
    check{"score-keys", "sort", about::node_sort, "answers-order",
          "A score that reads nothing of the ask orders as the keys do.", score_keys},
};

}  // namespace

checks purity_checks() { return purity_list; }

}  // namespace tenon::conformance
