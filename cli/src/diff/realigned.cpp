// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "diff/realigned.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "run/formats.hpp"

namespace tenon::cli {
namespace {

class realigner {
 public:
  realigner(const side_configuration &b, policy_source *policies, uint64_t every, size_t shown)
      : b_(b), policies_(policies), shown_(shown) {
    out_.every = every;
  }

  bool look(engine &at, int64_t now_ms, const configurations &recorded) {
    const std::unique_ptr<engine> same = at.copy();
    if (same == nullptr) return true;  // there is no moment at all
    const std::string decided = next_decision(*same, now_ms, {});
    if (decided.empty()) return false;
    ++out_.moments;
    const std::unique_ptr<engine> other = as_b(at, now_ms, recorded);
    if (other == nullptr) {
      ++out_.refused;
      return true;
    }
    const std::string otherwise = next_decision(*other, now_ms, {});
    if (decided == otherwise) {
      ++out_.same;
      return true;
    }
    if (out_.first.size() >= shown_) return true;
    first_difference &one = out_.first.emplace_back();
    one.decision = out_.moments;
    one.at_ms = now_ms;
    one.a.decision = decided;
    one.b.decision = otherwise;
    look_at(at, decided, otherwise, one.a);
    look_at(*as_b(at, now_ms, recorded), decided, otherwise, one.b);
    return true;
  }

  realigned_decisions take() && { return std::move(out_); }

 private:
  [[nodiscard]] std::unique_ptr<engine> as_b(const engine &at, int64_t now_ms, const configurations &recorded) const {
    configurations own;
    for (const auto &[rm, config] : recorded) {
      cluster_config &one = own[rm] = b_.config ? *b_.config : config;
      for (partition_config &partition : one.partitions)
        if (!b_.node_sort.empty()) partition.node_sort.type = b_.node_sort;
    }
    return reloaded_copy(at, now_ms, own, policies_);
  }

  const side_configuration &b_;
  policy_source *policies_;  // null: those of side a
  size_t shown_;
  realigned_decisions out_;
};

// Which says how many the copy has made.
std::string without_number(const std::string &line) {
  return "-" + line.substr(std::min(line.find('\t'), line.size()));
}

}  // namespace

std::unique_ptr<engine> reloaded_copy(const engine &of, int64_t now_ms, const configurations &with,
                                      policy_source *policies, uint64_t *before) {
  std::unique_ptr<engine> out = of.copy(policies);
  bool is_refused = false;
  const host::role_guard cycle(host::thread_role::cycle);
  (void)out->apply(now_ms, advance{});
  out->drain([&](const decision_view &) {
    if (before != nullptr) ++*before;
  });
  for (const auto &[rm, config] : with) {
    (void)out->apply(now_ms, configure{rm, &config, {}});
    out->drain([&](const decision_view &d) { is_refused |= d.is(decision_kind::configuration_rejected); });
  }
  return is_refused ? nullptr : std::move(out);
}

std::string next_decision(engine &of, int64_t now_ms, std::string_view partition) {
  std::string out;
  const host::role_guard cycle(host::thread_role::cycle);
  (void)of.apply(now_ms, step{partition, 1, {}});
  of.drain([&](const decision_view &d) {
    if (out.empty() && (d.is(decision_kind::allocated) || d.is(decision_kind::released)))
      out = without_number(format(d));
  });
  return out;
}

std::vector<std::string> next_round(engine &of, int64_t now_ms, std::string_view partition) {
  std::vector<std::string> out;
  const host::role_guard cycle(host::thread_role::cycle);
  (void)of.apply(now_ms, step{partition, 1, {}});
  of.drain([&](const decision_view &d) { out.push_back(without_number(format(d))); });
  return out;
}

realigned_decisions realign(const replay_side &again_a, const side_configuration &b, policy_source *policies_of_b,
                            uint64_t every, size_t shown) {
  realigner by(b, policies_of_b, every, shown);
  watched_command watched;
  watched.every = every;
  watched.look = [&](engine &at, int64_t now_ms, const configurations &recorded) {
    return by.look(at, now_ms, recorded);
  };
  side_run played;
  static_cast<void>(again_a(played, watched));  // it was played before, and went well
  return std::move(by).take();
}

}  // namespace tenon::cli
