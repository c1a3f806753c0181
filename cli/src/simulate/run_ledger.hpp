// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Follows the commands and decisions of a run and says what changes with each: who asks, what is placed where,
// what ends. Names become indexes, so that a whole run can be kept.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "tenon/kernel/commands.hpp"
#include "tenon/kernel/decisions.hpp"
#include "tenon/kernel/queue_config.hpp"

namespace tenon::cli {

// Names in the order in which they were met.
class name_list {
 public:
  uint32_t index_of(std::string_view name);
  [[nodiscard]] const std::string &operator[](uint32_t index) const { return names_[index]; }
  [[nodiscard]] size_t size() const { return names_.size(); }

 private:
  struct hash {
    using is_transparent = void;
    size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };
  std::vector<std::string> names_;
  std::unordered_map<std::string, uint32_t, hash, std::equal_to<>> index_;
};

// Amounts by type index, ascending.
using indexed_amounts = std::vector<std::pair<uint32_t, int64_t>>;

struct change {
  enum class what : uint8_t {
    node_added,    // node, shape: its capacity
    node_removed,  // node, shape
    asked,         // queue, shape, count
    unasked,       // queue, shape, count: withdrawn, refused or dropped
    placed,        // queue, node, shape, waited_ms; one that was asked for
    found,         // as placed, of what ran before it was known
    freed,         // queue, node, shape, preempted
  };
  what kind = what::asked;
  bool placeholder = false, preempted = false;
  uint32_t queue = 0, node = 0, shape = 0;
  int32_t count = 1;
  int64_t at_ms = 0;
  // From submission to the first placement; -1 where an ask is placed again after it lost its allocation.
  int64_t waited_ms = -1;
};

// All that an application asked for at one moment: it starts with the last of it and ends with the last of it.
struct job {
  uint32_t queue = 0, user = 0;
  uint64_t allocations = 0;
  indexed_amounts amounts;  // of all of them
  int64_t arrival_ms = 0;
  int64_t started_ms = -1, ended_ms = -1;  // -1: not so far
  int64_t lasts_ms = -1;                   // as was said before; -1: not known
};

class ledger {
 public:
  using listener = std::function<void(const change &)>;

  explicit ledger(listener tell) : tell_(std::move(tell)) {}

  // A command, before its decisions.
  void sees(int64_t now_ms, const command &c);
  void hears(const decision_view &d);
  // What the last command did without a decision. Called by sees(), and once at the end.
  void settle();
  // Said of an ask that was sent: how long it runs once it is placed.
  void lasts(std::string_view partition, std::string_view application, std::string_view key, int64_t duration_ms);
  // In the order of their arrival, after the last settle().
  [[nodiscard]] std::vector<job> jobs() const;
  // Asks that were never placed, after the last settle(): queue, arrival, how many. A placeholder that no ask came for
  // stands for a worker.
  void for_each_unplaced(const std::function<void(uint32_t queue, int64_t arrival_ms, int64_t count)> &take) const;

  [[nodiscard]] const name_list &types() const { return types_; }
  [[nodiscard]] const name_list &queues() const { return queues_; }
  [[nodiscard]] const name_list &users() const { return users_; }
  [[nodiscard]] const indexed_amounts &amounts_of(uint32_t shape) const { return shapes_[shape]; }
  [[nodiscard]] size_t shapes() const { return shapes_.size(); }
  [[nodiscard]] size_t nodes() const { return nodes_.size(); }  // that there are now
  // The last one that was taken; null before the first.
  [[nodiscard]] const cluster_config *config() const { return config_.partitions.empty() ? nullptr : &config_; }

 private:
  struct allocation {
    uint64_t sequence;
    uint32_t node, shape;
  };
  struct application_record;
  struct ask_record {
    application_record *of = nullptr;
    int64_t arrival_ms = 0;
    uint32_t shape = 0;
    int32_t wanted = 0;                                     // allocations
    int32_t pending = 0;                                    // of them
    int32_t placed = 0;                                     // at some time, at most `wanted`
    int64_t started_ms = -1, freed_ms = -1, lasts_ms = -1;  // when the last was placed, and when one ended last
    bool placeholder = false;
    std::vector<allocation> live;
  };
  struct application_record {
    uint32_t queue = 0, user = 0;
    std::vector<ask_record *> asks;
  };

  void takes(const add_application &add);
  void takes(const put_ask &put);
  void takes(const put_allocation &put);
  void takes(const release &r);
  void takes(const add_node &add);
  void takes(const update_node &update);
  void takes(const change_node &c);
  void takes(const remove_application &gone);
  void takes(const register_rm &registered);
  void takes(const configure &configured);
  void takes(const signal_rm &signal);
  void takes(const auto &) {}  // changes nothing that is followed here
  void takes_existing(std::string_view partition, const existing_allocation &existing);
  void hears_allocated(const decision_view &d);
  void hears_released(const decision_view &d);
  void settle_ask();

  void add_jobs(const application_record &app, bool placeholders, std::vector<job> &to) const;
  void free(ask_record &ask, size_t at, bool preempted);
  void set_pending(ask_record &ask, int32_t pending);
  void undo(ask_record &ask, const release &r);
  void forget(std::string_view rm);

  [[nodiscard]] std::string_view application_of(std::string_view application, std::string_view key);
  application_record &application_at(std::string_view partition, std::string_view application);
  ask_record &ask_at(std::string_view partition, std::string_view application, std::string_view key);
  ask_record *find_ask(const decision_view &d);
  std::string_view joined(std::string_view a, std::string_view b, std::string_view c);
  uint32_t shape_of(amounts from);

  struct hash {
    using is_transparent = void;
    size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };
  template <class Record>
  using by_name = std::unordered_map<std::string, Record, hash, std::equal_to<>>;

  listener tell_;
  int64_t now_ms_ = 0;
  name_list types_, queues_, users_, node_names_;
  std::map<indexed_amounts, uint32_t> shape_index_;
  std::vector<indexed_amounts> shapes_;
  by_name<application_record> applications_;  // partition, application
  by_name<ask_record> asks_;                  // partition, application, key
  by_name<uint32_t> nodes_;                   // partition, node: its capacity
  std::string scratch_, independent_;
  cluster_config config_;

  // What the command that runs does unless it is refused.
  struct {
    ask_record *ask = nullptr;
    ask_record as;  // `ask` will be this
    std::string node;
    int64_t capacity = -1;  // shape of the node
    std::string rm;
    const cluster_config *config = nullptr;
  } next_;
};

}  // namespace tenon::cli
