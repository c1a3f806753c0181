// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "rm_message.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <set>

#include "check.hpp"
#include "tenon/abi/rm_answers.h"
#include "tenon/abi/rm_requests.h"

namespace tenon::conformance {
namespace {

constexpr std::string_view priority_class = "class ";

// How a member is written in a struct.
enum class form : uint8_t {
  text,
  name,     // a text without which the message says nothing
  texts32,  // a pointer, and a count of 32 bits at `second`
  pairs,
  amounts,
  priority,
  preemption,
  choice,  // of 32 bits, from 0 up to `most`
  int32,
  int64,
  number64,   // without which the message says nothing
  messages64  // a pointer to messages, and a count of 64 bits at `second`
};

struct member {
  std::string_view name;
  form as;
  size_t at, end, second = 0;
  uint32_t most = 1;
};

struct message_kind {
  uint32_t type;
  std::string_view name;
  size_t bytes;
  std::span<const member> members;
};

#define MEMBER(of, of_member, as) \
  member { #of_member, form::as, offsetof(of, of_member), offsetof(of, of_member) + sizeof(of::of_member) }
#define CHOICE(of, of_member, most) \
  member { #of_member, form::choice, offsetof(of, of_member), offsetof(of, of_member) + sizeof(of::of_member), 0, most }
#define COUNTED(of, of_member, as, count)                                                                        \
  member {                                                                                                       \
#of_member, form::as, offsetof(of, of_member), offsetof(of, of_member) + sizeof(void *), offsetof(of, count) \
  }

constexpr std::array registration_members{
    MEMBER(tenon_rm_registration, rm, name),           MEMBER(tenon_rm_registration, version, text),
    MEMBER(tenon_rm_registration, policy_group, text), MEMBER(tenon_rm_registration, build_info, pairs),
    MEMBER(tenon_rm_registration, config, text),       MEMBER(tenon_rm_registration, extra_config, pairs),
    MEMBER(tenon_rm_registration, detail, text)};
constexpr std::array configuration_members{
    MEMBER(tenon_rm_configuration, rm, name), MEMBER(tenon_rm_configuration, policy_group, text),
    MEMBER(tenon_rm_configuration, config, text), MEMBER(tenon_rm_configuration, extra_config, pairs),
    MEMBER(tenon_rm_configuration, detail, text)};
// `user_present` comes before what it is about.
constexpr std::array application_members{MEMBER(tenon_rm_application, application, name),
                                         MEMBER(tenon_rm_application, queue, text),
                                         MEMBER(tenon_rm_application, partition, name),
                                         CHOICE(tenon_rm_application, user_present, 1),
                                         MEMBER(tenon_rm_application, user, text),
                                         COUNTED(tenon_rm_application, groups, texts32, group_count),
                                         MEMBER(tenon_rm_application, tags, pairs),
                                         MEMBER(tenon_rm_application, execution_timeout_ms, int64),
                                         MEMBER(tenon_rm_application, placeholder_ask, amounts),
                                         MEMBER(tenon_rm_application, gang_style, text),
                                         MEMBER(tenon_rm_application, detail, text)};
constexpr std::array removal_members{MEMBER(tenon_rm_application_removal, application, name),
                                     MEMBER(tenon_rm_application_removal, partition, name),
                                     MEMBER(tenon_rm_application_removal, detail, text)};
constexpr std::array node_members{
    MEMBER(tenon_rm_node, node, name),        CHOICE(tenon_rm_node, action, TENON_NODE_CREATE_DRAINING),
    MEMBER(tenon_rm_node, attributes, pairs), MEMBER(tenon_rm_node, schedulable, amounts),
    MEMBER(tenon_rm_node, occupied, amounts), COUNTED(tenon_rm_node, existing, messages64, existing_count),
    MEMBER(tenon_rm_node, detail, text)};
constexpr std::array ask_members{MEMBER(tenon_rm_ask, key, name),
                                 MEMBER(tenon_rm_ask, application, name),
                                 MEMBER(tenon_rm_ask, partition, name),
                                 MEMBER(tenon_rm_ask, resources, amounts),
                                 MEMBER(tenon_rm_ask, priority, priority),
                                 MEMBER(tenon_rm_ask, execution_timeout_ms, int64),
                                 MEMBER(tenon_rm_ask, tags, pairs),
                                 MEMBER(tenon_rm_ask, task_group, text),
                                 MEMBER(tenon_rm_ask, max_allocations, int32),
                                 CHOICE(tenon_rm_ask, placeholder, 1),
                                 CHOICE(tenon_rm_ask, originator, 1),
                                 MEMBER(tenon_rm_ask, preemption, preemption),
                                 MEMBER(tenon_rm_ask, detail, text)};
constexpr std::array check_answer_members{
    MEMBER(tenon_rm_check_answer, partition, name), MEMBER(tenon_rm_check_answer, number, number64),
    CHOICE(tenon_rm_check_answer, accepted, 1), MEMBER(tenon_rm_check_answer, reason, text),
    MEMBER(tenon_rm_check_answer, detail, text)};
constexpr std::array check_again_members{
    MEMBER(tenon_rm_check_again, partition, name), MEMBER(tenon_rm_check_again, application, text),
    MEMBER(tenon_rm_check_again, key, text), MEMBER(tenon_rm_check_again, node, text),
    MEMBER(tenon_rm_check_again, detail, text)};
constexpr std::array recovery_report_members{CHOICE(tenon_rm_recovery_report, done, 1),
                                             MEMBER(tenon_rm_recovery_report, detail, text)};
constexpr std::array allocation_members{
    MEMBER(tenon_rm_allocation, key, name),          MEMBER(tenon_rm_allocation, uuid, text),
    MEMBER(tenon_rm_allocation, id, text),           MEMBER(tenon_rm_allocation, application, name),
    MEMBER(tenon_rm_allocation, partition, name),    MEMBER(tenon_rm_allocation, queue, text),
    MEMBER(tenon_rm_allocation, node, text),         MEMBER(tenon_rm_allocation, resources, amounts),
    MEMBER(tenon_rm_allocation, priority, priority), MEMBER(tenon_rm_allocation, tags, pairs),
    MEMBER(tenon_rm_allocation, task_group, text),   CHOICE(tenon_rm_allocation, placeholder, 1),
    CHOICE(tenon_rm_allocation, originator, 1),      MEMBER(tenon_rm_allocation, preemption, preemption),
    MEMBER(tenon_rm_allocation, detail, text),       CHOICE(tenon_rm_allocation, recovered, 1)};
constexpr std::array release_members{MEMBER(tenon_rm_release, partition, name),
                                     MEMBER(tenon_rm_release, application, name),
                                     MEMBER(tenon_rm_release, key, text),
                                     MEMBER(tenon_rm_release, uuid, text),
                                     MEMBER(tenon_rm_release, id, text),
                                     CHOICE(tenon_rm_release, termination, TENON_TERMINATION_FAILED),
                                     CHOICE(tenon_rm_release, what, TENON_RELEASE_ALLOCATIONS),
                                     MEMBER(tenon_rm_release, words, text),
                                     MEMBER(tenon_rm_release, detail, text),
                                     MEMBER(tenon_rm_release, preemptor, text)};
constexpr std::array ask_release_members{
    MEMBER(tenon_rm_ask_release, partition, name), MEMBER(tenon_rm_ask_release, application, name),
    MEMBER(tenon_rm_ask_release, key, text),       CHOICE(tenon_rm_ask_release, termination, TENON_TERMINATION_FAILED),
    MEMBER(tenon_rm_ask_release, words, text),     MEMBER(tenon_rm_ask_release, detail, text)};
constexpr std::array rejected_ask_members{
    MEMBER(tenon_rm_rejected_ask, key, name), MEMBER(tenon_rm_rejected_ask, application, name),
    MEMBER(tenon_rm_rejected_ask, reason, text), MEMBER(tenon_rm_rejected_ask, detail, text)};
constexpr std::array verdict_members{MEMBER(tenon_rm_verdict, id, name), MEMBER(tenon_rm_verdict, reason, text),
                                     MEMBER(tenon_rm_verdict, detail, text)};
constexpr std::array updated_application_members{
    MEMBER(tenon_rm_updated_application, application, name), MEMBER(tenon_rm_updated_application, state, text),
    MEMBER(tenon_rm_updated_application, since_ns, int64), MEMBER(tenon_rm_updated_application, words, text),
    MEMBER(tenon_rm_updated_application, detail, text)};
constexpr std::array assumption_members{MEMBER(tenon_rm_assumption, key, name), MEMBER(tenon_rm_assumption, node, text),
                                        MEMBER(tenon_rm_assumption, detail, text)};
constexpr std::array scheduling_state_members{
    MEMBER(tenon_rm_scheduling_state, application, name), MEMBER(tenon_rm_scheduling_state, key, name),
    CHOICE(tenon_rm_scheduling_state, state, TENON_SCHEDULING_FAILED), MEMBER(tenon_rm_scheduling_state, reason, text),
    MEMBER(tenon_rm_scheduling_state, detail, text)};
constexpr std::array configuration_answer_members{
    CHOICE(tenon_rm_configuration_answer, success, 1), MEMBER(tenon_rm_configuration_answer, old_config, text),
    MEMBER(tenon_rm_configuration_answer, reason, text), MEMBER(tenon_rm_configuration_answer, detail, text)};
constexpr std::array event_members{MEMBER(tenon_rm_event, object, name),
                                   MEMBER(tenon_rm_event, group, text),
                                   MEMBER(tenon_rm_event, reference, text),
                                   MEMBER(tenon_rm_event, reason, text),
                                   MEMBER(tenon_rm_event, words, text),
                                   MEMBER(tenon_rm_event, at_ns, int64),
                                   CHOICE(tenon_rm_event, of, TENON_EVENT_USER_GROUP),
                                   CHOICE(tenon_rm_event, change, 3),
                                   CHOICE(tenon_rm_event, change_detail, 302),
                                   MEMBER(tenon_rm_event, resources, amounts),
                                   MEMBER(tenon_rm_event, detail, text)};
constexpr std::array check_members{MEMBER(tenon_rm_check, partition, name),
                                   MEMBER(tenon_rm_check, number, number64),
                                   MEMBER(tenon_rm_check, application, name),
                                   MEMBER(tenon_rm_check, key, name),
                                   MEMBER(tenon_rm_check, node, name),
                                   MEMBER(tenon_rm_check, resources, amounts),
                                   MEMBER(tenon_rm_check, tags, pairs),
                                   MEMBER(tenon_rm_check, detail, text),
                                   CHOICE(tenon_rm_check, allocate, 1),
                                   MEMBER(tenon_rm_check, placeholder_key, text),
                                   MEMBER(tenon_rm_check, placeholder_uuid, text)};
constexpr std::array check_over_members{
    MEMBER(tenon_rm_check_over, partition, name),   MEMBER(tenon_rm_check_over, number, number64),
    MEMBER(tenon_rm_check_over, application, name), MEMBER(tenon_rm_check_over, key, name),
    MEMBER(tenon_rm_check_over, node, text),        MEMBER(tenon_rm_check_over, reason, text),
    MEMBER(tenon_rm_check_over, detail, text)};
constexpr std::array recovery_state_members{CHOICE(tenon_rm_recovery_state, held, 1),
                                            MEMBER(tenon_rm_recovery_state, detail, text)};

#define KIND(type, of, members) \
  message_kind { type, #of, sizeof(of), members }
constexpr std::array kinds{
    KIND(TENON_RM_REGISTRATION, tenon_rm_registration, registration_members),
    KIND(TENON_RM_CONFIGURATION, tenon_rm_configuration, configuration_members),
    KIND(TENON_RM_APPLICATION, tenon_rm_application, application_members),
    KIND(TENON_RM_APPLICATION_REMOVAL, tenon_rm_application_removal, removal_members),
    KIND(TENON_RM_NODE, tenon_rm_node, node_members),
    KIND(TENON_RM_ASK, tenon_rm_ask, ask_members),
    KIND(TENON_RM_CHECK_ANSWER, tenon_rm_check_answer, check_answer_members),
    KIND(TENON_RM_CHECK_AGAIN, tenon_rm_check_again, check_again_members),
    KIND(TENON_RM_RECOVERY_REPORT, tenon_rm_recovery_report, recovery_report_members),
    KIND(TENON_RM_ALLOCATION, tenon_rm_allocation, allocation_members),
    KIND(TENON_RM_RELEASE, tenon_rm_release, release_members),
    KIND(TENON_RM_ASK_RELEASE, tenon_rm_ask_release, ask_release_members),
    KIND(TENON_RM_REJECTED_ASK, tenon_rm_rejected_ask, rejected_ask_members),
    KIND(TENON_RM_REJECTED_ALLOCATION, tenon_rm_rejected_ask, rejected_ask_members),
    KIND(TENON_RM_REJECTED_APPLICATION, tenon_rm_verdict, verdict_members),
    KIND(TENON_RM_ACCEPTED_APPLICATION, tenon_rm_verdict, verdict_members),
    KIND(TENON_RM_UPDATED_APPLICATION, tenon_rm_updated_application, updated_application_members),
    KIND(TENON_RM_REJECTED_NODE, tenon_rm_verdict, verdict_members),
    KIND(TENON_RM_ACCEPTED_NODE, tenon_rm_verdict, verdict_members),
    KIND(TENON_RM_ASSUMED_ALLOCATION, tenon_rm_assumption, assumption_members),
    KIND(TENON_RM_FORGOTTEN_ALLOCATION, tenon_rm_assumption, assumption_members),
    KIND(TENON_RM_SCHEDULING_STATE, tenon_rm_scheduling_state, scheduling_state_members),
    KIND(TENON_RM_CONFIGURATION_ANSWER, tenon_rm_configuration_answer, configuration_answer_members),
    KIND(TENON_RM_EVENT, tenon_rm_event, event_members),
    KIND(TENON_RM_CHECK, tenon_rm_check, check_members),
    KIND(TENON_RM_CHECK_OVER, tenon_rm_check_over, check_over_members),
    KIND(TENON_RM_RECOVERY_STATE, tenon_rm_recovery_state, recovery_state_members),
};
#undef KIND
#undef COUNTED
#undef CHOICE
#undef MEMBER

const message_kind *find_message(uint32_t type) {
  const auto found = std::find_if(kinds.begin(), kinds.end(), [&](const message_kind &k) { return k.type == type; });
  return found == kinds.end() ? nullptr : &*found;
}

template <class Value>
Value read_at(const void *from, size_t at) {
  Value out{};
  std::memcpy(&out, static_cast<const char *>(from) + at, sizeof out);  // NOLINT(bugprone-sizeof-expression)
  return out;
}

template <class Value>
void write_at(void *to, size_t at, const Value &value) {
  std::memcpy(static_cast<char *>(to) + at, &value, sizeof value);  // NOLINT(bugprone-sizeof-expression)
}

std::string text_of(const tenon_text &text) {
  return text.length == 0 ? std::string() : std::string(text.data, text.length);
}

std::string words_of(const tenon_rm_pairs &pairs) {
  std::string out;
  for (uint64_t i = 0; i < pairs.count; ++i) out += text_of(pairs.names[i]) + "=" + text_of(pairs.values[i]) + "; ";
  return out;
}

std::string words_of(const tenon_rm_amounts &amounts) {
  if (amounts.present == 0) return {};
  std::string out = "sent: ";
  for (uint32_t i = 0; i < amounts.count; ++i)
    out += text_of(amounts.types[i]) + "=" + std::to_string(amounts.values[i]) + "; ";
  return out;
}

std::string words_of(const tenon_rm_priority &priority) {
  switch (priority.kind) {
    case TENON_PRIORITY_ABSENT:
      return {};
    case TENON_PRIORITY_VALUE:
      return priority.value == 0 ? std::string() : "value " + std::to_string(priority.value);  // that of none
    case TENON_PRIORITY_CLASS:
      return std::string(priority_class) + text_of(priority.name);
    default:
      return "empty";
  }
}

std::string words_of(const tenon_rm_preemption &preemption) {
  if (preemption.present == 0) return {};
  return "self " + std::to_string(preemption.allow_self) + ", other " + std::to_string(preemption.allow_other);
}

std::string number_words(int64_t value) { return value == 0 ? std::string() : std::to_string(value); }

// Empty: absent.
std::string words_of_member(const void *of, const member &one) {
  switch (one.as) {
    case form::text:
    case form::name:
      return text_of(read_at<tenon_text>(of, one.at));
    case form::texts32: {
      const auto *texts = read_at<const tenon_text *>(of, one.at);
      std::string out;
      for (uint32_t i = 0; i < read_at<uint32_t>(of, one.second); ++i) out += text_of(texts[i]) + "; ";
      return out;
    }
    case form::pairs:
      return words_of(read_at<tenon_rm_pairs>(of, one.at));
    case form::amounts:
      return words_of(read_at<tenon_rm_amounts>(of, one.at));
    case form::priority:
      return words_of(read_at<tenon_rm_priority>(of, one.at));
    case form::preemption:
      return words_of(read_at<tenon_rm_preemption>(of, one.at));
    case form::choice:
      return number_words(read_at<uint32_t>(of, one.at));
    case form::int32:
      return number_words(read_at<int32_t>(of, one.at));
    case form::int64:
    case form::number64:
      return number_words(read_at<int64_t>(of, one.at));
    case form::messages64:
      return {};  // which have members of their own
  }
  return {};
}

}  // namespace

std::string_view message_name(uint32_t type) {
  const message_kind *kind = find_message(type);
  return kind == nullptr ? std::string_view() : kind->name;
}

std::span<const uint32_t> request_types() {
  static constexpr std::array types{TENON_RM_CONFIGURATION,  TENON_RM_APPLICATION,
                                    TENON_RM_NODE,           TENON_RM_ASK,
                                    TENON_RM_ALLOCATION,     TENON_RM_RELEASE,
                                    TENON_RM_ASK_RELEASE,    TENON_RM_CHECK_ANSWER,
                                    TENON_RM_CHECK_AGAIN,    TENON_RM_APPLICATION_REMOVAL,
                                    TENON_RM_RECOVERY_REPORT};
  return types;
}

std::span<const uint32_t> answer_types() {
  static constexpr std::array types{TENON_RM_ALLOCATION,
                                    TENON_RM_RELEASE,
                                    TENON_RM_ASK_RELEASE,
                                    TENON_RM_REJECTED_ASK,
                                    TENON_RM_REJECTED_ALLOCATION,
                                    TENON_RM_REJECTED_APPLICATION,
                                    TENON_RM_ACCEPTED_APPLICATION,
                                    TENON_RM_UPDATED_APPLICATION,
                                    TENON_RM_REJECTED_NODE,
                                    TENON_RM_ACCEPTED_NODE,
                                    TENON_RM_ASSUMED_ALLOCATION,
                                    TENON_RM_FORGOTTEN_ALLOCATION,
                                    TENON_RM_SCHEDULING_STATE,
                                    TENON_RM_CONFIGURATION_ANSWER,
                                    TENON_RM_EVENT,
                                    TENON_RM_CHECK,
                                    TENON_RM_CHECK_OVER,
                                    TENON_RM_RECOVERY_STATE};
  return types;
}

read_message read_values(const tenon_rm_message *message) {
  read_message out{message->type, {}};
  const message_kind *kind = find_message(message->type);
  if (kind == nullptr) return out;
  for (const member &one : kind->members) {
    if (message->size < one.end) continue;
    if (one.as == form::messages64) {
      const auto *inner = read_at<const tenon_rm_message *const *>(message, one.at);
      for (uint64_t i = 0; i < read_at<uint64_t>(message, one.second); ++i) {
        const std::string before =
            std::string(one.name) + "[" + std::to_string(i) + "]." + std::string(message_name(inner[i]->type)) + ".";
        const read_message part = read_values(inner[i]);
        for (const auto &[name, words] : part.values) out.values.emplace(before + name, words);
      }
      continue;
    }
    if (std::string words = words_of_member(message, one); !words.empty())
      out.values.emplace(one.name, std::move(words));
  }
  return out;
}

bool member_list::has(std::string_view name) const {
  return std::find(names_.begin(), names_.end(), name) != names_.end();
}

std::string difference(const read_message &want, const read_message &have, const member_list &lacks) {
  const std::string name(message_name(want.type));
  if (want.type != have.type) return "want " + name + ", have " + std::string(message_name(have.type));
  std::set<std::string, std::less<>> members;
  for (const message_values *values : {&want.values, &have.values}) {
    for (const auto &[member, value] : *values) members.insert(member);
  }
  const auto value = [](const message_values &of, const std::string &member) {
    const auto found = of.find(member);
    return found == of.end() ? std::string() : found->second;
  };
  for (const std::string &member : members) {
    // Of "existing[0].tenon_rm_allocation.tags" the members of that message count, where there are such messages.
    const size_t inner = member.find("].");
    std::string of = name;
    of.append(".").append(member);
    if (inner != std::string::npos) {
      if (lacks.has(name + "." + member.substr(0, member.find('[')))) continue;
      of = member.substr(inner + 2);
    }
    if (lacks.has(name) || lacks.has(of)) continue;
    const std::string wanted = value(want.values, member), had = value(have.values, member);
    if (wanted == had) continue;
    if (wanted.starts_with(priority_class) && lacks.has(of.append(".name"))) continue;
    std::string out = name;
    out.append(".").append(member).append(": want '").append(wanted, 0, 200);
    return out.append("', have '").append(had, 0, 200).append("'");
  }
  return {};
}

// What the pointers of a message point to.
struct made_message::parts {
  std::deque<std::string> texts;
  std::deque<std::vector<tenon_text>> lists;
  std::deque<std::vector<int64_t>> numbers;
  std::deque<made_message> messages;
  std::deque<std::vector<const tenon_rm_message *>> message_lists;

  tenon_text text(std::string value) {
    const std::string &kept = texts.emplace_back(std::move(value));
    return {kept.data(), kept.size()};
  }
  std::vector<tenon_text> &list(std::vector<std::string> values) {
    std::vector<tenon_text> &out = lists.emplace_back();
    for (std::string &value : values) out.push_back(text(std::move(value)));
    return out;
  }
};

made_message::made_message(uint32_t type, fullness how, const std::string &key, const std::string &detail, dice &d)
    : parts_(std::make_shared<parts>()) {
  const message_kind *kind = find_message(type);
  if (kind == nullptr) probe::fail("there is no message of type " + std::to_string(type));
  struct_.resize(kind->bytes);
  void *to = struct_.data();
  write_at(to, 0, static_cast<uint32_t>(kind->bytes));
  write_at(to, sizeof(uint32_t), type);
  bool user = true;
  for (const member &one : kind->members) {
    const bool of_user = one.name == "user" || one.name == "groups";
    const bool wanted = how == fullness::full || (how == fullness::some && d.chance(50));
    if (one.name == "user_present") user = wanted;
    // What was accepted needs no reason.
    const bool accepted = type == TENON_RM_ACCEPTED_APPLICATION || type == TENON_RM_ACCEPTED_NODE;
    if (accepted && one.name == "reason") continue;
    if (one.as != form::name && one.as != form::number64 && (!wanted || (of_user && !user))) continue;
    const std::string named = std::string(one.name) + "-" + key;
    switch (one.as) {
      case form::name:
      case form::text: {
        std::string value = one.name == "detail" ? detail : one.name == "partition" ? "default" : named;
        if (d.chance(20) && one.as == form::text && one.name != "detail") value += " \xC3\xA4\xF0\x9F\x98\x80\n\"'";
        write_at(to, one.at, parts_->text(std::move(value)));
        break;
      }
      case form::texts32: {
        const auto &list = parts_->list({named + "-2", named + "-1", named + "-3"});
        write_at(to, one.at, list.data());
        write_at(to, one.second, static_cast<uint32_t>(list.size()));
        break;
      }
      case form::pairs: {
        const auto &names = parts_->list({"a/" + named, "b", "c.d/\xC3\xA9"});
        const auto &values = parts_->list({named, "", std::string(300, 'v')});
        write_at(to, one.at, tenon_rm_pairs{names.data(), values.data(), names.size()});
        break;
      }
      case form::amounts: {
        const auto &types = parts_->list({"memory", "nvidia.com/gpu", "vcore"});
        auto &values = parts_->numbers.emplace_back();
        for (size_t i = 0; i < types.size(); ++i) values.push_back(static_cast<int64_t>(d.next() >> (1 + d.below(60))));
        write_at(to, one.at, tenon_rm_amounts{types.data(), values.data(), static_cast<uint32_t>(types.size()), 1});
        break;
      }
      case form::priority: {
        const bool number = d.chance(50);
        tenon_rm_priority priority{};
        priority.kind = number ? TENON_PRIORITY_VALUE : TENON_PRIORITY_CLASS;
        if (number) priority.value = 1 + static_cast<int32_t>(d.below(INT32_MAX));
        if (!number) priority.name = parts_->text(named);
        write_at(to, one.at, priority);
        break;
      }
      case form::preemption:
        write_at(to, one.at,
                 tenon_rm_preemption{1, static_cast<uint32_t>(d.below(2)), static_cast<uint32_t>(d.below(2)), 0});
        break;
      case form::choice:
        write_at(to, one.at, static_cast<uint32_t>(1 + d.below(one.most)));
        break;
      case form::int32:
        write_at(to, one.at, static_cast<int32_t>(1 + d.below(INT32_MAX)));
        break;
      case form::int64:
      case form::number64:
        write_at(to, one.at, static_cast<int64_t>(1 + (d.next() >> 2)));
        break;
      case form::messages64: {
        auto &list = parts_->message_lists.emplace_back();
        for (const char *which : {"-x", "-y"}) {
          list.push_back(parts_->messages.emplace_back(TENON_RM_ALLOCATION, how, key + which, detail, d).get());
        }
        write_at(to, one.at, list.data());
        write_at(to, one.second, static_cast<uint64_t>(list.size()));
        break;
      }
    }
  }
}

void made_message::set(std::string_view name, std::string value) {
  for (const member &one : find_message(get()->type)->members) {
    if (one.name != name) continue;
    write_at(struct_.data(), one.at, parts_->text(std::move(value)));
    return;
  }
  probe::fail(std::string(message_name(get()->type)) + " has no member " + std::string(name));
}

}  // namespace tenon::conformance
