// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What a module costs and loses: memory, files, threads at work, configurations, time.
#include <time.h>

#include <algorithm>
#include <array>
#include <functional>
#include <mutex>
#include <thread>

#include "asked_slot.hpp"
#include "configurations.hpp"
#include "growth.hpp"
#include "imports.hpp"

namespace tenon::conformance {
namespace {

// Configurations made at random name sources of groups that are not there: nobody waits for them.
const manner at_once = [] {
  manner how;
  how.patient = false;
  return how;
}();

void leak_instances(probe &p) {
  const opened_module module = opened_module::start(p);
  const auto one = instance::active(module);
  const auto questions = usual_questions(*one, 1, p.seed());
  no_growth("an instance that is made, asked and destroyed", 40, [&] {
    const auto another = instance::active(module);
    for (const question &q : questions) (void)ask(*another, q);
  });
}

void leak_calls(probe &p) {
  const opened_module module = opened_module::start(p);
  const auto one = instance::active(module);
  for (const slot s : slots_of(*one)) {
    std::vector<question> questions;
    for (uint64_t i = 0; i < 5; ++i) questions.push_back(usual_question(*one, s, mixed(p.seed(), i)));
    size_t next = 0;
    no_growth(slot_name(s).data(), 100, [&] { (void)ask(*one, questions[next++ % questions.size()]); });
  }
}

void leak_module(probe &p) {
  opened_module module = opened_module::start(p);
  no_growth("an init and deinit of the module", 100, [&] {
    module.init();
    for (const host::provided_interface &one : p.manifest().provides) {
      const tenon_factory *factory = nullptr;
      (void)module.get_factory(one.interface, factory);
    }
    module.deinit();
  });
}

// Runs a body on threads of its own and passes on what one of them threw.
void on_threads(size_t count, const std::function<void(size_t)> &body) {
  std::mutex mutex;
  std::string failure;
  std::vector<std::thread> threads;
  for (size_t i = 0; i < count; ++i) {
    threads.emplace_back([&, i] {
      try {
        body(i);
      } catch (const check_failed &no) {
        const std::scoped_lock lock(mutex);
        failure = no.text;
      }
    });
  }
  for (std::thread &t : threads) t.join();
  if (!failure.empty()) probe::fail(failure);
}

void threads_instances(probe &p) {
  const opened_module module = opened_module::start(p);
  constexpr size_t count = 4;
  std::vector<std::unique_ptr<instance>> instances;
  for (size_t i = 0; i < count; ++i) instances.push_back(instance::active(module));
  std::vector<question> questions;
  for (const question &q : usual_questions(*instances[0], 2, p.seed())) questions.push_back(q);
  for (const slot s : slots_of(*instances[0])) questions.push_back(usual_question(*instances[0], s, 5, {.rows = 300}));
  std::vector<answer> want;
  for (const question &q : questions) want.push_back(ask(*instances[0], q));
  on_threads(count, [&](size_t i) {
    for (size_t round = 0; round < 60; ++round) {
      const size_t at = (round + i) % questions.size();
      if (!(ask(*instances[i], questions[at]) == want[at]))
        probe::fail(std::string(slot_name(questions[at].of)) +
                    " answers otherwise while instances of the module work on other threads");
    }
  });
}

void threads_move(probe &p) {
  const opened_module module = opened_module::start(p);
  const auto one = instance::active(module);
  const auto questions = usual_questions(*one, 2, p.seed());
  std::vector<answer> want;
  for (const question &q : questions) want.push_back(ask(*one, q));
  for (int i = 0; i < 3; ++i) {
    on_threads(1, [&](size_t) {
      for (size_t at = 0; at < questions.size(); ++at) {
        if (!(ask(*one, questions[at]) == want[at]))
          probe::fail(std::string(slot_name(questions[at].of)) + " answers otherwise on another thread");
      }
    });
  }
  std::unique_ptr<instance> made;
  on_threads(1, [&](size_t) {
    test_host::be(TENON_THREAD_MAIN);
    made = instance::active(module);
  });
  for (size_t at = 0; at < questions.size(); ++at) {
    if (!(ask(*made, questions[at]) == want[at]))
      probe::fail(std::string(slot_name(questions[at].of)) +
                  " answers otherwise where another thread made the instance");
  }
}

void config_fuzz(probe &p) {
  const opened_module module = opened_module::start(p);
  dice d(p.seed());
  const auto all = random_configurations(p.manifest(), p.long_run() ? 2000 : 80, d);
  size_t refused = 0;
  for (const std::string &configuration : all) {
    std::unique_ptr<instance> made;
    std::string why;
    const auto refuse = [&](const char *who, tenon_status status) {
      ++refused;
      if (status != TENON_INVALID_CONFIG)
        probe::fail(std::string(who) + " gave " + status_name(status) + why + " for " + configuration.substr(0, 300) +
                    ", which the manifest's schema accepts");
      if (why.empty())
        probe::fail(std::string(who) + " refuses " + configuration.substr(0, 300) + " and says nothing of why");
    };
    tenon_status status = instance::try_create(module, configuration, test_host::services::all, made, why);
    if (status != TENON_OK) {
      refuse("create", status);
      continue;
    }
    if (status = made->try_init(why); status != TENON_OK) {
      refuse("init", status);
      continue;
    }
    if (status = made->try_activate(why); status != TENON_OK) {
      refuse("activate", status);
      continue;
    }
    for (const question &q : usual_questions(*made, 1, p.seed())) {
      const answer a = ask(*made, q, at_once);
      if (!may_give(q.of, a.status))
        probe::fail(std::string(slot_name(q.of)) + " gave " + status_name(a.status) + " when configured with " +
                    configuration.substr(0, 300));
    }
  }
  // A transport's names certificates, a source of groups one that a machine may not have.
  if (!p.is(about::transport | about::identity) && !all.empty() && refused * 10 > all.size() * 9)
    probe::fail("it refuses " + number(refused) + " of " + number(all.size()) +
                " configurations that the manifest's schema accepts: the schema does not say what it wants");
}

void config_spelling(probe &p) {
  const opened_module module = opened_module::start(p);
  dice d(p.seed());
  auto all = random_configurations(p.manifest(), 10, d);
  all.push_back(usual_configuration(p.manifest()));
  for (const std::string &configuration : all) {
    std::unique_ptr<instance> plain, other;
    std::string why;
    if (instance::try_create(module, configuration, test_host::services::all, plain, why) != TENON_OK) continue;
    const std::string spelling = respelled(configuration, d);
    const tenon_status status = instance::try_create(module, spelling, test_host::services::all, other, why);
    if (status != TENON_OK)
      probe::fail("create accepts " + configuration.substr(0, 200) + " and gives " + status_name(status) + why +
                  " for " + spelling.substr(0, 200) + ", which is the same JSON");
    for (const auto &one : {plain.get(), other.get()}) one->init(), one->activate();
    for (const question &q : usual_questions(*plain, 2, p.seed())) {
      if (!(ask(*plain, q, at_once) == ask(*other, q, at_once)))
        probe::fail(std::string(slot_name(q.of)) + " answers otherwise when its configuration is spelled " +
                    spelling.substr(0, 200));
    }
  }
}

void exception_no_memory(probe &p) {
  const opened_module module = opened_module::start(p);
  const auto one = instance::active(module);
  const auto questions = usual_questions(*one, 1, p.seed());
  std::vector<answer> want;
  for (const question &q : questions) want.push_back(ask(*one, q));
  const std::string configuration = usual_configuration(p.manifest());
  if (replace_new(module) == 0) probe::skip("it does not import operator new");
  for (uint64_t nth = 1; nth <= 24; ++nth) {
    fail_new_from(nth);
    std::unique_ptr<instance> made;
    std::string why;
    if (instance::try_create(module, configuration, test_host::services::all, made, why) == TENON_OK &&
        made->try_init(why) == TENON_OK)
      (void)made->try_activate(why);
    fail_new_from(0);
    made.reset();
    for (size_t i = 0; i < questions.size(); ++i) {
      fail_new_from(nth);
      (void)ask(*one, questions[i], at_once);
      fail_new_from(0);
      if (!(ask(*one, questions[i]) == want[i]))
        probe::fail(std::string(slot_name(questions[i].of)) + " answers otherwise after a call that had no memory");
    }
  }
}

double cpu_us() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e6 + static_cast<double>(now.tv_nsec) / 1e3;
}
double wall_us() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) * 1e6 + static_cast<double>(now.tv_nsec) / 1e3;
}

