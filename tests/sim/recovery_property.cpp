// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// recovery-property: random histories after which a resource manager says everything again to a scheduler that is new.
// That one has the same amounts everywhere, and takes the same decisions from there on. Where docs/decisions.md,
// section 9, says that something cannot be the same, the moment is left out and counted.
#include <algorithm>
#include <charconv>
#include <iostream>
#include <map>
#include <set>

#include "command_text.hpp"
#include "rm_memory.hpp"
#include "session.hpp"
#include "tenon/kernel/messages.hpp"
#include "tenon/kernel/state_tables.hpp"

namespace tenon::sim {
namespace {

struct figures {
  uint64_t restarts = 0, decisions = 0, failed = 0;
  std::map<std::string, uint64_t> left_out;
};

struct said {
  std::vector<std::string> lines;
  std::vector<uint64_t> sequences;
  bool refused = false;
};

bool refuses(decision_kind k) {
  return k == decision_kind::rm_rejected || k == decision_kind::application_rejected ||
         k == decision_kind::ask_rejected || k == decision_kind::allocation_rejected ||
         k == decision_kind::node_rejected;
}

said tell(scheduler &s, int64_t now_ms, const command &c, bool with_states) {
  said out;
  s.apply(now_ms, c);
  s.drain([&](decision_view d) {
    out.refused |= refuses(d.kind());
    if (d.allocation_sequence != 0) out.sequences.push_back(d.allocation_sequence);
    d.sequence = d.allocation_sequence = 0;  // both are counted from the start of a scheduler
    // Says since when, which a restart does not know.
    if (auto *now = std::get_if<decided::application_state>(&d.what)) now->message = {};
    if (with_states || d.kind() != decision_kind::application_state) out.lines.push_back(format(d));
  });
  return out;
}

// The amounts of everything that decisions look at.
std::vector<std::string> amounts_in(const kernel_snapshot &s) {
  std::vector<std::string> out;
  const auto add = [&](const std::string &what, std::initializer_list<amount_map> of) {
    std::string &line = out.emplace_back(what);
    for (const amount_map &one : of) line += ' ' + messages::amounts(one);
  };
  for (const partition_snapshot &p : s.partitions) {
    for (const queue_snapshot &q : p.queues) add(q.path, {q.allocated, q.pending});
    for (const node_snapshot &n : p.nodes) add(n.id, {n.capacity, n.allocated, n.occupied, n.available});
    for (const application_snapshot &a : p.applications) {
      add(a.id + ' ' + a.queue, {a.allocated, a.placeholders, a.pending});
      for (const ask_snapshot &k : a.asks) {
        add("  " + k.key + ' ' + std::to_string(k.pending_count) + ' ' + std::to_string(k.create_time_ms) + ' ' +
                std::to_string(k.priority),
            {k.resources});
      }
      for (const allocation_snapshot &x : a.allocations) {
        add("  " + x.key + " on " + x.node + ' ' + std::to_string(x.bind_time_ms), {x.resources});
      }
    }
    for (const auto *list : {&p.users, &p.groups}) {
      for (const usage_snapshot &u : *list) {
        if (!u.usage.empty()) add(u.name + ' ' + u.queue, {u.usage});
      }
    }
  }
  std::sort(out.begin(), out.end());
  return out;
}

int64_t real_ones(const application_snapshot &a) {
  return std::count_if(a.allocations.begin(), a.allocations.end(), [](const auto &x) { return !x.placeholder; });
}

// The state that follows from what was sent.
bool state_follows(const application_snapshot &a) {
  if (a.allocations.empty() && a.asks.empty()) return a.state == application_state::new_;
  if (real_ones(a) > 1) return a.state == application_state::running;
  if (real_ones(a) == 1) return a.state == application_state::starting || a.state == application_state::running;
  return a.state == application_state::accepted || (a.state != application_state::new_ && !a.placeholders.empty());
}

bool counts_states(const partition_snapshot &p) {
  return std::any_of(p.queues.begin(), p.queues.end(), [](const queue_snapshot &q) {
    const auto sort = q.properties.find("application.sort.policy");
    return q.max_running_apps != 0 || (sort != q.properties.end() && sort->second == "stateaware");
  });
}

std::vector<std::string> order_in(const partition_snapshot &p, bool by_submission_time) {
  std::vector<const application_snapshot *> all;
  for (const application_snapshot &a : p.applications) {
    if (!by_submission_time || !a.asks.empty()) all.push_back(&a);
  }
  if (by_submission_time) {
    std::stable_sort(all.begin(), all.end(), [](const auto *x, const auto *y) {
      return std::tie(x->queue, x->submitted_ms) < std::tie(y->queue, y->submitted_ms);
    });
  }
  std::vector<std::string> out;
  const application_snapshot *before = nullptr;
  for (const application_snapshot *a : all) {  // of two of one time, priority or state may decide
    const bool alike = before != nullptr && before->queue == a->queue && before->submitted_ms == a->submitted_ms;
    out.push_back(a->id + (by_submission_time && alike ? " as well" : ""));
    before = a;
  }
  return out;
}

// Applications of independent asks that are not sent: one that is empty, one with other asks in it.
bool has_odd_ones(const kernel_snapshot &s) {
  const auto guest = [](const application_snapshot &a, const std::string &key) {
    return a.id.starts_with("@independent/") && a.id != "@independent/" + key;
  };
  for (const partition_snapshot &p : s.partitions) {
    for (const application_snapshot &a : p.applications) {
      if (a.id.starts_with("@independent/") && a.asks.empty() && a.allocations.empty()) return true;
      if (std::any_of(a.asks.begin(), a.asks.end(), [&](const auto &k) { return guest(a, k.key); })) return true;
      if (std::any_of(a.allocations.begin(), a.allocations.end(), [&](const auto &x) { return guest(a, x.key); })) {
        return true;
      }
    }
  }
  return false;
}

class history {
 public:
  history(uint64_t seed, const profile *about)
      : with_nodes_(!about->gangs), load_(seed, about), about_(about->compared), live_(make_kernel(about_)) {}

