// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// sim: random clusters and loads on kernel and oracle, compared decision by decision.
#include <charconv>
#include <chrono>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <stdexcept>
#include <string_view>

#include "session.hpp"
#include "tenon/host/replaced_policies.hpp"

namespace {

using namespace tenon::sim;

constexpr std::string_view usage = R"(usage: sim [options]
Plays seeds on the kernel and on its oracle, compares every decision and every snapshot, checks what must
always hold, and replays each seed's journal.

  --seeds N       how many seeds (100)
  --first N       the first of them (1)
  --seed N        one seed only
  --steps N       commands a seed (250)
  --profile NAME  what every seed is about (each seed draws one of those that the kernel can play)
  --budget TIME   stop, with an error, when not done by then: 300s, 5m (none)
  --keep-going    go on after a difference
  --record DIR    writes PROFILE-SEED.journal and PROFILE-SEED.decisions there
  --print         every command and its decisions
  --oracle        compare the oracle with itself: is it deterministic?
  --kernel        compare the kernel with itself: do its books hold?
  --faulty-predicates
                  the kernel's predicates fail now and then; its oracle is told when, the replay has it in the journal
  --help

TENON_NODE_SORT=MANIFEST (and TENON_APP_SORT, TENON_QUEUE_SORT, TENON_PREDICATE, TENON_PLACEMENT_RULE) puts a module
in place of the built-in policies of its kind; two kernels are compared then, and what must always hold is checked.

Exit code: 0 all seeds agree, 1 a difference or a broken invariant, 2 out of budget, 3 wrong usage.
Example: sim --seeds 1000 --budget 300s
)";

struct options {
  uint64_t first = 1, seeds = 100;
  double budget_s = 0;
  std::filesystem::path record;
  bool keep_going = false, oracle_only = false, kernel_only = false, faulty = false, help = false;
  session_options session;
};

std::string profile_names() {
  std::string out;
  for (const profile &p : profiles()) out += (out.empty() ? "" : ", ") + p.name;
  return out;
}

bool parse_number(std::string_view text, uint64_t &out) {
  const auto end = std::from_chars(text.data(), text.data() + text.size(), out);
  return !text.empty() && end.ec == std::errc() && end.ptr == text.data() + text.size();
}

bool parse_budget(std::string_view text, double &out) {
  const bool minutes = text.ends_with('m');
  if (minutes || text.ends_with('s')) text.remove_suffix(1);
  uint64_t number = 0;
  if (!parse_number(text, number)) return false;
  out = static_cast<double>(number) * (minutes ? 60 : 1);
  return number > 0;
}

// Empty, or what is wrong.
std::string parse(int argc, char **argv, options &o) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view option = argv[i];
    uint64_t number = 0;
    const auto value = [&] { return std::string_view(i + 1 < argc ? argv[++i] : ""); };
    const auto wants = [&](const char *what) { return std::string(option) + " wants " + what; };
    if (option == "--help") {
      o.help = true;
    } else if (option == "--keep-going") {
      o.keep_going = true;
    } else if (option == "--print") {
      o.session.print = true;
    } else if (option == "--record") {
      o.record = value();
      if (!std::filesystem::is_directory(o.record)) return wants("a folder that exists");
    } else if (option == "--oracle") {
      o.oracle_only = true;
    } else if (option == "--kernel") {
      o.kernel_only = true;
    } else if (option == "--faulty-predicates") {
      o.faulty = true;
    } else if (option == "--budget") {
      if (!parse_budget(value(), o.budget_s)) return wants("a time: 300s, 5m");
    } else if (option == "--profile") {
      o.session.profile = find_profile(std::string(value()));
      if (o.session.profile == nullptr) return wants(("one of " + profile_names()).c_str());
    } else if (option == "--seeds" || option == "--first" || option == "--seed" || option == "--steps") {
      if (!parse_number(value(), number)) return wants("a number");
      if (option == "--seeds") o.seeds = number;
      if (option == "--first" || option == "--seed") o.first = number;
      if (option == "--seed") o.seeds = 1;
      if (option == "--steps") o.session.steps = static_cast<uint32_t>(number);
    } else {
      return "no option " + std::string(option);
    }
  }
  return {};
}

void write(const std::filesystem::path &path, const std::string &bytes) {
  std::ofstream out(path, std::ios::binary);
  out << bytes;
  if (!out.flush()) throw std::runtime_error("cannot write " + path.string());
}

struct figures {
  uint64_t seeds = 0, failed = 0, steps = 0, decisions = 0, placed = 0, faults = 0;
  std::map<std::string, uint64_t> profiles;
};

void report(const figures &f, double seconds) {
  std::cout << f.seeds << " seeds, " << f.failed << " failed; " << f.steps << " steps, " << f.decisions
            << " decisions, " << f.placed << " allocations, " << f.faults << " faults; " << seconds << " s;";
  for (const auto &[name, count] : f.profiles) std::cout << ' ' << name << ' ' << count;
  std::cout << std::endl;
}

int run(const options &o) {
  const auto start = std::chrono::steady_clock::now();
  const auto seconds = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(); };
  figures f;
  for (uint64_t seed = o.first; seed < o.first + o.seeds; ++seed) {
    if (o.budget_s > 0 && seconds() > o.budget_s) {
      report(f, seconds());
      std::cerr << "out of budget before seed " << seed << " of " << o.first + o.seeds - 1 << std::endl;
      return f.failed == 0 ? 2 : 1;
    }
    session_options session = o.session;
    session.seed = seed;
    // With another policy in place of a built-in one the oracle knows no answer; the kernel must agree with itself.
    const make_scheduler sound = o.oracle_only ? make_oracle : make_kernel;
    const make_scheduler faulty = [seed](const tenon::naive::features &has) { return make_faulty_kernel(has, seed); };
    const bool by_oracle = !o.kernel_only && tenon::host::replacements_from_environment().empty();
    const session_result done = play(session, o.faulty ? faulty : sound, by_oracle ? make_oracle : make_kernel, sound);
    ++f.seeds;
    ++f.profiles[done.profile];
    f.steps += done.steps;
    f.decisions += done.decisions;
    f.placed += done.placed;
    f.faults += done.faults;
    if (!o.record.empty()) {
      const std::string stem = done.profile + "-" + std::to_string(seed);
      write(o.record / (stem + ".journal"), done.journal);
      write(o.record / (stem + ".decisions"), done.lines);
    }
    if (done.failure.empty()) continue;
    ++f.failed;
    std::cout << done.failure << "again: sim --seed " << seed << " --steps " << session.steps << " --print"
              << (o.faulty ? " --faulty-predicates" : "")
              << (session.profile == nullptr ? "" : " --profile " + done.profile) << '\n'
              << std::endl;
    if (!o.keep_going) break;
  }
  report(f, seconds());
  return f.failed == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char **argv) {
  options o;
  if (const std::string wrong = parse(argc, argv, o); !wrong.empty()) {
    std::cerr << "sim: " << wrong << "; see sim --help" << std::endl;
    return 3;
  }
  if (o.help) {
    std::cout << usage << "Profiles: " << profile_names() << ".\n";
    return 0;
  }
  try {
    return run(o);
  } catch (const std::exception &e) {  // a module that the environment names is refused
    std::cerr << "sim: " << e.what() << std::endl;
    return 3;
  }
}
