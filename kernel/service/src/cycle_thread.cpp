// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "cycle_thread.hpp"

#include <algorithm>

#include "translate.hpp"

namespace tenon::service {
namespace {

// The RM confirms these, and names them then.
bool is_confirmed_later(termination why) {
  return why == termination::timeout || why == termination::preempted_by_scheduler ||
         why == termination::placeholder_replaced;
}

}  // namespace

cycle::cycle(service_state &shared, host::module_host &modules, const scheduler_options &options,
             std::vector<decision_listener> listeners)
    : shared_(shared),
      decisions_(options.decisions),
      listeners_(std::move(listeners)),
      identities_(modules),
      kernel_(modules, options.kernel),
      recorder_(options.journal, modules.journal_origin()),
      now_ms_(options.manual ? options.manual_start_ms : 0) {}

uint32_t cycle::apply(const command &c) {
  outcome_ = {};
  report_refused_ = false;
  const uint32_t made = kernel_.apply(now_ms_, c);
  recorder_.record(now_ms_, c, kernel_.answers());
  kernel_.drain([this](const decision_view &d) { take(d); });
  return made;
}

rm_session *cycle::find(std::string_view rm) {
  if (last_ != nullptr && last_->who.rm == rm) return last_;
  const auto found =
      std::find_if(sessions_.begin(), sessions_.end(), [&](const auto &one) { return one->who.rm == rm; });
  last_ = found == sessions_.end() ? nullptr : found->get();
  return last_;
}

void cycle::take(const decision_view &d) {
  if (decisions_) decisions_(format(d) + '\n');
  for (const decision_listener &listener : listeners_) listener({&d, 1}, kernel_);
  switch (d.kind()) {
    case decision_kind::rm_registered:
    case decision_kind::configured:
      outcome_.good = true;
      return;
    case decision_kind::rm_rejected:
    case decision_kind::configuration_rejected:
      outcome_ = {false, text_of(d)};
      return;
    case decision_kind::allocation_rejected:
      report_refused_ = true;
      break;
    default:
      break;
  }
  rm_session *to = find(d.rm);
  if (to == nullptr) return;
  rm_partition *where = to->partition_of(d);
  if (where == nullptr) {
    // However many names an RM makes up, their refusals have one place.
    where = &to->elsewhere;
    where->answers = &to->answer_queue_of({});
  }
  if (d.is(decision_kind::node_update_rejected) && !as_wished_) {
    const std::string line = to->who.rm + ": node '" + std::string(d.node) + "' is not changed: " + text_of(d);
    // Of a partition that is not there the kernel makes no record of events.
    where == &to->elsewhere ? note_refused_change(d.node, d.partition, line) : shared_.warn(line);
  }
  char buffer[uuid_length];
  std::string_view uuid;
  if (d.is(decision_kind::allocated) || d.is(decision_kind::released)) {
    write_allocation_uuid(d, buffer);
    uuid = {buffer, uuid_length};
  }
  if (d.is(decision_kind::allocated)) note_allocation(d, *where, uuid);
  shared_.counters.answers += writer_.write(d, kernel_, *to, *where, uuid);
  // One that the RM confirms is named by it then.
  if (const auto *gone = d.as<decided::released>(); gone != nullptr) {
    if (is_confirmed_later(gone->end))
      where->to_confirm.told(d.allocation_sequence, d.application, d.key, now_ms_);
    else
      where->forget(d.allocation_sequence, hash_of(uuid));
  }
}

void cycle::note_refused_change(std::string_view node, std::string_view partition, const std::string &line) {
  shared_.note_event({"tenon",
                      "change of a node refused",
                      std::string(node),
                      line,
                      std::string(partition),
                      {},
                      {},
                      std::string(node)});
}

// The UUID that the RM gave the allocation that was just decided to be there, of those that the command reports.
std::string_view cycle::next_reported_uuid() {
  if (const auto *node = std::get_if<add_node>(&existing_->what))
    while (next_existing_ < node->existing.size() && node->existing[next_existing_].foreign) ++next_existing_;
  return next_existing_ < existing_->uuids.size() ? existing_->uuids[next_existing_++] : std::string_view{};
}

// Keeps what a UUID stands for: the scheduler's own, and the RM's of an allocation that it reported.
void cycle::note_allocation(const decision_view &d, rm_partition &where, std::string_view uuid) {
  const named_allocation one{d.allocation_sequence, hash_of_name(d.application), hash_of_name(d.key)};
  where.named.insert_or_assign(hash_of(uuid), one);
  if (existing_ == nullptr || !std::get<decided::allocated>(d.what).existing) return;
  const std::string_view given = next_reported_uuid();
  if (given.empty() || given == uuid) return;
  where.named.insert_or_assign(hash_of(given), one);
  where.given_uuids.insert_or_assign(d.allocation_sequence, given_uuid{std::string(given), hash_of(uuid)});
}

turn_outcome cycle::turn(uint32_t max_decisions, std::optional<partition_id> only) {
  turn_outcome out;
  ++shared_.counters.turns;
  for (size_t i = 0; i < sessions_.size(); ++i) {
    note_sent_checks(*sessions_[i]);
    look_at_questions(*sessions_[i]);
    out.more |= pump(*sessions_[i]);
  }
  if (const auto due = kernel_.next_due(); due && *due <= now_ms_) apply(advance{});
  out.made = step_all(max_decisions, only);
  // A step that is full has more to do; one that made nothing waits for a change.
  out.more |= out.made != 0 && kernel_.has_work();
  out.more |= inspect_waiting();
  publish();
  // From the last: sessions may end here.
  for (size_t i = sessions_.size(); i-- > 0;) {
    const std::shared_ptr one = sessions_[i];
    tell_presence(*one);
    look_after(one);
  }
  shared_.counters.journal_bytes = recorder_.bytes();
  out.wake_at_ms = now_ms_ + shared_.limits.idle_ms;
  if (const auto due = kernel_.next_due(); due) out.wake_at_ms = std::clamp(*due, now_ms_ + 1, out.wake_at_ms);
  return out;
}

uint32_t cycle::step_all(uint32_t max_decisions, std::optional<partition_id> only) {
  if (max_decisions == 0 || !kernel_.has_work(only)) return 0;
  const auto is_stepped = [](const auto &one) {
    return one->state == rm_state::running && !one->held && !one->throttled && !one->goodbye;
  };
  const auto goes_along = [&](const auto &one) {
    return is_stepped(one) && (one->who.wants & TENON_RM_WANTS_PROPOSALS) == 0;
  };
  if (!only && std::all_of(sessions_.begin(), sessions_.end(), goes_along)) return apply(step{{}, max_decisions, {}});
  uint32_t made = 0;
  for (const auto &one : sessions_) {
    if (is_stepped(one)) made += step_apart(*one, max_decisions, only);
  }
  return made;
}

uint32_t cycle::step_apart(rm_session &one, uint32_t max_decisions, std::optional<partition_id> only) {
  uint32_t made = 0;
  for (size_t i = 0; i < one.partitions.size(); ++i) {
    const rm_partition &where = *one.partitions[i];
    if (only && where.id != *only) continue;
    // A decision proposes one placement at most.
    const uint32_t most = std::min(max_decisions, room_for_checks(one));
    if (most != 0 && kernel_.has_work(where.id)) made += apply(step{where.full_name, most, {}});
  }
  return made;
}

uint32_t cycle::room_for_checks(const rm_session &one) const {
  if ((one.who.wants & TENON_RM_WANTS_PROPOSALS) == 0) return UINT32_MAX;
  size_t open = 0;
  for (const auto &partition : one.partitions) open += kernel_.open_checks(partition->id);
  return open >= one.who.check_window ? 0 : one.who.check_window - static_cast<uint32_t>(open);
}

void cycle::note_sent_checks(rm_session &one) {
  for (size_t i = 0; i < one.partitions.size(); ++i) {
    rm_partition &where = *one.partitions[i];
    const uint64_t sent = where.unsent_checks.empty() ? 0 : where.answers->sent();
    checks_delivered given{where.full_name, 0};
    for (; !where.unsent_checks.empty() && where.unsent_checks.front().answer <= sent;
         where.unsent_checks.pop_front()) {
      const uint64_t number = where.unsent_checks.front().check;
      if (number >= reservation_question::first_number)
        note_sent_question(one, number);
      else
        given.number = number;
    }
    if (given.number != 0) apply(given);
  }
}

// What asks wait for, to RMs that want to know, where something happened since. In parts, so that others have their
// turns between them. True: some are to come.
bool cycle::inspect_waiting() {
  if (to_inspect_.empty()) begin_inspection();
  for (uint64_t looked_at = 0; !to_inspect_.empty() && looked_at < inspected_at_once;) {
    const auto &[one, partition] = to_inspect_.back();
    const rm_partition *where = one->state == rm_state::running ? one->find_partition(partition) : nullptr;
    if (where != nullptr && inspect_part_of(*where)) return true;
    looked_at += kernel_.objects_of(partition);
    to_inspect_.pop_back();
  }
  return !to_inspect_.empty();
}

void cycle::begin_inspection() {
  if (shared_.limits.inspect_ms <= 0) return;
  if (inspected_ms_ != INT64_MIN && now_ms_ - inspected_ms_ < shared_.limits.inspect_ms) return;
  const kernel_counters &counted = kernel_.counters();
  if (counted.commands == known_commands_ && counted.decisions == known_decisions_) return;
  inspected_ms_ = now_ms_;
  known_commands_ = counted.commands;
  known_decisions_ = counted.decisions;
  for (const auto &one : sessions_) {
    const bool wanted = inspects_all_ || (one->who.wants & TENON_RM_WANTS_SCHEDULING_STATES) != 0;
    if (!wanted || one->state != rm_state::running) continue;
    for (const auto &partition : one->partitions) to_inspect_.emplace_back(one, partition->id);
  }
}

// True: some are to come. What comes of it is nothing new to look at.
bool cycle::inspect_part_of(const rm_partition &where) {
  const kernel_counters before = kernel_.counters();
  const bool more = apply(inspect{where.full_name, {}, inspected_at_once}) != 0;
  known_commands_ += kernel_.counters().commands - before.commands;
  known_decisions_ += kernel_.counters().decisions - before.decisions;
  return more;
}

void cycle::publish() {
  for (const auto &one : sessions_) {
    bool any = false;
    one->each_answer_queue([&](answer_queue &answers) {
      if (!answers.has_unpublished()) return;
      answers.publish();
      any = true;
    });
    if (any) one->transport->notify();
  }
}

uint64_t cycle::waiting_requests() const {
  uint64_t out = 0;
  for (const auto &one : sessions_) out += one->waiting_requests;
  return out;
}

bool cycle::check(partition_id partition, std::string_view application, std::string_view key, std::string_view node,
                  bool allocate) {
  for (const auto &asked : sessions_) {
    const rm_partition *where = asked->find_partition(partition);
    if (where == nullptr) continue;
    if ((asked->who.wants & TENON_RM_WANTS_CHECKS) == 0 || !asked->transport->can_check()) return true;
    return asked->transport->check(*asked, where->answers->name(), application, key, node, allocate);
  }
  return true;
}

std::vector<rm_status> cycle::rms() const {
  std::vector<rm_status> out;
  for (const auto &one : sessions_) out.push_back(status_of(*one));
  return out;
}

rm_status cycle::status_of(const rm_session &one) const {
  rm_status out;
  out.id = one.who.rm;
  out.version = one.who.version;
  out.policy_group = one.who.policy_group;
  out.transport = one.transport->name();
  out.build_info = one.who.build_info;
  out.state = one.state;
  out.connected = one.presence.is_here();
  out.held = one.held;
  for (const auto &partition : one.partitions) {
    out.unconfirmed += partition->to_confirm.late();
    out.uuids += partition->named.size();
  }
  for (const reservation_question &q : one.questions.all) {
    const rm_partition *where = one.find_partition(q.partition);
    if (q.is == reservation_question::state::open && where != nullptr)
      out.asked.push_back({where->full_name, q.application, q.key, q.node});
  }
  out.throttled = one.throttled;
  out.session = one.who.id;
  out.waiting_requests = one.waiting_requests;
  out.waiting_answers = one.waiting_answers();
  out.retries = one.retries;
  out.bounds = one.bounds.all(kernel_.kept_for(one.who.rm), shared_.limits);
  out.configuration = {one.in_force, &one.in_force->text};
  out.checksum = one.in_force->config->checksum;
  for (const auto &partition : one.partitions) out.partitions.push_back(partition->full_name);
  return out;
}

}  // namespace tenon::service
