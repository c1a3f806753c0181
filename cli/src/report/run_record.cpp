// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// One list of fields for each class, whether they are written or read: what is written is what is read.
#include "report/run_record.hpp"

#include <array>
#include <boost/describe.hpp>
#include <boost/json.hpp>
#include <boost/mp11.hpp>
#include <charconv>
#include <cmath>
#include <stdexcept>
#include <type_traits>

namespace tenon::cli {

BOOST_DESCRIBE_STRUCT(figure, (), (value, at_least))
BOOST_DESCRIBE_STRUCT(spread, (), (over, open, mean, p50, p90, p95, p99, most))
BOOST_DESCRIBE_STRUCT(spread_row, (), (name, colour, values))
BOOST_DESCRIBE_STRUCT(utilisation, (), (peak, average))
BOOST_DESCRIBE_STRUCT(run_summary, (),
                      (nodes, placed, pending, rejected, preempted, skipped, commands, decisions, pending_reasons,
                       rejection_reasons, skipped_reasons, findings, use, waits, all_waits, makespan_s, gpus_placed,
                       allocation))
BOOST_DESCRIBE_STRUCT(named_curve, (), (name, values))
BOOST_DESCRIBE_STRUCT(queue_curves, (), (name, used, satisfied, preempted))
BOOST_DESCRIBE_STRUCT(run_curves, (),
                      (by_time, span, intervals, use, main_type, queues, used_by_others, others, waiting, fairness,
                       scattered, stranded, preempted, average_fairness, average_scattered, average_stranded))
BOOST_DESCRIBE_STRUCT(cumulative, (), (values, parts))
BOOST_DESCRIBE_STRUCT(job_group, (), (name, jobs, used, wait, slowdown))
BOOST_DESCRIBE_STRUCT(job_figures, (),
                      (jobs, never_started, wait, completion, slowdown, wait_curve, completion_curve, slowdown_curve,
                       sizes, users))
BOOST_DESCRIBE_STRUCT(run_record, (), (label, origin, begins_ms, settings, counted, curves, jobs))

namespace {

namespace json = boost::json;

constexpr int64_t version = 1;
constexpr std::string_view added_later = "allocation";  // a field that older reports do not have
constexpr std::string_view begin_mark = "<script type=\"application/json\" id=\"run\">", end_mark = "</script>";

// Nine digits: as much as is seen, and what Boost's parser, which is not exact, gives back as it was.
double rounded(double value) {
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::scientific, 8).ptr;
  std::from_chars(text.data(), end, value);
  return value;
}

template <class T>
using members_of = boost::describe::describe_members<T, boost::describe::mod_public>;

struct writer {
  static json::value written(const std::string &value) { return json::string(value); }
  static json::value written(bool value) { return value; }
  static json::value written(uint64_t value) { return value; }
  static json::value written(int64_t value) { return value; }
  static json::value written(double value) {
    return std::isnan(value) ? json::value(nullptr) : json::value(rounded(value));
  }
  template <class T>
  static json::value written(const std::vector<T> &values) {
    json::array out;
    for (const T &value : values) out.push_back(written(value));
    return out;
  }
  template <class T>
  static json::value written(const std::map<std::string, T> &values) {
    json::object out;
    for (const auto &[key, value] : values) out[key] = written(value);
    return out;
  }
  template <class A, class B>
  static json::value written(const std::pair<A, B> &value) {
    return json::array{written(value.first), written(value.second)};
  }
  template <class T>
  static json::value written(const T &value) requires std::is_class_v<T> {
    json::object out;
    boost::mp11::mp_for_each<members_of<T>>([&](auto member) { out[member.name] = written(value.*member.pointer); });
    return out;
  }
};

struct reader {
  static void read(const json::value &from, std::string &to) { to = std::string(from.as_string()); }
  static void read(const json::value &from, bool &to) { to = from.as_bool(); }
  static void read(const json::value &from, uint64_t &to) { to = from.to_number<uint64_t>(); }
  static void read(const json::value &from, int64_t &to) { to = from.to_number<int64_t>(); }
  static void read(const json::value &from, double &to) {
    to = from.is_null() ? std::nan("") : rounded(from.to_number<double>());
  }
  template <class T>
  static void read(const json::value &from, std::vector<T> &to) {
    for (const json::value &one : from.as_array()) read(one, to.emplace_back());
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
  static void read(const json::value &from, T &to) requires std::is_class_v<T> {
    const json::object &fields = from.as_object();
    boost::mp11::mp_for_each<members_of<T>>([&](auto member) {
      if (fields.contains(member.name) || member.name != added_later) read(fields.at(member.name), to.*member.pointer);
    });
  }
};

// Nothing in the text may end the element that holds it.
std::string text_of(const json::value &of) {
  std::string text = json::serialize(of);
  for (size_t at = text.find('<'); at != std::string::npos; at = text.find('<', at)) text.replace(at, 1, "\\u003c");
  return text;
}

}  // namespace

std::string to_json(const run_record &run) {
  json::object out = writer::written(run).as_object();
  out["version"] = version;
  return text_of(out);
}

std::string to_json(const std::vector<spread_row> &rows) { return text_of(writer::written(rows)); }

result<run_record> read_report(std::string_view page, const std::string &file) {
  const refusal none{file, "a report of this version of tenon simulate", "a file without the run of one",
                     "draw the other run again with --report, and name that file"};
  const size_t begin = page.find(begin_mark);
  if (begin == std::string_view::npos) return none;
  const size_t from = begin + begin_mark.size(), end = page.find(end_mark, from);
  if (end == std::string_view::npos) return none;
  try {
    const json::value all = json::parse(page.substr(from, end - from));
    if (all.as_object().at("version").to_number<int64_t>() != version) return none;
    run_record out;
    reader::read(all, out);
    return out;
  } catch (const std::exception &) {
    return none;
  }
}

}  // namespace tenon::cli
