// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// bin/event-kill: a process that keeps records with tenon.sqlite, or another sink, is killed at random, again and
// again. Every record that it said was kept must be there, each once, and no other but those of the batch under way.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <filesystem>
#include <iostream>
#include <random>
#include <set>
#include <thread>

#include "sink_case.hpp"

namespace tenon::testing {
namespace {

std::vector<test_record> batch(const std::string &run, uint64_t first, uint64_t count) {
  std::vector<test_record> out;
  for (uint64_t id = first; id < first + count; ++id) {
    test_record r;
    r.id = id;
    r.run = run;
    r.timestamp_ns = static_cast<int64_t>(id);
    r.object = "app-" + std::to_string(id % 17);
    r.application = r.object;
    r.queue = "root.a";
    r.message = std::string(id % 200, 'x');
    out.push_back(std::move(r));
  }
  return out;
}

// The process that is killed: writes the last id that was kept, a line each, for ever.
[[noreturn]] void keep_for_ever(const std::string &module, const std::string &configuration, const std::string &run,
                                uint64_t seed) {
  sink_case sink(module, configuration);
  std::mt19937_64 random(seed);
  for (uint64_t first = 1;;) {
    const uint64_t count = 1 + random() % 200;
    if (sink.emit(batch(run, first, count)) != TENON_OK) continue;
    first += count;
    const std::string line = std::to_string(first - 1) + '\n';
    if (::write(STDOUT_FILENO, line.data(), line.size()) < 0) std::exit(1);
  }
}

// The last id that the process said was kept before it was killed.
uint64_t kill_one(const std::string &program, const std::vector<std::string> &arguments,
                  std::chrono::microseconds after) {
  int ends[2];
  if (::pipe(ends) != 0) throw std::runtime_error("no pipe");
  const pid_t child = ::fork();
  if (child == 0) {
    ::dup2(ends[1], STDOUT_FILENO);
    ::close(ends[0]);
    ::close(ends[1]);
    std::vector<char *> argv{const_cast<char *>(program.c_str())};
    for (const std::string &one : arguments) argv.push_back(const_cast<char *>(one.c_str()));
    argv.push_back(nullptr);
    ::execv(program.c_str(), argv.data());
    ::_exit(127);
  }
  ::close(ends[1]);
  std::string said;
  char buffer[4096];
  const auto read_some = [&] {
    const ssize_t got = ::read(ends[0], buffer, sizeof buffer);
    if (got > 0) said.append(buffer, static_cast<size_t>(got));
    return got > 0;
  };
  read_some();  // it is at work: the time counts from here
  std::thread killer([&] {
    std::this_thread::sleep_for(after);
    ::kill(child, SIGKILL);
  });
  while (read_some()) {
  }
  killer.join();
  ::close(ends[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  if (!WIFSIGNALED(status)) throw std::runtime_error("the process ended by itself");
  const size_t end = said.rfind('\n');
  if (end == std::string::npos) return 0;
  const size_t begin = said.rfind('\n', end - 1);
  return std::stoull(said.substr(begin == std::string::npos ? 0 : begin + 1));
}

// Asked again while the sink cannot look: what was killed may hold its place for a moment.
query_answer answer_of(const sink_case &sink, const tenon_event_query_in &wanted) {
  query_answer found = sink.query(wanted);
  for (int tries = 0; found.status == TENON_RETRY && tries < 500; ++tries) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    found = sink.query(wanted);
  }
  return found;
}

int play(const std::string &module, const std::string &given, uint64_t kills, uint64_t seed) {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("tenon-event-kill-" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  const std::string configuration =
      !given.empty() ? given : "{ path: " + (folder / "events.db").string() + ", retention: '0', max_mb: 100000 }";
  const std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
  std::mt19937_64 random(seed);
  uint64_t acknowledged = 0, wrong = 0, beyond = 0;
  for (uint64_t round = 1; round <= kills; ++round) {
    const std::string run = "run-" + std::to_string(round);
    const std::chrono::microseconds after(random() % 60'000);
    const uint64_t said = kill_one(
        self, {"--module", module, "--keep", configuration, "--run", run, "--seed", std::to_string(random())}, after);
    acknowledged += said;
    const sink_case sink(module, configuration);
    auto wanted = everything();
    wanted.run = as_text(run);
    const query_answer found = answer_of(sink, wanted);
    uint64_t next = 1;
    for (const test_record &r : found.records) {
      if (r.id != next++ || r.message.size() != r.id % 200) ++wrong;
    }
    if (found.status != TENON_OK || next <= said) ++wrong;
    // Committed, and killed before it was said: one batch at most.
    if (next - 1 > said) ++beyond;
    if (next - 1 > said + 200) ++wrong;
    if (wrong != 0) {
      std::cout << "round " << round << ": " << said << " were kept, " << next - 1 << " are there: " << found.error
                << "\n";
      break;
    }
  }
  std::cout << "seed " << seed << ": " << kills << " kills, " << acknowledged << " records acknowledged, " << wrong
            << " rounds wrong; in " << beyond << " rounds the last batch was committed and not said\n";
  std::filesystem::remove_all(folder);
  return wrong == 0 ? 0 : 1;
}

}  // namespace
}  // namespace tenon::testing

int main(int argc, char **argv) {
  CLI::App app("Kills a process that keeps event records, and looks for every record that it acknowledged.");
  uint64_t kills = 200, seed = std::random_device{}();
  std::string module = "tenon.sqlite", configuration, keep, run;
  app.add_option("--kills", kills, "how often")->capture_default_str();
  app.add_option("--seed", seed, "of the times and batches; a random one is printed");
  app.add_option("--module", module, "the sink")->capture_default_str();
  app.add_option("--configuration", configuration, "its configuration; empty: a file in a temporary folder");
  app.add_option("--keep", keep, "be the process that is killed, with this configuration")->group("");
  app.add_option("--run", run)->group("");
  CLI11_PARSE(app, argc, argv);
  if (!keep.empty()) tenon::testing::keep_for_ever(module, keep, run, seed);
  return tenon::testing::play(module, configuration, kills, seed);
}
