// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "whatif/snapshot_command.hpp"

#include <ostream>

#include "run/complain.hpp"
#include "run/private_file.hpp"
#include "run/run_policies.hpp"
#include "tenon/host/module_host.hpp"
#include "tenon/host/thread_role.hpp"
#include "tenon/kernel/journal.hpp"
#include "tenon/kernel/saved_state.hpp"

namespace tenon::cli {
namespace {

constexpr int64_t most_waited_ms = 24 * 60 * 60 * 1000;

// The bytes of the file.
result<std::string> saved_bytes(const snapshot_options &options, std::ostream &err) {
  auto policies = open_policies({options.deployment, options.module_path});
  if (!policies) return policies.why();
  const host::role_guard cycle(host::thread_role::cycle);
  auto state = kernel_at(options.moment, *policies, err);
  if (!state) return state.why();
  kernel &k = **state;
  if (options.moment.at_ms && *options.moment.at_ms > k.now_ms()) {
    if (*options.moment.at_ms - k.now_ms() > most_waited_ms) {
      return refusal{"--at-ms", "a time up to a day after the last entry, " + std::to_string(k.now_ms()),
                     std::to_string(*options.moment.at_ms), "leave it out for the end"};
    }
    (void)k.apply(*options.moment.at_ms, advance{});
    k.drain([](const decision_view &) {});
  }
  const auto saved = k.save();
  if (!saved) return saved.why();
  std::string out = journal_header(policies->modules->journal_origin());
  append_state(out, k.now_ms(), *saved);
  return out;
}

}  // namespace

exit_code run_snapshot(const snapshot_options &options, std::ostream &out, std::ostream &err) {
  const auto bytes = saved_bytes(options, err);
  if (!bytes) {
    complain(err, bytes.why());
    return exit_code::bad_input;
  }
  if (const auto why = write_private_file(options.output, *bytes, options.replace)) {
    complain(err, *why);
    return exit_code::bad_input;
  }
  out << options.output << ": " << bytes->size() << " bytes\n";
  return exit_code::ok;
}

}  // namespace tenon::cli
