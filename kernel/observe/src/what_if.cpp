// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "tenon/observe/what_if.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <span>
#include <utility>

#include "tenon/config/problems.hpp"
#include "tenon/host/reader_question.hpp"
#include "tenon/kernel/duration.hpp"
#include "tenon/kernel/partition_name.hpp"
#include "tenon/kernel/resources.hpp"
#include "what_if_text.hpp"

namespace tenon::observe {
namespace {

constexpr std::array<std::string_view, static_cast<size_t>(what_if_outcome::undecided) + 1> outcome_names{
    "placed", "evicts", "waits", "refused", "undecided"};

std::vector<named_text> views_of(const std::map<std::string, std::string> &from) {
  std::vector<named_text> out;
  for (const auto &[key, value] : from) out.push_back({key, value});
  return out;
}

std::vector<named_amount> views_of(const amount_map &from) {
  std::vector<named_amount> out;
  for (const auto &[type, amount] : from) out.push_back({type, amount});
  return out;
}

// What the RM is told to end, and has not ended yet.
struct ending {
  std::string application, key;
  uint64_t sequence = 0;
  termination why = termination::unknown;
};

bool is_to_confirm(const decision_view &released) {
  const termination end = *end_of(released);
  return reason_of(released)->why != cause::released_by_rm &&
         (end == termination::placeholder_replaced || end == termination::preempted_by_scheduler ||
          end == termination::timeout);
}

class trial {
 public:
  trial(kernel &copy, const what_if_question &question, const named_partition &where, const what_if_terms &terms)
      : asked_(question), where_(where), stops_(terms.stops), copy_(&copy) {
    out_.partition = where.name;
    out_.now_ms = now_ms_ = std::max(copy.now_ms(), question.now_ms);
    out_.checks = terms.checks;
  }

  what_if_answer run() {
    const host::reader_question asked;
    apply(advance{});
    for (const application_if &one : asked_.applications) submit(one);
    settle();
    const int64_t end_ms = add_saturating(out_.now_ms, asked_.within_ms);
    for (uint64_t moments = 0; !is_over() && !too_much_ && !is_stopped(); ++moments) {
      const auto due = copy_->next_due();
      if (!due || *due > end_ms) break;
      too_much_ = moments >= most_moments_if;
      now_ms_ = std::max(now_ms_, *due);
      apply(advance{});
      settle();
    }
    out_.passed_ms = is_over() || too_much_ ? now_ms_ - out_.now_ms : asked_.within_ms;
    for (ask_answer &one : out_.asks) conclude(one);
    out_.text = in_words(out_);
    return std::move(out_);
  }

 private:
  // -- What is asked for. --

  void submit(const application_if &given) {
    application_if one = given;
    const bool fresh = one.application.empty() || !copy_->place_of(where_.id, one.application);
    if (one.application.empty()) one.application = unused_id();
    const size_t first = out_.asks.size();
    for (size_t i = 0; i < one.asks.size(); ++i) {
      asked_if &a = one.asks[i];
      if (a.key.empty()) a.key = one.application + "-ask-" + std::to_string(i + 1);
      if (one.gang && a.task_group.empty()) a.task_group = "group-" + std::to_string(i + 1);
      ask_answer &answer = out_.asks.emplace_back();
      answer.application = one.application;
      answer.key = a.key;
      answer.count = a.count;
    }
    if (fresh) add(one);
    const std::optional<application_place> place = copy_->place_of(where_.id, one.application);
    for (size_t i = first; i < out_.asks.size(); ++i) {
      if (!place) {
        out_.asks[i].what = what_if_outcome::refused;
        out_.asks[i].message = refused_;
        continue;
      }
      out_.asks[i].queue = place->queue;
      put(one, one.asks[i - first], out_.asks[i]);
    }
  }

  [[nodiscard]] std::string unused_id() const {
    std::string out = "what-if";
    for (int i = 2; copy_->place_of(where_.id, out); ++i) out = "what-if-" + std::to_string(i);
    return out;
  }

