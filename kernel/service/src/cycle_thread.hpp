// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Everything that happens on the cycle thread: requests become commands, decisions become answers, time passes.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "identities.hpp"
#include "rm_answers.hpp"
#include "service_state.hpp"
#include "tenon/service/recorder.hpp"
#include "tenon/service/scheduler.hpp"
#include "transport_runner.hpp"

namespace tenon::service {

struct registration {
  session_identity who;
  transport_runner *transport = nullptr;
  group_config config;
};

struct registered {
  tenon_status status = TENON_OK;
  uint64_t session = 0;
  std::string message;
};

struct turn_outcome {
  uint32_t made = 0;       // decisions of steps
  bool more = false;       // there is something to do at once
  int64_t wake_at_ms = 0;  // at the latest
};

class cycle final : public cycle_access {
 public:
  cycle(service_state &shared, host::module_host &modules, const scheduler_options &options,
        std::vector<decision_listener> listeners);

  [[nodiscard]] kernel &state() override { return kernel_; }
  [[nodiscard]] int64_t now_ms() const override { return now_ms_; }
  uint32_t apply(const command &c) override;
  bool recovery_done(std::string_view rm) override;
  [[nodiscard]] std::vector<rm_status> rms() const override;

  void move_time(int64_t now_ms) { now_ms_ = std::max(now_ms_, now_ms); }
  registered enter(registration in);
  void signal(rm_session &of, uint32_t signal);
  // Of those that use one of the groups, all or none. RMs for which people sent a text keep it, unless `dropped`.
  // `only_tried`: nothing is changed, and what is given is why something would not be.
  [[nodiscard]] std::optional<refusal> reload(const std::map<std::string, group_config> &groups,
                                              const std::set<std::string> &dropped, bool only_tried);
  // Of one RM alone.
  [[nodiscard]] std::optional<refusal> configure(std::string_view rm, const group_config &config, bool only_tried);
  void tell(std::string_view rm, const tenon_rm_event &event);

  // Takes requests, fires timers, makes up to `max_decisions` in each partition, or in that one alone.
  turn_outcome turn(uint32_t max_decisions, std::optional<partition_id> only = {});

  // Where several RMs are, each has this many requests and decisions in a row, and the others wait no longer than that.
  static constexpr uint32_t most_beside_others = 32;
  [[nodiscard]] bool serves_several() const { return sessions_.size() > 1; }
  // At most as many allocations of an application that goes end in a row. One takes 1 to 4 microseconds.
  static constexpr uint32_t most_ends_beside_others = 2'048;
  // At most as many applications and asks are inspected in a row. One takes 0.2 to 0.6 microseconds.
  static constexpr uint32_t inspected_at_once = 1'000;
  // What waits is looked at for records of events, too, not only for RMs that want to know.
  void inspect_all() { inspects_all_ = true; }
  // Makes answers visible to transports.
  void publish();
  // Every session ends.
  void end_all();
  [[nodiscard]] uint64_t waiting_requests() const;
  [[nodiscard]] rm_status status_of(const rm_session &one) const;

 private:
  enum class progress : uint8_t { done, stalled, in_parts };  // in_parts: other RMs have their turns before the rest
  struct outcome {
    bool good = false;
    std::string message;
  };

