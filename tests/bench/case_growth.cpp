// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include <functional>
#include <stdexcept>

#include "cases.hpp"
#include "counted.hpp"

namespace tenon::bench {
namespace {

using need = std::vector<named_amount>;

// A kernel with one resource manager, whose commands are a line each. Times are in milliseconds.
class loaded_kernel {
 public:
  static constexpr std::string_view partition = "[rm]default";

  explicit loaded_kernel(policy_source &policies) : kernel_(policies) {
    root.name = "root";
    root.parent = true;
    root.submit_acl = "*";
    leaf.name = "q";
  }

  // Registers the resource manager with what `root` and `leaf` say by now.
  void configure(const std::string &rm = "rm", int64_t partitions = 1) {
    cluster_config config;
    for (int64_t i = 0; i < partitions; ++i) {
      partition_config p;
      if (i > 0) p.name = "other-" + std::to_string(i);
      p.root = root;
      p.root.queues.push_back(leaf);
      config.partitions.push_back(std::move(p));
    }
    register_rm c;
    c.rm = rm;
    c.config = &config;
    run(c);
  }
  void node(const std::string &id, int64_t vcore) {
    const need capacity{{"vcore", vcore}, {"memory", int64_t{1} << 40}};
    add_node c;
    c.partition = partition;
    c.node = id;
    c.capacity = capacity;
    run(c);
  }
  void resize_node(const std::string &id, int64_t vcore) {
    const need capacity{{"vcore", vcore}, {"memory", int64_t{1} << 40}};
    update_node c;
    c.partition = partition;
    c.node = id;
    c.capacity = capacity;
    c.has_capacity = true;
    run(c);
  }
  void application(const std::string &id, const std::string &queue = "root.q", const need &placeholders = {}) {
    add_application c;
    c.partition = partition;
    c.application = id;
    c.queue = queue;
    c.user = "user";
    c.placeholder_ask = placeholders;
    run(c);
  }
  void ask(const std::string &application, const std::string &key, const need &of, int32_t count = 1,
           const std::string &placeholder_of = {}) {
    put_ask c;
    c.partition = partition;
    c.application = application;
    c.key = key;
    c.resources = of;
    c.max_allocations = count;
    c.task_group = placeholder_of;
    c.placeholder = !placeholder_of.empty();
    run(c);
  }
  // One more that runs: its UUID is none of those that are there.
  void report(const std::string &application, const std::string &key, const std::string &node, const need &of) {
    put_allocation c;
    c.partition = partition;
    c.node = node;
    c.allocation.ask.application = application;
    c.allocation.ask.key = key;
    c.allocation.ask.resources = of;
    c.allocation.apart = true;
    run(c);
  }
  // Without a key: the allocation of this sequence.
  void give_back(const std::string &application, const std::string &key, uint64_t sequence = 0) {
    release c;
    c.partition = partition;
    c.application = application;
    c.key = key;
    c.allocation_sequence = sequence;
    if (sequence != 0) c.what = release_what::allocations;
    run(c);
  }
  // The oldest `most` allocations of the application.
  void give_back_some(const std::string &application, uint32_t most) {
    release c;
    c.partition = partition;
    c.application = application;
    c.what = release_what::allocations;
    c.limit = most;
    run(c);
  }
  void remove(const std::string &application) { run(remove_application{partition, application}); }
  void wait(int64_t ms) {
    now_ms_ += ms;
    run(advance{});
  }
  void schedule() {
    const step s{{}, 1'000};
    while (kernel_.apply(now_ms_, s) != 0) deliver();
    deliver();
  }
  void inspect_all() { run(inspect{}); }
  void inspect_some() { run(inspect{{}, {}, 1'000}); }
  [[nodiscard]] uint64_t allocated() const { return allocated_; }

  queue_config root, leaf;

 private:
  void run(const command &c) {
    kernel_.apply(now_ms_, c);
    deliver();
  }
  void deliver() {
    kernel_.drain([this](const decision_view &d) {
      if (d.kind() == decision_kind::rm_rejected || d.kind() == decision_kind::node_rejected)
        throw std::runtime_error(text_of(d));
      if (d.kind() == decision_kind::allocated) ++allocated_;
    });
  }

  kernel kernel_;
  int64_t now_ms_ = 1;
  uint64_t allocated_ = 0;
};

std::string named(const char *what, int64_t number) { return what + std::to_string(number); }

constexpr int64_t huge = int64_t{1} << 40;
constexpr int64_t minutes_of_starting = 5 * 60'000;
constexpr int64_t delay_of_reservations = 2'000;

// What is there when the operation begins, and the operation, which is done for `turn` 0, 1, 2 and so on.
struct operation {
  const char *name;
  std::function<void(loaded_kernel &, int64_t load)> prepare;
  std::function<void(loaded_kernel &, int64_t load, int64_t turn)> run;
};

// One application after the other ends; the next one of those that a limit holds begins.
void applications_that_wait(loaded_kernel &k, int64_t load, int64_t vcore) {
  k.configure();
  k.node("n", huge);
  for (int64_t i = 0; i < load; ++i) {
    k.application(named("app-", i));
    k.ask(named("app-", i), "a", {{"vcore", vcore}});
  }
  k.schedule();
}
void next_application(loaded_kernel &k, int64_t, int64_t turn) {
  k.remove(named("app-", turn));
  k.schedule();
}

// `load` of an application run; each has an ask of its own.
void allocations_that_run(loaded_kernel &k, int64_t load) {
  k.configure();
  k.node("n", huge);
  k.application("app");
  for (int64_t i = 0; i < load; ++i) k.ask("app", named("a-", i), {{"vcore", 1}});
  k.schedule();
}
void allocations_of_one_ask(loaded_kernel &k, int64_t load) {
  k.configure();
  k.node("n", huge);
  k.application("app");
  k.ask("app", "a", {{"vcore", 1}}, static_cast<int32_t>(load));
  k.schedule();
}

const std::vector<operation> operations = {
    {"application-after-queue-maximum",
     [](loaded_kernel &k, int64_t load) {
       k.leaf.max_applications = 4;
       applications_that_wait(k, load, 1);
     },
     next_application},
    {"application-after-user-maximum",
     [](loaded_kernel &k, int64_t load) {
       limit_config &limit = k.leaf.limits.emplace_back();
       limit.users = {"user"};
       limit.max_applications = 4;
       applications_that_wait(k, load, 1);
     },
     next_application},
    {"application-after-user-resources",
     [](loaded_kernel &k, int64_t load) {
       limit_config &limit = k.leaf.limits.emplace_back();
       limit.users = {"user"};
       limit.max_resources = {{"vcore", 4}};
       applications_that_wait(k, load, 1);
     },
     next_application},
    {"release-by-sequence", allocations_that_run,
     [](loaded_kernel &k, int64_t load, int64_t turn) {
       k.give_back("app", "", static_cast<uint64_t>(load / 2 + turn));
     }},
    {"report-one-of-an-ask", allocations_of_one_ask,
     [](loaded_kernel &k, int64_t, int64_t) {
       k.report("app", "a", "n", {{"vcore", 1}});
     }},
    {"release-of-one-ask", allocations_of_one_ask,
     [](loaded_kernel &k, int64_t load, int64_t turn) {
       k.give_back("app", "a", static_cast<uint64_t>(load / 2 + turn));
     }},
    {"release-after-withdrawn-shapes",
     [](loaded_kernel &k, int64_t load) {
       k.configure();
       k.node("n", huge);
       k.node("m", huge);
       k.application("app");
       for (int64_t i = 0; i < 1'000; ++i) k.ask("app", named("runs-", i), {{"vcore", 1}});
       k.schedule();
       for (int64_t i = 0; i < load; ++i) {
         k.ask("app", named("a-", i), {{"vcore", huge + 1 + i}});
         k.schedule();
         k.give_back("app", named("a-", i));
       }
     },
     [](loaded_kernel &k, int64_t, int64_t turn) {
       k.give_back("app", named("runs-", turn));
       k.schedule();
     }},
    {"withdraw-one-of-many-shapes",
     [](loaded_kernel &k, int64_t load) {
       k.configure();
       k.node("n", huge);
       k.node("m", huge);
       k.application("app");
       for (int64_t i = 0; i < load; ++i) k.ask("app", named("a-", i), {{"vcore", huge + 1 + i}});
       k.schedule();
     },
     [](loaded_kernel &k, int64_t load, int64_t turn) {
       k.give_back("app", named("a-", load / 2 + turn));
       k.schedule();
     }},
    {"place-beside-other-partitions",
     [](loaded_kernel &k, int64_t load) {
       k.configure();
       k.configure("other", load);
       k.node("n", huge);
       k.application("app");
     },
     [](loaded_kernel &k, int64_t, int64_t turn) {
       k.ask("app", named("a-", turn), {{"vcore", 1}});
       k.schedule();
       k.give_back("app", named("a-", turn));
       k.schedule();
     }},
    {"reject-an-application",
     [](loaded_kernel &k, int64_t load) {
       k.configure();
       for (int64_t i = 0; i < load; ++i) k.application(named("app-", i), "root.none");
     },
     [](loaded_kernel &k, int64_t load, int64_t turn) { k.application(named("app-", load + turn), "root.none"); }},
    {"place-by-stateaware",
     [](loaded_kernel &k, int64_t load) {
       k.leaf.properties["application.sort.policy"] = "stateaware";
       k.configure();
       k.node("n", huge);
       for (int64_t i = 0; i < load; ++i) {
         k.application(named("app-", i));
         k.ask(named("app-", i), "a", {{"vcore", 1}});
         k.schedule();
         k.wait(minutes_of_starting);
       }
       k.schedule();
     },
     [](loaded_kernel &k, int64_t load, int64_t turn) {
       k.ask(named("app-", load / 2), named("b-", turn), {{"vcore", 1}});
       k.schedule();
     }},
    {"place-a-placeholder-of-many-groups",
     [](loaded_kernel &k, int64_t load) {
       k.configure();
       k.node("n", huge);
       k.application("app", "root.q", {{"vcore", 1}});
       for (int64_t i = 0; i < load; ++i) k.ask("app", named("p-", i), {{"vcore", 1}}, 1, named("group-", i));
       k.schedule();
     },
     [](loaded_kernel &k, int64_t load, int64_t turn) {
       k.ask("app", named("q-", turn), {{"vcore", 1}}, 1, named("group-", load / 2 + turn));
       k.schedule();
     }},
    {"place-after-many-shapes",
     [](loaded_kernel &k, int64_t load) {
       k.configure();
       for (int64_t i = 0; i < 1'000; ++i) k.node(named("n-", i), 1'000'000);
       k.application("app");
       for (int64_t i = 0; i < load; ++i) {
         k.ask("app", named("a-", i), {{"vcore", 1 + i}});
         k.schedule();
         k.give_back("app", named("a-", i));
       }
     },
     [](loaded_kernel &k, int64_t load, int64_t turn) {
       k.ask("app", named("b-", turn), {{"vcore", 1 + load + turn}});
       k.schedule();
       k.give_back("app", named("b-", turn));
     }},
    {"part-of-a-removed-application", allocations_that_run,
     [](loaded_kernel &k, int64_t, int64_t) { k.give_back_some("app", 100); }},
    {"node-changes-beside-gangs-that-wait",
     [](loaded_kernel &k, int64_t load) {
       k.leaf.properties["gang.start"] = "whole";
       k.configure();
       k.node("n", 10);
       for (int64_t i = 0; i < load; ++i) {
         k.application(named("gang-", i), "root.q", {{"vcore", 12}});
         k.ask(named("gang-", i), "p", {{"vcore", 3}}, 4, "group");
         k.schedule();
       }
     },
     [](loaded_kernel &k, int64_t, int64_t turn) {
       k.resize_node("n", 9 + turn % 2);
       k.schedule();
     }},
    {"nodes-empty-for-a-gang",
     [](loaded_kernel &k, int64_t load) {
       k.leaf.properties["gang.start"] = "whole";
       k.configure();
       for (int64_t i = 0; i < load; ++i) k.node(named("n-", i), 10);
       k.application("app");
       k.ask("app", "a", {{"vcore", 10}}, static_cast<int32_t>(load));
       k.schedule();
     },
     [](loaded_kernel &k, int64_t load, int64_t turn) {
       const std::string gang = named("gang-", turn);
       k.application(gang, "root.q", {{"vcore", load}});
       k.ask(gang, "p", {{"vcore", 1}}, static_cast<int32_t>(load), "group");
       k.schedule();
       k.wait(delay_of_reservations);
       k.schedule();
       k.remove(gang);
       k.schedule();
     }},
    {"one-ends-beside-gangs-that-wait",
     [](loaded_kernel &k, int64_t load) {
       k.leaf.properties["gang.start"] = "whole";
       k.configure();
       k.node("n", 10);
       k.application("app");
       for (int64_t i = 0; i < 8; ++i) k.ask("app", named("a-", i), {{"vcore", 1}});
       k.schedule();
       for (int64_t i = 0; i < load; ++i) {
         k.application(named("gang-", i), "root.q", {{"vcore", 12}});
         k.ask(named("gang-", i), "p", {{"vcore", 3}}, 4, "group");
         k.schedule();
       }
     },
     [](loaded_kernel &k, int64_t, int64_t turn) {
       k.give_back("app", named("a-", turn));
       k.ask("app", named("a-", turn + 8), {{"vcore", 1}});
       k.schedule();
     }},
    {"inspect-a-part",
     [](loaded_kernel &k, int64_t load) {
       k.configure();
       k.node("n", 1);
       for (int64_t i = 0; i < load; ++i) {
         k.application(named("app-", i));
         k.ask(named("app-", i), "a", {{"vcore", 2}});
       }
       k.schedule();
       k.inspect_all();
     },
     [](loaded_kernel &k, int64_t, int64_t) { k.inspect_some(); }},
    {"inspect-a-part-of-one",
     [](loaded_kernel &k, int64_t load) {
       k.configure();
       k.node("n", 1);
       k.application("app");
       for (int64_t i = 0; i < load; ++i) k.ask("app", named("a-", i), {{"vcore", 2}});
       k.schedule();
       k.inspect_all();
     },
     [](loaded_kernel &k, int64_t, int64_t) { k.inspect_some(); }},
    {"node-comes-then-a-placement",
     [](loaded_kernel &k, int64_t load) {
       k.configure();
       for (int64_t i = 0; i < load; ++i) k.node(named("n-", i), 1'000);
       k.application("app");
       k.ask("app", "first", {{"vcore", 1}});
       k.schedule();
     },
     [](loaded_kernel &k, int64_t load, int64_t turn) {
       k.node(named("n-", load + turn), 1'000);
       k.ask("app", named("a-", turn), {{"vcore", 1}});
       k.schedule();
     }},
    {"one-ends-one-comes-after-many-shapes",
     [](loaded_kernel &k, int64_t load) {
       k.configure();
       k.node("n", huge);
       k.application("app");
       k.ask("app", "stays", {{"vcore", 1}});
       for (int64_t i = 0; i < load; ++i) {
         k.ask("app", named("a-", i), {{"vcore", 1 + i}});
         k.schedule();
         if (i % 2 == 0) k.give_back("app", named("a-", i));
       }
     },
     [](loaded_kernel &k, int64_t load, int64_t turn) {
       k.give_back("app", named("a-", load / 4 * 2 + 2 * turn + 1));
       k.ask("app", named("b-", turn), {{"vcore", load / 4 * 2 + 2 * turn + 2}});
       k.schedule();
     }},
};

}  // namespace

std::vector<std::string> growing_operations() {
  std::vector<std::string> out;
  for (const operation &o : operations) out.emplace_back(o.name);
  return out;
}

figures run_growth(const settings &s) {
  const auto policies = make_policies(s);
  for (const operation &o : operations) {
    if (s.operation != o.name) continue;
    loaded_kernel kernel(*policies);
    o.prepare(kernel, s.asks);
    o.run(kernel, s.asks, 0);
    figures out;
    const uint64_t before = kernel.allocated();
    counted counts("operation");
    const stopwatch watch;
    for (int64_t i = 1; i <= s.turns; ++i) o.run(kernel, s.asks, i);
    out["operation_ns"] = watch.nanoseconds() / static_cast<double>(s.turns);
    counts.done(out, static_cast<double>(s.turns));
    out["allocations_per_operation"] = static_cast<double>(kernel.allocated() - before) / static_cast<double>(s.turns);
    return out;
  }
  throw std::runtime_error("there is no operation '" + s.operation + "'");
}

}  // namespace tenon::bench
