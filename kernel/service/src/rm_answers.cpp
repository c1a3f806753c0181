// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "rm_answers.hpp"

#include <algorithm>
#include <array>

#include "tenon/kernel/state_tables.hpp"
#include "translate.hpp"

namespace tenon::service {
namespace {

using kind = decision_kind;
constexpr std::array rules{
    answer_rule{kind::rm_registered, 0, 0, 0, "whoever registers it"},
    answer_rule{kind::rm_rejected, 0, 0, 0, "whoever registers it"},
    answer_rule{kind::configured, TENON_RM_CONFIGURATION_ANSWER, 0, 0, "whoever reloads, if no RM asked for it"},
    answer_rule{kind::configuration_rejected, TENON_RM_CONFIGURATION_ANSWER, 0, 0,
                "whoever reloads, if no RM asked for it"},
    answer_rule{kind::application_accepted, TENON_RM_ACCEPTED_APPLICATION},
    answer_rule{kind::application_rejected, TENON_RM_REJECTED_APPLICATION},
    answer_rule{kind::application_state, TENON_RM_UPDATED_APPLICATION},
    answer_rule{kind::ask_rejected, TENON_RM_REJECTED_ASK},
    answer_rule{kind::ask_released, TENON_RM_ASK_RELEASE},
    answer_rule{kind::allocated, TENON_RM_ALLOCATION, TENON_RM_ASSUMED_ALLOCATION, TENON_RM_WANTS_ASSUMPTIONS},
    answer_rule{kind::released, TENON_RM_RELEASE, TENON_RM_FORGOTTEN_ALLOCATION, TENON_RM_WANTS_ASSUMPTIONS},
    answer_rule{kind::allocation_rejected, TENON_RM_REJECTED_ALLOCATION},
    answer_rule{kind::node_accepted, TENON_RM_ACCEPTED_NODE},
    answer_rule{kind::node_rejected, TENON_RM_REJECTED_NODE},
    answer_rule{kind::node_update_rejected, 0, 0, 0, "events and the log"},
    answer_rule{kind::reserved, 0, TENON_RM_SCHEDULING_STATE, TENON_RM_WANTS_SCHEDULING_STATES, "events"},
    answer_rule{kind::unreserved, 0, 0, 0, "events"},
    answer_rule{kind::container_state, 0, TENON_RM_SCHEDULING_STATE, TENON_RM_WANTS_SCHEDULING_STATES, "events"},
    answer_rule{kind::proposed, 0, TENON_RM_CHECK, TENON_RM_WANTS_PROPOSALS, "events"},
    answer_rule{kind::undone, 0, TENON_RM_CHECK_OVER, TENON_RM_WANTS_PROPOSALS, "events"},
    answer_rule{kind::canary_back, 0, 0, 0, "events"},
};

constexpr bool in_order() {
  for (size_t i = 0; i < rules.size(); ++i)
    if (rules[i].kind != static_cast<kind>(i)) return false;
  return true;
}
static_assert(in_order(), "the table is indexed by the kind");

tenon_text text(std::string_view from) { return {from.data(), from.size()}; }
tenon_text copied(std::string_view from, arena &memory) { return text(memory.copy(from)); }

// The key of the ask for which a victim of preemption ends; empty if it ends for none.
std::string_view preemptor_of(const decision_view &d) {
  const reason *why = reason_of(d);
  const bool for_ask =
      why != nullptr && (why->why == cause::preempted_for_ask || why->why == cause::preempted_for_daemon);
  return for_ask ? why->about : std::string_view();
}

template <class Message>
Message header(uint32_t type) {
  Message out{};
  out.size = sizeof out;
  out.type = type;
  return out;
}

template <class Message>
void send(answer_queue &to, arena &memory, const Message &message) {
  to.add(reinterpret_cast<const tenon_rm_message &>(memory.make(message)));
}

tenon_rm_amounts sorted_amounts(std::vector<named_amount> &from, arena &memory) {
  std::sort(from.begin(), from.end(), [](const auto &a, const auto &b) { return a.type < b.type; });
  const auto types = memory.array<tenon_text>(from.size());
  const auto values = memory.array<int64_t>(from.size());
  for (size_t i = 0; i < from.size(); ++i) {
    types[i] = copied(from[i].type, memory);
    values[i] = from[i].amount;
  }
  return {types.data(), values.data(), static_cast<uint32_t>(from.size()), 1};
}

// The ask's tags and what the scheduler says of the allocation: on which devices it runs, that it ran already.
tenon_rm_pairs tags_of(const std::vector<named_text> &from, std::string_view devices, bool existing, arena &memory) {
  static_assert(devices_tag < recovered_tag, "by name in the order of bytes");
  constexpr std::string_view after_all = "\xff";
  const named_text own[] = {{devices_tag, devices}, {recovered_tag, existing ? "true" : ""}};
  const auto names = memory.array<tenon_text>(from.size() + std::size(own));
  const auto values = memory.array<tenon_text>(from.size() + std::size(own));
  size_t at = 0;
  const auto put = [&](const named_text &tag) {
    names[at] = copied(tag.key, memory);
    values[at++] = copied(tag.value, memory);
  };
  const named_text *next = std::begin(own);
  const auto put_own_before = [&](std::string_view key) {
    for (; next != std::end(own) && next->key < key; ++next)
      if (!next->value.empty()) put(*next);
  };
  for (const named_text &tag : from) {
    put_own_before(tag.key);
    // The RM may have sent back what it was told, of an allocation that is another one now.
    const bool said_anew = tag.key == recovered_tag || (tag.key == devices_tag && !devices.empty());
    if (!said_anew) put(tag);
  }
  put_own_before(after_all);
  return {names.data(), values.data(), at};
}

std::string_view name_of(const decision_view &d, const rm_partition &where, std::string_view uuid) {
  if (where.given_uuids.empty()) return uuid;
  const auto given = where.given_uuids.find(d.allocation_sequence);
  return given == where.given_uuids.end() ? uuid : std::string_view(given->second.text);
}

// `of` names the application, the key and the node.
template <class Answer, class Named>
Answer about_check(uint32_t type, const rm_partition &where, uint64_t number, const Named &of) {
  arena &memory = where.answers->memory();
  auto out = header<Answer>(type);
  out.partition = text(where.answers->name());
  out.number = number;
  out.application = copied(of.application, memory);
  out.key = copied(of.key, memory);
  out.node = copied(of.node, memory);
  return out;
}

}  // namespace

const answer_rule &answer_rule_of(decision_kind kind) { return rules[static_cast<size_t>(kind)]; }

uint32_t number_of(termination why) {
  switch (why) {
    case termination::stopped_by_rm:
      return TENON_TERMINATION_STOPPED_BY_RM;
    case termination::timeout:
      return TENON_TERMINATION_TIMEOUT;
    case termination::preempted_by_scheduler:
      return TENON_TERMINATION_PREEMPTED;
    case termination::placeholder_replaced:
      return TENON_TERMINATION_REPLACED;
    case termination::scheduling_failed:
      return TENON_TERMINATION_FAILED;
    case termination::unknown:
      break;
  }
  return TENON_TERMINATION_UNKNOWN;
}

uint32_t answer_writer::write(const decision_view &d, const kernel &state, rm_session &to, rm_partition &where,
                              std::string_view uuid) {
  const answer_rule &rule = answer_rule_of(d.kind());
  const auto *placed = d.as<decided::allocated>();
  const bool existing = placed != nullptr && placed->existing;
  uint32_t made = rule.message == 0 ? 0 : 1;
  // What the RM reported itself it counts already, and it waited for nothing.
  if (rule.wanted != 0 && (to.who.wants & rule.wants) != 0 && !existing) {
    ++made;
    if (rule.wanted == TENON_RM_SCHEDULING_STATE)
      scheduling_state(d, where);
    else if (rule.wanted == TENON_RM_CHECK)
      check(d, state, where);
    else if (rule.wanted == TENON_RM_CHECK_OVER)
      check_over(d, where);
    else
      assumption(d, where, rule.wanted);
  }
  switch (rule.message) {
    case TENON_RM_ALLOCATION:
      allocation(d, state, where, uuid);
      break;
    case TENON_RM_RELEASE:
      release(d, where, uuid);
      break;
    case TENON_RM_ASK_RELEASE:
      if (to.asks_by_allocations)
        release(d, where, {});
      else
        ask_release(d, where);
      break;
    case TENON_RM_REJECTED_ASK:
      rejected_ask(d, where, to.asks_by_allocations ? TENON_RM_REJECTED_ALLOCATION : TENON_RM_REJECTED_ASK);
      break;
    case TENON_RM_REJECTED_ALLOCATION:
      rejected_ask(d, where, rule.message);
      break;
    case TENON_RM_UPDATED_APPLICATION:
      application_state(d, where);
      break;
    case TENON_RM_ACCEPTED_APPLICATION:
    case TENON_RM_REJECTED_APPLICATION:
    case TENON_RM_ACCEPTED_NODE:
    case TENON_RM_REJECTED_NODE:
      verdict(d, where, rule.message);
      break;
    default:
      break;
  }
  if (placed != nullptr && !existing && (to.who.wants & TENON_RM_WANTS_SCHEDULING_STATES) != 0) {
    scheduling_state(d, where);
    ++made;
  }
  return made;
}

void answer_writer::allocation(const decision_view &d, const kernel &state, const rm_partition &where,
                               std::string_view uuid) {
  arena &memory = where.answers->memory();
  auto out = header<tenon_rm_allocation>(TENON_RM_ALLOCATION);
  out.key = copied(d.key, memory);
  out.uuid = out.id = copied(name_of(d, where, uuid), memory);
  out.application = copied(d.application, memory);
  out.partition = text(where.answers->name());
  out.queue = copied(d.queue, memory);
  out.node = copied(d.node, memory);
  out.placeholder = d.placeholder ? 1 : 0;
  const auto &placed = std::get<decided::allocated>(d.what);
  out.recovered = placed.existing ? 1 : 0;
  if (state.describe(d, placement_)) {
    out.resources = sorted_amounts(placement_.resources, memory);
    out.tags = tags_of(placement_.tags, placed.devices, placed.existing, memory);
    out.task_group = copied(placement_.task_group, memory);
    out.originator = placement_.originator ? 1 : 0;
    out.preemption = {1, placement_.allow_preempt_self ? 1U : 0U, placement_.allow_preempt_other ? 1U : 0U, 0};
    if (placement_.priority_class.empty())
      out.priority = {TENON_PRIORITY_VALUE, placement_.priority, {}};
    else
      out.priority = {TENON_PRIORITY_CLASS, placement_.priority, copied(placement_.priority_class, memory)};
  }
  send(*where.answers, memory, out);
}

void answer_writer::release(const decision_view &d, const rm_partition &where, std::string_view uuid) {
  arena &memory = where.answers->memory();
  auto out = header<tenon_rm_release>(TENON_RM_RELEASE);
  out.partition = text(where.answers->name());
  out.application = copied(d.application, memory);
  out.key = copied(d.key, memory);
  out.uuid = out.id = copied(name_of(d, where, uuid), memory);
  out.termination = number_of(*end_of(d));
  out.words = copied(text_of(d, words_), memory);
  out.preemptor = copied(preemptor_of(d), memory);
  send(*where.answers, memory, out);
}

void answer_writer::ask_release(const decision_view &d, const rm_partition &where) {
  arena &memory = where.answers->memory();
  auto out = header<tenon_rm_ask_release>(TENON_RM_ASK_RELEASE);
  out.partition = text(where.answers->name());
  out.application = copied(d.application, memory);
  out.key = copied(d.key, memory);
  out.termination = number_of(*end_of(d));
  out.words = copied(text_of(d, words_), memory);
  send(*where.answers, memory, out);
}

void answer_writer::rejected_ask(const decision_view &d, const rm_partition &where, uint32_t type) {
  arena &memory = where.answers->memory();
  auto out = header<tenon_rm_rejected_ask>(type);
  out.key = copied(d.key, memory);
  out.application = copied(d.application, memory);
  out.reason = copied(text_of(d, words_), memory);
  send(*where.answers, memory, out);
}

void answer_writer::verdict(const decision_view &d, const rm_partition &where, uint32_t type) {
  arena &memory = where.answers->memory();
  auto out = header<tenon_rm_verdict>(type);
  const bool of_node = type == TENON_RM_ACCEPTED_NODE || type == TENON_RM_REJECTED_NODE;
  const bool refused = type == TENON_RM_REJECTED_NODE || type == TENON_RM_REJECTED_APPLICATION;
  out.id = copied(of_node ? d.node : d.application, memory);
  if (refused) out.reason = copied(text_of(d, words_), memory);
  send(*where.answers, memory, out);
}

void answer_writer::application_state(const decision_view &d, const rm_partition &where) {
  constexpr int64_t ns_per_ms = 1'000'000;
  arena &memory = where.answers->memory();
  auto out = header<tenon_rm_updated_application>(TENON_RM_UPDATED_APPLICATION);
  out.application = copied(d.application, memory);
  const auto &now = std::get<decided::application_state>(d.what);
  out.state = text(tenon::name(now.state));
  out.words = copied(now.message, memory);
  out.since_ns = d.now_ms > INT64_MAX / ns_per_ms ? INT64_MAX : d.now_ms * ns_per_ms;
  send(*where.answers, memory, out);
}

void answer_writer::scheduling_state(const decision_view &d, const rm_partition &where) {
  arena &memory = where.answers->memory();
  auto out = header<tenon_rm_scheduling_state>(TENON_RM_SCHEDULING_STATE);
  out.application = copied(d.application, memory);
  out.key = copied(d.key, memory);
  if (d.is(kind::allocated)) {
    out.state = TENON_SCHEDULING_SCHEDULED;
  } else if (d.is(kind::reserved)) {
    out.state = TENON_SCHEDULING_RESERVED;
    out.reason = text("a node is kept for it");
  } else if (std::get<decided::container_state>(d.what).skipped) {
    out.state = TENON_SCHEDULING_SKIPPED;
    out.reason = text("a limit of its queue, user or group holds it");
  } else {
    out.state = TENON_SCHEDULING_FAILED;
    out.reason = text("request is waiting for cluster resources become available");
  }
  send(*where.answers, memory, out);
}

void answer_writer::check(const decision_view &d, const kernel &state, rm_partition &where) {
  arena &memory = where.answers->memory();
  auto out = about_check<tenon_rm_check>(TENON_RM_CHECK, where, d.allocation_sequence, d);
  out.allocate = 1;
  if (state.describe(d, placement_)) {
    out.resources = sorted_amounts(placement_.resources, memory);
    out.tags = tags_of(placement_.tags, devices_of(d), false, memory);
    out.allocate = placement_.in_place ? 0 : 1;
    if (placement_.replaces != 0) {
      decision_view placeholder = d;
      placeholder.key = placement_.replaces_key;
      placeholder.allocation_sequence = placement_.replaces;
      char buffer[uuid_length];
      write_allocation_uuid(placeholder, buffer);
      out.placeholder_key = copied(placeholder.key, memory);
      out.placeholder_uuid = copied(name_of(placeholder, where, {buffer, uuid_length}), memory);
    }
  }
  send(*where.answers, memory, out);
  where.unsent_checks.push_back({where.answers->last_number(), out.number});
}

void answer_writer::check_over(const decision_view &d, const rm_partition &where) {
  arena &memory = where.answers->memory();
  auto out = about_check<tenon_rm_check_over>(TENON_RM_CHECK_OVER, where, d.allocation_sequence, d);
  out.reason = copied(text_of(d, words_), memory);
  send(*where.answers, memory, out);
}

void answer_writer::question(const reservation_question &asked, const kernel &state, rm_partition &where) {
  arena &memory = where.answers->memory();
  auto out = about_check<tenon_rm_check>(TENON_RM_CHECK, where, asked.number, asked);
  if (describe_ask(state, asked.partition, asked.application, asked.key, placement_)) {
    out.resources = sorted_amounts(placement_.resources, memory);
    out.tags = tags_of(placement_.tags, {}, false, memory);
  }
  send(*where.answers, memory, out);
  where.unsent_checks.push_back({where.answers->last_number(), out.number});
}

void answer_writer::question_over(const reservation_question &asked, std::string_view reason,
                                  const rm_partition &where) {
  arena &memory = where.answers->memory();
  auto out = about_check<tenon_rm_check_over>(TENON_RM_CHECK_OVER, where, asked.number, asked);
  out.reason = copied(reason, memory);
  send(*where.answers, memory, out);
}

void answer_writer::assumption(const decision_view &d, const rm_partition &where, uint32_t type) {
  arena &memory = where.answers->memory();
  auto out = header<tenon_rm_assumption>(type);
  out.key = copied(d.key, memory);
  if (type == TENON_RM_ASSUMED_ALLOCATION) out.node = copied(d.node, memory);
  send(*where.answers, memory, out);
}

void answer_configuration(rm_session &to, bool success, std::string_view reason, std::string_view old_config) {
  answer_queue &wide = to.answer_queue_of({});
  arena &memory = wide.memory();
  auto out = header<tenon_rm_configuration_answer>(TENON_RM_CONFIGURATION_ANSWER);
  out.success = success ? 1 : 0;
  out.reason = copied(reason, memory);
  out.old_config = copied(old_config, memory);
  send(wide, memory, out);
}

void answer_event(rm_session &to, const tenon_rm_event &event) {
  answer_queue &wide = to.answer_queue_of({});
  arena &memory = wide.memory();
  const auto of = [&](const tenon_text &from) { return copied(view_of(from), memory); };
  tenon_rm_event out = event;
  out.size = sizeof out;
  out.object = of(event.object);
  out.group = of(event.group);
  out.reference = of(event.reference);
  out.reason = of(event.reason);
  out.words = of(event.words);
  out.detail = {};
  const auto types = memory.array<tenon_text>(event.resources.count);
  const auto values = memory.array<int64_t>(event.resources.count);
  for (uint32_t i = 0; i < event.resources.count; ++i) {
    types[i] = of(event.resources.types[i]);
    values[i] = event.resources.values[i];
  }
  out.resources.types = types.data();
  out.resources.values = values.data();
  send(wide, memory, out);
}

void answer_foreign(answer_queue &to, const put_allocation &reported, std::string_view uuid) {
  arena &memory = to.memory();
  const put_ask &ask = reported.allocation.ask;
  auto out = header<tenon_rm_allocation>(TENON_RM_ALLOCATION);
  out.key = copied(ask.key, memory);
  out.uuid = out.id = copied(uuid, memory);
  out.partition = text(to.name());
  out.node = copied(reported.node, memory);
  out.recovered = 1;
  std::vector<named_amount> amounts(ask.resources.begin(), ask.resources.end());
  out.resources = sorted_amounts(amounts, memory);
  std::vector<named_text> tags(ask.tags.begin(), ask.tags.end());
  std::stable_sort(tags.begin(), tags.end(), [](const auto &a, const auto &b) { return a.key < b.key; });
  out.tags = tags_of(tags, {}, true, memory);
  out.priority = {TENON_PRIORITY_VALUE, ask.priority, {}};
  send(to, memory, out);
}

void answer_recovery(rm_session &to) {
  answer_queue &wide = to.answer_queue_of({});
  auto out = header<tenon_rm_recovery_state>(TENON_RM_RECOVERY_STATE);
  out.held = to.held ? 1 : 0;
  send(wide, wide.memory(), out);
}

void answer_refused_application(answer_queue &to, std::string_view application, std::string_view reason) {
  arena &memory = to.memory();
  auto out = header<tenon_rm_verdict>(TENON_RM_REJECTED_APPLICATION);
  out.id = copied(application, memory);
  out.reason = copied(reason, memory);
  send(to, memory, out);
}

void answer_refused_ask(answer_queue &to, const put_ask &ask, std::string_view reason, bool as_allocation) {
  arena &memory = to.memory();
  auto out = header<tenon_rm_rejected_ask>(as_allocation ? TENON_RM_REJECTED_ALLOCATION : TENON_RM_REJECTED_ASK);
  out.key = copied(ask.key, memory);
  out.application = copied(ask.application, memory);
  out.reason = copied(reason, memory);
  send(to, memory, out);
}

void answer_refused_node(answer_queue &to, std::string_view node, std::string_view reason) {
  arena &memory = to.memory();
  auto out = header<tenon_rm_verdict>(TENON_RM_REJECTED_NODE);
  out.id = copied(node, memory);
  out.reason = copied(reason, memory);
  send(to, memory, out);
}

}  // namespace tenon::service