  // Plays a seed and restarts now and then.
  void play(uint64_t most, figures &found) {
    seen_ = live_->snapshot();
    for (int i = 1; i <= 250 && found.restarts < most && found.failed == 0; ++i) {
      timed_command c = load_.next(seen_);
      leave_out_what_cannot_be_sent(c);
      run(c);
      if (i % 25 == 0 && !seen_.partitions.empty()) restart(found);
    }
  }

 private:
  // Reservations, those of required nodes too, victims, when they may be taken again, and where starts failed.
  static void leave_out_what_cannot_be_sent(timed_command &c) {
    if (auto *k = std::get_if<put_ask>(&c.what); k != nullptr) k->required_node = {};
    auto *registered = std::get_if<register_rm>(&c.what);
    if (registered == nullptr) return;
    cluster_config plain = *registered->config;
    for (partition_config &p : plain.partitions) {
      p.preemption_enabled = p.quota_preemption_enabled = p.tuning.reservation_enabled = false;
      p.tuning.start_retry_ms = 0;
    }
    registered->config = c.own->config(std::move(plain));
  }

  said run(const timed_command &c, bool with_states = true) {
    said out = tell(*live_, c.now_ms, c.what, with_states);
    memory_.note(c, seen_, out.refused);
    seen_ = live_->snapshot();
    return out;
  }

  // The resource manager confirms all that it was asked to release.
  void confirm_all() {
    for (bool open = true; open;) {
      open = false;
      for (const partition_snapshot &p : kernel_snapshot(seen_).partitions) {
        for (const application_snapshot &a : p.applications) {
          for (const allocation_snapshot &x : a.allocations) {
            if (x.state != allocation_state::expiring && x.state != allocation_state::replacing) continue;
            timed_command c{seen_.now_ms, {}, std::make_shared<testing::arena>()};
            const termination why =
                x.state == allocation_state::expiring ? termination::timeout : termination::placeholder_replaced;
            c.what = release{c.own->text(p.name),      c.own->text(a.id), c.own->text(x.key), x.sequence, 0, why,
                             release_what::allocations};
            run(c);
            open = true;
          }
        }
      }
    }
  }

