// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The life of a module and of its instances, in the orders in which hosts live it.
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "asked_slot.hpp"
#include "configurations.hpp"

namespace tenon::conformance {
namespace {

void instance_starts(probe &p) {
  opened_module module = opened_module::start(p);
  auto one = instance::active(module);
  one->deactivate();
  one->destroy();
  module.deinit();
}

void module_init_repeats(probe &p) {
  opened_module module = opened_module::open(p);
  const auto works = [&] {
    for (const host::provided_interface &one : p.manifest().provides) {
      const tenon_factory *factory = nullptr;
      if (module.get_factory(one.interface, factory) != TENON_OK || factory == nullptr)
        probe::fail("after repeated init and deinit get_factory no longer knows " + one.interface);
    }
  };
  for (int i = 0; i < 100; ++i) module.init();
  for (int i = 0; i < 99; ++i) module.deinit();
  works();
  module.deinit();
  module.init();
  works();
  module.deinit();
}

void unknown_interfaces(probe &p) {
  const opened_module module = opened_module::start(p);
  const std::string listed = p.manifest().provides.front().interface;
  const std::string stem = listed.substr(0, listed.find('/'));
  for (const std::string &id :
       {std::string(), stem, stem + "/", stem + "/2", stem + "/10", listed + "0", listed + " ", "x" + listed,
        std::string("tenon.no-such-kind/1"), listed.substr(0, listed.size() - 1), std::string(5000, 'x')}) {
    const tenon_factory *factory = nullptr;
    const tenon_status status = module.get_factory(id, factory);
    if (status == TENON_OK || factory != nullptr)
      probe::fail("get_factory gave " + status_name(status) + (factory == nullptr ? "" : " and a factory") + " for '" +
                  id.substr(0, 60) + "', want UNSUPPORTED and none");
  }
}

void unknown_index(probe &p) {
  const opened_module module = opened_module::start(p);
  const tenon_factory *factory = module.factory();
  uint32_t count = 0;
  while (count < 256 && module.raw_description(count).size != 0) ++count;
  probe::want(count < 256, "describe never ends: 256 implementations and more");
  for (const uint32_t index : {count, count + 1, UINT32_MAX}) {
    probe::want(module.raw_description(index).size == 0, "describe gave OK for implementation " + number(index));
    const std::string text = usual_configuration(p.manifest());
    const tenon_create_in in{sizeof in, index, {text.data(), text.size()}, usual_max_types, 0, test_host::lasting()};
    tenon_create_out out{};
    out.size = sizeof out;
    const tenon_status status = p.call("create", [&] { return factory->create(factory, &in, &out); });
    if (status == TENON_OK)
      probe::fail("create gave OK for implementation " + number(index) + ", and there are " + number(count));
  }
}

void describe_stable(probe &p) {
  const opened_module module = opened_module::start(p);
  const auto same = [&](const described &a, const described &b) {
    const auto columns = [](const described &d) {
      std::string out;
      for (const column_declared &c : d.columns) out += c.id + "\n" + number(c.scope) + "\n";
      return out;
    };
    return a.name == b.name && a.version == b.version && a.key_words == b.key_words && a.order_rev == b.order_rev &&
           a.rekey_ms == b.rekey_ms && a.reasons == b.reasons && columns(a) == columns(b);
  };
  const described first = module.description();
  for (int i = 0; i < 5; ++i) probe::want(same(first, module.description()), "describe says something else each time");
  {
    dice d(p.seed());
    for (const std::string &configuration : random_configurations(p.manifest(), 4, d)) {
      std::unique_ptr<instance> made;
      std::string why;
      if (instance::try_create(module, configuration, test_host::services::all, made, why) == TENON_OK) made->init();
      probe::want(same(first, module.description()), "describe says something else once an instance was made");
    }
  }
  probe::want(same(first, module.description()), "describe says something else once an instance is gone");
}

void create_hundred(probe &p) {
  const opened_module module = opened_module::start(p);
  std::vector<std::unique_ptr<instance>> alive;
  for (int i = 0; i < 100; ++i) {
    auto one = instance::active(module);
    if (i % 10 == 0) alive.push_back(std::move(one));
  }
  while (!alive.empty()) alive.erase(alive.begin() + static_cast<std::ptrdiff_t>(p.pick(alive.size())));
  const auto last = instance::active(module);
  for (const question &q : usual_questions(*last, 1, p.seed())) (void)ask(*last, q);
}

void destroy_early(probe &p) {
  const opened_module module = opened_module::start(p);
  const std::string configuration = usual_configuration(p.manifest());
  for (int i = 0; i < 3; ++i) {
    instance::create(module, configuration)->destroy();
    auto one = instance::create(module, configuration);
    one->init();
    one->destroy();
  }
  auto still = instance::active(module);
  still->deactivate();
  still->destroy();
}

void two_instances(probe &p) {
  const opened_module module = opened_module::start(p);
  auto alone = instance::active(module);
  const auto questions = usual_questions(*alone, 3, p.seed());
  std::vector<answer> want;
  for (const question &q : questions) want.push_back(ask(*alone, q));
  alone.reset();
  auto first = instance::active(module), second = instance::active(module);
  for (size_t i = 0; i < questions.size(); ++i) {
    const answer a = ask(*first, questions[i]);
    const answer other = ask(*second, questions[questions.size() - 1 - i]);
    if (!(a == want[i]) || !(other == want[questions.size() - 1 - i]))
      probe::fail(std::string(slot_name(questions[i].of)) + " answers otherwise while another instance is at work");
  }
  second->deactivate();
  second->destroy();
  for (size_t i = 0; i < questions.size(); ++i) {
    if (!(ask(*first, questions[i]) == want[i]))
      probe::fail(std::string(slot_name(questions[i].of)) + " answers otherwise once another instance is gone");
  }
}

void activate_again(probe &p) {
  const opened_module module = opened_module::start(p);
  auto one = instance::active(module);
  const auto questions = usual_questions(*one, 2, p.seed());
  std::vector<answer> want;
  for (const question &q : questions) want.push_back(ask(*one, q));
  for (int i = 0; i < 3; ++i) {
    one->deactivate();
    one->activate();
  }
  for (size_t i = 0; i < questions.size(); ++i) {
    if (!(ask(*one, questions[i]) == want[i]))
      probe::fail(std::string(slot_name(questions[i].of)) + " answers otherwise after deactivate and activate");
  }
}

void double_load(probe &p) {
  namespace fs = std::filesystem;
  std::string folder = (fs::temp_directory_path() / "tenon-double-load-XXXXXX").string();
  probe::want(::mkdtemp(folder.data()) != nullptr, "no temporary folder could be made");
  const fs::path copy = fs::path(folder) / p.manifest().library_path().filename();
  std::error_code failed;
  fs::copy_file(p.manifest().library_path(), copy, failed);
  struct remover {
    std::string folder;
    ~remover() {
      std::error_code ignored;
      fs::remove_all(folder, ignored);
    }
  };
  const opened_module first = opened_module::start(p);
  std::optional<opened_module> second;
  {
    const remover after{folder};
    second = opened_module::start(p, copy);
  }
  auto a = instance::active(first), b = instance::active(*second);
  // In the other order: what a library keeps of the first question that it ever saw shows.
  const auto questions = usual_questions(*a, 3, p.seed());
  std::vector<answer> want;
  for (const question &q : questions) want.push_back(ask(*a, q));
  for (size_t i = questions.size(); i-- > 0;) {
    if (!(ask(*b, questions[i]) == want[i]))
      probe::fail(std::string(slot_name(questions[i].of)) + " of two copies of the library gives two answers");
  }
}

// A copy of the process ends as a program does, with destructors and what was registered for the end.
void process_ends(probe &p) {
  {
    opened_module module = opened_module::start(p);
    const auto one = instance::active(module);
    for (const question &q : usual_questions(*one, 1, p.seed())) (void)ask(*one, q);
  }
  std::fflush(nullptr);
  p.step("the end of the process (destructors)");
  const pid_t copy = ::fork();
  if (copy == 0) std::exit(0);
  int status = 0;
  if (copy < 0 || ::waitpid(copy, &status, 0) != copy) probe::skip("no process could be started");
  p.step("");
  if (WIFSIGNALED(status))
    probe::fail("at the end of the process it is killed by signal " + number(static_cast<uint64_t>(WTERMSIG(status))));
  if (WEXITSTATUS(status) != 0)
    probe::fail("the process ends with status " + number(static_cast<uint64_t>(WEXITSTATUS(status))));
}

constexpr std::array lifecycle_list{
    check{"module-init-repeats", "lifecycle", about::module, "manifest-matches",
          "init may be called again and again; the module works until as many deinits, and after the next init.",
          module_init_repeats},
    check{"unknown-interfaces", "identifiers", about::module, "manifest-matches",
          "get_factory gives UNSUPPORTED and no factory for interface ids that the module does not have.",
          unknown_interfaces},
    check{"instance-starts", "lifecycle", about::every_kind, "manifest-matches",
          "With the usual configuration create, init, activate, deactivate and destroy succeed.", instance_starts},
    check{"unknown-index", "identifiers", about::every_kind, "instance-starts",
          "describe and create give UNSUPPORTED past the last implementation.", unknown_index},
    check{"describe-stable", "manifest", about::every_kind, "instance-starts",
          "describe says the same whenever it is asked.", describe_stable},
    check{"destroy-early", "lifecycle", about::every_kind, "instance-starts",
          "An instance may be destroyed right after create, and right after init.", destroy_early},
};

constexpr std::array with_slots{
    check{"create-hundred", "lifecycle", about::every_kind, "slots-answer",
          "A hundred instances are made and destroyed, ten of them alive together and ended in any order.",
          create_hundred},
    check{"process-ends", "lifecycle", about::every_kind, "slots-answer",
          "A process in which the module worked ends by itself, in time and with the status that it wants.",
          process_ends},
    check{"two-instances", "lifecycle", about::asked, "answers-repeat", "Two instances know nothing of each other.",
          two_instances},
    check{"activate-again", "lifecycle", about::asked, "answers-repeat",
          "After deactivate an instance can be activated again, and is as it was.", activate_again},
    check{"double-load", "lifecycle", about::asked, "answers-repeat",
          "Two copies of the library work in one process, and answer alike whatever each was asked first.",
          double_load},
};

}  // namespace

checks lifecycle_checks() { return lifecycle_list; }
checks more_lifecycle_checks() { return with_slots; }

}  // namespace tenon::conformance