// Microseconds of the slot alone, the best of a few.
struct timing {
  double cpu = 1e18, wall = 1e18;
};

timing time_slot(const instance &of, slot s, uint32_t items, uint64_t seed) {
  const question q = usual_question(of, s, seed, {.rows = items});
  guarded_memory memory(false);
  const tenon_batch *batch = encode(q.rows, q.items, {}, memory);
  // Room before and behind: what is written there is for other checks to say.
  auto *keys = memory.make("the keys", size_t{items} * std::max<uint32_t>(of.key_words(), 1) * 8, false);
  auto *early = memory.make("not_before_ms", size_t{items} * 8, false);
  auto *late = memory.make("valid_until_ms", size_t{items} * 8, false);
  auto *verdicts = memory.make("the verdicts", items, false),
       *reasons = memory.make("the reasons", size_t{items} * 2, false);
  timing best;
  for (int i = 0; i < 3; ++i) {
    tenon_keys_out sorted{sizeof sorted, of.key_words(), static_cast<uint64_t *>(keys), static_cast<int64_t *>(early),
                          static_cast<int64_t *>(late)};
    tenon_filter_out judged{sizeof judged, 0, static_cast<uint8_t *>(verdicts), static_cast<uint16_t *>(reasons)};
    const double cpu = cpu_us(), wall = wall_us();
    const tenon_status status = of.asker().call(std::string(slot_name(s)) + " of " + number(items) + " items", [&] {
      return s == slot::filter  ? of.predicate().filter(of.raw(), batch, &judged)
             : s == slot::score ? of.sort().score(of.raw(), batch, &sorted)
                                : of.sort().keys(of.raw(), batch, &sorted);
    });
    best.cpu = std::min(best.cpu, cpu_us() - cpu);
    best.wall = std::min(best.wall, wall_us() - wall);
    if (!may_give(s, status))
      probe::fail(std::string(slot_name(s)) + " gave " + status_name(status) + " for " + number(items) + " items");
  }
  return best;
}

