// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// what-if-property: random states of which is asked what would become of some asks. Then the same asks come, the
// resource manager does what it is told, and what becomes of them must be what was said. A copy for another thread must
// say the same, and explain the asks that wait as the scheduler itself does.
#include <algorithm>
#include <iostream>
#include <map>
#include <memory>
#include <thread>
#include <utility>

#include "command_text.hpp"
#include "load.hpp"
#include "seed_options.hpp"
#include "tenon/builtin/policy_source.hpp"
#include "tenon/json/state_json.hpp"
#include "tenon/kernel/kernel.hpp"
#include "tenon/observe/what_if.hpp"
#include "tenon/observe/what_if_json.hpp"

namespace tenon::sim {
namespace {

using observe::application_if;
using observe::asked_if;
using observe::what_if_answer;
using observe::what_if_outcome;
using observe::what_if_question;

// Most seeds are of full clusters in which asks preempt.
const profile &profile_of(uint64_t seed) {
  static constexpr std::string_view names[] = {"preemption", "preemption", "types",        "preemption", "quotas",
                                               "preemption", "plain",      "reservations", "preemption", "placement",
                                               "preemption", "gangs",      "preemption",   "proposed",   "limits",
                                               "preemption", "devices",    "preemption",   "whole",      "orders"};
  return *find_profile(std::string(names[seed % std::size(names)]));
}

struct figures {
  uint64_t questions = 0, wrong = 0;
  uint64_t checked = 0;                      // questions of partitions whose RM checks placements
  std::map<what_if_outcome, uint64_t> asks;  // of all, and of those
  std::map<what_if_outcome, uint64_t> checked_asks;
  std::map<change_outcome, uint64_t> outcomes;  // of what was explained
};

// What became of an ask: its placements and whom it evicted, each with its time, and why it is refused.
struct seen_ask {
  std::vector<std::string> placed, victims;
  std::string refused;
  bool is_refused = false;

  [[nodiscard]] std::string text() const {
    std::string out = is_refused ? "refused " + refused : "";
    for (const std::string &one : victims) out += " evicts " + one;
    for (const std::string &one : placed) out += " placed " + one;
    return out.empty() ? " waits" : out;
  }
};

std::string at_ms(int64_t ms) { return " @" + std::to_string(ms); }

seen_ask foretold(const observe::ask_answer &one) {
  seen_ask out;
  out.is_refused = one.what == what_if_outcome::refused;
  out.refused = one.message;
  for (const auto &p : one.placed) out.placed.push_back(p.node + ' ' + p.devices + at_ms(p.after_ms));
  for (const auto &v : one.victims)
    out.victims.push_back(v.application + '/' + v.key + " on " + v.node + at_ms(v.after_ms));
  return out;
}

// Does what was asked about, by the commands that a resource manager sends.
class doer {
 public:
  doer(kernel &k, const what_if_question &q) : kernel_(k), question_(q), start_ms_(std::max(k.now_ms(), q.now_ms)) {}

  std::vector<seen_ask> run() {
    now_ms_ = start_ms_;
    (void)apply(advance{});
    for (const application_if &app : question_.applications) send(app);
    decide();
    while (!done()) {
      const auto due = kernel_.next_due();
      if (!due || *due > start_ms_ + question_.within_ms) break;
      now_ms_ = std::max(now_ms_, *due);
      (void)apply(advance{});
      decide();
    }
    return seen_;
  }

