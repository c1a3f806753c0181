// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "scenario/player.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <utility>

#include "run/borrowed.hpp"
#include "serve/explained.hpp"
#include "tenon/kernel/held_explanation.hpp"
#include "tenon/kernel/partition_name.hpp"

namespace tenon::cli {
namespace {

constexpr std::string_view rm_name = "scenario";
constexpr int64_t start_ms = 1'700'000'000'000;
constexpr int64_t item_ms = 1;
// Cycles without a decision after which nothing will come any more.
constexpr int quiet_cycles = 4;
constexpr uint32_t most_cycles = 1'000'000;

std::string inside(const std::string &partition) { return full_partition_name(rm_name, partition); }

// The keys of an ask with a count are key~000, key~001, ...
std::string counted_key(const std::string &key, uint32_t number) { return fmt::format("{}~{:03}", key, number); }

// An ask as a command, with what it borrows.
class ask_command {
 public:
  explicit ask_command(const ask_item &ask)
      : partition_(inside(ask.partition)), resources_(ask.resources), tags_(ask.tags) {
    command_.partition = partition_;
    command_.application = ask.application;
    command_.key = ask.key;
    command_.resources = resources_;
    command_.max_allocations = ask.max_allocations;
    command_.priority = ask.priority;
    command_.execution_timeout_ms = ask.timeout_ms;
    command_.tags = tags_;
    command_.task_group = ask.task_group;
    command_.required_node = ask.required_node;
    command_.placeholder = ask.placeholder;
    command_.originator = ask.originator;
    command_.allow_preempt_self = ask.allow_preempt_self;
    command_.allow_preempt_other = ask.allow_preempt_other;
  }
  ask_command(const ask_command &) = delete;
  ask_command &operator=(const ask_command &) = delete;

  [[nodiscard]] const put_ask &command() const { return command_; }

 private:
  std::string partition_;
  borrowed_amounts resources_;
  borrowed_texts tags_;
  put_ask command_;
};

class player {
 public:
  player(const scenario &what, const stage &on) : what_(what), on_(on) {}

  std::vector<failure> run() {
    if (!take_config(what_.config, what_.config_at, "config") || !start()) return std::move(failures_);
    for (size_t i = 0; i < what_.steps.size() && failures_.empty(); ++i) {
      path_ = "steps[" + std::to_string(i) + "]";
      play_step(what_.steps[i]);
    }
    // What was refused may be why something is not as it is expected.
    if (!failures_.empty()) {
      for (const std::string &one : rm_.refusals()) failures_.back().have += "\n    refused: " + one;
    }
    return std::move(failures_);
  }

 private:
  void play_step(const scenario_step &s) {
    if (s.restart && !restart()) return;
    if (s.predicate_failures) refuse_placements(*s.predicate_failures);
    if (s.reload && !reload(*s.reload)) return;
    for (const action_item &action : s.actions)
      if (!act(action, s.expect_error)) return;
    for (const node_item &node : s.add_nodes) add(node);
    for (const node_update_item &node : s.update_nodes) update(node);
    for (const named_item &node : s.drain_nodes) change(node, node_event::drain);
    for (const named_item &node : s.undrain_nodes) change(node, node_event::undrain);
    for (const named_item &node : s.remove_nodes) change(node, node_event::decommission);
    for (const application_item &app : s.add_apps) add(app);
    for (const named_item &app : s.remove_apps) submit(remove_application{inside(app.partition), app.id});
    for (const ask_item &ask : s.add_asks) add(ask);
    for (const allocation_item &allocation : s.put_allocs) put(allocation);
    for (const release_item &release : s.release_asks) withdraw(release);
    for (const release_item &release : s.release_allocs) release_allocations(release);
    if (s.confirm) confirm(*s.confirm);
    if (s.answer) answer();
    if (s.recovery_done) held_ = false;
    if (s.schedule && !schedule(*s.schedule)) return;
    if (s.advance_ms) {
      now_ms_ += *s.advance_ms;
      apply(advance{});
    }
    if (s.inspect) apply(inspect{});
    if (s.expect) expect(*s.expect);
  }

