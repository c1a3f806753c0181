// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "plan/journal_state.hpp"

#include <algorithm>
#include <utility>

#include "tenon/host/thread_role.hpp"
#include "tenon/kernel/journal.hpp"
#include "tenon/kernel/partition_name.hpp"

namespace tenon::cli {
namespace {

class state_reader {
 public:
  explicit state_reader(policy_source &policies) { out_.state = std::make_unique<kernel>(policies); }

  void take(int64_t now_ms, const command &c) {
    (void)out_.state->apply(now_ms, c);
    bool is_taken = false;
    out_.state->drain([&](const decision_view &d) {
      is_taken |= d.is(decision_kind::rm_registered) || d.is(decision_kind::configured);
    });
    if (const auto *in = std::get_if<register_rm>(&c); in != nullptr && is_taken) use(in->rm, *in->config);
    if (const auto *in = std::get_if<configure>(&c); in != nullptr && is_taken) use(in->rm, *in->config);
    if (const auto *in = std::get_if<add_application>(&c)) keep(*in);
  }

  journal_state take_out(uint64_t commands) && {
    out_.commands = commands;
    std::erase_if(out_.in_force, [&](const auto &one) { return !has_partition(one.first); });
    std::vector<std::pair<uint64_t, observe::submission>> last;
    for (auto &[one, when] : seen_) last.emplace_back(when, one);
    std::sort(last.begin(), last.end(), [](const auto &a, const auto &b) { return a.first < b.first; });
    const size_t from = last.size() - std::min(last.size(), observe::most_tried_submissions);
    for (size_t i = from; i < last.size(); ++i) out_.submissions.push_back(std::move(last[i].second));
    return std::move(out_);
  }

 private:
  void use(std::string_view rm, const cluster_config &config) { out_.in_force[std::string(rm)] = config; }

  [[nodiscard]] bool has_partition(const std::string &rm) const {
    const auto all = out_.state->partitions();
    return std::any_of(all.begin(), all.end(),
                       [&](const auto &one) { return one.name.starts_with(partition_prefix(rm)); });
  }

  void keep(const add_application &c) {
    seen_.insert_or_assign(observe::submission_of(c), ++when_);
    if (seen_.size() > 2 * observe::most_tried_submissions) forget_oldest();
  }

  void forget_oldest() {
    std::vector<uint64_t> times;
    for (const auto &[one, when] : seen_) times.push_back(when);
    const auto middle = times.begin() + static_cast<ptrdiff_t>(observe::most_tried_submissions);
    std::nth_element(times.begin(), middle, times.end());
    std::erase_if(seen_, [least = *middle](const auto &one) { return one.second < least; });
  }

  journal_state out_;
  std::map<observe::submission, uint64_t> seen_;  // and when it was sent last
  uint64_t when_ = 0;
};

}  // namespace

result<journal_state> read_journal_state(std::string_view journal, policy_source &policies) {
  const host::role_guard cycle(host::thread_role::cycle);
  state_reader reader(policies);
  const auto read = read_journal(journal, [&](int64_t now_ms, const command &c) { reader.take(now_ms, c); });
  if (!read) return read.why();
  return std::move(reader).take_out(*read);
}

}  // namespace tenon::cli
