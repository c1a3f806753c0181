// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "tenon/observe/scheduler_access.hpp"

#include <mutex>
#include <tuple>

#include "tenon/config/queues.hpp"
#include "tenon/kernel/state_tables.hpp"

namespace tenon::observe {
namespace {

// The bounds that are in the RM's way, as "2000000 asks".
std::string reached(const service::rm_status &rm) {
  std::string out;
  for (const service::rm_bound &one : rm.bounds)
    if (one.reached) out += (out.empty() ? "" : ", ") + std::to_string(one.most) + " " + one.what;
  return out;
}

int64_t now_unix_ms() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch())
      .count();
}

class scheduler_access final : public kernel_access {
 public:
  scheduler_access(service::scheduler &to, people_options options) : to_(to), options_(std::move(options)) {}

  bool call(const std::function<void(kernel &, const applier &)> &work) override {
    return to_.call([&](service::cycle_access &on) { work(on.state(), [&](const command &c) { on.apply(c); }); });
  }

  [[nodiscard]] std::vector<rm_record> rms() const override {
    std::vector<rm_record> out;
    const auto statuses = to_.rms();
    const int64_t now_ms = now_unix_ms();
    const std::lock_guard lock(mutex_);
    std::map<std::string, standing> there;
    for (const service::rm_status &s : statuses) {
      rm_record rm;
      rm.id = s.id;
      rm.state = tenon::name(s.state);
      rm.version = s.version;
      rm.policy_group = s.policy_group;
      rm.build = s.build_info;
      rm.connected = s.connected;
      rm.held = s.held;
      rm.throttled = s.throttled;
      rm.waiting_requests = s.waiting_requests;
      rm.waiting_answers = s.waiting_answers;
      rm.retries = s.retries;
      for (const service::rm_bound &one : s.bounds) rm.bounds.push_back({one.what, one.kept, one.most, one.refused});
      for (const service::asked_reservation &one : s.asked)
        rm.asked.push_back({one.partition, one.application, one.key, one.node});
      rm.configuration = *s.configuration;
      rm.checksum = s.checksum;
      const std::string session = s.id + "#" + std::to_string(s.session);
      const auto before = seen_.find(session);
      standing &now = there[session] = before == seen_.end() ? standing{now_ms, now_ms, s.connected} : before->second;
      if (now.connected != s.connected) now = {now.registered_ms, now_ms, s.connected};
      rm.registered_ms = now.registered_ms;
      rm.since_ms = now.since_ms;
      out.push_back(std::move(rm));
    }
    seen_ = std::move(there);  // those that went are not kept
    return out;
  }

  [[nodiscard]] std::vector<policy_group_record> policy_groups() const override {
    std::vector<policy_group_record> out;
    for (auto &[name, text] : to_.policy_groups()) out.push_back({name, text, config::queues_checksum(text)});
    return out;
  }

  [[nodiscard]] std::string configuration(std::string_view rm, std::string_view group) const override {
    for (const service::rm_status &one : to_.rms()) {
      if (!rm.empty() && one.id == rm) return *one.configuration;
    }
    const std::map<std::string, std::string> groups = to_.policy_groups();
    const auto found = groups.find(group_of(rm, group));
    return found == groups.end() ? std::string{} : found->second;
  }

  configured configure(const configuration_wish &wish) override {
    if (configured found = look_for(wish.rm, wish.policy_group); found.what != configured::outcome::done) return found;
    const bool all = wish.rm.empty() && wish.policy_group.empty();
    const std::string group = group_of(wish.rm, wish.policy_group);
    const service::configured made = wish.text.empty()
                                         ? to_.reload_files({all ? std::string() : group, wish.forced, wish.only_tried})
                                         : to_.configure({wish.rm, group, wish.text, wish.by, wish.only_tried});
    configured out{configured::outcome::done, {}, made.why, made.revision, made.checksum, made.notes};
    if (!made.why) return out;
    out.what = made.is_older ? configured::outcome::in_the_way : configured::outcome::refused;
    out.message = made.why->text();
    return out;
  }

