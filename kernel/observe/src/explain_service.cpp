// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "services_impl.hpp"
#include "tenon/host/offered_service.hpp"
#include "tenon/json/state_json.hpp"

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

tenon_status explain_ask(const tenon_host *host, const tenon_explain_in *in, tenon_explain_out *out) {
  auto *s = static_cast<services::impl *>(host::service_context(host, TENON_HOST_EXPLAIN));
  if (s == nullptr || in == nullptr || out == nullptr || !TENON_COVERS(in, tenon_explain_in, key) ||
      !TENON_COVERS(out, tenon_explain_out, error)) {
    return TENON_UNSUPPORTED;
  }
  auto view = std::make_shared<explanation_view>();
  std::optional<explanation> got;
  const bool ran = s->keeper.run(
      [&](kernel &k) { got = k.explain(view_of(in->partition), view_of(in->application), view_of(in->key)); },
      deadline(in->timeout_ms));
  if (!ran) {
    say(out->error, "the scheduler is busy or stops, try again");
    return TENON_RETRY;
  }
  if (!got || !got->known) {
    say(out->error, got ? std::string_view(got->text) : std::string_view("Partition not found"));
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

const tenon_host_explain &explain_table() {
  static constexpr tenon_host_explain table{sizeof(tenon_host_explain), 0, explain_ask, close_explanation};
  return table;
}

}  // namespace tenon::observe