  uint64_t fresh_epoch();
  void take(const decision_view &d);
  void note_allocation(const decision_view &d, rm_partition &where, std::string_view uuid);
  void note_refused_change(std::string_view node, std::string_view partition, const std::string &line);
  std::string_view next_reported_uuid();
  bool pump(rm_session &from);  // true: there is more at once
  progress apply(rm_session &from, request_batch &of, request &one);
  progress resolve(rm_session &from, request_batch &of, request &one, add_application &c);
  static void find_reported(const rm_session &from, const request &one, put_allocation &c);
  // Whether it is refused, and told so, since the RM keeps too much.
  bool is_beyond_bounds(rm_session &from, command &c);
  // The number of answers.
  uint32_t answer_beyond_bounds(const rm_session &from, const rm_partition &where, const command &c,
                                const std::string &why);
  // Releases a part of what the request releases, where that is too much at once beside other RMs.
  bool release_a_part(request &one);
  void apply_release(const rm_session &from, rm_partition *where, const request &one, release c);
  void apply_release_of_all(const rm_session &from, rm_partition &where, const release &c);
  void refuse_release(const rm_session &from, const request &one, const release &c, const std::string &why);
  // Reports releases that the RM has not confirmed for too long.
  void look_for_unconfirmed(rm_session &one);
  [[nodiscard]] std::string_view partition_of_node(const rm_session &from, std::string_view said,
                                                   std::string_view node) const;
  void apply_change(const change_node &c);
  void apply_own_configuration(rm_session &from, const sent_configuration &sent);
  static std::optional<refusal> leaves_nothing(const rm_session &one, const group_config &config);
  [[nodiscard]] std::optional<refusal> problem_with(const rm_session &one, const group_config &config,
                                                    identities::by_type &made) const;
  [[nodiscard]] std::optional<refusal> configure(rm_session &one, const group_config &config, bool only_tried);
  [[nodiscard]] std::optional<refusal> put_in_force(rm_session &one, const std::shared_ptr<const group_config> &config);
  [[nodiscard]] bool is_as_configured(const rm_session &one) const;
  [[nodiscard]] static std::shared_ptr<const group_config> wanted_of(const rm_session &one,
                                                                     const std::map<std::string, group_config> &groups,
                                                                     const std::set<std::string> &dropped);
  void note_partitions(rm_session &one, const cluster_config &config);
  void forget_gone_partitions(rm_session &one) const;
  uint32_t step_all(uint32_t max_decisions, std::optional<partition_id> only);
  uint32_t step_apart(rm_session &one, uint32_t max_decisions, std::optional<partition_id> only);
  // How many checks more may be open at once.
  [[nodiscard]] uint32_t room_for_checks(const rm_session &one) const;
  // Checks that are on the RM's connection by now have a deadline from now on.
  void note_sent_checks(rm_session &one);
  // Writes into the log that it is lost or back, where that is news.
  void tell_presence(rm_session &one);
  void look_after(const std::shared_ptr<rm_session> &self);
  void pause(rm_session &one);
  void resume(rm_session &one);
  void end(const std::shared_ptr<rm_session> &one, uint32_t why, rm_signal signal);
  void drop_requests(rm_session &one);
  bool inspect_waiting();
  void begin_inspection();
  bool inspect_part_of(const rm_partition &where);
  [[nodiscard]] rm_session *find(std::string_view rm);
  [[nodiscard]] bool check(partition_id partition, std::string_view application, std::string_view key,
                           std::string_view node, bool allocate);
  // Whoever is to be asked within steps is asked from now on, also for asks that were refused before.
  void ask_rms();
  // -- Questions about reservations. --
  [[nodiscard]] bool may_reserve(partition_id partition, std::string_view application, std::string_view key,
                                 std::string_view node);
  void note_sent_question(rm_session &one, uint64_t number) const;
  void answer_question(rm_session &from, const check_answer &said);
  void end_questions(rm_session &of);
  // The ask is looked at again. `accepted`: the RM has not refused, so nothing is remembered.
  void tell_kernel(rm_session &of, const reservation_question &q, bool accepted, std::string_view reason);
  void say_over(rm_session &of, const reservation_question &q, std::string_view reason);
  [[nodiscard]] int64_t in_time() const;  // until then an RM that is asked now has to answer
  // Ends those that are late, and lets asks have one that could not.
  void look_at_questions(rm_session &of);

  service_state &shared_;
  const byte_sink decisions_;
  const std::vector<decision_listener> listeners_;
  identities identities_;
  kernel kernel_;
  recorder recorder_;
  answer_writer writer_;
  int64_t now_ms_ = 0;
  uint64_t next_session_ = 1;
  uint64_t last_epoch_ = 0;
  std::vector<std::shared_ptr<rm_session>> sessions_;  // living ones, by id
  rm_session *last_ = nullptr;                         // of the decision before
  outcome outcome_;                                    // of the registration or configuration just applied
  const request *existing_ = nullptr;                  // whose existing allocations are being applied
  size_t next_existing_ = 0;
  bool report_refused_ = false;  // an allocation that the last command reported
  bool as_wished_ = false;       // the node is already as the command that is being applied wants it
  bool checks_ = false, checks_reservations_ = false;
  uint64_t next_question_ = reservation_question::first_number;
  bool inspects_all_ = false;
  int64_t inspected_ms_ = INT64_MIN;
  uint64_t known_decisions_ = 0, known_commands_ = 0;                             // that the inspection knows of
  std::vector<std::pair<std::shared_ptr<rm_session>, partition_id>> to_inspect_;  // the next one last
};

}  // namespace tenon::service
