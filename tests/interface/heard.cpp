// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "rm_client.hpp"

namespace tenon::interface {
namespace {

std::string text(const tenon_text &from) {
  return from.length == 0 ? std::string() : std::string(from.data, from.length);
}

template <class Message>
const Message &as(const tenon_rm_message &m) {
  return reinterpret_cast<const Message &>(m);
}

void take(heard &out, const tenon_rm_allocation &m) {
  out.partition = text(m.partition);
  out.application = text(m.application);
  out.key = text(m.key);
  out.uuid = text(m.uuid);
  out.node = text(m.node);
  out.queue = text(m.queue);
  out.task_group = text(m.task_group);
  out.priority = m.priority.value;
  out.placeholder = m.placeholder != 0;
  out.recovered = m.recovered != 0;
  for (uint32_t i = 0; i < m.resources.count; ++i) out.resources[text(m.resources.types[i])] = m.resources.values[i];
  for (uint64_t i = 0; i < m.tags.count; ++i) out.tags[text(m.tags.names[i])] = text(m.tags.values[i]);
}

}  // namespace

heard copy_of(const tenon_rm_message &m) {
  heard out;
  out.type = m.type;
  switch (m.type) {
    case TENON_RM_ALLOCATION:
      take(out, as<tenon_rm_allocation>(m));
      break;
    case TENON_RM_RELEASE: {
      const auto &r = as<tenon_rm_release>(m);
      out.partition = text(r.partition);
      out.application = text(r.application);
      out.key = text(r.key);
      out.uuid = text(r.uuid);
      out.number = r.termination;
      out.words = text(r.words);
      out.preemptor = text(r.preemptor);
      break;
    }
    case TENON_RM_ASK_RELEASE: {
      const auto &r = as<tenon_rm_ask_release>(m);
      out.partition = text(r.partition);
      out.application = text(r.application);
      out.key = text(r.key);
      out.number = r.termination;
      out.words = text(r.words);
      break;
    }
    case TENON_RM_REJECTED_ASK:
    case TENON_RM_REJECTED_ALLOCATION: {
      const auto &r = as<tenon_rm_rejected_ask>(m);
      out.application = text(r.application);
      out.key = text(r.key);
      out.words = text(r.reason);
      break;
    }
    case TENON_RM_ACCEPTED_APPLICATION:
    case TENON_RM_REJECTED_APPLICATION:
      out.application = text(as<tenon_rm_verdict>(m).id);
      out.words = text(as<tenon_rm_verdict>(m).reason);
      break;
    case TENON_RM_ACCEPTED_NODE:
    case TENON_RM_REJECTED_NODE:
      out.node = text(as<tenon_rm_verdict>(m).id);
      out.words = text(as<tenon_rm_verdict>(m).reason);
      break;
    case TENON_RM_UPDATED_APPLICATION:
      out.application = text(as<tenon_rm_updated_application>(m).application);
      out.state = text(as<tenon_rm_updated_application>(m).state);
      out.words = text(as<tenon_rm_updated_application>(m).words);
      break;
    case TENON_RM_ASSUMED_ALLOCATION:
    case TENON_RM_FORGOTTEN_ALLOCATION:
      out.key = text(as<tenon_rm_assumption>(m).key);
      out.node = text(as<tenon_rm_assumption>(m).node);
      break;
    case TENON_RM_SCHEDULING_STATE: {
      const auto &s = as<tenon_rm_scheduling_state>(m);
      out.application = text(s.application);
      out.key = text(s.key);
      out.number = s.state;
      out.words = text(s.reason);
      break;
    }
    case TENON_RM_CONFIGURATION_ANSWER: {
      const auto &c = as<tenon_rm_configuration_answer>(m);
      out.number = c.success;
      out.words = text(c.reason);
      break;
    }
    case TENON_RM_EVENT: {
      const auto &e = as<tenon_rm_event>(m);
      if (e.of == TENON_EVENT_NODE) out.node = text(e.object);
      if (e.of == TENON_EVENT_REQUEST) out.key = text(e.object);
      if (e.of == TENON_EVENT_APPLICATION) out.application = text(e.object);
      out.number = e.change_detail;
      out.words = text(e.words);
      out.state = text(e.reason);
      break;
    }
    case TENON_RM_RECOVERY_STATE:
      out.number = as<tenon_rm_recovery_state>(m).held;
      break;
    case TENON_RM_CHECK: {
      const auto &c = as<tenon_rm_check>(m);
      out.allocate = c.allocate != 0;
      out.placeholder_key = text(c.placeholder_key);
      out.placeholder_uuid = text(c.placeholder_uuid);
      out.partition = text(c.partition);
      out.application = text(c.application);
      out.key = text(c.key);
      out.node = text(c.node);
      out.number = c.number;
      break;
    }
    case TENON_RM_CHECK_OVER: {
      const auto &c = as<tenon_rm_check_over>(m);
      out.application = text(c.application);
      out.key = text(c.key);
      out.node = text(c.node);
      out.number = c.number;
      out.words = text(c.reason);
      break;
    }
    default:
      break;
  }
  return out;
}

std::string text_of(const heard &a) {
  std::string out = std::to_string(a.type);
  for (const std::string *one :
       {&a.partition, &a.application, &a.key, &a.uuid, &a.node, &a.queue, &a.task_group, &a.words, &a.state})
    out += '|' + *one;
  for (const auto &[type, amount] : a.resources) out += '|' + type + '=' + std::to_string(amount);
  for (const auto &[name, value] : a.tags) out += '|' + name + '=' + value;
  return out + '|' + std::to_string(a.priority) + '|' + std::to_string(a.number) +
         (a.placeholder ? "|placeholder" : "");
}

}  // namespace tenon::interface