  void expect(const expected_block &wanted) {
    engine &scheduler = session_->scheduler();
    const explainer explain = [&](std::string_view partition, std::string_view application, std::string_view key) {
      auto why = scheduler.explain(partition, application, key);
      if (why) hold_up(*why, nothing_placed(partition));
      return why ? why->text : std::string();
    };
    failures_ = check(wanted, path_ + ".expect", scheduler.snapshot(), rm_, explain);
  }

  // What the kernel does not know, in the words of the daemon.
  [[nodiscard]] std::string nothing_placed(std::string_view partition) const {
    service::rm_status rm;
    rm.id = rm_name;
    rm.held = held_;
    rm.partitions.emplace_back(partition);
    return held_up({rm}, partition);
  }

  // --- the scheduler's life ---

  bool start() {
    byte_sink journal = on_.next_journal ? on_.next_journal() : byte_sink();
    session_ = std::make_unique<session>(on_.make_engine(*on_.policies),
                                         session_sinks{std::move(journal), on_.decisions, on_.origin});
    refused_.clear();
    install_check();
    held_ = what_.recovery_hold;
    submit(register_rm{rm_name, "1", "default", &config_, what_.check_deadline_ms});
    if (refused_.empty()) return true;
    fail(what_.config_at, "config", "a registration that is accepted", refused_);
    return false;
  }

  bool restart() {
    rm_.restarts();
    return start();
  }

  // The RM answers at once, from the keys that it refuses on a node.
  void refuse_placements(const std::map<std::string, text_list> &keys_by_node) {
    refusals_ = keys_by_node;
    if (what_.check_deadline_ms == 0) return install_check();
    for (const partition_config &partition : config_.partitions)
      submit(check_again{inside(partition.name), {}, {}, {}});
  }

  [[nodiscard]] bool accepts(std::string_view key, std::string_view node) const {
    const auto found = refusals_.find(std::string(node));
    if (found == refusals_.end()) return true;
    return std::none_of(found->second.begin(), found->second.end(), [&](const std::string &refused) {
      return refused == "*" || refused == key || refused == base_key(key);
    });
  }

  void install_check() {
    rm_check at_once;
    if (!refusals_.empty() && what_.check_deadline_ms == 0) {
      at_once = [this](partition_id, std::string_view, std::string_view key, std::string_view node, bool) {
        return accepts(key, node);
      };
    }
    session_->scheduler().set_rm_check(std::move(at_once), reservation_check());
  }

  // One question of an ask. The RM's answer comes with a step that says so.
  rm_check reservation_check() {
    questions_.clear();
    if (!what_.checks_reservations) return {};
    return [this](partition_id, std::string_view application, std::string_view key, std::string_view node, bool) {
      const auto [found, fresh] = questions_.try_emplace({std::string(application), std::string(key)});
      question &of = found->second;
      const bool agreed = of.accepted && of.node == node;
      if (fresh || of.accepted) of = {std::string(node), false};
      if (agreed) questions_.erase(found);
      return agreed;
    };
  }

  void answer_questions() {
    const auto asked = questions_;
    for (const auto &[of, what] : asked) {
      if (what.accepted) continue;
      const bool accepted = accepts(of.second, what.node);
      if (accepted) {
        questions_[of].accepted = true;
      } else {
        questions_.erase(of);
      }
      for (const partition_config &partition : config_.partitions)
        submit(check_answer{inside(partition.name), 0, accepted, {}, {}, of.first, of.second, what.node});
    }
  }

  // What people do; refused where they would be told so.
  bool act(const action_item &item, const std::optional<std::string> &expect_error) {
    const std::string partition = inside(item.partition);
    const command wanted = command_of(item, partition);
    const std::optional<std::string> refused = session_->scheduler().problem_with(wanted);
    submit(wanted);  // which changes nothing where it is refused
    return !refused || as_expected(item.at, path_, *refused, expect_error);
  }

  static command command_of(const action_item &item, const std::string &partition) {
    using what = action_item::kind;
    const auto turned = [](object_event event) { return static_cast<uint8_t>(event); };
    switch (item.what) {
      case what::stop_partition:
        return change_partition{partition, turned(object_event::stop)};
      case what::start_partition:
        return change_partition{partition, turned(object_event::start)};
      case what::drain_partition:
        return change_partition{partition, turned(object_event::remove)};
      case what::stop_queue:
        return change_queue{partition, item.object, turned(object_event::stop)};
      case what::start_queue:
        return change_queue{partition, item.object, turned(object_event::start)};
      case what::move_application:
        return move_application{partition, item.object, item.target};
      default:
        return fail_application{partition, item.object, item.target};
    }
  }

