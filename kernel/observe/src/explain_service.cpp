// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "services_impl.hpp"
#include "size_limits.hpp"
#include "tenon/abi/host_read.h"
#include "tenon/config/problems.hpp"
#include "tenon/host/offered_service.hpp"
#include "tenon/host/reader_question.hpp"
#include "tenon/json/state_json.hpp"
#include "tenon/kernel/held_explanation.hpp"

namespace tenon::observe {

struct explanation_view {
  explanation what;
  std::string json;
  flat_memory memory;
  tenon_explanation flat{};
  explanation_view() = default;
  explanation_view(const explanation_view &) = delete;
  explanation_view &operator=(const explanation_view &) = delete;
};

namespace {

tenon_rm_amounts counts(flat_memory &memory, const std::vector<std::pair<std::string, uint64_t>> &from) {
  auto *types = memory.array<tenon_text>(from.size());
  auto *values = memory.array<int64_t>(from.size());
  for (size_t i = 0; i < from.size(); ++i) {
    types[i] = text_of(from[i].first);
    values[i] = static_cast<int64_t>(from[i].second);
  }
  return {types, values, static_cast<uint32_t>(from.size()), 1};
}

void flatten(explanation_view &v) {
  const explanation &e = v.what;
  tenon_explanation &out = v.flat;
  out.size = sizeof out;
  out.pending = e.pending ? 1 : 0;
  out.partition = text_of(e.partition);
  out.application = text_of(e.application);
  out.key = text_of(e.key);
  out.queue = text_of(e.queue);
  out.words = text_of(e.text);
  out.asked = v.memory.amounts(e.asked);
  out.waiting = e.waiting;
  out.before = e.before;
  out.obstacles = v.memory.list<tenon_obstacle>(e.obstacles, [](const obstacle &o) {
    return tenon_obstacle{0,
                          o.group ? 1U : 0U,
                          text_of(name(o.kind)),
                          text_of(o.queue),
                          text_of(o.name),
                          text_of(o.type),
                          text_of(o.policy),
                          text_of(o.text),
                          o.asked,
                          o.limit,
                          o.used,
                          o.free,
                          o.short_by,
                          o.until_ms,
                          text_of(o.reason)};
  });
  out.changes = v.memory.list<tenon_change>(e.changes, [&](const change &c) {
    return tenon_change{0,
                        c.group ? 1U : 0U,
                        text_of(name(c.kind)),
                        text_of(c.queue),
                        text_of(c.name),
                        text_of(c.type),
                        text_of(c.text),
                        c.from,
                        c.to,
                        v.memory.amounts(c.amounts)};
  });
  out.nodes = e.nodes.nodes;
  out.nodes_that_fit = e.nodes.fit;
  out.nodes_not_schedulable = e.nodes.not_schedulable;
  out.nodes_short = counts(v.memory, e.nodes.types);
  out.nodes_short_of_devices = counts(v.memory, e.nodes.devices);
  out.nodes_refused = counts(v.memory, e.nodes.predicates);
  out.nodes_refused_by_rm = counts(v.memory, e.nodes.refused);
  out.outcome = text_of(name(e.outcome));
  out.after = e.after;
  v.json = boost::json::serialize(state_json::write(e));
  out.json = text_of(v.json);
}

// Of an ask that waits all is found out on the copy.
class explain_question final : public copy_question {
 public:
  explain_question(std::string_view partition, std::string_view application, std::string_view key,
                   uint64_t most_objects)
      : partition_(partition), application_(application), key_(key), most_objects_(most_objects) {}

  std::optional<copied_part> look(kernel &live) override {
    const auto meant = partition_meant(live, std::string(partition_));
    id_ = meant ? meant->id : partition_id::none;
    if (!meant) {
      unmeant = meant.why();
      return std::nullopt;
    }
    if (live.is_pending(id_, application_, key_)) return copied_part{id_, std::string(partition_), {}};
    explain_in(live, {});
    return std::nullopt;
  }

  void go_without(kernel &live, const refusal &) override { explain_in(live, {std::min(most_tried, most_objects_)}); }

  void answer(shared_copy &on, const std::atomic<bool> &stops) override {
    explain_in(on.state(), {most_objects_, &stops});
  }

