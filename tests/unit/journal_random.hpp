// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Random commands and exact comparison of commands. Both walk the fields by reflection, so a field that the
// journal forgets shows as a difference.
#pragma once

#include <boost/pfr.hpp>
#include <cstdint>
#include <deque>
#include <list>
#include <memory>
#include <random>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "tenon/kernel/commands.hpp"

namespace tenon::journal_test {

template <class T>
inline constexpr bool is_span = false;
template <class E>
inline constexpr bool is_span<std::span<const E>> = true;
template <class T>
inline constexpr bool has_own_equality =
    std::is_arithmetic_v<T> || std::is_enum_v<T> || std::is_same_v<T, std::string> ||
    std::is_same_v<T, std::string_view> || std::is_same_v<T, cluster_config>;

template <class T>
bool equal(const T &a, const T &b) {
  if constexpr (has_own_equality<T>) {
    return a == b;
  } else if constexpr (is_span<T>) {
    if (a.size() != b.size()) return false;
    for (size_t i = 0; i < a.size(); ++i) {
      if (!equal(a[i], b[i])) return false;
    }
    return true;
  } else if constexpr (std::is_pointer_v<T>) {
    return a == nullptr || b == nullptr ? a == b : equal(*a, *b);
  } else {
    bool all = true;
    boost::pfr::for_each_field(
        a, [&](const auto &field, auto index) { all = all && equal(field, boost::pfr::get<index>(b)); });
    return all;
  }
}

inline bool equal(const command &a, const command &b) {
  if (a.index() != b.index()) return false;
  return std::visit([&]<class C>(const C &left) { return equal(left, std::get<C>(b)); }, a);
}

// Makes commands and owns what they refer to.
class random_commands {
 public:
  // Of what a format of journals has. With details, existing allocations have some, and resource managers check
  // placements. `kinds`: the first so many.
  explicit random_commands(uint64_t seed, int format, bool details = false, size_t kinds = std::variant_size_v<command>)
      : engine_(seed), format_(format), details_(details), kinds_(format == 3 ? std::min(kinds, kinds_of_3) : kinds) {}

  // A command of every kind, in turn, is command number 0, 1, ...
  command next() { return make(std::make_index_sequence<std::variant_size_v<command>>(), kind_++ % kinds_); }
  int64_t time() { return static_cast<int64_t>(engine_()); }
  uint64_t number(uint64_t below) { return engine_() % below; }

  bool without_configurations = false;  // some commands have none, and are refused

 private:
  static constexpr size_t kinds_of_3 = 21;

  template <size_t... I>
  command make(std::index_sequence<I...>, size_t kind) {
    command out;
    (void)((kind % sizeof...(I) == I && (fill(out.emplace<I>()), true)) || ...);
    return out;
  }

