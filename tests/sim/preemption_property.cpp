// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// preemption-property: random states in which an ask preempts. Once the resource manager confirms the victims,
// the next steps place that ask; with any one of them still there they do not. A state is made again for each of
// these by playing its commands anew.
#include <charconv>
#include <iostream>
#include <map>

#include "session.hpp"

namespace tenon::sim {
namespace {

struct victim {
  std::string application, key;
  uint64_t sequence = 0;
};
struct attempt {
  std::string partition, application, key;  // of the ask
  std::vector<victim> victims;
};

struct figures {
  uint64_t states = 0, victims = 0, contested = 0, failed = 0;
};

class state_maker {
 public:
  state_maker(uint64_t seed, const make_scheduler &make) : make_(make), load_(seed, find_profile("preemption")) {}

  // Plays a seed and looks at each attempt on the way, at most `most`.
  void play(uint64_t most, figures &found) {
    const auto live = make_(load_.about().compared);
    kernel_snapshot seen = live->snapshot();
    for (int i = 0; i < 250 && found.states < most; ++i) {
      timed_command c = load_.next(seen);
      if (auto *s = std::get_if<step>(&c.what)) s->max_decisions = 1;  // one decision at a time
      commands_.push_back(c);
      std::vector<decision_view> said;
      live->apply(c.now_ms, c.what);
      attempt made;
      live->drain([&](const decision_view &d) { note(d, made); });
      if (!made.victims.empty()) look_at(seen, made, found);
      seen = live->snapshot();
    }
  }

 private:
  static void note(const decision_view &d, attempt &to) {
    const std::string text = text_of(d);
    const size_t colon = text.find(" ask: ");
    const bool taken = d.kind() == decision_kind::released && *end_of(d) == termination::preempted_by_scheduler;
    if (!taken || colon == std::string::npos) return;
    to.partition = d.partition;
    to.key = text.substr(colon + 6);
    to.victims.push_back({std::string(d.application), std::string(d.key), d.allocation_sequence});
  }

  // Whom the ask belongs to, and whether others could take what it frees.
  static bool is_contested(const kernel_snapshot &before, attempt &a) {
    bool contested = false;
    int owners = 0;
    for (const partition_snapshot &p : before.partitions) {
      if (p.name != a.partition) continue;
      for (const application_snapshot &app : p.applications) {
        for (const allocation_snapshot &x : app.allocations) contested |= x.state != allocation_state::allocated;
        for (const ask_snapshot &k : app.asks) {
          if (k.key != a.key) continue;
          a.application = app.id;
          ++owners;
        }
      }
      for (const node_snapshot &n : p.nodes) {
        for (const std::string &reserved : n.reservations) contested |= reserved != a.application + '/' + a.key;
      }
    }
    return contested || owners != 1;
  }

  void look_at(const kernel_snapshot &before, attempt &a, figures &found) {
    if (is_contested(before, a)) {
      ++found.contested;
      return;
    }
    const bool placed = places(a, a.victims.size());
    if (!placed && after_.find("of higher priority has the node") != std::string::npos) {  // that came meanwhile
      ++found.contested;
      return;
    }
    ++found.states;
    found.victims += a.victims.size();
    if (!placed) fail(found, a, "all victims are gone, and it is not placed");
    for (size_t left = 0; left < a.victims.size(); ++left) {
      if (places(a, left)) fail(found, a, "it is placed although a victim is left: " + a.victims[left].key);
    }
  }

  // Whether steps place the ask when all victims but one (or all) are confirmed.
  bool places(const attempt &a, size_t but) {
    const auto s = make_(load_.about().compared);
    for (const timed_command &c : commands_) s->apply(c.now_ms, c.what);
    const int64_t now_ms = commands_.back().now_ms;
    for (size_t i = 0; i < a.victims.size(); ++i) {
      if (i == but) continue;
      release c;
      c.partition = a.partition;
      c.application = a.victims[i].application;
      c.key = a.victims[i].key;
      c.allocation_sequence = a.victims[i].sequence;
      c.why = termination::preempted_by_scheduler;
      c.what = release_what::allocations;
      s->apply(now_ms, c);
    }
    s->drain([](const decision_view &) {});
    bool placed = false;
    after_.clear();
    while (!placed && s->apply(now_ms, step{a.partition, 1, {}}) > 0) {
      s->drain([&](const decision_view &d) {
        after_ += "  " + format(d) + '\n';
        placed |= d.kind() == decision_kind::allocated && d.application == a.application && d.key == a.key;
      });
    }
    return placed;
  }

  // With what was decided then.
  void fail(figures &found, const attempt &a, const std::string &why) const {
    ++found.failed;
    std::cout << "ask " << a.application << '/' << a.key << " preempts " << a.victims.size() << ": " << why << '\n'
              << after_ << std::flush;
  }

  make_scheduler make_;
  load load_;
  std::vector<timed_command> commands_;
  std::string after_;  // what places() saw
};

int run(uint64_t states, uint64_t first) {
  const bool kernel_can = naive::kernel_has.preemption && naive::kernel_has.reservations;
  figures found;
  uint64_t seed = first;
  for (; found.states < states && found.failed == 0; ++seed) {
    state_maker(seed, kernel_can ? make_kernel : make_oracle).play(states, found);
    if (found.failed != 0) std::cout << "seed " << seed << std::endl;
  }
  std::cout << found.states << " states of " << seed - first << " seeds on the " << (kernel_can ? "kernel" : "oracle")
            << ", " << found.victims << " victims; " << found.contested
            << " left out, where others preempt or reserve; " << found.failed << " failed" << std::endl;
  return found.failed == 0 ? 0 : 1;
}

}  // namespace
}  // namespace tenon::sim

int main(int argc, char **argv) {
  uint64_t states = 0, first = 1;
  const auto read = [&](int at, std::string_view option, uint64_t &to) {
    const std::string_view count = argc > at + 1 && argv[at] == option ? argv[at + 1] : "";
    const auto end = std::from_chars(count.data(), count.data() + count.size(), to);
    return !count.empty() && end.ec == std::errc() && end.ptr == count.data() + count.size() && to != 0;
  };
  if (!read(1, "--states", states) || (argc != 3 && (argc != 5 || !read(3, "--first", first)))) {
    std::cerr << "usage: preemption-property --states N [--first SEED]" << std::endl;
    return 3;
  }
  return tenon::sim::run(states, first);
}
