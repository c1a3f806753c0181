// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Questions about reservations: asked within a step, answered by requests.
#include <algorithm>
#include <utility>

#include "cycle_thread.hpp"
#include "tenon/kernel/resources.hpp"

namespace tenon::service {

using state = reservation_question::state;

void cycle::ask_rms() {
  rm_check now, later;
  if (checks_) {
    now = [this](auto partition, auto application, auto key, auto node, bool allocate) {
      return check(partition, application, key, node, allocate);
    };
  }
  if (checks_reservations_) {
    later = [this](auto partition, auto application, auto key, auto node, bool) {
      return may_reserve(partition, application, key, node);
    };
  }
  kernel_.set_rm_check(std::move(now), std::move(later));
}

// Within a step. False: there is no answer yet.
bool cycle::may_reserve(partition_id partition, std::string_view application, std::string_view key,
                        std::string_view node) {
  for (const auto &one : sessions_) {
    rm_partition *where = one->find_partition(partition);
    if (where == nullptr) continue;
    if (!one->who.checks_reservations) return true;
    std::vector<reservation_question> &all = one->questions.all;
    const auto same = std::find_if(all.begin(), all.end(), [&](const reservation_question &q) {
      return q.key == key && q.application == application && q.partition == partition;
    });
    if (same != all.end()) {
      if (same->is != state::accepted) return false;
      const bool is_of_node = same->node == node;
      all.erase(same);
      if (is_of_node) return true;
    }
    if (one->questions.in_window() >= one->who.check_window) {
      one->questions.turned_away = true;
      return false;
    }
    all.push_back({next_question_++, partition, std::string(application), std::string(key), std::string(node)});
    writer_.question(all.back(), kernel_, *where);
    ++shared_.counters.answers;
    return false;
  }
  return true;
}

void cycle::note_sent_question(rm_session &one, uint64_t number) const {
  for (reservation_question &q : one.questions.all)
    if (q.number == number && q.is == state::open) q.due_ms = in_time();
}

int64_t cycle::in_time() const { return add_saturating(now_ms_, shared_.limits.check_deadline_ms); }

void cycle::answer_question(rm_session &from, const check_answer &said) {
  std::vector<reservation_question> &all = from.questions.all;
  const auto found = std::find_if(all.begin(), all.end(), [&](const reservation_question &q) {
    return q.number == said.number && q.is == state::open;
  });
  if (found == all.end()) return;
  if (said.accepted) {
    found->is = state::accepted;
    found->due_ms = in_time();
    return tell_kernel(from, *found, true, {});
  }
  const reservation_question refused = std::move(*found);
  all.erase(found);
  say_over(from, refused, said.reason);
  tell_kernel(from, refused, false, said.reason);
}

void cycle::tell_kernel(rm_session &of, const reservation_question &q, bool accepted, std::string_view reason) {
  const rm_partition *where = of.find_partition(q.partition);
  if (where == nullptr) return;
  command answer = check_answer{where->full_name, 0, accepted, reason, {}, q.application, q.key, q.node};
  (void)is_beyond_bounds(of, answer);
  apply(answer);
}

void cycle::say_over(rm_session &of, const reservation_question &q, std::string_view reason) {
  const rm_partition *where = of.find_partition(q.partition);
  if (where == nullptr) return;
  answer_writer::question_over(q, reason, *where);
  ++shared_.counters.answers;
}

// The asks are looked at when the RM is there again.
void cycle::end_questions(rm_session &of) {
  for (const reservation_question &q : std::exchange(of.questions.all, {})) {
    if (q.is == state::open) say_over(of, q, "the resource manager is not there");
    tell_kernel(of, q, true, {});
  }
}

void cycle::look_at_questions(rm_session &of) {
  reservation_questions &questions = of.questions;
  for (size_t i = questions.all.size(); i-- > 0;) {
    reservation_question &q = questions.all[i];
    if (q.due_ms > now_ms_ && of.find_partition(q.partition) != nullptr) continue;
    if (q.is == state::open) {
      say_over(of, q, "the resource manager has not answered in time");
      q.is = state::late;
      q.due_ms = in_time();
      continue;
    }
    const reservation_question ended = std::move(q);
    questions.all.erase(questions.all.begin() + static_cast<std::ptrdiff_t>(i));
    tell_kernel(of, ended, true, {});
  }
  // All that were turned away look again at once, which costs as much as there are: after many answers.
  if (!questions.turned_away || questions.in_window() > of.who.check_window / 2) return;
  questions.turned_away = false;
  ask_rms();
}

}  // namespace tenon::service
