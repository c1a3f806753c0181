// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "simulate/dump.hpp"

#include <boost/json.hpp>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "tenon/kernel/state_tables.hpp"

namespace tenon::cli {
namespace {

namespace json = boost::json;

// describe(archive, record) names every member of a record once, for writing and for reading.

template <class Archive, class S>
void describe(Archive &a, S &s) requires std::is_same_v<std::remove_const_t<S>, queue_snapshot> {
  a("path", s.path), a("state", s.state), a("leaf", s.leaf), a("managed", s.managed), a("allocated", s.allocated),
      a("pending", s.pending), a("preempting", s.preempting), a("guaranteed", s.guaranteed), a("max", s.max),
      a("properties", s.properties), a("running_apps", s.running_apps), a("max_running_apps", s.max_running_apps),
      a("current_priority", s.current_priority);
}

template <class Archive, class S>
void describe(Archive &a, S &s) requires std::is_same_v<std::remove_const_t<S>, allocation_snapshot> {
  a("key", s.key), a("application", s.application), a("node", s.node), a("sequence", s.sequence),
      a("resources", s.resources), a("priority", s.priority), a("placeholder", s.placeholder),
      a("preempted", s.preempted), a("released", s.released), a("originator", s.originator),
      a("task_group", s.task_group), a("state", s.state), a("create_time_ms", s.create_time_ms),
      a("bind_time_ms", s.bind_time_ms), a("detail", s.detail);
}

template <class Archive, class S>
void describe(Archive &a, S &s) requires std::is_same_v<std::remove_const_t<S>, ask_snapshot> {
  a("key", s.key), a("resources", s.resources), a("priority", s.priority), a("pending_count", s.pending_count),
      a("max_allocations", s.max_allocations), a("placeholder", s.placeholder), a("task_group", s.task_group),
      a("required_node", s.required_node), a("create_time_ms", s.create_time_ms), a("state", s.state),
      a("blocker", s.blocker);
}

template <class Archive, class S>
void describe(Archive &a, S &s) requires std::is_same_v<std::remove_const_t<S>, placeholder_snapshot> {
  a("task_group", s.task_group), a("count", s.count), a("replaced", s.replaced), a("timed_out", s.timed_out);
}

template <class Archive, class S>
void describe(Archive &a, S &s) requires std::is_same_v<std::remove_const_t<S>, application_snapshot> {
  a("id", s.id), a("queue", s.queue), a("user", s.user), a("groups", s.groups), a("state", s.state),
      a("state_log", s.state_log), a("allocated", s.allocated), a("placeholders", s.placeholders),
      a("pending", s.pending), a("asks", s.asks), a("allocations", s.allocations), a("reservations", s.reservations),
      a("placeholder_data", s.placeholder_data), a("message", s.message), a("submitted_ms", s.submitted_ms),
      a("started_ms", s.started_ms), a("finished_ms", s.finished_ms);
}

template <class Archive, class S>
void describe(Archive &a, S &s) requires std::is_same_v<std::remove_const_t<S>, node_snapshot> {
  a("id", s.id), a("schedulable", s.schedulable), a("capacity", s.capacity), a("allocated", s.allocated),
      a("occupied", s.occupied), a("available", s.available), a("devices", s.devices), a("attributes", s.attributes),
      a("allocations", s.allocations), a("reservations", s.reservations);
}

template <class Archive, class S>
void describe(Archive &a, S &s) requires std::is_same_v<std::remove_const_t<S>, usage_snapshot> {
  a("name", s.name), a("queue", s.queue), a("usage", s.usage), a("running", s.running);
}

template <class Archive, class S>
void describe(Archive &a, S &s) requires std::is_same_v<std::remove_const_t<S>, partition_snapshot> {
  a("name", s.name), a("state", s.state), a("node_sort_policy", s.node_sort_policy), a("capacity", s.capacity),
      a("used", s.used), a("allocations", s.allocations), a("queues", s.queues), a("nodes", s.nodes),
      a("applications", s.applications), a("ended", s.ended), a("users", s.users), a("groups", s.groups);
}

template <class Archive, class S>
void describe(Archive &a, S &s) requires std::is_same_v<std::remove_const_t<S>, kernel_snapshot> {
  a("now_ms", s.now_ms), a("partitions", s.partitions);
}

struct writer {
  json::object out;