 private:
  void send(const application_if &app) {
    const size_t first = seen_.size();
    seen_.resize(first + app.asks.size());
    for (const asked_if &a : app.asks) wanted_.push_back({app.application, a.key, a.count});
    if (!kernel_.place_of(where(), app.application)) {
      add_application c;
      c.partition = question_.partition;
      c.application = app.application;
      c.queue = app.queue;
      c.user = app.user;
      c.groups = own_.list(app.groups);
      c.tags = own_.tags(app.tags);
      amount_map gang;
      for (const asked_if &a : app.asks)
        for (const auto &[type, amount] : a.resources) gang[type] += app.gang ? amount * a.count : 0;
      if (app.gang) c.placeholder_ask = own_.resources(gang);
      if (!apply(c).empty()) {
        for (size_t i = first; i < seen_.size(); ++i) seen_[i].is_refused = true, seen_[i].refused = why_;
        return;
      }
    }
    for (size_t i = 0; i < app.asks.size(); ++i) {
      const asked_if &a = app.asks[i];
      put_ask c;
      c.partition = question_.partition;
      c.application = app.application;
      c.key = a.key;
      c.resources = own_.resources(a.resources);
      c.max_allocations = a.count;
      c.priority = a.priority;
      c.tags = own_.tags(a.tags);
      c.task_group = a.task_group;
      c.required_node = a.required_node;
      c.placeholder = app.gang;
      c.allow_preempt_other = a.preempts;
      c.allow_preempt_self = a.gives_way;
      if (apply(c).empty()) continue;
      seen_[first + i].is_refused = true;
      seen_[first + i].refused = why_;
    }
  }

  [[nodiscard]] partition_id where() const { return kernel_.find_partition(question_.partition); }

  // Gives why the command is refused.
  std::string apply(const command &c) {
    why_.clear();
    made_ = kernel_.apply(now_ms_, c);
    kernel_.drain([&](const decision_view &d) { note(d); });
    return why_;
  }

  void note(const decision_view &d) {
    if (const auto *no = d.as<decided::application_rejected>()) why_ = no->message;
    if (const auto *no = d.as<decided::ask_rejected>()) why_ = no->message;
    for (size_t i = 0; i < wanted_.size(); ++i) {
      if (wanted_[i].application != d.application || wanted_[i].key != d.key) continue;
      if (d.is(decision_kind::allocated)) {
        seen_[i].placed.push_back(std::string(d.node) + ' ' + std::string(devices_of(d)) + at_ms(d.now_ms - start_ms_));
      }
    }
    if (d.is(decision_kind::proposed)) to_accept_.push_back(d.allocation_sequence);
    if (!d.is(decision_kind::released)) return;
    const reason &why = *reason_of(d);
    const termination end = *end_of(d);
    if (end == termination::preempted_by_scheduler) {
      for (size_t i = 0; i < wanted_.size(); ++i) {
        if (wanted_[i].key != why.about) continue;
        seen_[i].victims.push_back(std::string(d.application) + '/' + std::string(d.key) + " on " +
                                   std::string(d.node) + at_ms(d.now_ms - start_ms_));
      }
    } else if (end != termination::timeout && end != termination::placeholder_replaced) {
      return;
    }
    if (why.why == cause::released_by_rm) return;
    release c;
    c.partition = question_.partition;
    c.application = own_.text(std::string(d.application));
    c.key = own_.text(std::string(d.key));
    c.allocation_sequence = d.allocation_sequence;
    c.why = end;
    c.what = release_what::allocations;
    to_end_.push_back(c);
  }

  void decide() {
    while (!done()) {
      for (const uint64_t number : std::exchange(to_accept_, {}))
        (void)apply(check_answer{question_.partition, number, true, {}, {}});
      for (const release &c : std::exchange(to_end_, {})) (void)apply(c);
      (void)apply(step{question_.partition, 1, {}});
      if (made_ == 0 && to_end_.empty() && to_accept_.empty()) return;
    }
  }

  [[nodiscard]] bool done() const {
    for (size_t i = 0; i < wanted_.size(); ++i) {
      if (!seen_[i].is_refused && seen_[i].placed.size() < static_cast<size_t>(wanted_[i].count)) return false;
    }
    return true;
  }

  struct wanted {
    std::string application, key;
    int32_t count = 0;
  };

  kernel &kernel_;
  const what_if_question &question_;
  int64_t start_ms_ = 0, now_ms_ = 0;
  uint32_t made_ = 0;
  std::string why_;
  testing::arena own_;
  std::vector<wanted> wanted_;
  std::vector<seen_ask> seen_;
  std::vector<release> to_end_;
  std::vector<uint64_t> to_accept_;
};

class asker {
 public:
  asker(uint64_t seed, figures &to) : seed_(seed), to_(to), load_(seed, &profile_of(seed)), random_(~seed) {}

