// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "tenon/json/state_json.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "describe_rms.hpp"
#include "tenon/kernel/state_tables.hpp"

namespace tenon::state_json {
namespace {

namespace json = boost::json;

constexpr std::array<std::string_view, 3> past_uses{"used", "preempted", "placeholder"};

template <class T>
concept named_kind =
    std::is_same_v<T, obstacle_kind> || std::is_same_v<T, change_kind> || std::is_same_v<T, change_outcome>;

class writer {
 public:
  explicit writer(const style &how) : how_(how) {}

  template <class S>
  json::object record(const S &of) {
    describer<S> inner{*this, {}};
    describe(inner, of);
    return std::move(inner.out);
  }

 private:
  template <class S>
  struct describer {
    writer &by;
    json::object out;

    template <class T>
    void operator()(std::string_view key, const T &value) {
      constexpr std::string_view record = record_name<S>;
      const auto is_it = [&](const auto &one) { return one.key == key && one.record == record; };
      if (std::any_of(by.how_.without.begin(), by.how_.without.end(), is_it)) return;
      json::value made = by.value(value);
      if (made.is_null() && !by.how_.nulls) return;
      for (const old_key &one : by.how_.old_keys)
        if (is_it(one)) out[one.before] = made;
      out[key] = std::move(made);
    }
  };

  json::value value(const std::string &s) { return json::string(s); }
  template <class T>
  requires std::is_arithmetic_v<T> json::value value(T n) { return json::value(n); }
  template <machine_state S>
  json::value value(S state) {
    return json::string(name(state));
  }
  template <named_kind K>
  json::value value(K kind) {
    return json::string(name(kind));
  }
  json::value value(past_use_kind kind) { return json::string(past_uses[static_cast<size_t>(kind)]); }
  template <class T>
  json::value value(const std::optional<T> &one) {
    return one ? value(*one) : json::value(nullptr);
  }
  template <class T>
  json::value value(const std::map<std::string, T> &map) {
    json::object object;
    for (const auto &[key, one] : map) object[key] = value(one);
    return object;
  }
  template <machine_state S>
  json::value value(const std::map<S, uint64_t> &map) {
    json::object object;
    for (const auto &[state, count] : map) object[name(state)] = count;
    return object;
  }
  template <class T>
  json::value value(const std::vector<std::pair<std::string, T>> &map) {
    json::object object;
    for (const auto &[key, one] : map) object[key] = value(one);
    return object;
  }
  template <machine_state S>
  json::value value(const std::vector<std::pair<int64_t, S>> &log) {
    json::array array;
    for (const auto &[at_ms, state] : log) array.push_back(json::array{at_ms, name(state)});
    return array;
  }
  json::value value(const std::vector<service::rm_bound> &bounds) {
    json::object object;
    for (const service::rm_bound &one : bounds) object[one.what] = record(one);
    return object;
  }
  template <class T>
  json::value value(const std::vector<T> &list) {
    json::array array;
    array.reserve(list.size());
    for (const T &item : list) array.push_back(value(item));
    return array;
  }
  template <class S>
  requires requires(describer<S> &d, const S &s) { describe(d, s); }
  json::value value(const S &of) { return record(of); }

  const style &how_;
};

// Throws boost::system::system_error or std::invalid_argument where a value has not the type of its member.
struct reader {
  const json::object &in;

  template <class T>
  void operator()(std::string_view key, T &value) {
    if (const json::value *found = in.if_contains(key)) read(*found, value);
  }

  template <class Names>
  static size_t place_of(std::string_view wanted, const Names &names, std::string_view of) {
    const auto found = std::find(names.begin(), names.end(), wanted);
    if (found == names.end())
      throw std::invalid_argument("'" + std::string(wanted) + "' is no state of " + std::string(of));
    return static_cast<size_t>(found - names.begin());
  }
  template <machine_state S>
  static S state(std::string_view wanted) {
    return static_cast<S>(place_of(wanted, machine<S>::state_names, machine<S>::title));
  }

  static void read(const json::value &from, std::string &to) { to = from.as_string(); }
  static void read(const json::value &from, bool &to) { to = from.as_bool(); }
  template <class T>
  requires std::is_arithmetic_v<T>
  static void read(const json::value &from, T &to) { to = from.to_number<T>(); }
  template <machine_state S>
  static void read(const json::value &from, S &to) {
    to = state<S>(from.as_string());
  }
  static void read(const json::value &from, past_use_kind &to) {
    to = static_cast<past_use_kind>(place_of(from.as_string(), past_uses, "past use"));
  }
  template <class T>
  static void read(const json::value &from, std::optional<T> &to) {
    if (!from.is_null()) read(from, to.emplace());
  }
  template <class T>
  static void read(const json::value &from, std::map<std::string, T> &to) {
    for (const auto &entry : from.as_object()) read(entry.value(), to[std::string(entry.key())]);
  }
  template <machine_state S>
  static void read(const json::value &from, std::map<S, uint64_t> &to) {
    for (const auto &entry : from.as_object()) read(entry.value(), to[state<S>(entry.key())]);
  }
  template <class T>
  static void read(const json::value &from, std::vector<std::pair<std::string, T>> &to) {
    for (const auto &entry : from.as_object()) {
      auto &one = to.emplace_back();
      one.first = entry.key();
      read(entry.value(), one.second);
    }
  }
  template <machine_state S>
  static void read(const json::value &from, std::vector<std::pair<int64_t, S>> &to) {
    for (const json::value &item : from.as_array()) {
      auto &one = to.emplace_back();
      read(item.as_array().at(0), one.first);
      read(item.as_array().at(1), one.second);
    }
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

json::object write(const kernel_snapshot &of, const style &how) { return writer(how).record(of); }
json::object write(const partition_snapshot &of, const style &how) { return writer(how).record(of); }
json::object write(const queue_snapshot &of, const style &how) { return writer(how).record(of); }
json::object write(const application_snapshot &of, const style &how) { return writer(how).record(of); }
json::object write(const allocation_snapshot &of, const style &how) { return writer(how).record(of); }
json::object write(const node_snapshot &of, const style &how) { return writer(how).record(of); }
json::object write(const service::rm_status &of, const style &how) { return writer(how).record(of); }
json::object write(const explanation &of, const style &how) { return writer(how).record(of); }

result<kernel_snapshot> read_state(std::string_view text) {
  try {
    kernel_snapshot out;
    reader::read(json::parse(text), out);
    return out;
  } catch (const std::exception &e) {
    return refusal{"dump", "JSON as --dump writes it", e.what(), "write the dump again"};
  }
}

}  // namespace tenon::state_json
