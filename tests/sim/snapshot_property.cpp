// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// snapshot-property: random states are written as bytes and read back. The kernel that is made of them and the one that
// goes on are sent the same commands to the end of the run, and must decide the same. Damaged bytes must be refused.
// One value is made up in a state that is written anew: it is refused with its place, or what is made of it goes on.
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <exception>
#include <iostream>
#include <map>
#include <memory>
#include <vector>

#include "altered_state.hpp"
#include "command_text.hpp"
#include "load.hpp"
#include "orders/policies_with_orders.hpp"
#include "seed_options.hpp"
#include "tenon/kernel/journal.hpp"
#include "tenon/kernel/kernel.hpp"
#include "tenon/kernel/saved_state.hpp"

namespace tenon::sim {
namespace {

constexpr std::string_view profile_names[] = {
    "preemption", "types",           "quotas", "plain",          "reservations", "placement",
    "gangs",      "proposed",        "limits", "devices",        "whole",        "canaries",
    "everything", "maxapplications", "churn",  "reserved-gangs", "orders",       "guaranteed-gangs"};

struct figures {
  uint64_t saved = 0, refused = 0, compared = 0, damaged = 0, made_up = 0, taken = 0, wrong = 0, bytes = 0;
  std::map<std::string, uint64_t> saved_of;  // by profile
};

// A made-up number may be as large as a number can be, and sums of such ones wrap, of which a build with the sanitizer
// of undefined behaviour ends at once.
#ifdef __SANITIZE_ADDRESS__
constexpr bool makes_up = false;
#else
constexpr bool makes_up = true;
#endif

// What was made up last, for a process that ends of it.
char made_up_last[200];

void say_made_up(int signal) {
  std::fputs(made_up_last, stderr);
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

// What was saved, and goes on beside the kernel that it was saved of.
struct follower {
  int saved_at = 0;
  std::unique_ptr<kernel> state;
};

std::vector<std::string> lines_of(kernel &k) {
  std::vector<std::string> out;
  k.drain([&](const decision_view &d) { out.push_back(format(d)); });
  return out;
}

class saver {
 public:
  saver(uint64_t seed, figures &to)
      : seed_(seed),
        to_(to),
        load_(seed, find_profile(std::string(profile_names[seed % std::size(profile_names)]))),
        random_(~seed) {}

  void play() {
    uint64_t &saved = to_.saved_of[load_.about().name];
    const uint64_t before = to_.saved;
    play_all();
    saved += to_.saved - before;
  }

 private:
  void play_all() {
    kernel_snapshot seen = kernel_.snapshot();
    for (int i = 1; i <= 300 && to_.wrong == 0; ++i) {
      const timed_command c = load_.next(seen);
      const uint32_t made = kernel_.apply(c.now_ms, c.what);
      const std::vector<std::string> said = lines_of(kernel_);
      for (const follower &f : followers_) compare(f, i, c, made, said);
      seen = kernel_.snapshot();
      if (i % 40 == 0 || random_.percent(1)) save(i);
    }
  }

  void save(int at) {
    const auto saved = kernel_.save();
    if (!saved) {
      ++to_.refused;
      return;
    }
    std::string bytes = journal_header("snapshot-property");
    append_state(bytes, kernel_.now_ms(), *saved);
    ++to_.saved;
    to_.bytes += bytes.size();
    follower out{at, nullptr};
    const auto read = read_journal(
        bytes,
        [&](int64_t now_ms, const saved_state &s) -> std::optional<refusal> {
          auto made = kernel::restored(s, now_ms, policies_);
          if (!made) return made.why();
          out.state = std::move(*made);
          return std::nullopt;
        },
        [](int64_t, const command &) {});
    if (!read || out.state == nullptr) return wrong(at, "not restored: " + (read ? "no state" : read.why().text()));
    std::string again = journal_header("snapshot-property");
    const auto saved_again = out.state->save();
    if (!saved_again) return wrong(at, "not saved again: " + saved_again.why().text());
    append_state(again, out.state->now_ms(), *saved_again);
    if (again != bytes) return wrong(at, "what is restored is saved otherwise: " + first_difference(bytes, again));
    followers_.push_back(std::move(out));
    damage(bytes);
    for (int i = 0; makes_up && i < 8; ++i) make_up(at, *saved);
  }

  // The checksum is right: what is wrong must be seen in the values themselves.
  void make_up(int at, saved_state s) {
    const std::string field = alter(s, random_);
    std::snprintf(made_up_last, sizeof made_up_last, "seed %lu, after command %d: made up: %s\n",
                  static_cast<unsigned long>(seed_), at, field.c_str());
    ++to_.made_up;
    std::string bytes = journal_header("snapshot-property");
    append_state(bytes, kernel_.now_ms(), s);
    testing::policies_with_orders policies{std::vector<builtin_policy_source::predicate_use>{{"node-attributes"}}};
    std::unique_ptr<kernel> made;
    try {
      const auto read = read_journal(
          bytes,
          [&](int64_t now_ms, const saved_state &from) -> std::optional<refusal> {
            auto restored = kernel::restored(from, now_ms, policies);
            if (!restored) return restored.why();
            made = std::move(*restored);
            return std::nullopt;
          },
          [](int64_t, const command &) {});
      if (!read && read.why().where.empty()) return wrong(at, "a refusal without a place: " + read.why().text());
      if (made == nullptr) return;
      ++to_.taken;
      go_on(*made, s);
    } catch (const std::exception &e) {
      wrong(at, "made up: " + field + ": " + e.what());
    }
  }

  // Time passes, the RM answers, nodes and applications go.
  void go_on(kernel &k, const saved_state &from) {
    const auto pass = [&](int64_t later_ms) {
      const int64_t now_ms = kernel_.now_ms() + later_ms;
      (void)k.apply(now_ms, advance{});
      for (const partition_snapshot &p : k.snapshot().partitions) (void)k.apply(now_ms, step{p.name, 20});
      (void)lines_of(k);
    };
    pass(random_.percent(50) ? 0 : 1'000);
    const int64_t now_ms = k.now_ms();
    for (const saved_partition &p : from.partitions) {
      const std::string name = "[" + p.rm + "]" + p.name;
      for (const saved_proposal &one : p.proposals) {
        if (random_.percent(70)) (void)k.apply(now_ms, check_answer{name, one.number, random_.percent(50), "no"});
      }
      for (const saved_node &n : p.nodes) {
        if (random_.percent(30))
          (void)k.apply(now_ms, change_node{name, n.id, static_cast<uint8_t>(node_event::decommission)});
      }
      for (const saved_application &a : p.applications) {
        release all;
        all.partition = name;
        all.application = a.id;
        if (random_.percent(20)) (void)k.apply(now_ms, all);
        if (random_.percent(20)) (void)k.apply(now_ms, remove_application{name, a.id});
      }
    }
    (void)lines_of(k);
    // Queues that are cleaned each millisecond are cleaned a hundred thousand times in two minutes.
    const bool is_often = std::any_of(from.partitions.begin(), from.partitions.end(), [](const saved_partition &p) {
      return p.config.tuning.queue_cleanup_ms < 1'000;
    });
    for (const int64_t later_ms : {1'000, 30'000, 120'000}) {
      if (!is_often) pass(later_ms);
    }
    (void)k.save();
  }

  static std::string first_difference(const std::string &a, const std::string &b) {
    const auto at = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
    const auto from = static_cast<size_t>(at.first - a.begin());
    return "byte " + std::to_string(from) + " of " + std::to_string(a.size()) + " and " + std::to_string(b.size());
  }

  // Some of its bytes are others, or are not there.
  void damage(const std::string &whole) {
    for (int i = 0; i < 20; ++i) {
      std::string bytes = whole;
      const auto at = static_cast<size_t>(random_.between(0, static_cast<int64_t>(whole.size()) - 1));
      if (random_.percent(30)) {
        bytes.resize(at);
        if (at == whole.find('\n') + 1) continue;  // an empty journal
      } else {
        bytes[at] = static_cast<char>(bytes[at] ^ random_.between(1, 255));
      }
      ++to_.damaged;
      const auto read = read_journal(
          bytes, [](int64_t, const saved_state &) { return std::optional<refusal>(); },
          [](int64_t, const command &) {});
      if (read) return wrong(0, "damage at byte " + std::to_string(at) + " is not seen");
      if (read.why().where.empty()) return wrong(0, "a refusal without a place: " + read.why().text());
    }
  }

  void compare(const follower &f, int at, const timed_command &c, uint32_t made, const std::vector<std::string> &said) {
    ++to_.compared;
    const uint32_t its = f.state->apply(c.now_ms, c.what);
    const std::vector<std::string> lines = lines_of(*f.state);
    if (lines == said && its == made) return;
    const auto [mine, other] = std::mismatch(said.begin(), said.end(), lines.begin(), lines.end());
    wrong(at, "saved after command " + std::to_string(f.saved_at) + ", at " + text_of(c.what) +
                  "\n  it is: " + (mine == said.end() ? "(end)" : *mine) +
                  "\n  restored: " + (other == lines.end() ? "(end)" : *other));
  }

  void wrong(int at, const std::string &how) {
    ++to_.wrong;
    std::cout << "seed " << seed_ << " (" << load_.about().name << "), after command " << at << ": " << how
              << std::endl;
  }

  uint64_t seed_;
  figures &to_;
  load load_;
  random random_;
  testing::policies_with_orders policies_{std::vector<builtin_policy_source::predicate_use>{{"node-attributes"}}};
  kernel kernel_{policies_};
  std::vector<follower> followers_;
};

int run(uint64_t first, uint64_t seeds) {
  figures f;
  uint64_t seed = first;
  for (; seed < first + seeds && f.wrong == 0; ++seed) saver(seed, f).play();
  std::cout << f.saved << " states of " << seed - first << " seeds from " << first << ", " << f.refused << " refused, "
            << f.bytes << " bytes; " << f.compared << " commands compared, " << f.damaged << " damaged; " << f.wrong
            << " wrong; " << f.made_up << " made up, " << f.taken << " of them taken"
            << (makes_up ? "" : " (none is made up in a build with sanitizers)") << std::endl;
  bool all_saved = true;
  for (const auto &[name, saved] : f.saved_of) {
    if (saved == 0) std::cout << "nothing of profile " << name << " was saved" << std::endl;
    all_saved = all_saved && saved != 0;
  }
  return f.wrong != 0 || !all_saved || f.compared == 0 || (makes_up && f.made_up == f.taken);
}

}  // namespace
}  // namespace tenon::sim

int main(int argc, char **argv) {
  for (const int signal : {SIGABRT, SIGSEGV, SIGFPE, SIGBUS}) std::signal(signal, tenon::sim::say_made_up);
  const auto which = tenon::sim::read_seeds(argc, argv);
  if (which) return tenon::sim::run(which->first, which->count);
  std::cerr << "usage: snapshot-property --seeds N [--first SEED]" << std::endl;
  return 3;
}
