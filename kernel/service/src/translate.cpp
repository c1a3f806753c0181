// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "translate.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>

#include "tenon/abi/rm_requests.h"
#include "tenon/kernel/names.hpp"
#include "tenon/kernel/partition_name.hpp"
#include "tenon/kernel/states.hpp"
#include "tenon/sdk/interface_names.hpp"
#include "tenon/service/ignored_settings.hpp"
#include "tenon/text/letters.hpp"

namespace tenon::service {
namespace {

constexpr std::string_view default_partition = "default";
constexpr uint64_t most_entries = 4'096;                                         // of a list of tags, amounts or groups
constexpr uint64_t least_allocation = offsetof(tenon_rm_allocation, recovered);  // what follows is for answers
constexpr uint64_t least_release = offsetof(tenon_rm_release, preemptor);        // the same
constexpr std::string_view allow_preemption_tag = "yunikorn.apache.org/allowPreemption";
constexpr std::string_view required_node_tag = "yunikorn.apache.org/requiredNode";

constexpr uint64_t bytes_of_queue = 3'072;  // of a configuration that was read, by and large

std::string number(uint64_t n) { return std::to_string(n); }

uint64_t count_queues(const queue_config &of) {
  uint64_t out = 1;
  for (const queue_config &child : of.queues) out += count_queues(child);
  return out;
}

const named_text *find(texts tags, std::string_view key) {
  const auto found = std::find_if(tags.begin(), tags.end(), [&](const named_text &tag) { return tag.key == key; });
  return found == tags.end() ? nullptr : &*found;
}

std::string_view value_of(texts tags, std::string_view key) {
  const named_text *tag = find(tags, key);
  return tag == nullptr ? std::string_view() : tag->value;
}

int64_t count_in(std::string_view text) {
  int64_t out = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), out);
  return failed == std::errc() && end == text.data() + text.size() && out > 0 ? out : 0;
}

int64_t creation_ms(texts tags) {
  const int64_t seconds = count_in(value_of(tags, interface_names::creation_time));
  return seconds > INT64_MAX / 1000 ? 0 : seconds * 1000;
}

struct kind_of_message {
  uint32_t type;
  std::string_view name;
  uint64_t size;
};
constexpr kind_of_message kinds[] = {
    {TENON_RM_CONFIGURATION, "configuration", sizeof(tenon_rm_configuration)},
    {TENON_RM_APPLICATION, "application", sizeof(tenon_rm_application)},
    {TENON_RM_APPLICATION_REMOVAL, "application removal", sizeof(tenon_rm_application_removal)},
    {TENON_RM_NODE, "node", sizeof(tenon_rm_node)},
    {TENON_RM_ASK, "ask", sizeof(tenon_rm_ask)},
    {TENON_RM_CHECK_ANSWER, "answer to a check", sizeof(tenon_rm_check_answer)},
    {TENON_RM_CHECK_AGAIN, "check again", sizeof(tenon_rm_check_again)},
    {TENON_RM_ALLOCATION, "allocation", least_allocation},
    {TENON_RM_RELEASE, "release", least_release},
    {TENON_RM_ASK_RELEASE, "ask release", sizeof(tenon_rm_ask_release)},
    {TENON_RM_RECOVERY_REPORT, "recovery report", sizeof(tenon_rm_recovery_report)},
};

}  // namespace

template <class Message>
const Message &translator::as(const tenon_rm_message &message) const {
  return reinterpret_cast<const Message &>(message);
}

// Returns " 'pod-7'" for a message about something with a name that can be shown; else nothing.
std::string translator::subject(const tenon_rm_message &message) const {
  const tenon_text *of = message.type == TENON_RM_APPLICATION  ? &as<tenon_rm_application>(message).application
                         : message.type == TENON_RM_NODE       ? &as<tenon_rm_node>(message).node
                         : message.type == TENON_RM_ASK        ? &as<tenon_rm_ask>(message).key
                         : message.type == TENON_RM_ALLOCATION ? &as<tenon_rm_allocation>(message).key
                                                               : nullptr;
  if (of == nullptr || of->data == nullptr || of->length == 0 || of->length > limits_.max_name) return {};
  const std::string_view shown(of->data, of->length);
  const bool plain = std::none_of(shown.begin(), shown.end(), is_control);
  return plain ? " '" + std::string(shown) + "'" : std::string();
}

