// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <stdexcept>

#include "cases.hpp"
#include "tenon/host/thread_role.hpp"
#include "tenon/kernel/journal.hpp"
#include "tenon/kernel/saved_state.hpp"
#include "tenon/observe/what_if.hpp"

namespace tenon::bench {
namespace {

// As a file, and a kernel made of that.
void add_saved(const kernel &live, policy_source &policies, figures &to) {
  const stopwatch saving;
  const auto saved = live.save();
  to["ms_save"] = saving.seconds() * 1e3;
  if (!saved) throw std::runtime_error(saved.why().text());
  std::string bytes = journal_header("tenon-bench");
  const stopwatch writing;
  append_state(bytes, live.now_ms(), *saved);
  to["ms_write"] = writing.seconds() * 1e3;
  to["MiB_file"] = static_cast<double>(bytes.size()) / 1048576;
  std::unique_ptr<kernel> restored;
  const stopwatch reading;
  const auto begin = [&](int64_t now_ms, const saved_state &s) -> std::optional<refusal> {
    to["ms_read"] = reading.seconds() * 1e3;
    const stopwatch restoring;
    auto made = kernel::restored(s, now_ms, policies);
    to["ms_restore"] = restoring.seconds() * 1e3;
    if (!made) return made.why();
    restored = std::move(*made);
    return std::nullopt;
  };
  const auto read = read_journal(bytes, begin, [](int64_t, const command &) {});
  if (!read) throw std::runtime_error(read.why().text());
}

}  // namespace

figures run_copy(const settings &s) {
  const std::vector<named_amount> need{{"vcore", 1000}, {"memory", int64_t{10} << 20}};
  const int64_t per_node = (s.asks + s.nodes - 1) / s.nodes + 1;  // room for one more
  const auto policies = make_policies(s);
  cluster c(*policies, s);
  c.add_nodes(s.nodes, {{"vcore", per_node * 1000}, {"memory", per_node * (int64_t{10} << 20)}});
  c.add_applications();
  c.ask(ask_keys(s.asks, "ask-0000"), need);
  c.schedule();
  kernel &live = c.scheduler();
  const host::role_guard cycle(host::thread_role::cycle);
  const named_partition where = live.partitions().front();
  figures out;
  out["objects"] = static_cast<double>(live.objects_of(where.id));
  const double before = heap_bytes();
  const stopwatch apart;
  auto frozen = live.copy_apart(*policies, where.id);
  out["ms_copy"] = apart.seconds() * 1e3;
  if (!frozen) throw std::runtime_error(frozen.why().text());
  out["MiB_copy"] = (heap_bytes() - before) / 1048576;
  const stopwatch again;
  std::unique_ptr<kernel> copy = (*frozen)->copy(where.id);
  out["ms_copy_of_it"] = again.seconds() * 1e3;
  add_saved(live, *policies, out);
  observe::what_if_question question;
  question.applications.emplace_back().queue = "root.q0";
  question.applications.front().asks.emplace_back().resources = {{"vcore", 1000}};
  const stopwatch asked;
  const observe::what_if_answer answer = observe::try_on(*copy, question, where, {});
  out["ms_question"] = asked.seconds() * 1e3;
  if (answer.asks.front().what != observe::what_if_outcome::placed) throw std::runtime_error(answer.text);
  const stopwatch ends;
  copy.reset();
  out["ms_end"] = ends.seconds() * 1e3;
  return out;
}

}  // namespace tenon::bench