  // Whether it was refused as the scenario says; a failure where it was not.
  bool as_expected(text_position at, const std::string &path, const std::string &refused,
                   const std::optional<std::string> &expect_error) {
    if (!expect_error) {
      if (refused.empty()) return true;
      fail(at, path, "no refusal", refused);
    } else if (refused.empty()) {
      fail(at, path + ".expect_error", "a refusal with '" + *expect_error + "'", "none");
    } else if (refused.find(*expect_error) == std::string::npos) {
      fail(at, path + ".expect_error", "a refusal with '" + *expect_error + "'", refused);
    } else {
      return true;
    }
    return false;
  }

  bool reload(const reload_item &item) {
    const std::string path = path_ + ".reload";
    cluster_config before = config_;
    refused_.clear();
    if (const auto why = parse(item.config)) {
      refused_ = *why;
    } else {
      submit(configure{rm_name, &config_});
    }
    if (!refused_.empty()) config_ = std::move(before);
    return as_expected(item.at, path, refused_, item.expect_error);
  }

  bool take_config(const std::string &text, text_position at, const std::string &path) {
    const auto why = parse(text);
    if (why) fail(at, path, "a valid configuration", *why);
    return !why;
  }

  // Reads queues.yaml into config_; the refusals where it is not valid.
  std::optional<std::string> parse(const std::string &text) {
    auto parsed = config::parse_queues_yaml(text, "config", {.known = on_.known, .max_queue_depth = 32, .limits = {}});
    if (!parsed) return parsed.why().text();
    config_ = std::move(*parsed);
    return std::nullopt;
  }

  // --- what the RM sends ---

  void add(const node_item &node) {
    std::vector<rm_model::known_allocation> existing;
    for (const ask_item &listed : node.existing) existing.push_back({listed, 0});
    if (node.existing_from_rm) {
      for (auto &known : rm_.running_on(node.partition, node.id)) existing.push_back(std::move(known));
    }
    std::deque<ask_command> asks;  // does not move what commands borrow from
    std::vector<existing_allocation> allocations;
    for (const auto &[ask, bind_time_ms] : existing) {
      rm_.reports_existing(node.id, ask);
      allocations.push_back({asks.emplace_back(ask).command(), bind_time_ms, false, ask.detail});
    }
    const std::string partition = inside(node.partition);
    const borrowed_amounts capacity(node.resources);
    const borrowed_texts attributes(node.attributes);
    submit(add_node{partition, node.id, capacity, {}, attributes, node.schedulable, allocations});
  }

  void update(const node_update_item &node) {
    const std::string partition = inside(node.partition);
    const amount_map none;
    const borrowed_amounts capacity(node.resources ? *node.resources : none);
    const borrowed_amounts occupied(node.occupied ? *node.occupied : none);
    const text_map no_attributes;
    const borrowed_texts attributes(node.attributes ? *node.attributes : no_attributes);
    submit(update_node{partition, node.id, capacity, occupied, attributes, node.resources.has_value(),
                       node.occupied.has_value(), node.attributes.has_value()});
  }

  void put(const allocation_item &allocation) {
    const ask_command ask(allocation.what);
    if (!allocation.foreign) rm_.sends_ask(allocation.what);
    const std::string partition = inside(allocation.what.partition);
    submit(put_allocation{partition, allocation.node, {ask.command(), 0, allocation.foreign, allocation.what.detail}});
  }

  void change(const named_item &node, node_event event) {
    submit(change_node{inside(node.partition), node.id, static_cast<uint8_t>(event)});
  }

  void add(const application_item &app) {
    const std::string partition = inside(app.partition);
    const borrowed_names groups(app.groups);
    const borrowed_texts tags(app.tags);
    const borrowed_amounts placeholders(app.placeholder_ask);
    submit(add_application{partition, app.id, app.queue, app.user, groups, tags, app.timeout_ms, placeholders,
                           app.hard_gang});
  }

  void add(const ask_item &ask) {
    if (!ask.count) return send(ask);
    ask_item one = ask;
    for (uint32_t i = 0; i < *ask.count; ++i) {
      one.key = counted_key(ask.key, i);
      send(one);
    }
  }

