// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Proves that a module behaves: runs the conformance checks on a sealed manifest and its library.
//
//   auto report = verify({.manifest = "acme-binpack.yaml"});
//   if (!report) ...                     // no such file, no such check
//   std::cout << as_text(*report);
//   return report->good() ? 0 : 1;
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tenon/kernel/refusal.hpp"

#define TENON_CONFORMANCE_API __attribute__((visibility("default")))

namespace tenon::conformance {

// One check, as data.
struct check_entry {
  std::string_view id;        // "keys-repeat"
  std::string_view sentence;  // what holds of a good module
  std::string_view category;
  std::string kinds;       // "queue-sort, app-sort", or "every module"
  std::string_view needs;  // the check without which this one says nothing; may be empty
  bool long_run = false;   // runs only when asked for
};

enum class outcome : uint8_t { passed, failed, crashed, timed_out, skipped, switched_off };
[[nodiscard]] TENON_CONFORMANCE_API std::string_view outcome_name(outcome how);

// A check on one implementation of the module, or on the module as a whole.
struct check_result {
  check_entry check;
  std::string subject;  // "node-sort binpacking"; empty: the module
  outcome how = outcome::passed;
  std::string text;  // why, where it did not pass
  uint64_t seed = 0;
  std::chrono::microseconds took{0};
  std::string options;  // that the run had and that matter, as a command line has them, to see it again

  [[nodiscard]] bool bad() const {
    return how == outcome::failed || how == outcome::crashed || how == outcome::timed_out;
  }
};

struct verify_options {
  std::filesystem::path manifest;
  std::string filter;       // regular expression, found in the id; empty: all
  bool long_run = false;    // also the checks that take minutes
  bool in_process = false;  // no process of its own, no limit: for a debugger
  // Another seed is other data. The seed of a check is made of this one and its id.
  uint64_t seed = 1;
  // "ID@SEED", as a report prints it: that check alone, with that very seed, in this process.
  std::string reproduce;
  std::chrono::milliseconds limit{10'000};  // of one check; then its processes are killed
  // YAML file of checks that are off, each with a reason. Empty: tenon-verify.yaml beside the manifest, if it is there.
  std::filesystem::path switches;
  // A library with the client side of a transport: client.h. Empty: none; what RMs send and hear is then looked at
  // only where the transport opens a port in the process.
  std::filesystem::path client;
  // A YAML file with the configuration that instances get in place of what the manifest's schema says, as where a
  // server is that they need. Empty: none.
  std::filesystem::path configuration;
  std::vector<std::string> users;  // that an identity finds. Empty: as `x-users` of its schema says
  std::function<void(const check_result &)> on_result;  // after each check
};

struct verify_report {
  std::filesystem::path manifest;
  std::string module, version;
  uint64_t seed = 0;
  std::vector<check_result> results;

  [[nodiscard]] bool good() const {
    return std::none_of(results.begin(), results.end(), [](const check_result &r) { return r.bad(); });
  }
  [[nodiscard]] size_t count(outcome how) const {
    return static_cast<size_t>(
        std::count_if(results.begin(), results.end(), [&](const check_result &r) { return r.how == how; }));
  }
};

// All checks, in the order in which they run.
[[nodiscard]] TENON_CONFORMANCE_API std::vector<check_entry> all_checks();

// Runs them. Refused: options that make no sense, a file that cannot be read. A manifest that is wrong is a result.
[[nodiscard]] TENON_CONFORMANCE_API result<verify_report> verify(const verify_options &options);

// One check and a summary in words; the whole report as JSON and as JUnit XML.
[[nodiscard]] TENON_CONFORMANCE_API std::string as_text(const check_result &result,
                                                        const std::filesystem::path &manifest);
[[nodiscard]] TENON_CONFORMANCE_API std::string summary(const verify_report &report);
[[nodiscard]] TENON_CONFORMANCE_API std::string as_json(const verify_report &report);
[[nodiscard]] TENON_CONFORMANCE_API std::string as_junit(const verify_report &report);

}  // namespace tenon::conformance
