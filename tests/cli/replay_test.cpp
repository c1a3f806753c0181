// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// A thousand random journals, recorded and played again: the same decisions, byte for byte.
#include <gtest/gtest.h>

#include <map>
#include <ostream>
#include <random>
#include <string>
#include <vector>

#include "run/borrowed.hpp"
#include "run/run_policies.hpp"
#include "run/scheduler_session.hpp"
#include "simulate/generate.hpp"
#include "simulate/simulation.hpp"
#include "tenon/kernel/states.hpp"

namespace tenon::cli {
namespace {

constexpr int journals = 1000;

opened_policies &policies() {
  static opened_policies opened = [] {
    auto result = open_policies({});
    if (!result) throw std::runtime_error(result.why().text());
    return std::move(*result);
  }();
  return opened;
}

struct written {
  std::string journal, decisions;

  session_sinks sinks() {
    return {[this](std::string_view bytes) { journal += bytes; },
            [this](std::string_view bytes) { decisions += bytes; }, "a test"};
  }
};

// What runs, what waits and what there is, by resource type.
struct sums {
  std::map<std::string, int64_t> used, waiting, capacity;
  bool operator==(const sums &) const = default;
};

void add(std::map<std::string, int64_t> &to, const std::string &type, int64_t amount) {
  if ((to[type] += amount) == 0) to.erase(type);
}

sums sums_of(const timeline &kept) {
  sums out;
  for (const change &c : kept.changes) {
    for (const auto &[type, amount] : kept.names->amounts_of(c.shape)) {
      const std::string &name = kept.names->types()[type];
      if (c.kind == change::what::node_added) add(out.capacity, name, amount);
      if (c.kind == change::what::node_removed) add(out.capacity, name, -amount);
      if (c.kind == change::what::asked) add(out.waiting, name, amount * c.count);
      if (c.kind == change::what::unasked || c.kind == change::what::placed) add(out.waiting, name, -amount * c.count);
      if (c.kind == change::what::placed || c.kind == change::what::found) add(out.used, name, amount);
      if (c.kind == change::what::freed) add(out.used, name, -amount);
    }
  }
  return out;
}

sums sums_of(const kernel_snapshot &end) {
  sums out;
  for (const partition_snapshot &partition : end.partitions) {
    for (const node_snapshot &node : partition.nodes) {
      for (const auto &[type, amount] : node.capacity) add(out.capacity, type, amount);
    }
    for (const application_snapshot &app : partition.applications) {
      for (const allocation_snapshot &allocation : app.allocations) {
        for (const auto &[type, amount] : allocation.resources) add(out.used, type, amount);
      }
      for (const ask_snapshot &ask : app.asks) {
        for (const auto &[type, amount] : ask.resources) add(out.waiting, type, amount * ask.pending_count);
      }
    }
  }
  return out;
}

std::ostream &operator<<(std::ostream &out, const sums &s) {
  for (const auto *map : {&s.used, &s.waiting, &s.capacity}) {
    out << "{ ";
    for (const auto &[type, amount] : *map) out << type << ' ' << amount << ' ';
    out << "} ";
  }
  return out;
}

// Whoever follows commands and decisions alone knows at the end what the scheduler knows.
// Of what is proposed they know nothing.
written replayed(const std::string &journal, bool proposes = false) {
  written out;
  session on(kernel_factory()(*policies().source), out.sinks());
  timeline kept;
  tally counted(&kept);
  const auto played = replay_journal(journal, on, counted, [](uint64_t, const tally &) {});
  EXPECT_TRUE(static_cast<bool>(played)) << played.why().text();
  counted.ends();
  if (!proposes) {
    EXPECT_EQ(sums_of(kept), sums_of(on.scheduler().snapshot()));
  }
  return out;
}

// A small load of a random shape.
written simulated(uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto below = [&](uint64_t count) { return static_cast<uint32_t>(random() % count); };
  generate_options options;
  options.seed = seed;
  options.nodes = 1 + below(6);
  options.pods = 1 + below(40);
  options.shapes = 1 + below(8);
  options.queues = 1 + below(3);
  options.users = 1 + below(3);
  options.pods_per_application = 1 + below(5);
  options.interarrival_ms = below(20'000);
  options.duration_s = below(100);
  const load what = generate(options);
  cluster_config config = default_config(what);
  if (below(2) == 0) config.partitions[0].node_sort.type = "binpacking";
  const simulation plan{what, config, below(4) == 0 ? load_mode::fill : load_mode::replay, ""};
  written out;
  session on(kernel_factory()(*policies().source), out.sinks());
  tally counted;
  EXPECT_EQ(plan.run(on, counted, [](uint64_t, const tally &) {}), std::nullopt);
  return out;
}

// Commands in a random order, most of them sensible: nodes that come, change and go, asks replaced and
// withdrawn, and a resource manager that refuses some placements, or has not answered whether asks may be reserved.
class random_commands {
 public:
  explicit random_commands(uint64_t seed, bool answers_later = false) : random_(seed), answers_later_(answers_later) {}

  written run() {
    written out;
    session on(kernel_factory()(*policies().source), out.sinks());
    const bool asks_rm = below(2) == 0;
    load queues_only;
    queues_only.applications = {{"", "root.a", ""}, {"", "root.b.c", ""}};
    const cluster_config config = default_config(queues_only);
    apply(on, register_rm{"rm", "1", "default", &config, answers_later_ ? 1'000 : 0});
    for (int i = 0; i < 60; ++i) {
      if (asks_rm && i % 15 == 0) change_check(on);
      one(on);
    }
    return out;
  }

 private:
  uint64_t below(uint64_t count) { return random_() % count; }
  // From now on the RM refuses one placement of four, or all, or none.
  void change_check(session &on) {
    const uint64_t refused = below(3);
    rm_check check;
    if (refused != 0) check = [this, refused](auto, auto, auto, auto, bool) { return refused == 1 && below(4) != 0; };
    if (answers_later_) return on.scheduler().set_rm_check({}, std::move(check));
    on.scheduler().set_rm_check(std::move(check), {});
  }
  std::string id(const char *prefix, uint64_t count) { return prefix + std::to_string(below(count)); }

  void apply(session &on, const command &c) {
    now_ms_ += static_cast<int64_t>(below(4) == 0 ? below(20'000) : below(3));
    on.apply(now_ms_, c, [](const decision_view &) {});
  }

  void one(session &on) {
    constexpr std::string_view partition = "[rm]default";
    const std::string node = id("n", 4), app = id("a", 5), key = id("k", 8);
    const amount_map some{{"vcore", static_cast<int64_t>(below(5000))}, {"memory", static_cast<int64_t>(below(900))}};
    const borrowed_amounts amounts_of(some);
    put_ask ask;
    ask.partition = partition;
    ask.application = app;
    ask.key = key;
    ask.resources = amounts_of;
    ask.max_allocations = static_cast<int32_t>(below(4));
    ask.priority = static_cast<int32_t>(below(3));
    switch (below(answers_later_ ? 13 : 12)) {
      case 0:
        return apply(on, add_node{partition, node, amounts_of, {}, {}, below(5) != 0, {}});
      case 1:
        return apply(on, change_node{partition, node, static_cast<uint8_t>(2 + below(3))});
      case 2:
        return apply(on, update_node{partition, node, amounts_of, amounts_of, {}, true, below(2) == 0, false});
      case 3:
      case 4:
        return apply(on,
                     add_application{partition, app, below(2) == 0 ? "root.a" : "root.b.c", "u", {}, {}, 0, {}, false});
      case 5:
        return apply(on, remove_application{partition, app});
      case 6:
        return apply(on, release{partition, app, key, 0, static_cast<uint32_t>(below(2)), termination::stopped_by_rm,
                                 static_cast<release_what>(below(3))});
      case 7:
        return apply(on, advance{});
      case 8:
        return apply(on, step{"", 1 + static_cast<uint32_t>(below(5)), {}});
      case 12:
        return apply(on, check_answer{partition, 0, below(2) == 0, "no volume", {}, app, key, node});
      default:
        apply(on, ask);
        return apply(on, step{"", 3, {}});
    }
  }

  std::mt19937_64 random_;
  const bool answers_later_;
  int64_t now_ms_ = 1'700'000'000'000;
};

void expect_same_again(const written &first, uint64_t seed, bool proposes = false) {
  const written again = replayed(first.journal, proposes);
  ASSERT_EQ(first.decisions, again.decisions) << "seed " << seed;
  ASSERT_EQ(first.journal, again.journal) << "seed " << seed;
}

TEST(Replay, RandomLoadsDecideTheSameAgain) {
  size_t allocations = 0;
  for (uint64_t seed = 0; seed < journals / 2; ++seed) {
    const written first = simulated(seed);
    ASSERT_NO_FATAL_FAILURE(expect_same_again(first, seed));
    for (size_t at = first.decisions.find("\tallocated\t"); at != std::string::npos;
         at = first.decisions.find("\tallocated\t", at + 1)) {
      ++allocations;
    }
  }
  EXPECT_GT(allocations, size_t{journals});  // the loads are no empty ones
}

TEST(Replay, RandomCommandsDecideTheSameAgain) {
  size_t with_allocations = 0;
  for (uint64_t seed = 0; seed < journals / 2; ++seed) {
    const written first = random_commands(seed).run();
    ASSERT_NO_FATAL_FAILURE(expect_same_again(first, seed));
    if (first.decisions.find("\tallocated\t") != std::string::npos) ++with_allocations;
  }
  EXPECT_GT(with_allocations, size_t{journals / 10});
}

TEST(Replay, RandomAnswersAboutReservationsDecideTheSameAgain) {
  size_t with_reservations = 0;
  for (uint64_t seed = 0; seed < journals / 2; ++seed) {
    const written first = random_commands(seed, true).run();
    ASSERT_NO_FATAL_FAILURE(expect_same_again(first, seed, true));
    if (first.decisions.find("\treserved\t") != std::string::npos) ++with_reservations;
  }
  EXPECT_GT(with_reservations, 0U);
}

}  // namespace
}  // namespace tenon::cli