std::optional<std::string> translator::add(const tenon_rm_message *message) {
  if (message == nullptr) return "want a message, have none";
  const auto kind =
      std::find_if(std::begin(kinds), std::end(kinds), [&](const auto &one) { return one.type == message->type; });
  if (kind == std::end(kinds))
    return "message of type " + number(message->type) +
           ": want a request of an RM; answers are the scheduler's to send";
  if (message->size < kind->size)
    return std::string(kind->name) + ": want a message of " + number(kind->size) + " bytes, have " +
           number(message->size) + "; compile with the headers of this release";
  const size_t before = to_.requests.size();
  names_partition_ = false;
  try {
    switch (message->type) {
      case TENON_RM_CONFIGURATION:
        configuration(as<tenon_rm_configuration>(*message));
        break;
      case TENON_RM_APPLICATION:
        application(as<tenon_rm_application>(*message));
        break;
      case TENON_RM_APPLICATION_REMOVAL:
        removal(as<tenon_rm_application_removal>(*message));
        break;
      case TENON_RM_NODE:
        node(as<tenon_rm_node>(*message));
        break;
      case TENON_RM_ASK:
        ask(as<tenon_rm_ask>(*message));
        break;
      case TENON_RM_CHECK_ANSWER:
        check_answered(as<tenon_rm_check_answer>(*message));
        break;
      case TENON_RM_CHECK_AGAIN:
        check_anew(as<tenon_rm_check_again>(*message));
        break;
      case TENON_RM_RECOVERY_REPORT:
        recovery(as<tenon_rm_recovery_report>(*message));
        break;
      case TENON_RM_ALLOCATION:
        allocation(as<tenon_rm_allocation>(*message));
        break;
      case TENON_RM_RELEASE:
        release(as<tenon_rm_release>(*message));
        break;
      default:
        ask_release(as<tenon_rm_ask_release>(*message));
    }
  } catch (const problem &why) {
    to_.requests.resize(before);
    return std::string(kind->name) + subject(*message) + ": " + why.text;
  }
  for (size_t i = before; i < to_.requests.size(); ++i) to_.requests[i].names_partition = names_partition_;
  to_.bytes += (to_.requests.size() - before) * sizeof(request);
  return std::nullopt;
}

std::string_view translator::text(const tenon_text &from, std::string_view what) {
  if (from.length == 0) return {};
  if (from.data == nullptr) throw problem{std::string(what) + " has a length and no data"};
  if (from.length > limits_.max_text)
    throw problem{std::string(what) + ": want at most " + number(limits_.max_text) + " bytes, have " +
                  number(from.length) + "; shorten it, or raise requests.max_text of the deployment"};
  to_.bytes += from.length;
  return to_.memory.copy({from.data, from.length});
}

std::string_view translator::name(const tenon_text &from, std::string_view what) {
  if (from.length > limits_.max_name)
    throw problem{std::string(what) + ": want at most " + number(limits_.max_name) + " bytes, have " +
                  number(from.length) + "; use a shorter name, or raise requests.max_name of the deployment"};
  const std::string_view out = text(from, what);
  const auto bad = std::find_if(out.begin(), out.end(), is_control);
  if (bad != out.end())
    throw problem{std::string(what) + ": want a name without control characters, have one at byte " +
                  number(static_cast<uint64_t>(bad - out.begin())) + "; leave it out"};
  return out;
}

// Plain outside, [rm]name inside. A batch is mostly about one partition.
std::string_view translator::partition(std::string_view plain) {
  names_partition_ |= !plain.empty();
  if (plain.empty()) plain = default_partition;
  if (plain.find_first_of(partition_brackets) != std::string_view::npos)
    throw problem{"partition: want a plain name, have one with a bracket; leave out [RM], which the scheduler adds"};
  if (!last_partition_.empty() && plain == last_plain_) return last_partition_;
  const std::span<char> full = array_of<char>(full_partition_length(rm_, plain));
  write_full_partition_name(rm_, plain, full);
  last_partition_ = {full.data(), full.size()};
  last_plain_ = plain_partition(last_partition_);
  return last_partition_;
}