  template <class T>
  void operator()(std::string_view key, const T &value) {
    out[key] = write(value);
  }

  static json::value write(const std::string &s) { return json::string(s); }
  template <class T>
  requires std::is_arithmetic_v<T>
  static json::value write(T n) { return json::value(n); }
  template <machine_state S>
  static json::value write(S state) {
    return json::string(name(state));
  }
  template <class T>
  static json::value write(const std::optional<T> &value) {
    return value ? write(*value) : json::value(nullptr);
  }
  template <class T>
  static json::value write(const std::map<std::string, T> &map) {
    json::object object;
    for (const auto &[key, value] : map) object[key] = write(value);
    return object;
  }
  template <class A, class B>
  static json::value write(const std::pair<A, B> &pair) {
    return json::array{write(pair.first), write(pair.second)};
  }
  template <class T>
  static json::value write(const std::vector<T> &list) {
    json::array array;
    array.reserve(list.size());
    for (const T &item : list) array.push_back(write(item));
    return array;
  }
  template <class S>
  requires requires(writer &w, const S &s) { describe(w, s); }
  static json::value write(const S &record) {
    writer inner;
    describe(inner, record);
    return std::move(inner.out);
  }
};

// Throws boost::system::system_error or std::invalid_argument where a value has not the type of its member.
struct reader {
  const json::object &in;

  template <class T>
  void operator()(std::string_view key, T &value) {
    if (const json::value *found = in.if_contains(key)) read(*found, value);
  }

  static void read(const json::value &from, std::string &to) { to = from.as_string(); }
  static void read(const json::value &from, bool &to) { to = from.as_bool(); }
  template <class T>
  requires std::is_integral_v<T>
  static void read(const json::value &from, T &to) { to = from.to_number<T>(); }
  template <machine_state S>
  static void read(const json::value &from, S &to) {
    const std::string_view wanted = from.as_string();
    const auto &names = machine<S>::state_names;
    for (size_t i = 0; i < names.size(); ++i) {
      if (names[i] != wanted) continue;
      to = static_cast<S>(i);
      return;
    }
    throw std::invalid_argument("'" + std::string(wanted) + "' is no state of " + std::string(machine<S>::title));
  }
  template <class T>
  static void read(const json::value &from, std::optional<T> &to) {
    if (!from.is_null()) read(from, to.emplace());
  }
  template <class T>
  static void read(const json::value &from, std::map<std::string, T> &to) {
    for (const auto &entry : from.as_object()) read(entry.value(), to[std::string(entry.key())]);
  }
  template <class A, class B>
  static void read(const json::value &from, std::pair<A, B> &to) {
    read(from.as_array().at(0), to.first);
    read(from.as_array().at(1), to.second);
  }
  template <class T>
  static void read(const json::value &from, std::vector<T> &to) {
    for (const json::value &item : from.as_array()) read(item, to.emplace_back());
  }
  template <class S>
  requires requires(reader &r, S &s) { describe(r, s); }
  static void read(const json::value &from, S &to) {
    reader inner{from.as_object()};
    describe(inner, to);
  }
};

}  // namespace

std::string to_json(const kernel_snapshot &state) { return json::serialize(writer::write(state)); }

result<kernel_snapshot> read_dump(std::string_view text) {
  try {
    kernel_snapshot out;
    reader::read(json::parse(text), out);
    return out;
  } catch (const std::exception &e) {
    return refusal{"dump", "JSON as --dump writes it", e.what(), "write the dump again"};
  }
}

}  // namespace tenon::cli
