// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The state of a running scheduler as a file has it.
#include <optional>
#include <string>
#include <utility>

#include "snapshot_keeper.hpp"
#include "tenon/host/module_host.hpp"
#include "tenon/host/reader_question.hpp"
#include "tenon/kernel/journal.hpp"
#include "tenon/kernel/saved_state.hpp"
#include "tenon/observe/operations.hpp"

namespace tenon::observe {
namespace {

refusal too_much(std::string want, uint64_t has) {
  return {"snapshot", std::move(want), std::to_string(has),
          "save a moment of the journal that the daemon records, tenon snapshot JOURNAL"};
}

std::optional<refusal> too_many_objects(const kernel &k, uint64_t most) {
  uint64_t objects = 0;
  for (const named_partition &one : k.partitions()) objects += k.objects_of(one.id);
  if (objects <= most) return std::nullopt;
  return too_much("at most " + std::to_string(most) + " asks, allocations, applications and nodes to save", objects);
}

}  // namespace

saved_outcome administration::saved(const caller &who, std::chrono::milliseconds within, uint64_t most_bytes) {
  saved_outcome out;
  if (outcome may = may_configure(who, {}); may.status != TENON_OK) {
    out.status = may.status;
    out.why = {"snapshot", "", std::move(may.message), ""};
    return out;
  }
  std::optional<saved_state> state;
  const auto gather = [&](kernel &k) {
    const host::reader_question looks;
    std::optional<refusal> why = too_many_objects(k, most_objects_);
    if (!why) {
      auto made = k.save();
      if (made) {
        state = std::move(*made);
        out.time_ms = k.now_ms();
        out.journal = journal_header(modules_.journal_origin());
        return;
      }
      why = made.why();
    }
    out.status = TENON_UNSCHEDULABLE;
    out.why = std::move(*why);
  };
  if (!keeper_.run(gather, snapshot_keeper::clock::now() + within)) {
    out.status = TENON_RETRY;
    out.why = {"snapshot", "a scheduler with time to answer", "one that is busy or stops", "try again"};
  }
  if (!state) return out;
  append_state(out.journal, out.time_ms, *state);
  if (out.journal.size() > most_bytes) {
    out.status = TENON_UNSCHEDULABLE;
    out.why = too_much("a state of at most " + std::to_string(most_bytes) + " bytes", out.journal.size());
    out.journal.clear();
  }
  return out;
}

saved_outcome administration::save(const caller &who, std::chrono::milliseconds within, uint64_t most_bytes) {
  saved_outcome out = saved(who, within, most_bytes);
  const bool done = out.status == TENON_OK;
  record(who, "save the state", {}, {out.status, out.why.text()},
         done ? std::vector<std::string>{std::to_string(out.journal.size()) + " bytes"} : std::vector<std::string>{});
  return out;
}

}  // namespace tenon::observe