  std::optional<explanation> said;
  refusal unmeant;  // without it: which partition may be meant

 private:
  void explain_in(kernel &k, const explain_terms &terms) {
    const host::reader_question asked;
    said = k.explain(id_, application_, key_, terms);
  }

  const std::string_view partition_, application_, key_;
  const uint64_t most_objects_;
  partition_id id_ = partition_id::none;
};

tenon_status explain_ask(const tenon_host *host, const tenon_explain_in *in, tenon_explain_out *out) {
  auto *s = static_cast<services::impl *>(host::service_context(host, TENON_HOST_EXPLAIN));
  if (s == nullptr || in == nullptr || out == nullptr || !TENON_COVERS(in, tenon_explain_in, key) ||
      !TENON_COVERS(out, tenon_explain_out, error)) {
    return TENON_UNSUPPORTED;
  }
  auto view = std::make_shared<explanation_view>();
  std::optional<explanation> got;
  refusal unmeant;
  if (!s->explain(view_of(in->partition), view_of(in->application), view_of(in->key), deadline(in->timeout_ms), got,
                  unmeant)) {
    say(out->error, "the scheduler is busy or stops, try again");
    return TENON_RETRY;
  }
  if (!got || !got->known) {
    say(out->error, got ? got->text : unmeant.text());
    return TENON_UNRESOLVABLE;
  }
  view->what = std::move(*got);
  flatten(*view);
  out->explanation = &view->flat;
  out->id = s->explanations.keep(std::move(view));
  if (out->id != 0) return TENON_OK;
  out->explanation = nullptr;
  say(out->error, "too many explanations are open");
  return TENON_EXHAUSTED;
}

tenon_status close_explanation(const tenon_host *host, const tenon_explain_close_in *in) {
  auto *s = static_cast<services::impl *>(host::service_context(host, TENON_HOST_EXPLAIN));
  if (s == nullptr || in == nullptr || !TENON_COVERS(in, tenon_explain_close_in, id)) return TENON_UNSUPPORTED;
  return s->explanations.close(in->id) ? TENON_OK : TENON_UNSUPPORTED;
}

}  // namespace

namespace {

// A line, if the RM is asked whether the ask may wait for a node.
std::string words_of_question(const std::vector<rm_record> &rms, const explanation &e) {
  for (const rm_record &rm : rms) {
    for (const asked_reservation_record &one : rm.asked) {
      if (one.partition != e.partition || one.application != e.application || one.key != e.key) continue;
      return "RM " + config::in_quotes(rm.id) + " is asked whether this ask may wait for capacity on node " +
             config::in_quotes(one.node) + "; nothing is reserved and no victim ends for it until the RM answers\n";
    }
  }
  return {};
}

// Returns a line where the ask can never run as the partition is, with what an operator can do.
std::string words_of_size(const kernel_snapshot &state, const explanation &e) {
  for (const partition_snapshot &p : state.partitions) {
    if (p.name != e.partition) continue;
    const never_runs no = size_limits(p).excess(e.asked, e.queue);
    if (!no.why.empty())
      return "It can never run as the cluster is: it " + no.why + ". To let it run, " + no.fix + ".\n";
  }
  return {};
}

}  // namespace

bool services::impl::explain(std::string_view partition, std::string_view application, std::string_view key,
                             snapshot_keeper::clock::time_point until, std::optional<explanation> &out,
                             refusal &unmeant) {
  explain_question asked(partition, application, key, most_copied);
  if (!copies.ask(asked, until)) return false;
  out = std::move(asked.said);
  if (out && out->known) {
    const std::vector<rm_record> rms = to.rms();
    const std::string held = held_up_in(rms, out->partition);
    hold_up(*out, held.empty() ? words_of_question(rms, *out) : held);
    const auto view = out->pending ? keeper.get(TENON_READ_NODES | TENON_READ_QUEUES, out->partition, until) : nullptr;
    if (view != nullptr) out->text.insert(0, words_of_size(view->state, *out));
  }
  unmeant = std::move(asked.unmeant);
  return true;
}

const tenon_host_explain &explain_table() {
  static constexpr tenon_host_explain table{sizeof(tenon_host_explain), 0, explain_ask, close_explanation, what_if_of};
  return table;
}

}  // namespace tenon::observe