amounts translator::amounts_of(const tenon_rm_amounts &from, std::string_view what) {
  if (from.count == 0) return {};
  if (from.types == nullptr || from.values == nullptr || from.count > most_entries)
    throw problem{std::string(what) + ": want a list of at most " + number(most_entries) + " amounts, have " +
                  number(from.count) + " entries" +
                  (from.types == nullptr || from.values == nullptr ? " and no list" : "")};
  const auto out = array_of<named_amount>(from.count);
  for (uint32_t i = 0; i < from.count; ++i) {
    out[i] = {name(from.types[i], what), from.values[i]};
    if (out[i].type.empty())
      throw problem{std::string(what) + ": want a type for each amount, have one without; name it, as vcore"};
  }
  return out;
}

texts translator::pairs_of(const tenon_rm_pairs &from, std::string_view what) {
  if (from.count == 0) return {};
  if (from.names == nullptr || from.values == nullptr || from.count > most_entries)
    throw problem{std::string(what) + ": want a list of at most " + number(most_entries) + " pairs, have " +
                  number(from.count) + " entries" +
                  (from.names == nullptr || from.values == nullptr ? " and no list" : "")};
  const auto out = array_of<named_text>(from.count);
  for (uint64_t i = 0; i < from.count; ++i) out[i] = {text(from.names[i], what), text(from.values[i], what)};
  return out;
}

void translator::application(const tenon_rm_application &m) {
  add_application out;
  out.partition = partition(name(m.partition, "partition"));
  out.application = name(m.application, "application");
  out.queue = name(m.queue, "queue");
  out.tags = pairs_of(m.tags, "tags");
  out.execution_timeout_ms = std::max<int64_t>(m.execution_timeout_ms, 0);
  out.placeholder_ask = amounts_of(m.placeholder_ask, "placeholder ask");
  const std::string_view style = text(m.gang_style, "gang style");
  out.hard_gang = style.size() == 4 && lower_case(style) == "hard";
  request item;
  if (m.user_present != 0) {
    out.user = name(m.user, "user");
    if (m.group_count > most_entries || (m.group_count != 0 && m.groups == nullptr))
      throw problem{"groups: want a list of at most " + number(most_entries) + " names, have " + number(m.group_count) +
                    "; send fewer"};
    const auto groups = array_of<std::string_view>(m.group_count);
    for (uint32_t i = 0; i < m.group_count; ++i) groups[i] = name(m.groups[i], "group");
    out.groups = groups;
    item.wants_groups = groups.empty() && !out.user.empty();
  }
  item.forced = lower_case(value_of(out.tags, interface_names::create_force)) == "true";
  item.what = out;
  to_.requests.push_back(item);
}

void translator::removal(const tenon_rm_application_removal &m) {
  const std::string_view where = partition(name(m.partition, "partition"));
  to_.requests.push_back({remove_application{where, name(m.application, "application")}, {}, {}});
}

void translator::priority(const tenon_rm_priority &from, put_ask &to) {
  if (from.kind > TENON_PRIORITY_EMPTY)
    throw problem{"priority: want a known kind, have " + number(from.kind) + "; send a value or the name of a class"};
  if (from.kind == TENON_PRIORITY_VALUE) to.priority = from.value;
  if (from.kind == TENON_PRIORITY_CLASS) to.priority_class = name(from.name, "priority class");
}

void translator::from_tags(put_ask &to, const tenon_rm_preemption &preemption) {
  to.create_time_ms = creation_ms(to.tags);
  to.required_node = value_of(to.tags, required_node_tag);
  if (const named_text *tag = find(to.tags, allow_preemption_tag))
    to.allow_preempt_self = lower_case(tag->value) != "false";
  if (const named_text *tag = find(to.tags, preempt_other_tag))
    to.allow_preempt_other = lower_case(tag->value) == "true";
  if (preemption.present == 0) return;
  to.allow_preempt_self = preemption.allow_self != 0;
  to.allow_preempt_other = preemption.allow_other != 0;
}