void time_per_item(probe &p) {
  constexpr double most_us = 50, most_few_us = 20'000, unseen_us = 2;
  const opened_module module = opened_module::start(p);
  const auto one = instance::active(module);
  test_host::be(TENON_THREAD_CYCLE);
  for (const slot s : {slot::keys, slot::score, slot::filter}) {
    if (!has_slot(*one, s)) continue;
    double thousand = 0;
    for (const uint32_t items : {10U, 100U, 1000U, 10'000U, 100'000U}) {
      const timing t = time_slot(*one, s, items, p.seed());
      const double each = t.cpu / items;
      if (items == 1000) thousand = each;
      if (t.wall > most_few_us && t.wall / items > most_us)
        probe::fail(std::string(slot_name(s)) + " needs " + std::to_string(t.wall / items) + " us an item for " +
                    number(items) + " items; " + std::to_string(most_us) + " are bearable");
      if (items > 1000 && each > unseen_us && each > 6 * thousand)
        probe::fail(std::string(slot_name(s)) + " needs " + std::to_string(each) + " us an item for " + number(items) +
                    " items and " + std::to_string(thousand) +
                    " us for 1000: the more there are the longer each takes");
    }
  }
}

constexpr std::array resources_of_modules_list{
    check{"leak-module", "leaks", about::module, "module-init-repeats",
          "init, get_factory and deinit keep no memory and leave no file open.", leak_module},
};

constexpr std::array resources_list{
    check{"leak-instances", "leaks", about::every_kind, "create-hundred",
          "An instance that is gone leaves no memory and no open file behind.", leak_instances},
    check{"leak-calls", "leaks", about::asked, "slots-answer",
          "Slots that are asked the same again and again keep no more memory each time.", leak_calls},
    check{"threads-instances", "threads", about::asked, "two-instances",
          "Instances work on several threads at once, one thread each.", threads_instances},
    check{"threads-move", "threads", about::asked, "answers-repeat",
          "An instance works on whatever thread calls it, and whatever thread made it.", threads_move},
    check{"config-fuzz", "configuration", about::every_kind, "slots-answer",
          "What the schema accepts is accepted, or refused as INVALID_CONFIG with words.", config_fuzz},
    check{"config-spelling", "configuration", about::asked, "answers-repeat",
          "The same configuration in other JSON words gives the same answers.", config_spelling},
    check{"exception-no-memory", "exceptions", about::asked, "answers-repeat",
          "Where operator new fails no exception leaves a slot, and the next answer is right again.",
          exception_no_memory},
    check{"time-per-item", "sort", about::columns, "slots-answer",
          "From 10 to 100,000 items the time for each stays about the same, and short.", time_per_item},
};

}  // namespace

checks resource_module_checks() { return resources_of_modules_list; }
checks resource_checks() { return resources_list; }

}  // namespace tenon::conformance