  void play() {
    kernel_snapshot seen = kernel_.snapshot();
    for (int i = 1; i <= 250 && to_.wrong == 0; ++i) {
      const timed_command c = load_.next(seen);
      note_nodes(c.what, kernel_.apply(c.now_ms, c.what));
      kernel_.drain([&](const decision_view &d) { hear(d, c.what); });
      seen = kernel_.snapshot();
      if (i < 60 || i % 31 != 0 || seen.partitions.empty()) continue;
      seen = prepare(seen);
      ask(seen, i);
      seen = kernel_.snapshot();
    }
  }

  // A made cluster: one queue runs on all of it, and others have guarantees.
  void play_full() {
    testing::arena own;
    const cluster_config *config = own.config(made_config());
    tell(register_rm{"rm", "1", "default", config, random_.percent(30) ? 500 : 0});
    const int64_t nodes = random_.between(2, 5);
    for (int64_t i = 0; i < nodes; ++i) {
      add_node c;
      c.partition = made;
      c.node = own.text("node-" + std::to_string(i));
      c.capacity = own.resources({{"vcore", random_.between(2, 6)}, {"memory", 200}});
      tell(c);
    }
    for (const char *id : {"batch-1", "batch-2"}) {
      add_application app;
      app.partition = made;
      app.application = id;
      app.queue = "root.batch";
      app.user = "ann";
      tell(app);
      for (int i = 0; i < 6; ++i) {
        put_ask c;
        c.partition = made;
        c.application = id;
        c.key = own.text(std::string(id) + "-" + std::to_string(i));
        c.resources = own.resources({{"vcore", random_.between(1, 2)}});
        c.max_allocations = static_cast<int32_t>(random_.between(1, 3));
        c.priority = static_cast<int32_t>(random_.between(-3, 3));
        c.allow_preempt_self = random_.percent(85);
        tell(c);
      }
    }
    tell(step{made, 100, {}});
    accept_all();
    for (int i = 1; i <= 2 && to_.wrong == 0; ++i) {
      if (i == 2 && random_.percent(25)) make_room(kernel_.snapshot().partitions.front());
      ask(kernel_.snapshot(), i);
    }
  }

 private:
  static constexpr std::string_view made = "[rm]default";

  cluster_config made_config() {
    cluster_config out;
    partition_config &p = out.partitions.emplace_back();
    p.root.name = "root";
    p.root.parent = true;
    p.root.submit_acl = "*";
    for (const char *name : {"prod", "test", "batch"}) {
      queue_config &q = p.root.queues.emplace_back();
      q.name = name;
      q.properties["preemption.delay"] = random_.one_of({"1ms", "2s", "4s"});
      if (q.name != "batch") q.guaranteed = {{"vcore", random_.between(3, 9)}};
    }
    p.tuning.preemption_retry_ms = random_.between(1, 4) * 1'000;
    return out;
  }

  // A step that had more to decide, and found nothing more, has looked.
  void note_nodes(const command &c, uint32_t decisions) {
    const auto *of = std::get_if<step>(&c);
    const bool looked =
        of != nullptr && decisions > 0 && decisions < of->max_decisions && kernel_.partitions().size() == 1;
    const bool other = of != nullptr || std::holds_alternative<put_ask>(c) ||
                       std::holds_alternative<add_application>(c) || std::holds_alternative<release>(c);
    new_nodes_ = !looked && (new_nodes_ || !other);
  }

  void tell(const command &c) {
    note_nodes(c, kernel_.apply(kernel_.now_ms(), c));
    kernel_.drain([&](const decision_view &d) { hear(d, c); });
  }

  // Whether the RM checks placements is what it last registered with.
  void hear(const decision_view &d, const command &of) {
    if (d.is(decision_kind::proposed)) open_.push_back(d.allocation_sequence);
    const auto *registers = std::get_if<register_rm>(&of);
    if (registers != nullptr && d.is(decision_kind::rm_registered)) checks_ = registers->check_deadline_ms > 0;
  }

  void accept_all() {
    for (const uint64_t number : std::exchange(open_, {})) tell(check_answer{made, number, true, {}, {}});
  }