  // "" or what cannot be the same.
  [[nodiscard]] std::string difference_allowed(const kernel_snapshot &again) const {
    for (size_t i = 0; i < seen_.partitions.size(); ++i) {
      const partition_snapshot &p = seen_.partitions[i], &q = again.partitions[i];
      if (order_in(p, true) != order_in(q, true)) return "submission times";
      if (about_.gangs && order_in(p, false) != order_in(q, false)) return "order of submission";
      if (!same_states(p, q) && counts_states(p)) return "states that count";
      if (!same_states(p, q) && any_resuming(p)) return "gangs that gave up";
      if (places_in(p) != places_in(q)) return "places of those that have nothing";
    }
    return {};
  }

  // Who runs for whom.
  static std::set<std::string> places_in(const partition_snapshot &p) {
    std::set<std::string> out;
    for (const auto *list : {&p.users, &p.groups}) {
      for (const usage_snapshot &u : *list) {
        for (const std::string &id : u.running) out.insert(u.name + ' ' + u.queue + ' ' + id);
      }
    }
    return out;
  }

  // Nothing of such an application is placed while it has placeholders.
  static bool any_resuming(const partition_snapshot &p) {
    return std::any_of(p.applications.begin(), p.applications.end(),
                       [](const application_snapshot &a) { return a.state == application_state::resuming; });
  }

  static bool same_states(const partition_snapshot &p, const partition_snapshot &q) {
    std::map<std::string, application_state> states;
    for (const application_snapshot &a : p.applications) states[a.id] = a.state;
    return std::all_of(q.applications.begin(), q.applications.end(),
                       [&](const application_snapshot &a) { return states[a.id] == a.state; });
  }

  void restart(figures &found) {
    confirm_all();
    if (has_odd_ones(seen_)) {
      ++found.left_out["independent applications"];
      return;
    }
    if (live_->next_due().value_or(INT64_MAX) <=
        seen_.now_ms) {  // of an allocation that says another time than its ask
      ++found.left_out["timers that are over"];
      return;
    }
    const auto fresh = make_kernel(about_);
    for (const timed_command &c : memory_.all_again(seen_, with_nodes_)) {
      if (tell(*fresh, c.now_ms, c.what, true).refused) return fail(found, "refused: " + text_of(c.what));
      if (fresh->next_due().value_or(INT64_MAX) <= seen_.now_ms) {
        ++found.left_out["timers that are over"];
        return;
      }
    }
    const kernel_snapshot again = fresh->snapshot();
    const auto mine = amounts_in(again), its = amounts_in(seen_);
    if (mine != its) return fail(found, first_difference("amounts", its, mine));
    bool states = true;
    for (size_t i = 0; i < again.partitions.size(); ++i) {
      states &= same_states(seen_.partitions[i], again.partitions[i]);
      for (const application_snapshot &a : again.partitions[i].applications) {
        if (!state_follows(a)) return fail(found, a.id + " is " + std::string(tenon::name(a.state)));
      }
    }
    if (const std::string why = difference_allowed(again); !why.empty()) {
      ++found.left_out[why];
      return;
    }
    ++found.restarts;
    get_ready(again);
    for (int i = 0; i < 30 && found.failed == 0; ++i) go_on(*fresh, again.now_ms, i, states, found);
  }

  void get_ready(const kernel_snapshot &again) {
    std::map<std::string, std::vector<uint64_t>> here, there;
    const auto list_all = [](const kernel_snapshot &s, auto &to) {
      for (const partition_snapshot &p : s.partitions) {
        for (const application_snapshot &a : p.applications) {
          for (const allocation_snapshot &x : a.allocations) to[p.name].push_back(x.sequence);
        }
      }
    };
    list_all(seen_, here);
    list_all(again, there);
    there_.clear();
    busy_.clear();
    for (const partition_snapshot &p : seen_.partitions) {
      for (const application_snapshot &a : p.applications) {
        if (!a.asks.empty()) busy_.insert(a.id);
      }
    }
    for (auto &[partition, list] : here) {
      std::sort(list.begin(), list.end());
      std::sort(there[partition].begin(), there[partition].end());
      for (size_t i = 0; i < list.size(); ++i) there_[list[i]] = there[partition][i];
    }
  }