  bool recovery_done(std::string_view rm) override {
    bool done = false;
    return to_.call([&](service::cycle_access &on) { done = on.recovery_done(rm); }) && done;
  }
  [[nodiscard]] bool is_manual() const override { return to_.is_manual(); }
  uint64_t step(std::optional<partition_id> only, uint32_t most) override {
    const auto now = options_.step_clock_ms ? std::optional(options_.step_clock_ms()) : std::nullopt;
    return to_.step(most, now, only);
  }
  bool log_level(std::string_view level) override { return options_.log_level && options_.log_level(level); }
  std::optional<std::string> lift_quarantine(std::string_view module) override {
    return to_.modules().lift_quarantine(module);
  }
  result<module_swapped> swap_module(const module_swap &wish, const std::string &by) override {
    service::module_swap_wish made{wish.module, wish.build, by, {}};
    if (wish.verify) made.check = options_.verify_build;
    if (wish.verify && !made.check)
      return refusal{"module " + wish.module, "a daemon that can run the checks", "one without", "leave --verify out"};
    const auto done = to_.swap_module(made);
    if (!done) return done.why();
    return module_swapped{done->build.module, done->build.version, done->build.digest, done->build.before,
                          std::chrono::duration_cast<std::chrono::microseconds>(done->paused).count()};
  }
  void audit(const audited &what) override {
    if (events::event_hub *hub = to_.events(); hub != nullptr) {
      events::audit_note note;
      note.who = what.caller;
      note.action = what.action;
      note.object = what.object;
      note.partition = what.partition;
      note.message = what.caller + ": " + what.action + (what.object.empty() ? "" : " " + what.object) +
                     (what.object.empty() && !what.partition.empty() ? " of " + what.partition : "") +
                     (what.done ? ": done" : ": refused") +
                     (what.message.empty() ? "" : (what.done ? ", " : ": ") + what.message);
      hub->audit(note, now_unix_ms());
    }
    if (options_.audit) options_.audit(what);
  }

  [[nodiscard]] std::string world_shadow() const override {
    return options_.world_shadow ? options_.world_shadow() : std::string();
  }

  [[nodiscard]] std::vector<figure> figures() const override {
    const service::service_counters c = to_.counters();
    const auto number = [](uint64_t n) { return static_cast<double>(n); };
    std::vector<figure> out = {
        {"tenon_turns_total", "Turns of the scheduler.", true, {}, number(c.turns)},
        {"tenon_requests_total", "Requests of resource managers that were taken.", true, {}, number(c.requests)},
        {"tenon_requests_refused_total", "Requests that were malformed.", true, {}, number(c.refused_requests)},
        {"tenon_requests_dropped_total",
         "Requests of sessions that ended before.",
         true,
         {},
         number(c.dropped_requests)},
        {"tenon_answers_total", "Answers made for resource managers.", true, {}, number(c.answers)},
        {"tenon_answers_delivered_total", "Answers that transports took.", true, {}, number(c.delivered)},
        {"tenon_registrations_total", "Registrations of resource managers.", true, {}, number(c.registrations)},
        {"tenon_journal_bytes_total", "Bytes written to the journal.", true, {}, number(c.journal_bytes)},
        {"tenon_transport_faults_total", "Faults of transports.", true, {}, number(c.transport_faults)},
        {"tenon_clock_steps_total",
         "Times that the system's clock was set; the scheduler's time went on.",
         true,
         {},
         number(c.clock_steps)},
        {"tenon_commands_total", "Commands that the kernel took.", true, {}, number(c.kernel.commands)},
        {"tenon_decisions_total", "Decisions of the kernel.", true, {}, number(c.kernel.decisions)},
        {"tenon_asks_examined_total", "Asks that the cycle looked at.", true, {}, number(c.kernel.asks_examined)},
        {"tenon_node_searches_total", "Searches for a node.", true, {}, number(c.kernel.node_searches)},
        {"tenon_nodes_examined_total", "Nodes that searches looked at.", true, {}, number(c.kernel.nodes_examined)},
        {"tenon_victim_searches_total", "Searches for victims.", true, {}, number(c.kernel.victim_searches)},
        {"tenon_policy_calls_total", "Calls of policies.", true, {}, number(c.kernel.policy_calls)},
        {"tenon_policy_faults_total",
         "Faults of policies, after each of which a fallback serves.",
         true,
         {},
         number(c.kernel.policy_faults)},
        {"tenon_canaries_back_total",
         "Canaries that went back by themselves.",
         true,
         {},
         number(c.kernel.canaries_back)},
        {"tenon_device_choices_left_total",
         "Devices that node orders chose and that could not be had, where the scheduler chose.",
         true,
         {},
         number(c.kernel.device_choices_left)},
    };
    for (const auto &[side, placed, waited_ms] :
         {std::tuple{"canary", c.kernel.canary_placed, c.kernel.canary_waited_ms},
          {"others", c.kernel.others_placed, c.kernel.others_waited_ms}}) {
      out.push_back({"tenon_canary_placements_total",
                     "Placements while a canary was in place: its applications', and the others'.",
                     true,
                     {{"side", side}},
                     number(placed)});
      out.push_back({"tenon_canary_waiting_seconds_total",
                     "How long the asks of these placements waited, together.",
                     true,
                     {{"side", side}},
                     number(waited_ms) / 1000});
    }
    for (const auto &[what, count] : {std::pair{"proposed", c.kernel.proposed},
                                      {"refused", c.kernel.proposals_refused},
                                      {"late", c.kernel.proposals_late}})
      out.push_back({"tenon_checks_total", "Placements that RMs check.", true, {{"what", what}}, number(count)});
    if (events::event_hub *hub = to_.events(); hub != nullptr) add_events(hub->counters(), out);
    if (options_.figures)
      for (figure &one : options_.figures()) out.push_back(std::move(one));
    return out;
  }

