// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What a module does to the process: floating point, locale, signals, files, threads, output, and the host's services.
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "asked_slot.hpp"
#include "growth.hpp"
#include "tenon/host/process_state.hpp"

extern char **environ;

namespace tenon::conformance {
namespace {

// Processes that this one started and that nobody waited for.
uint64_t living_children() {
  std::ifstream in("/proc/self/task/" + std::to_string(::getpid()) + "/children");
  uint64_t count = 0;
  for (int pid = 0; in >> pid;) ++count;
  return count;
}

// The rest of the process that is not the module's to change.
struct surroundings {
  std::string folder, environment;
  mode_t mask = 0;
  itimerval timer{};
  size_t threads = 0, files = 0;
  off_t output = 0;
  uint64_t children = 0;
  int priority = 0;
  rlimit limit{};

  static surroundings now() {
    surroundings out;
    std::array<char, 4096> path{};
    if (::getcwd(path.data(), path.size()) != nullptr) out.folder = path.data();
    for (char **e = environ; e != nullptr && *e != nullptr; ++e) out.environment += std::string(*e) + '\n';
    out.mask = ::umask(0);
    ::umask(out.mask);
    ::getitimer(ITIMER_REAL, &out.timer);
    out.threads = threads_now();
    out.files = open_files();
    struct stat about {};
    if (::fstat(STDOUT_FILENO, &about) == 0 && S_ISREG(about.st_mode)) out.output = about.st_size;
    out.priority = ::getpriority(PRIO_PROCESS, 0);
    ::getrlimit(RLIMIT_NOFILE, &out.limit);
    rusage used{};
    ::getrusage(RUSAGE_CHILDREN, &used);
    out.children = static_cast<uint64_t>(used.ru_minflt) + living_children();
    return out;
  }

  // What is another, or empty.
  // `lasting`: threads and open files, which an instance may have while it lives, count too.
  [[nodiscard]] std::string difference(const surroundings &before, bool lasting) const {
    if (folder != before.folder) return "the working directory";
    if (environment != before.environment) return "the environment";
    if (mask != before.mask) return "the file mask";
    if (timer.it_value.tv_sec != before.timer.it_value.tv_sec || timer.it_interval.tv_sec != 0 ||
        (timer.it_value.tv_usec != 0) != (before.timer.it_value.tv_usec != 0))
      return "the process's timer";
    if (priority != before.priority) return "the process's priority";
    if (limit.rlim_cur != before.limit.rlim_cur) return "the limit of open files";
    if (children != before.children) return "the process's children";
    if (!lasting) return {};
    if (threads != before.threads) return "the number of threads";
    if (files != before.files) return "the number of open files";
    return {};
  }
};

// Runs a part of a module's life between two pictures of the process.
template <class Part>
auto watched(const char *part, bool everything, bool lasting, Part &&run) {
  const host::process_state state;
  const surroundings around = surroundings::now();
  auto out = run();
  const auto changed = state.changes();
  if (!everything && !changed.empty())
    probe::fail(std::string(part) + " changed " + host::joined(changed) + " of the process");
  if (everything) {
    const std::string what = surroundings::now().difference(around, lasting);
    if (!what.empty()) probe::fail(std::string(part) + " changed " + what);
  }
  return out;
}

// The whole life, each stage watched; at its end nothing of the instance is left.
void live(probe &p, bool everything) {
  const surroundings before = surroundings::now();
  opened_module module = watched("opening it", everything, true, [&] { return opened_module::open(p); });
  watched("the module's init", everything, false, [&] { return module.init(), 0; });
  auto one = watched("create, init and activate", everything, false, [&] { return instance::active(module); });
  // A source of groups may keep its connection from one user to the next.
  for (const question &q : usual_questions(*one, 3, p.seed()))
    watched(slot_name(q.of).data(), everything, q.of != slot::resolve, [&] { return ask(*one, q), 0; });
  watched("deactivate and destroy", everything, false, [&] { return one.reset(), 0; });
  watched("the module's deinit", everything, false, [&] { return module.deinit(), 0; });
  const std::string left = surroundings::now().difference(before, true);
  if (everything && !left.empty()) probe::fail("its whole life changed " + left);
}

void state_kept(probe &p) { live(p, false); }

void surroundings_kept(probe &p) {
  // Once before: what the linker and the C library set up on first use is theirs.
  {
    const opened_module module = opened_module::open(p);
    (void)module;
  }
  live(p, true);
}

void opening_quiet(probe &p) {
  const surroundings before = surroundings::now();
  const opened_module module = opened_module::open(p);
  (void)module;
  const surroundings after = surroundings::now();
  probe::want(after.threads == before.threads, "opening it starts a thread");
  probe::want(after.files == before.files, "opening it leaves a file open");
  probe::want(after.environment == before.environment, "opening it changes the environment");
  probe::want(after.folder == before.folder, "opening it changes the working directory");
}

void quiet(probe &p) {
  struct stat about {};
  if (::fstat(STDOUT_FILENO, &about) != 0 || !S_ISREG(about.st_mode)) probe::skip("only in a process of its own");
  {
    opened_module module = opened_module::start(p);
    const auto one = instance::active(module);
    for (const question &q : usual_questions(*one, 2, p.seed())) (void)ask(*one, q);
  }
  std::fflush(nullptr);
  probe::want(surroundings::now().output == 0, "it wrote to standard output or error; the host has a log");
}

void host_without_services(probe &p) {
  const opened_module module = opened_module::start(p);
  const auto with = instance::active(module);
  const auto questions = usual_questions(*with, 2, p.seed());
  const auto without = instance::active(module, test_host::services::none);
  for (const question &q : questions) {
    if (!(ask(*without, q) == ask(*with, q)))
      probe::fail(std::string(slot_name(q.of)) + " answers otherwise where the host has no services");
  }
}

void host_calls(probe &p) {
  {
    opened_module module = opened_module::start(p);
    for (int i = 0; i < 2; ++i) {
      auto one = instance::active(module);
      for (const question &q : usual_questions(*one, 2, p.seed())) (void)ask(*one, q);
    }
    module.deinit();
  }
  if (const auto wrong = test_host::complaints(); !wrong.empty()) probe::fail(wrong.front());
}

constexpr std::array process_of_modules_list{
    check{"opening-quiet", "process", about::module, "library-opens",
          "Opening the library starts no thread, leaves no file open and changes no directory or variable.",
          opening_quiet},
};

constexpr std::array process_list{
    check{"state-kept", "process", about::every_kind, "slots-answer",
          "Floating-point control, locale and signal handling are as before: after opening, init, slots and destroy.",
          state_kept},
    check{"surroundings-kept", "process", about::asked, "slots-answer",
          "Working directory, variables, file mask, timers, open files, threads and children are as before.",
          surroundings_kept},
    check{"quiet", "process", about::asked, "slots-answer", "Nothing is written to standard output or error.", quiet},
    check{"host-without-services", "host", about::asked, "answers-repeat",
          "A host may have no services at all: the module works without them.", host_without_services},
    check{"host-calls", "host", about::every_kind, "slots-answer",
          "Services are called with the host that was given, filled-in structs, and never after destroy.", host_calls},
};

}  // namespace

checks process_module_checks() { return process_of_modules_list; }
checks process_checks() { return process_list; }

}  // namespace tenon::conformance
