// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "tenon/observe/what_if_json.hpp"

#include <algorithm>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include "tenon/config/problems.hpp"
#include "tenon/json/state_json.hpp"
#include "tenon/kernel/quantity.hpp"

namespace tenon::observe {
namespace {

namespace json = boost::json;
using config::in_quotes;

constexpr std::array<std::string_view, 7> application_fields{"application", "queue", "user", "groups",
                                                             "tags",        "gang",  "asks"};
constexpr std::array<std::string_view, 10> ask_fields{"key",
                                                      "resources",
                                                      "count",
                                                      "priority",
                                                      "priority_class",
                                                      "tags",
                                                      "task_group",
                                                      "required_node",
                                                      "allow_preempt_other",
                                                      "allow_preempt_self"};

struct refused : std::exception {
  explicit refused(refusal w) : why(std::move(w)) {}
  refusal why;
};

void check_members(const json::object &from, std::span<const std::string_view> known, const std::string &where) {
  for (const auto &entry : from) {
    if (std::find(known.begin(), known.end(), entry.key()) != known.end()) continue;
    std::string all;
    for (const std::string_view one : known) all += (all.empty() ? "" : ", ") + std::string(one);
    throw refused(
        {where, "members that a question has: " + all, in_quotes(entry.key()), config::suggestion(entry.key(), known)});
  }
}

// The members of an object that is at `where` of a question.
class members {
 public:
  members(const json::value &of, std::string where) : where_(std::move(where)) {
    if (!of.is_object()) throw refused(no_value(where_, "an object", of));
    of_ = &of.as_object();
  }
  members(const json::object &of, std::string where) : of_(&of), where_(std::move(where)) {}

  [[nodiscard]] const json::object &all() const { return *of_; }
  [[nodiscard]] const std::string &where() const { return where_; }
  [[nodiscard]] std::string place(std::string_view key) const {
    return (where_.empty() ? std::string() : where_ + '.') + shown(key);
  }

  void read(std::string_view key, std::string &to) const {
    if (const json::value *found = of_->if_contains(key)) to = text_of(*found, place(key));
  }
  void read(std::string_view key, bool &to) const {
    const json::value *found = of_->if_contains(key);
    if (found == nullptr) return;
    if (!found->is_bool()) throw refused(no_value(place(key), "true or false", *found));
    to = found->as_bool();
  }
  template <class Number>
  requires std::is_integral_v<Number>
  void read(std::string_view key, Number &to) const {
    if (const json::value *found = of_->if_contains(key)) to = number_of<Number>(*found, place(key));
  }
  void read(std::string_view key, std::map<std::string, std::string> &to) const {
    const json::value *found = of_->if_contains(key);
    if (found == nullptr) return;
    for (const auto &entry : members(*found, place(key)).all())
      to[std::string(entry.key())] = text_of(entry.value(), place(key) + '.' + shown(entry.key()));
  }
  // A refusal of an element has its place.
  template <class Take>
  void each(std::string_view key, Take &&take) const {
    const json::value *found = of_->if_contains(key);
    if (found == nullptr) return;
    if (!found->is_array()) throw refused(no_value(place(key), "a list", *found));
    size_t i = 0;
    for (const json::value &one : found->as_array()) take(one, place(key) + '[' + std::to_string(i++) + ']');
  }

  static std::string text_of(const json::value &from, const std::string &where) {
    if (!from.is_string()) throw refused(no_value(where, "a text", from));
    return std::string(from.as_string());
  }
  template <class Number>
  static Number number_of(const json::value &from, const std::string &where) {
    boost::system::error_code none;
    const auto out = from.to_number<Number>(none);
    if (none) throw refused(no_value(where, "a whole number of " + std::to_string(8 * sizeof(Number)) + " bits", from));
    return out;
  }

 private:
  // A key may be anything.
  static std::string shown(std::string_view key) { return key.size() > 64 ? in_quotes(key) : std::string(key); }
  static refusal no_value(const std::string &where, const std::string &want, const json::value &have) {
    return {where, want, in_quotes(json::serialize(have)), "write " + want};
  }