  void ask_for_rms(std::function<void(std::vector<rm_standing>)> told) override {
    to_.post([told = std::move(told)](service::cycle_access &on) {
      std::vector<rm_standing> out;
      for (const service::rm_status &one : on.rms())
        out.push_back({one.id, one.connected, one.held, one.throttled, reached(one), one.unconfirmed});
      told(std::move(out));
    });
  }

  [[nodiscard]] std::vector<health_check> checks() const override {
    std::string stopped, behind;
    const auto add = [](std::string &to, const std::string &one) { to += (to.empty() ? "" : "; ") + one; };
    for (const service::transport_status &t : to_.transports())
      if (!t.running) add(stopped, t.name + " does not run" + (t.message.empty() ? "" : ": " + t.message));
    if (events::event_hub *hub = to_.events(); hub != nullptr)
      for (const std::string &one : hub->warnings()) add(behind, one);
    return {check_of("Transports", "Check that every transport runs", health_check::state::fails, stopped),
            check_of("Events", "Check that event sinks take what happens", health_check::state::warns, behind)};
  }

 private:
  [[nodiscard]] configured look_for(std::string_view rm, std::string_view group) const {
    const auto unknown = [](const std::string &what) { return configured{configured::outcome::unknown, what}; };
    const std::string wanted = group.empty() ? std::string("default") : std::string(group);
    if ((rm.empty() || !group.empty()) && !to_.policy_groups().contains(wanted))
      return unknown("there is no policy group '" + wanted + "'");
    if (rm.empty()) return {};
    for (const service::rm_status &one : to_.rms()) {
      if (one.id != rm) continue;
      if (group.empty() || one.policy_group == group) return {};
      return unknown("resource manager '" + one.id + "' is of policy group '" + one.policy_group + "', not of '" +
                     wanted + "'");
    }
    return unknown("there is no resource manager '" + std::string(rm) + "'");
  }
  [[nodiscard]] std::string group_of(std::string_view rm, std::string_view group) const {
    for (const service::rm_status &one : to_.rms()) {
      if (!rm.empty() && one.id == rm) return one.policy_group;
    }
    return group.empty() ? std::string("default") : std::string(group);
  }
  static void add_events(const events::hub_counters &c, std::vector<figure> &out) {
    const auto add = [&](const char *name, const char *help, bool counter, uint64_t value,
                         std::map<std::string, std::string> labels = {}) {
      out.push_back({name, help, counter, std::move(labels), static_cast<double>(value)});
    };
    add("tenon_events_created_total", "Records of events, lost ones with them.", true, c.created);
    add("tenon_events_published_total", "Records handed to sinks and subscribers.", true, c.published);
    add("tenon_events_lost_total", "Records that found no room.", true, c.lost);
    add("tenon_events_waiting_bytes", "Bytes of facts that wait for the event thread.", false, c.input_used);
    add("tenon_event_subscriptions", "Subscriptions to events.", false, c.subscriptions);
    add("tenon_event_subscribers_lost_total", "Records that found no room before a subscriber.", true,
        c.lost_by_subscribers);
    for (size_t entry = 0; entry < c.sinks.size(); ++entry) {
      const events::sink_status &s = c.sinks[entry];
      // A deployment may list a module several times.
      const std::map<std::string, std::string> labels{{"sink", s.name}, {"entry", std::to_string(entry)}};
      add("tenon_event_sink_kept_total", "Records that a sink took.", true, s.kept, labels);
      add("tenon_event_sink_lost_total", "Records that a sink never will take.", true, s.lost, labels);
      add("tenon_event_sink_waiting", "Records before a sink.", false, s.waiting, labels);
    }
  }
  service::scheduler &to_;
  people_options options_;
  mutable std::mutex mutex_;
  // Of each session. Whoever looks first after a change notices it.
  struct standing {
    int64_t registered_ms = 0, since_ms = 0;
    bool connected = true;
  };
  mutable std::map<std::string, standing> seen_;
};

class opened final : public people_services {
 public:
  opened(service::scheduler &to, people_options options)
      : memory_(options.health_memory),
        most_copied_(options.most_copied),
        access_(to, std::move(options)),
        services_(access_, to.modules(), memory_, most_copied_) {}
  services &all() override { return services_; }

 private:
  std::chrono::milliseconds memory_;
  uint64_t most_copied_;
  scheduler_access access_;
  services services_;
};

}  // namespace

std::shared_ptr<people_services> open_to_people(service::scheduler &to, people_options options) {
  auto out = std::make_shared<opened>(to, std::move(options));
  out->all().offer();
  to.listen_to_end([out] { out->all().close(); });
  to.listen_to_turns([out](std::chrono::nanoseconds took, uint32_t made) {
    out->all().cycle_took(std::chrono::duration<double>(took).count(), made);
  });
  to.listen([out](std::span<const decision_view> decisions, const kernel &k) { out->all().count(decisions, k); });
  return out;
}

}  // namespace tenon::observe