  template <class T>
  void fill(T &x) {
    if constexpr (std::is_same_v<T, bool>) {
      x = engine_() % 2 == 0;
    } else if constexpr (std::is_same_v<T, termination>) {
      x = static_cast<T>(engine_() % 6);
    } else if constexpr (std::is_same_v<T, rm_signal>) {
      x = static_cast<T>(engine_() % 4);
    } else if constexpr (std::is_same_v<T, canary_turn>) {
      x = static_cast<T>(engine_() % 2);
    } else if constexpr (std::is_same_v<T, module_kind>) {
      x = static_cast<T>(engine_() % (static_cast<uint64_t>(T::transport) + 1));
    } else if constexpr (std::is_same_v<T, release_what>) {
      x = static_cast<T>(engine_() % 3);
    } else if constexpr (std::is_same_v<T, step_answer::kind>) {
      x = static_cast<T>(engine_() % (format_ == 3 ? 2 : static_cast<uint64_t>(T::placement_fault) + 1));
    } else if constexpr (std::is_same_v<T, policy_fault::kind>) {
      x = static_cast<T>(engine_() %
                         (static_cast<uint64_t>(format_ == 3 ? T::predicate : T::canary_predicate_signature) + 1));
    } else if constexpr (std::is_same_v<T, policy_fault>) {
      fault(x);
    } else if constexpr (std::is_integral_v<T>) {
      x = static_cast<T>(engine_() >> engine_() % 64);
    } else if constexpr (std::is_same_v<T, double>) {
      x = static_cast<double>(static_cast<int64_t>(engine_())) / 7;
    } else if constexpr (std::is_same_v<T, std::string>) {
      x = text();
    } else if constexpr (std::is_same_v<T, std::string_view>) {
      x = texts_.emplace_back(text());
    } else if constexpr (is_span<T>) {
      span(x);
    } else if constexpr (std::is_same_v<T, existing_allocation>) {
      fill(x.ask);
      fill(x.bind_time_ms);
      fill(x.foreign);
      if (details_) fill(x.detail);
      if (format_ == 3) return;
      fill(x.sequence);
      fill(x.apart);
    } else if constexpr (std::is_same_v<T, register_rm>) {
      fill(x.rm);
      fill(x.version);
      fill(x.policy_group);
      fill(x.config);
      if (details_) fill(x.check_deadline_ms);
      if (format_ != 3) fill(x.epoch);
      fill_answers(x);
    } else if constexpr (std::is_same_v<T, change_node>) {
      fill(x.partition);
      fill(x.node);
      fill(x.event);
      if (format_ != 3) fill(x.by_administrator);
      fill_answers(x);
    } else if constexpr (std::is_same_v<T, check_answer>) {
      fill(x.partition);
      fill(x.number);
      fill(x.accepted);
      fill(x.reason);
      fill_answers(x);
      if (format_ == 3) return;
      fill(x.application);
      fill(x.key);
      fill(x.node);
    } else if constexpr (std::is_same_v<T, inspect>) {
      fill(x.partition);
      fill(x.answers);
      if (format_ != 3) fill(x.most);
    } else if constexpr (std::is_same_v<T, configure>) {
      fill(x.rm);
      fill(x.config);
      fill_answers(x);
    } else if constexpr (std::is_same_v<T, add_application>) {
      fill(x.partition);
      fill(x.application);
      fill(x.queue);
      fill(x.user);
      fill(x.groups);
      fill(x.tags);
      fill(x.execution_timeout_ms);
      fill(x.placeholder_ask);
      fill(x.hard_gang);
      fill_answers(x);
    } else if constexpr (std::is_same_v<T, step_answer>) {
      fill(x.what);
      fill(x.at);
      fill(x.ok);
      fill(x.fault);
      if (format_ != 3) fill(x.text);
    } else if constexpr (std::is_same_v<T, const cluster_config *>) {
      fill(configs_.emplace_back());
      x = engine_() % 8 == 0 && without_configurations ? nullptr : &configs_.back();
    } else {
      // In format 3 this one and inspect alone have answers.
      constexpr bool always_answered = std::is_same_v<T, step>;
      boost::pfr::for_each_field(x, [&]<class F>(F &field) {
        if constexpr (std::is_same_v<F, std::span<const step_answer>> && !always_answered) {
          if (format_ == 3) return;
        }
        if constexpr (std::is_same_v<F, std::vector<canary_config>>) {
          if (format_ == 3) return;
        }
        if constexpr (std::is_same_v<T, partition_tuning>) {
          const void *const at = &field;
          const bool came_later = at == &x.reservation_max_nodes || at == &x.start_retry_ms ||
                                  at == &x.start_retry_max_ms || at == &x.reservation_queue_delay_ms;
          if (format_ == 3 && at == &x.preemption_max_steps) return;
          if (format_ == 3 && came_later) {
            field = {};
            return;
          }
        }
        fill(field);
      });
    }
  }

  // What format 3 could say: its sentence has names, with details; else it is any text, as it was when it got its
  // checksum in the test.
  void fault(policy_fault &x) {
    if (format_ != 3 || details_) fill(x.what);
    if (x.what == policy_fault::kind::none) return fill(x.policy);
    x.partition = texts_.emplace_back("[rm]" + std::to_string(engine_() % 3));
    x.policy = texts_.emplace_back("policy-" + std::to_string(engine_() % 3));
    if (x.what >= policy_fault::kind::predicate)
      x.asks = texts_.emplace_back("app/ask-" + std::to_string(engine_() % 3));
    if (format_ == 3) return;
    fill(x.arrival);
    fill(x.alone);
  }

  // Format 3 has none of these commands.
  template <class T>
  void fill_answers(T &x) {
    if (format_ != 3) fill(x.answers);
  }

  template <class E>
  void span(std::span<const E> &x) {
    auto list = std::make_shared<std::vector<E>>(engine_() % 4);
    for (E &element : *list) fill(element);
    x = *list;
    lists_.push_back(std::move(list));
  }

  // Deeper lists are rarer, so that configurations end.
  template <class E>
  void fill(std::vector<E> &x) {
    ++depth_;
    x.resize(engine_() % 8 < 8 / depth_ ? engine_() % 3 : 0);
    for (E &element : x) fill(element);
    --depth_;
  }
  template <class V>
  void fill(std::map<std::string, V> &x) {
    for (uint64_t left = engine_() % 4; left > 0; --left) fill(x[text()]);
  }

  std::string text() {
    std::string out(engine_() % 16, '\0');
    for (char &c : out) c = static_cast<char>(engine_() % 4 == 0 ? engine_() : 'a' + engine_() % 26);
    return out;
  }

  std::mt19937_64 engine_;
  int format_;
  bool details_;
  size_t kinds_;
  size_t kind_ = 0;
  size_t depth_ = 0;
  std::list<cluster_config> configs_;
  std::deque<std::string> texts_;
  std::vector<std::shared_ptr<void>> lists_;
};

}  // namespace tenon::journal_test