void translator::ask(const tenon_rm_ask &m) {
  put_ask out;
  out.partition = partition(name(m.partition, "partition"));
  out.application = name(m.application, "application");
  out.key = name(m.key, "key");
  out.resources = amounts_of(m.resources, "resources");
  out.max_allocations = m.max_allocations;
  priority(m.priority, out);
  out.execution_timeout_ms = std::max<int64_t>(m.execution_timeout_ms, 0);
  out.tags = pairs_of(m.tags, "tags");
  out.task_group = name(m.task_group, "task group");
  out.placeholder = m.placeholder != 0;
  out.originator = m.originator != 0;
  from_tags(out, m.preemption);
  to_.requests.push_back({out, {}, {}});
}

existing_allocation translator::existing(const tenon_rm_allocation &m, std::string_view partition_name) {
  existing_allocation out;
  out.ask.partition = partition_name;
  out.ask.application = name(m.application, "application");
  out.ask.key = name(m.key, "key");
  out.ask.resources = amounts_of(m.resources, "resources");
  priority(m.priority, out.ask);
  out.ask.tags = pairs_of(m.tags, "tags");
  out.ask.task_group = name(m.task_group, "task group");
  out.ask.placeholder = m.placeholder != 0;
  out.ask.originator = m.originator != 0;
  from_tags(out.ask, m.preemption);
  out.bind_time_ms = count_in(value_of(out.ask.tags, bind_time_tag));
  out.detail = value_of(out.ask.tags, devices_tag);
  out.foreign = find(out.ask.tags, interface_names::foreign) != nullptr;
  if (out.foreign) out.ask.application = {};
  return out;
}

void translator::allocation(const tenon_rm_allocation &m) {
  const std::string_view where = partition(name(m.partition, "partition"));
  put_allocation out{where, name(m.node, "node"), existing(m, where)};
  if (out.node.empty() && !out.allocation.foreign) {
    to_.requests.push_back({out.allocation.ask, {}, {}});
    to_.requests.back().as_allocation = true;
    return;
  }
  const auto uuids = array_of<std::string_view>(1);
  uuids[0] = name(m.uuid.length != 0 ? m.uuid : m.id, "UUID");
  to_.requests.push_back({out, {}, uuids});
}

void translator::node(const tenon_rm_node &m) {
  const texts attributes = pairs_of(m.attributes, "attributes");
  const std::string_view where = partition(value_of(attributes, interface_names::node_partition));
  const std::string_view id = name(m.node, "node");
  if (m.action == TENON_NODE_CREATE || m.action == TENON_NODE_CREATE_DRAINING) {
    if (m.existing_count > (uint64_t{1} << 20) || (m.existing_count != 0 && m.existing == nullptr))
      throw problem{"existing allocations: want a list of at most 1048576, have " + number(m.existing_count) +
                    "; report the rest as allocations of their own"};
    const auto all = array_of<existing_allocation>(m.existing_count);
    const auto uuids = array_of<std::string_view>(m.existing_count);
    for (uint64_t i = 0; i < m.existing_count; ++i) {
      const tenon_rm_message *one = m.existing[i];
      if (one == nullptr || one->type != TENON_RM_ALLOCATION || one->size < least_allocation)
        throw problem{"existing allocation " + number(i) + ": want an allocation; send what runs there, with its node"};
      const auto &given = as<tenon_rm_allocation>(*one);
      all[i] = existing(given, where);
      uuids[i] = name(given.uuid.length != 0 ? given.uuid : given.id, "UUID");
    }
    to_.requests.push_back(
        {add_node{where, id, amounts_of(m.schedulable, "schedulable resources"),
                  amounts_of(m.occupied, "occupied resources"), attributes, m.action == TENON_NODE_CREATE, all},
         {},
         uuids});
    return;
  }
  if (m.action == TENON_NODE_UPDATE) {
    update_node out{where, id, {}, {}, attributes};
    out.capacity = amounts_of(m.schedulable, "schedulable resources");
    out.occupied = amounts_of(m.occupied, "occupied resources");
    out.has_capacity = m.schedulable.present != 0;
    out.has_occupied = m.occupied.present != 0;
    out.has_attributes = m.attributes.count != 0;
    to_.requests.push_back({out, {}, {}});
    return;
  }
  constexpr uint8_t unknown = 255;
  const node_event event = m.action == TENON_NODE_DRAIN     ? node_event::drain
                           : m.action == TENON_NODE_UNDRAIN ? node_event::undrain
                                                            : node_event::decommission;
  const bool known =
      m.action == TENON_NODE_DRAIN || m.action == TENON_NODE_UNDRAIN || m.action == TENON_NODE_DECOMMISSION;
  to_.requests.push_back({change_node{where, id, known ? static_cast<uint8_t>(event) : unknown}, {}, {}});
}

