// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "whatif/journal_moment.hpp"

#include <utility>

#include "run/recorded_journal.hpp"
#include "tenon/kernel/journal.hpp"
#include "tenon/kernel/saved_state.hpp"

namespace tenon::cli {

result<std::unique_ptr<kernel>> kernel_at(const journal_moment &moment, const opened_policies &by, std::ostream &err) {
  policy_source &policies = *by.source;
  const auto journal = read_recorded(moment.journal, journal_start::any, by, err);
  if (!journal) return journal.why();
  auto out = std::make_unique<kernel>(policies);
  uint64_t played = 0;
  bool is_over = false;  // a clock that went back brings nothing back
  const auto begin = [&](int64_t now_ms, const saved_state &s) -> std::optional<refusal> {
    if (moment.at_ms && *moment.at_ms < now_ms) {
      return refusal{"--at-ms", "a time from " + std::to_string(now_ms) + " on, when the state was saved",
                     std::to_string(*moment.at_ms), "leave it out for the end"};
    }
    auto restored = kernel::restored(s, now_ms, policies);
    if (!restored) return restored.why();
    out = std::move(*restored);
    return std::nullopt;
  };
  const auto read = read_journal(journal->bytes, begin, [&](int64_t now_ms, const command &c) {
    if (moment.at && played >= *moment.at) return;
    is_over = is_over || (moment.at_ms && now_ms > *moment.at_ms);
    if (is_over) return;
    ++played;
    (void)out->apply(now_ms, c);
    out->drain([](const decision_view &) {});
  });
  if (!read) {
    refusal why = read.why();
    why.where = moment.journal + ": " + why.where;
    return why;
  }
  if (moment.at && *moment.at > *read) {
    return refusal{"--at", "a number of commands up to the " + std::to_string(*read) + " of " + moment.journal,
                   std::to_string(*moment.at), "leave it out for the end"};
  }
  return out;
}

}  // namespace tenon::cli