  const json::object *of_ = nullptr;
  std::string where_;
};

// A text is read as queues.yaml writes it; a number is what states show.
int64_t amount_of(const std::string &type, const json::value &value, const std::string &where) {
  if (!value.is_string()) return members::number_of<int64_t>(value, where);
  auto amount = parse_quantity(type, std::string_view(value.as_string()));
  if (amount) return *amount;
  refusal why = amount.why();
  why.where = where;
  throw refused(why);
}

asked_if read_ask(const members &from) {
  check_members(from.all(), ask_fields, from.where());
  asked_if out;
  from.read("key", out.key);
  if (const json::value *resources = from.all().if_contains("resources")) {
    const members amounts(*resources, from.place("resources"));
    for (const auto &entry : amounts.all()) {
      const std::string type(entry.key());
      out.resources[type] = amount_of(type, entry.value(), amounts.place(type));
    }
  }
  from.read("count", out.count);
  from.read("priority", out.priority);
  from.read("priority_class", out.priority_class);
  from.read("tags", out.tags);
  from.read("task_group", out.task_group);
  from.read("required_node", out.required_node);
  from.read("allow_preempt_other", out.preempts);
  from.read("allow_preempt_self", out.gives_way);
  return out;
}

application_if read_application(const members &from) {
  check_members(from.all(), application_fields, from.where());
  application_if out;
  from.read("application", out.application);
  from.read("queue", out.queue);
  from.read("user", out.user);
  from.read("tags", out.tags);
  from.read("gang", out.gang);
  from.each("groups", [&](const json::value &one, const std::string &where) {
    out.groups.push_back(members::text_of(one, where));
  });
  from.each("asks", [&](const json::value &one, const std::string &where) {
    out.asks.push_back(read_ask(members(one, where)));
  });
  return out;
}

json::array placed_json(const ask_answer &of) {
  json::array out;
  for (const placed_if &one : of.placed)
    out.push_back(json::object{{"node", one.node}, {"devices", one.devices}, {"after_ms", one.after_ms}});
  return out;
}

json::array victims_json(const ask_answer &of) {
  json::array out;
  for (const evicted_if &one : of.victims)
    out.push_back(json::object{{"application", one.application},
                               {"key", one.key},
                               {"node", one.node},
                               {"queue", one.queue},
                               {"after_ms", one.after_ms}});
  return out;
}

}  // namespace

result<json::object> parse_question(std::string_view text, std::string_view where) {
  try {
    boost::system::error_code problem;
    json::stream_parser reader;
    const size_t read = reader.write_some(text.data(), text.size(), problem);
    if (!problem) reader.finish(problem);
    if (problem || read != text.size() || !reader.done())
      return refusal{std::string(where), "a JSON object, a question as docs/what-if.md has it",
                     "text that is no JSON from byte " + std::to_string(read) + " on: " + problem.message(),
                     "correct it there; it begins with {\"applications\": [...]} as that page does"};
    json::object out = reader.release().as_object();
    check_members(out, question_fields, std::string(where));
    return out;
  } catch (const refused &wrong) {
    return wrong.why;
  } catch (const std::exception &wrong) {
    return refusal{std::string(where), "a JSON object, a question as docs/what-if.md has it", wrong.what(),
                   "begin with {\"applications\": [...]} as that page does"};
  }
}

result<what_if_question> read_question(const json::object &given) {
  try {
    what_if_question out;
    const members from(given, {});
    from.read("partition", out.partition);
    from.read("within_ms", out.within_ms);
    size_t asks = 0;
    from.each("applications", [&](const json::value &one, const std::string &where) {
      asks += out.applications.emplace_back(read_application(members(one, where))).asks.size();
    });
    if (asks > most_asks_if) {
      return refusal{"applications", "at most " + std::to_string(most_asks_if) + " asks in one question",
                     std::to_string(asks), "ask several questions, or give a count where asks are alike"};
    }
    return out;
  } catch (const refused &wrong) {
    return wrong.why;
  }
}

json::object answer_json(const what_if_answer &of) {
  json::array asks;
  bool all = true;
  for (const ask_answer &one : of.asks) {
    all = all && (one.what == what_if_outcome::placed || one.what == what_if_outcome::evicts);
    asks.push_back(
        json::object{{"application", one.application},
                     {"key", one.key},
                     {"queue", one.queue},
                     {"outcome", name(one.what)},
                     {"count", one.count},
                     {"placed", placed_json(one)},
                     {"victims", victims_json(one)},
                     {"message", one.message},
                     {"explanation", one.why ? json::value(state_json::write(*one.why)) : json::value(nullptr)}});
  }
  return {{"partition", of.partition}, {"time_ms", of.now_ms}, {"passed_ms", of.passed_ms},
          {"decisions", of.decisions}, {"all_placed", all},    {"subject_to_check", of.checks},
          {"asks", std::move(asks)},   {"text", of.text}};
}

}  // namespace tenon::observe