  // Full clusters with many who wait are not all: at times nobody else waits, and at times there is more room.
  kernel_snapshot prepare(const kernel_snapshot &seen) {
    if (random_.percent(70)) {
      for (const partition_snapshot &p : seen.partitions) withdraw_all(p);
    }
    if (random_.percent(20)) {
      for (const partition_snapshot &p : seen.partitions) add_room(p.name);
    }
    return kernel_.snapshot();
  }

  void add_room(std::string_view partition) {
    testing::arena own;
    add_node c;
    c.partition = partition;
    c.node = own.text("room-" + std::to_string(++last_));
    c.capacity = own.resources({{"vcore", 8}, {"memory", 80}, {"gpu", 4}});
    tell(c);
  }

  // For all that is asked for from then on.
  void make_room(const partition_snapshot &p) {
    withdraw_all(p);
    add_room(p.name);
  }

  void withdraw_all(const partition_snapshot &p) {
    for (const application_snapshot &app : p.applications) {
      release c;
      c.partition = p.name;
      c.application = app.id;
      c.what = release_what::asks;
      tell(c);
    }
  }

  // Those below their guarantee, if there are any.
  static std::vector<std::string> deserving(const partition_snapshot &p) {
    std::vector<std::string> out;
    for (const queue_snapshot &q : p.queues) {
      const auto amount = [](const amount_map &of) { return of.contains("vcore") ? of.at("vcore") : 0; };
      if (q.leaf && amount(q.guaranteed) > amount(q.allocated)) out.push_back(q.path);
    }
    return out;
  }

  asked_if an_ask(const partition_snapshot &p) {
    asked_if out;
    out.key = "if-" + std::to_string(++last_);
    out.resources["vcore"] = random_.percent(85) ? random_.between(1, 2) : random_.between(3, 9);
    if (random_.percent(15)) out.resources["memory"] = random_.between(1, 4) * 10;
    if (load_.about().devices && random_.percent(30)) out.resources["gpu"] = random_.between(1, 3);
    out.count = static_cast<int32_t>(random_.percent(70) ? 1 : random_.between(2, 3));
    out.priority = static_cast<int32_t>(random_.percent(50) ? 0 : random_.between(-2, 6));
    if (random_.percent(8)) out.tags["si/zone"] = random_.one_of({"a", "b", "c"});
    if (random_.percent(6) && !p.nodes.empty()) out.required_node = random_.one_of(p.nodes).id;
    if (random_.percent(2)) out.resources = {{"vcore", -1}};
    out.preempts = random_.percent(80);
    out.gives_way = random_.percent(80);
    return out;
  }

  application_if an_application(const partition_snapshot &p) {
    application_if out;
    std::vector<std::string> leaves;
    for (const queue_snapshot &q : p.queues) {
      if (q.leaf) leaves.push_back(q.path);
    }
    const bool old = random_.percent(30) && !p.applications.empty();
    out.application = old ? random_.one_of(p.applications).id : "app-if-" + std::to_string(++last_);
    if (const auto below = deserving(p); random_.percent(70) && !below.empty()) leaves = below;
    if (!old && !leaves.empty()) out.queue = random_.one_of(leaves);
    if (!old && load_.about().placement && random_.percent(40)) out.queue += random_.one_of({".new", ".a.b", "x"});
    out.user = random_.one_of({"ann", "bob", "eve"});
    if (random_.percent(30)) out.groups = {random_.one_of({"ops", "dev"})};
    if (random_.percent(20)) out.tags["namespace"] = random_.one_of({"a", "space"});
    if (load_.about().devices && random_.percent(20)) out.tags["tenon/node-sort"] = "binpacking";
    out.gang = !old && random_.percent(load_.about().gangs ? 30 : 3);
    const int64_t asks = random_.percent(75) ? 1 : 2;
    for (int64_t i = 0; i < asks; ++i) out.asks.push_back(an_ask(p));
    for (asked_if &a : out.asks)
      if (out.gang) a.task_group = "tg-" + a.key;
    return out;
  }