  void add(const application_if &one) {
    refused_.clear();
    amount_map gang;
    if (one.gang) {
      for (const asked_if &a : one.asks)
        for (const auto &[type, amount] : a.resources)
          gang[type] = add_saturating(gang[type], mul_saturating(amount, a.count));
    }
    const auto tags = views_of(one.tags);
    const auto placeholders = views_of(gang);
    const std::vector<std::string_view> groups(one.groups.begin(), one.groups.end());
    add_application c;
    c.partition = where_.name;
    c.application = one.application;
    c.queue = one.queue;
    c.user = one.user;
    c.groups = groups;
    c.tags = tags;
    c.placeholder_ask = placeholders;
    apply(c);
  }

  void put(const application_if &of, const asked_if &a, ask_answer &answer) {
    refused_.clear();
    const auto amounts = views_of(a.resources);
    const auto tags = views_of(a.tags);
    put_ask c;
    c.partition = where_.name;
    c.application = of.application;
    c.key = a.key;
    c.resources = amounts;
    c.max_allocations = a.count;
    c.priority = a.priority;
    c.priority_class = a.priority_class;
    c.tags = tags;
    c.task_group = a.task_group;
    c.required_node = a.required_node;
    c.placeholder = of.gang;
    c.allow_preempt_other = a.preempts;
    c.allow_preempt_self = a.gives_way;
    apply(c);
    if (refused_.empty()) return;
    answer.what = what_if_outcome::refused;
    answer.message = refused_;
  }

  // -- What comes of it. --

  uint32_t apply(const command &c) {
    const uint32_t made = copy_->apply(now_ms_, c);
    copy_->drain([&](const decision_view &d) { hear(d); });
    return made;
  }

  // Decides until nothing is left to be decided now.
  void settle() {
    while (!is_over() && !too_much_ && !is_stopped()) {
      for (const uint64_t number : std::exchange(checks_, {})) apply(check_answer{where_.name, number, true, {}, {}});
      for (const ending &one : std::exchange(endings_, {})) confirm(one);
      if (!copy_->has_work(where_.id) && !is_rm_told()) return;
      const uint32_t made = apply(step{where_.name, 1, {}});
      out_.decisions += made;
      too_much_ = out_.decisions >= most_decisions_if;
      if (made == 0 && !is_rm_told()) return;
    }
  }

  [[nodiscard]] bool is_stopped() const { return stops_ != nullptr && *stops_; }

  // The RM has something to do.
  [[nodiscard]] bool is_rm_told() const { return !checks_.empty() || !endings_.empty(); }

  void confirm(const ending &one) {
    release c;
    c.partition = where_.name;
    c.application = one.application;
    c.key = one.key;
    c.allocation_sequence = one.sequence;
    c.why = one.why;
    c.what = release_what::allocations;
    apply(c);
  }

  [[nodiscard]] bool is_over() const {
    return std::all_of(out_.asks.begin(), out_.asks.end(), [](const ask_answer &one) {
      return one.what == what_if_outcome::refused || one.placed.size() >= static_cast<size_t>(one.count);
    });
  }

  void hear(const decision_view &d) {
    if (const auto *no = d.as<decided::application_rejected>()) refused_ = no->message;
    if (const auto *no = d.as<decided::ask_rejected>()) refused_ = no->message;
    if (d.is(decision_kind::proposed)) checks_.push_back(d.allocation_sequence);
    if (d.is(decision_kind::allocated)) place(d);
    if (!d.is(decision_kind::released) || !is_to_confirm(d)) return;
    endings_.push_back({std::string(d.application), std::string(d.key), d.allocation_sequence, *end_of(d)});
    const reason &why = *reason_of(d);
    if (why.why != cause::preempted_for_ask && why.why != cause::preempted_for_daemon) return;
    for (ask_answer &one : out_.asks) {
      if (one.key != why.about) continue;
      one.victims.push_back(
          {std::string(d.application), std::string(d.key), std::string(d.node),
           copy_->place_of(where_.id, d.application).value_or(application_place{std::string(d.queue)}).queue,
           d.now_ms - out_.now_ms});
    }
  }