  // Steps first, then whatever the resource manager may do without that time passes.
  void go_on(scheduler &fresh, int64_t now_ms, int round, bool states, figures &found) {
    timed_command c = load_.next(seen_);
    leave_out_what_cannot_be_sent(c);
    c.now_ms = now_ms;
    auto *r = std::get_if<release>(&c.what);
    // An earlier creation would lower submission times that the restart made later.
    auto *k = std::get_if<put_ask>(&c.what);
    if (k != nullptr) k->create_time_ms = 0;
    const bool idle = k != nullptr && !busy_.contains(std::string(k->application));
    // Asks of which nothing is pending are not sent: what is undone may be pending otherwise than it was.
    const bool apart = r != nullptr && (r->application.empty() || r->why == termination::scheduling_failed ||
                                        (with_nodes_ && (r->limit != 0 || r->allocation_sequence != 0)));
    if (round < 10 || apart || idle || (r == nullptr && k == nullptr)) c.what = step{};
    said mine = run(c, states);
    command same = c.what;
    if (auto *other = std::get_if<release>(&same); other != nullptr && other->allocation_sequence != 0) {
      const auto known = there_.find(other->allocation_sequence);
      other->allocation_sequence = known != there_.end() ? known->second : UINT64_MAX;
    }
    said its = tell(fresh, now_ms, same, states);
    if (with_nodes_ && std::holds_alternative<release>(same)) {  // several go by sequence
      std::sort(mine.lines.begin(), mine.lines.end());
      std::sort(its.lines.begin(), its.lines.end());
    }
    found.decisions += mine.lines.size();
    if (mine.lines != its.lines) {
      return fail(found, text_of(c.what) + '\n' + first_difference("decisions", mine.lines, its.lines));
    }
    for (size_t i = 0; i < mine.sequences.size(); ++i) there_[mine.sequences[i]] = its.sequences[i];
  }

  static std::string first_difference(const std::string &what, const std::vector<std::string> &without,
                                      const std::vector<std::string> &with) {
    const auto [x, y] = std::mismatch(without.begin(), without.end(), with.begin(), with.end());
    return what + ", without and with the restart:\n  " + (x == without.end() ? "(end)" : *x) + "\n  " +
           (y == with.end() ? "(end)" : *y);
  }

  void fail(figures &found, const std::string &how) const {
    ++found.failed;
    std::cout << "after " << found.restarts << " restarts, profile " << load_.about().name << ", at " << seen_.now_ms
              << ": " << how << std::endl;
  }

  bool with_nodes_;
  load load_;
  naive::features about_;
  std::unique_ptr<scheduler> live_;
  kernel_snapshot seen_;
  rm_memory memory_;
  std::set<std::string> busy_;          // applications with something pending, whose submission times were compared
  std::map<uint64_t, uint64_t> there_;  // sequence of an allocation here -> after the restart
};

int run(uint64_t restarts) {
  figures found;
  uint64_t seed = 0;
  while (found.restarts < restarts && found.failed == 0) {
    ++seed;
    const char *const names[] = {"gangs", "plain", "gangs", "limits", "churn"};
    history(seed, find_profile(names[seed % 5])).play(restarts, found);
    if (found.failed != 0) std::cout << "seed " << seed << std::endl;
  }
  std::cout << found.restarts << " restarts in " << seed << " seeds, " << found.decisions << " decisions after them; "
            << found.failed << " failed; left out:";
  for (const auto &[why, count] : found.left_out) std::cout << ' ' << why << ' ' << count << ';';
  std::cout << std::endl;
  return found.failed == 0 ? 0 : 1;
}

}  // namespace
}  // namespace tenon::sim

int main(int argc, char **argv) {
  uint64_t restarts = 0;
  const std::string_view count = argc == 3 ? argv[2] : "";
  std::from_chars(count.data(), count.data() + count.size(), restarts);
  if (argc != 3 || std::string_view(argv[1]) != "--restarts" || restarts == 0) {
    std::cerr << "usage: recovery-property --restarts N" << std::endl;
    return 3;
  }
  return tenon::sim::run(restarts);
}