  void ask(const kernel_snapshot &seen, int step) {
    const partition_snapshot &p = random_.one_of(seen.partitions);
    what_if_question q;
    q.partition = p.name;
    q.now_ms = kernel_.now_ms() + (random_.percent(50) ? 0 : random_.between(1, 900));
    // Some preempt anew in every millisecond: longer times then are beyond what a question may make happen.
    q.within_ms = random_.percent(10) ? 0 : random_.percent(80) ? random_.between(5, 9) * 1'000 : 40'000;
    q.applications.push_back(an_application(p));
    if (random_.percent(15)) q.applications.push_back(an_application(p));
    const auto due = kernel_.next_due();
    const auto said = observe::answer_what_if(kernel_, q);
    ++to_.questions;
    to_.checked += checks_ ? 1 : 0;
    if (!said) return wrong(step, "refused: " + said.why().text());
    if (kernel_.snapshot() != seen || kernel_.next_due() != due) return wrong(step, "the question changed something");
    // A copy of its own has its thread, while what it was made of goes on.
    const partition_id id = kernel_.find_partition(p.name);
    auto apart = kernel_.copy_apart(policies_, id);
    if (!apart) return wrong(step, "not copied: " + apart.why().text());
    what_if_answer elsewhere;
    const std::vector<explained> waiting_now = explain_some(p, id);
    if (kernel_.snapshot() != seen || kernel_.next_due() != due) return wrong(step, "an explanation changed something");
    std::string explained_otherwise;
    std::thread other([&, checks = kernel_.has_checks(id)] {
      for (const explained &one : waiting_now) explained_otherwise += compare(one, **apart, id);
      elsewhere = observe::try_on(*(*apart)->copy(id), q, {id, p.name}, {checks});
      for (const explained &one : waiting_now) explained_otherwise += compare(one, **apart, id);
      apart->reset();
    });
    const std::vector<seen_ask> came = doer(kernel_, q).run();
    other.join();
    std::string differs = subject_to_check(*said) + explained_otherwise;
    if (observe::answer_json(elsewhere) != observe::answer_json(*said))
      differs += "  another thread's copy says otherwise:\n" + elsewhere.text;
    uint64_t waiting = 0;
    for (size_t i = 0; i < came.size(); ++i) {
      const observe::ask_answer &one = said->asks[i];
      ++to_.asks[one.what];
      if (checks_) ++to_.checked_asks[one.what];
      const seen_ask told = foretold(one);
      const size_t count = told.placed.size();
      const bool all = one.what == what_if_outcome::placed || one.what == what_if_outcome::evicts;
      if (one.what == what_if_outcome::undecided) continue;
      const bool waits = one.what == what_if_outcome::waits;
      const bool is_unexplained = waits && ++waiting <= observe::most_explained_if && !one.why;
      if ((all && count < static_cast<size_t>(one.count)) || is_unexplained || told.text() != came[i].text()) {
        differs += "  " + one.application + '/' + one.key + " said " + std::string(name(one.what)) + ':' + told.text() +
                   "\n    but:" + came[i].text() + '\n';
      }
    }
    if (!differs.empty()) wrong(step, differs + said->text);
  }

  struct explained {
    std::string application, key, json;
  };

  // Of the first asks that wait. Whether the placeholders of a gang were tried in vain is not copied: a copy tries them
  // again, and says what holds their real asks when it has.
  std::vector<explained> explain_some(const partition_snapshot &p, partition_id id) {
    std::vector<explained> out;
    for (const application_snapshot &app : p.applications) {
      for (const ask_snapshot &one : app.asks) {
        const bool takes_a_placeholder = !one.task_group.empty() && !one.placeholder;
        if (out.size() == 3 || takes_a_placeholder || !kernel_.is_pending(id, app.id, one.key)) continue;
        explanation why = *kernel_.explain(id, app.id, one.key);
        ++to_.outcomes[why.outcome];
        out.push_back({app.id, one.key, text_of(std::move(why))});
      }
    }
    return out;
  }

  // What the orders of queues go by follows the nodes when the next step looks at it: until then the scheduler itself
  // counts who is before it by what it was.
  [[nodiscard]] std::string text_of(explanation why) const {
    if (new_nodes_) why.before = 0, why.text.clear();
    return boost::json::serialize(state_json::write(why));
  }