  void place(const decision_view &d) {
    for (ask_answer &one : out_.asks) {
      if (one.key != d.key || one.application != d.application) continue;
      one.placed.push_back({std::string(d.node), std::string(devices_of(d)), d.now_ms - out_.now_ms});
    }
  }

  void conclude(ask_answer &one) {
    if (one.what == what_if_outcome::refused) return;
    if (one.placed.size() >= static_cast<size_t>(one.count)) {
      one.what = one.victims.empty() ? what_if_outcome::placed : what_if_outcome::evicts;
      return;
    }
    one.what = too_much_ ? what_if_outcome::undecided : what_if_outcome::waits;
    if (++explained_ <= most_explained_if && !is_stopped())
      one.why = copy_->explain(where_.id, one.application, one.key, {most_copied, stops_});
  }

  const what_if_question &asked_;
  const named_partition &where_;
  const std::atomic<bool> *const stops_;
  kernel *const copy_;
  int64_t now_ms_ = 0;
  bool too_much_ = false;
  uint64_t explained_ = 0;
  std::string refused_;           // why the last command was
  std::vector<uint64_t> checks_;  // of placements, that the RM has not answered yet
  std::vector<ending> endings_;   // that it has not confirmed yet
  what_if_answer out_;
};

std::string in_a_row(const std::vector<named_partition> &all) {
  std::string out;
  for (const named_partition &one : all) out += (out.empty() ? "" : ", ") + one.name;
  return out;
}

}  // namespace

std::string_view name(what_if_outcome what) { return outcome_names[static_cast<size_t>(what)]; }

std::optional<refusal> problem_of(const what_if_question &question) {
  if (question.within_ms < 0)
    return refusal{"within_ms", "a time of 0 or more", std::to_string(question.within_ms), "give one, as 60000"};
  bool some = false;
  for (size_t i = 0; i < question.applications.size(); ++i) {
    const std::vector<asked_if> &asks = question.applications[i].asks;
    for (size_t j = 0; j < asks.size(); ++j) {
      some = true;
      if (asks[j].count >= 1) continue;
      return refusal{"applications[" + std::to_string(i) + "].asks[" + std::to_string(j) + "].count",
                     "1 or more allocations", std::to_string(asks[j].count), "ask for one at least"};
    }
  }
  if (some) return std::nullopt;
  return refusal{"applications", "at least one ask", "none",
                 R"(name some, as {"applications": [{"queue": "root.a", "asks": [{"resources": {"vcore": "1"}}]}]})"};
}

result<named_partition> partition_meant(const kernel &live, const std::string &name) {
  const std::vector<named_partition> all = live.partitions();
  std::vector<named_partition> meant = all;
  std::erase_if(meant, [&](const named_partition &one) { return !is_partition(one.name, name); });
  if (meant.size() == 1) return meant.front();
  if (meant.empty()) {
    return refusal{"partition",
                   all.empty() ? "a partition; no resource manager has registered" : "one of: " + in_a_row(all),
                   name.empty() ? "none" : config::in_quotes(name),
                   all.empty() ? "start one, or ask a saved state" : "name one of these, or none where there is one"};
  }
  return refusal{"partition", "one of them, named in full: " + in_a_row(meant), "several", "name one"};
}

result<what_if_answer> answer_what_if(const kernel &live, const what_if_question &question) {
  if (auto why = problem_of(question)) return *why;
  const auto where = partition_meant(live, question.partition);
  if (!where) return where.why();
  const std::unique_ptr<kernel> copy = live.copy(where->id);
  return try_on(*copy, question, *where, {live.has_checks(where->id)});
}

what_if_answer try_on(kernel &copy, const what_if_question &question, const named_partition &where,
                      const what_if_terms &terms) {
  return trial(copy, question, where, terms).run();
}

}  // namespace tenon::observe
