// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// One function visits all fields, whether they are written or read: what is written is what is read.
#include "report/run_record.hpp"

#include <array>
#include <boost/json.hpp>
#include <charconv>
#include <cmath>
#include <stdexcept>
#include <type_traits>

namespace tenon::cli {
namespace {

namespace json = boost::json;

constexpr int64_t version = 1;
constexpr std::string_view begin_mark = "<script type=\"application/json\" id=\"run\">", end_mark = "</script>";

// Nine digits: as much as is seen, and what Boost's parser, which is not exact, gives back as it was.
double rounded(double value) {
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::scientific, 8).ptr;
  std::from_chars(text.data(), end, value);
  return value;
}

template <bool Writes>
class fields {
 public:
  explicit fields(json::object &at) : at_(at) {}

  template <class T>
  void field(const char *name, T &value) {
    if constexpr (Writes) {
      at_[name] = written(value);
    } else {
      read(at_.at(name), value);
    }
  }

  // One that reports of before do not have.
  template <class T>
  void added(const char *name, T &value) {
    if (Writes || at_.contains(name)) field(name, value);
  }

 private:
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
    fields<true> to(out);
    visit_fields(to, value);
    return out;
  }

  static void read(json::value &from, std::string &to) { to = std::string(from.as_string()); }
  static void read(json::value &from, bool &to) { to = from.as_bool(); }
  static void read(json::value &from, uint64_t &to) { to = from.to_number<uint64_t>(); }
  static void read(json::value &from, int64_t &to) { to = from.to_number<int64_t>(); }
  static void read(json::value &from, double &to) {
    to = from.is_null() ? std::nan("") : rounded(from.to_number<double>());
  }
  template <class T>
  static void read(json::value &from, std::vector<T> &to) {
    for (json::value &one : from.as_array()) read(one, to.emplace_back());
  }
  template <class T>
  static void read(json::value &from, std::map<std::string, T> &to) {
    for (auto &entry : from.as_object()) read(entry.value(), to[std::string(entry.key())]);
  }
  template <class A, class B>
  static void read(json::value &from, std::pair<A, B> &to) {
    read(from.as_array().at(0), to.first);
    read(from.as_array().at(1), to.second);
  }
  template <class T>
  static void read(json::value &from, T &to) requires std::is_class_v<T> {
    fields<false> at(from.as_object());
    visit_fields(at, to);
  }

  json::object &at_;
};

template <class T, class Of>
concept is = std::is_same_v<std::remove_const_t<T>, Of>;