  [[nodiscard]] std::string compare(const explained &one, kernel &copy, partition_id id) const {
    const std::string said = text_of(*copy.explain(id, one.application, one.key));
    if (said == one.json) return {};
    return "  " + one.application + '/' + one.key + " is explained as\n" + one.json +
           "\n  and on another thread's copy as\n" + said + '\n';
  }

  // What is wrong with what it says of the RM's checks: it says so of each that would be placed, and of no others.
  [[nodiscard]] std::string subject_to_check(const what_if_answer &said) const {
    const bool placed =
        std::any_of(said.asks.begin(), said.asks.end(), [](const auto &one) { return !one.placed.empty(); });
    const bool told = said.text.find("subject to the check of its resource manager") != std::string::npos;
    if (said.checks == checks_ && told == (checks_ && placed)) return {};
    return std::string("  the RM ") + (checks_ ? "checks" : "does not check") + " placements\n";
  }

  void wrong(int step, const std::string &how) {
    ++to_.wrong;
    std::cout << "seed " << seed_ << " (" << load_.about().name << "), after command " << step << ":\n"
              << how << std::endl;
  }

  uint64_t seed_;
  figures &to_;
  load load_;
  random random_;
  int last_ = 0;
  bool checks_ = false;
  bool new_nodes_ = true;       // or others, since a step looked
  std::vector<uint64_t> open_;  // checks of the made cluster that nobody has answered
  builtin_policy_source policies_{std::vector<builtin_policy_source::predicate_use>{{"node-attributes"}}};
  kernel kernel_{policies_};
};

int run(uint64_t first, uint64_t seeds) {
  figures f;
  uint64_t seed = first;
  for (; seed < first + seeds && f.wrong == 0; ++seed) {
    asker(seed, f).play();
    for (const uint64_t other : {1, 2, 3, 4, 5, 6, 7, 8}) asker(seed + (other << 40), f).play_full();
  }
  uint64_t asks = 0;
  for (const auto &[what, count] : f.asks) asks += count;
  std::cout << f.questions << " questions of " << seed - first << " seeds, " << f.wrong << " wrong; " << asks
            << " asks:";
  for (const auto &[what, count] : f.asks) std::cout << ' ' << count << ' ' << name(what);
  std::cout << "; " << f.checked << " questions to RMs that check placements:";
  for (const auto &[what, count] : f.checked_asks) std::cout << ' ' << count << ' ' << name(what);
  std::cout << "; explanations:";
  for (const auto &[what, count] : f.outcomes) std::cout << ' ' << count << ' ' << name(what);
  std::cout << std::endl;
  if (f.wrong != 0) return 1;
  for (const what_if_outcome what : {what_if_outcome::placed, what_if_outcome::evicts, what_if_outcome::waits}) {
    if (f.checked_asks[what] * 100 >= asks) continue;
    std::cout << "fewer than a hundredth of them where the RM checks placements: " << name(what) << std::endl;
    return 1;
  }
  for (const change_outcome what : {change_outcome::at_its_turn, change_outcome::runs}) {
    if (f.outcomes[what] * 100 >= f.questions) continue;
    std::cout << "fewer explanations than a hundredth of the questions: " << name(what) << std::endl;
    return 1;
  }
  if (f.asks[what_if_outcome::undecided] * 20 > asks) {
    std::cout << "more than a twentieth of them are undecided" << std::endl;
    return 1;
  }
  for (const what_if_outcome what : {what_if_outcome::placed, what_if_outcome::evicts, what_if_outcome::waits}) {
    if (f.asks[what] * 10 >= asks) continue;
    std::cout << "fewer than a tenth of them: " << name(what) << std::endl;
    return 1;
  }
  return 0;
}

}  // namespace
}  // namespace tenon::sim

int main(int argc, char **argv) {
  const auto which = tenon::sim::read_seeds(argc, argv);
  if (which) return tenon::sim::run(which->first, which->count);
  std::cerr << "usage: what-if-property --seeds N [--first SEED]" << std::endl;
  return 3;
}
