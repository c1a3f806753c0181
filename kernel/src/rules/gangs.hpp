// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Gangs: what the task groups of an application hold, and pass B of the cycle, which puts real asks in the place of
// placeholders. Applications in which something can be replaced are in one heap; one in which nothing could be is
// stuck, and not looked at before something changes for it.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "model/ask_class.hpp"
#include "model/objects.hpp"
#include "ready/rule_ports.hpp"

namespace tenon::internal {

class allocation_lifecycle;
class ask_lines;
class change_dispatcher;
class device_holdings;
class fact_teller;
class node_search;
class node_table;
class node_verdicts;
class placement_checks;
class ready_index;
class replacements;
struct core;

class gangs final : public placeholder_line {
 public:
  gangs(core &shared, class_table &classes, const node_table &nodes, const device_holdings &devices, ready_index &ready,
        ask_lines &lines, node_verdicts &verdicts, placement_checks &checks, node_search &search,
        internal::replacements &replacements, allocation_lifecycle &lifecycle, const fact_teller &facts,
        change_dispatcher &changes)
      : shared_(shared),
        classes_(classes),
        nodes_(nodes),
        devices_(devices),
        ready_(ready),
        lines_(lines),
        verdicts_(verdicts),
        checks_(checks),
        search_(search),
        replacements_(replacements),
        lifecycle_(lifecycle),
        facts_(facts),
        changes_(changes) {}

  static task_group *group_named(application &app, std::string_view name);  // null: the name is empty

  // -- Placeholders come and go. --
  // `pending`, `held`: so many more. With the first one the group's real asks begin to wait, with the last they stop.
  void count_placeholders(task_group &g, int64_t pending, int64_t held);
  static void note_size(task_group &g, uint32_t class_id) {
    if (g.first_class == no_class) g.first_class = class_id;
  }
  void hold(allocation &placeholder);
  void make_available(allocation &placeholder);   // it is Allocated, and nothing is proposed in its place
  void leave_allocated(allocation &placeholder);  // it is not any more
  void resized(allocation &placeholder, uint32_t class_before);
  void let_go(allocation &placeholder);

  // -- Pass B. --
  [[nodiscard]] bool has_work() const { return !heap_.empty(); }
  bool decide();
  void changed(task_group &g, bool more) override;
  void changed(application &app);
  void wake_stuck() override;
  void wake_on(const node &n) override;

 private:
  static void count_size(task_group &g, uint32_t class_id, int sign);
  void look_at_refused(task_group &g);
  bool replace_in(application &app);
  bool replace_one(ask &a, task_group &g, bool &rm_refuses);
  bool release_too_small(const ask &a, const ask_class &c, const task_group &g);

  core &shared_;
  class_table &classes_;
  const node_table &nodes_;
  const device_holdings &devices_;
  ready_index &ready_;
  ask_lines &lines_;
  node_verdicts &verdicts_;
  placement_checks &checks_;
  node_search &search_;
  internal::replacements &replacements_;
  allocation_lifecycle &lifecycle_;
  const fact_teller &facts_;
  change_dispatcher &changes_;
  gang_heap heap_;  // applications that pass B looks at
  std::vector<application *> stuck_;
};

}  // namespace tenon::internal