template <class F>
void visit_fields(F &f, is<figure> auto &of) {
  f.field("value", of.value);
  f.field("at_least", of.at_least);
}
template <class F>
void visit_fields(F &f, is<spread> auto &of) {
  f.field("over", of.over);
  f.field("open", of.open);
  f.field("mean", of.mean);
  f.field("p50", of.p50);
  f.field("p90", of.p90);
  f.field("p95", of.p95);
  f.field("p99", of.p99);
  f.field("most", of.most);
}
template <class F>
void visit_fields(F &f, is<spread_row> auto &of) {
  f.field("name", of.name);
  f.field("colour", of.colour);
  f.field("values", of.values);
}
template <class F>
void visit_fields(F &f, is<utilisation> auto &of) {
  f.field("peak", of.peak);
  f.field("average", of.average);
}
template <class F>
void visit_fields(F &f, is<run_summary> auto &of) {
  f.field("nodes", of.nodes);
  f.field("placed", of.placed);
  f.field("pending", of.pending);
  f.field("rejected", of.rejected);
  f.field("preempted", of.preempted);
  f.field("skipped", of.skipped);
  f.field("commands", of.commands);
  f.field("decisions", of.decisions);
  f.field("pending_reasons", of.pending_reasons);
  f.field("rejection_reasons", of.rejection_reasons);
  f.field("skipped_reasons", of.skipped_reasons);
  f.field("findings", of.findings);
  f.field("use", of.use);
  f.field("waits", of.waits);
  f.field("all_waits", of.all_waits);
  f.field("makespan_s", of.makespan_s);
  f.field("gpus_placed", of.gpus_placed);
  f.added("allocation", of.allocation);
}
template <class F>
void visit_fields(F &f, is<named_curve> auto &of) {
  f.field("name", of.name);
  f.field("values", of.values);
}
template <class F>
void visit_fields(F &f, is<queue_curves> auto &of) {
  f.field("name", of.name);
  f.field("used", of.used);
  f.field("satisfied", of.satisfied);
  f.field("preempted", of.preempted);
}
template <class F>
void visit_fields(F &f, is<run_curves> auto &of) {
  f.field("by_time", of.by_time);
  f.field("span", of.span);
  f.field("intervals", of.intervals);
  f.field("use", of.use);
  f.field("main_type", of.main_type);
  f.field("queues", of.queues);
  f.field("used_by_others", of.used_by_others);
  f.field("others", of.others);
  f.field("waiting", of.waiting);
  f.field("fairness", of.fairness);
  f.field("scattered", of.scattered);
  f.field("stranded", of.stranded);
  f.field("preempted", of.preempted);
  f.field("average_fairness", of.average_fairness);
  f.field("average_scattered", of.average_scattered);
  f.field("average_stranded", of.average_stranded);
}
template <class F>
void visit_fields(F &f, is<cumulative> auto &of) {
  f.field("values", of.values);
  f.field("parts", of.parts);
}
template <class F>
void visit_fields(F &f, is<job_group> auto &of) {
  f.field("name", of.name);
  f.field("jobs", of.jobs);
  f.field("used", of.used);
  f.field("wait", of.wait);
  f.field("slowdown", of.slowdown);
}
template <class F>
void visit_fields(F &f, is<job_figures> auto &of) {
  f.field("jobs", of.jobs);
  f.field("never_started", of.never_started);
  f.field("wait", of.wait);
  f.field("completion", of.completion);
  f.field("slowdown", of.slowdown);
  f.field("wait_curve", of.wait_curve);
  f.field("completion_curve", of.completion_curve);
  f.field("slowdown_curve", of.slowdown_curve);
  f.field("sizes", of.sizes);
  f.field("users", of.users);
}
template <class F>
void visit_fields(F &f, is<run_record> auto &of) {
  f.field("label", of.label);
  f.field("origin", of.origin);
  f.field("begins_ms", of.begins_ms);
  f.field("settings", of.settings);
  f.field("counted", of.counted);
  f.field("curves", of.curves);
  f.field("jobs", of.jobs);
}

// Nothing in the text may end the element that holds it.
std::string text_of(const json::value &of) {
  std::string text = json::serialize(of);
  for (size_t at = text.find('<'); at != std::string::npos; at = text.find('<', at)) text.replace(at, 1, "\\u003c");
  return text;
}

}  // namespace

std::string to_json(const run_record &run) {
  json::object out{{"version", version}};
  fields<true> to(out);
  visit_fields(to, run);
  return text_of(out);
}

std::string to_json(const std::vector<spread_row> &rows) {
  json::array out;
  for (const spread_row &row : rows) {
    fields<true> to(out.emplace_back(json::object()).as_object());
    visit_fields(to, row);
  }
  return text_of(out);
}

result<run_record> read_report(std::string_view page, const std::string &file) {
  const refusal none{file, "a report of this version of tenon simulate", "a file without the run of one",
                     "draw the other run again with --report, and name that file"};
  const size_t begin = page.find(begin_mark);
  if (begin == std::string_view::npos) return none;
  const size_t from = begin + begin_mark.size(), end = page.find(end_mark, from);
  if (end == std::string_view::npos) return none;
  try {
    json::value all = json::parse(page.substr(from, end - from));
    if (all.as_object().at("version").to_number<int64_t>() != version) return none;
    run_record out;
    fields<false> at(all.as_object());
    visit_fields(at, out);
    return out;
  } catch (const std::exception &) {
    return none;
  }
}

}  // namespace tenon::cli
