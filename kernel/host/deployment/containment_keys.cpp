// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include <array>

#include "deployment/parts.hpp"

namespace tenon::host {
namespace {

using config::key_spec;
using config::value_kind;

constexpr std::array<std::string_view, 2> outcomes{"warn", "fault"};

constexpr std::array containment_keys{
    key_spec{.key = "hang",
             .kind = value_kind::duration,
             .summary = "A call on the cycle thread, into a module that is not the project's own, that has not "
                        "returned by then ends the process with a record; 0: none does.",
             .fallback = "1s"},
    key_spec{.key = "io_hang", .kind = value_kind::duration, .summary = "The same on other threads.", .fallback = "1m"},
    key_spec{.key = "stop",
             .kind = value_kind::duration,
             .summary = "While the daemon stops, calls of modules may take so long in sum beyond rm.drain; then the "
                        "daemon ends without them.",
             .fallback = "10s"},
    key_spec{.key = "records",
             .kind = value_kind::text,
             .summary =
                 "Folder, relative to this file, that is made where it is missing: records of modules that ended "
                 "the process.",
             .fallback = "module-faults in $STATE_DIRECTORY, as systemd sets it; the log alone where it is not set"},
    key_spec{.key = "refusals",
             .kind = value_kind::count,
             .summary = "A predicate, wherever it lives, that let none of so many nodes in a row pass is named by "
                        "health and the log; 0: none is.",
             .fallback = "10000"},
    key_spec{.key = "retry",
             .kind = value_kind::duration,
             .summary = "An order that failed decides again after so long without a fault, and after twice as long "
                        "each further time. So does a module whose time in quarantine is over. 0: neither does until "
                        "somebody says so.",
             .fallback = "5s"},
    key_spec{.key = "outcome",
             .kind = value_kind::duration,
             .summary = "Asks that could be placed and wait for so long, and an order that lets nothing of a queue go, "
                        "are named by health and the log; 0: none are.",
             .fallback = "1m"},
    key_spec{.key = "on_outcome",
             .kind = value_kind::text,
             .summary = "What becomes of an order that lets nothing of a queue go: it is named (warn), or the built-in "
                        "order takes its place as after a fault.",
             .fallback = "warn",
             .allowed = outcomes},
};
constexpr config::object_spec containment_object{
    "containment", "What becomes of a module in the scheduler's process that does not return, or that ends it.",
    containment_keys};

}  // namespace

const config::object_spec &containment_spec() { return containment_object; }

containment_limits read_containment(const key_reader &given) {
  containment_limits out;
  given.duration("hang", out.hang, 0);
  given.duration("io_hang", out.io_hang, 0);
  given.duration("stop", out.stop, 0);
  given.path("records", out.records, "a folder");
  given.count("refusals", out.refusals, 0, UINT64_MAX);
  given.duration("retry", out.retry, 0);
  given.duration("outcome", out.outcome, 0);
  std::string on_outcome;
  given.text("on_outcome", on_outcome);
  out.outcome_is_fault = on_outcome == "fault";
  return out;
}

}  // namespace tenon::host