  void send(const ask_item &ask) {
    rm_.sends_ask(ask);
    const ask_command sent(ask);
    submit(sent.command());
  }

  void withdraw(const release_item &item) {
    const std::string partition = inside(item.partition);
    const text_list keys = item.key.empty() ? text_list{""} : rm_.sent_keys(item.partition, item.application, item.key);
    for (const std::string &key : keys) {
      submit(release{partition, item.application, key, 0, 0, termination::stopped_by_rm, release_what::asks});
    }
  }

  void release_allocations(const release_item &item) {
    uint32_t left = item.count.value_or(UINT32_MAX);
    bool sent = false;
    const auto send_release = [&](const std::string &key, uint64_t sequence) {
      if (left == 0) return;
      --left;
      sent = true;
      rm_.releases(item.partition, item.application, key, sequence);
      submit(release{inside(item.partition), item.application, key, sequence, 0, item.why, release_what::allocations});
    };
    for (const auto &a : rm_.running_of(item.partition, item.application, item.key)) send_release(a.key, a.sequence);
    // What the scheduler wants back still runs until the RM says otherwise.
    if (!sent && !item.key.empty()) {
      for (const auto &r : rm_.open_of(item.partition, item.application, item.key)) send_release(r.key, r.sequence);
    }
    if (!sent && item.unknown) send_release(item.key, 0);
  }

  void confirm(const confirm_item &item) {
    for (const rm_model::open_release &r : rm_.confirms(item.types, item.limit)) {
      submit(release{inside(r.partition), r.application, r.key, r.sequence, 0, r.why,
                     r.sequence == 0 ? release_what::asks : release_what::allocations});
    }
  }

  void answer() {
    for (const rm_model::open_check &c : rm_.answers()) {
      submit(check_answer{inside(c.partition), c.number, accepts(c.key, c.node), {}});
    }
    answer_questions();
  }

  // --- time and cycles ---

  bool schedule(const schedule_item &item) {
    int quiet = 0;
    const uint32_t cycles = item.cycles.value_or(most_cycles);
    for (uint32_t i = 0; i < cycles; ++i) {
      quiet = cycle() ? 0 : quiet + 1;
      if (!item.cycles && quiet == quiet_cycles) return true;
    }
    if (item.cycles) return true;
    fail(item.at, path_ + ".schedule", "quiet after some cycles",
         "decisions in every one of " + std::to_string(most_cycles) + " cycles");
    return false;
  }

  // At most one decision in every partition, none while the RM is held: the service then does not step the kernel.
  // Takes no time. True when something was decided.
  bool cycle() {
    const uint64_t before = session_->decisions();
    const uint32_t made = held_ ? 0 : apply(step{"", 1, {}});
    for (const rm_model::open_check &c : rm_.given()) apply(checks_delivered{inside(c.partition), c.number});
    return made != 0 || session_->decisions() != before;
  }

  void submit(const command &c) {
    now_ms_ += item_ms;
    apply(c);
  }

  uint32_t apply(const command &c) {
    return session_->apply(now_ms_, c, [this](const decision_view &d) { hear(d); });
  }

  void hear(const decision_view &d) {
    if (d.is(decision_kind::rm_rejected) || d.is(decision_kind::configuration_rejected)) refused_ = text_of(d);
    rm_.hears(d);
  }

  void fail(text_position at, const std::string &path, const std::string &want, const std::string &have) {
    failures_.push_back({at, path, want, have});
  }

  const scenario &what_;
  const stage &on_;
  std::string path_;
  cluster_config config_;
  std::unique_ptr<session> session_;
  rm_model rm_;
  std::map<std::string, text_list> refusals_;
  struct question {
    std::string node;
    bool accepted = false;
  };
  std::map<std::pair<std::string, std::string>, question> questions_;  // of an ask, by application and key
  bool held_ = false;                                                  // nothing is placed before its recovery is done
  std::string refused_;  // what the scheduler said to the last registration or configuration
  int64_t now_ms_ = start_ms;
  std::vector<failure> failures_;
};

}  // namespace

std::vector<failure> play(const scenario &what, const stage &on) { return player(what, on).run(); }

}  // namespace tenon::cli