void translator::release(const tenon_rm_release &m) {
  constexpr termination meaning[] = {termination::unknown,
                                     termination::stopped_by_rm,
                                     termination::timeout,
                                     termination::preempted_by_scheduler,
                                     termination::placeholder_replaced,
                                     termination::scheduling_failed};
  if (m.termination >= std::size(meaning))
    throw problem{"termination: want a known one, have " + number(m.termination) +
                  "; send STOPPED_BY_RM for a wish, or what the scheduler said for a confirmation"};
  tenon::release out;
  const std::string_view plain = name(m.partition, "partition");
  out.partition = partition(plain);
  out.application = name(m.application, "application");
  out.key = name(m.key, "key");
  const std::string_view uuid = name(m.uuid.length != 0 ? m.uuid : m.id, "UUID");
  if (out.application.empty() && out.key.empty() && uuid.empty() && plain.empty())
    throw problem{
        "want a partition, where all of its applications are to be released, have none; name it, or the application"};
  out.why = meaning[m.termination];
  if (m.what > TENON_RELEASE_ALLOCATIONS)
    throw problem{"what to release: want a known number, have " + number(m.what) + "; leave it out for all"};
  const bool wish = out.why == termination::unknown || out.why == termination::stopped_by_rm;
  const bool with_asks = wish && uuid.empty() && m.what == TENON_RELEASE_ALL;
  out.what = with_asks ? release_what::both : release_what::allocations;
  to_.requests.push_back({out, uuid, {}});
}

void translator::ask_release(const tenon_rm_ask_release &m) {
  tenon::release out;
  const std::string_view plain = name(m.partition, "partition");
  out.partition = partition(plain);
  out.application = name(m.application, "application");
  out.key = name(m.key, "key");
  if (out.application.empty() && out.key.empty() && plain.empty())
    throw problem{"want a partition, where all of its asks are to be released, have none; name it, or the application"};
  out.what = release_what::asks;
  to_.requests.push_back({out, {}, {}});
}

void translator::check_answered(const tenon_rm_check_answer &m) {
  const std::string_view where = partition(name(m.partition, "partition"));
  to_.requests.push_back({check_answer{where, m.number, m.accepted != 0, text(m.reason, "reason")}, {}, {}});
}

void translator::check_anew(const tenon_rm_check_again &m) {
  const std::string_view where = partition(name(m.partition, "partition"));
  to_.requests.push_back(
      {check_again{where, name(m.application, "application"), name(m.key, "key"), name(m.node, "node")}, {}, {}});
}

void translator::recovery(const tenon_rm_recovery_report &m) {
  request item;
  item.recovery_report = true;
  item.recovery_done = m.done != 0;
  to_.requests.push_back(item);
}

void translator::configuration(const tenon_rm_configuration &m) {
  if (m.config.length > limits_.max_config || (m.config.length != 0 && m.config.data == nullptr))
    throw problem{"want at most " + number(limits_.max_config) + " bytes, have " + number(m.config.length) +
                  "; send less, or raise requests.max_config of the deployment"};
  to_.bytes += m.config.length;
  to_.configurations.push_back(read_(name(m.policy_group, "policy group"), view_of(m.config)));
  to_.configurations.back().ignored = malformed_settings(m.extra_config);
  if (const auto &config = to_.configurations.back().config)
    for (const partition_config &one : config->partitions) to_.bytes += bytes_of_queue * count_queues(one.root);
  request item;
  item.what = configure{rm_, to_.configurations.back().config.get()};
  item.attachment = static_cast<uint32_t>(to_.configurations.size());
  to_.requests.push_back(item);
}

}  // namespace tenon::service
