// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "trace/swf.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <unordered_set>

#include "trace/jobs.hpp"
#include "trace/machines.hpp"

namespace tenon::cli {
namespace {

constexpr int64_t kib = 1024;
constexpr int64_t most = int64_t{1} << 40;
constexpr std::string_view blanks = " \t\r";

// The fields of a line, by their places.
enum field_index : uint8_t {
  job_number,
  submit_time,
  wait_time,
  run_time,
  processors,
  average_cpu,
  used_memory,
  requested_processors,
  requested_time,
  requested_memory,
  status,
  user_id,
  group_id,
  executable,
  queue_number,
  partition_number,
  preceding_job,
  think_time,
  field_count
};

constexpr std::array<std::string_view, field_count> field_names = {
    "job number",  "submit time",          "wait time",      "run time",         "processors",    "average cpu",
    "used memory", "requested processors", "requested time", "requested memory", "status",        "user",
    "group",       "executable",           "queue",          "partition",        "preceding job", "think time"};

// Status of a line that is a part of a job's execution; the whole job has a line of its own.
constexpr int64_t first_partial = 2, last_partial = 4;
constexpr int64_t cancelled = 5;

class swf_reader {
 public:
  swf_reader(const trace_text &in, load &into, bool has_machines)
      : in_(in), into_(into), jobs_(into), has_machines_(has_machines) {}

  std::optional<refusal> read() {
    try {
      size_t number = 0;
      for (std::string_view rest = in_.text; !rest.empty();) {
        const size_t end = std::min(rest.find('\n'), rest.size());
        take(rest.substr(0, end), ++number);
        rest.remove_prefix(std::min(end + 1, rest.size()));
      }
      if (!ready_) get_ready(number + 1);
      start_at_the_first_job();
    } catch (const refused_trace &refused) {
      return refused.why;
    }
    for (const auto &[reason, count] : left_out_) into_.left_out_jobs.push_back({reason, count});
    const auto note = [&](uint64_t count, const char *what) {
      if (count != 0) into_.origin += std::string(", ") + what + ": " + std::to_string(count);
    };
    note(surplus_, "lines with fields beyond the 18, which are passed over");
    note(named_, "lines with a user or a queue that is a name instead of a number");
    return std::nullopt;
  }

 private:
  using fields = std::array<trace_field, field_count>;

  void take(std::string_view line, size_t number) {
    const size_t first = line.find_first_not_of(blanks);
    if (first == std::string_view::npos) return;
    if (line[first] == ';') return take_comment(line.substr(first + 1));
    if (!ready_) get_ready(number);
    fields row;
    size_t count = 0;
    for (size_t from = first; from != std::string_view::npos && count < field_count; ++count) {
      const size_t end = std::min(line.find_first_of(blanks, from), line.size());
      row[count] = trace_field(line.substr(from, end - from), field_names[count], in_.file, number, from + 1);
      from = line.find_first_not_of(blanks, end);
      if (count + 1 == field_count && from != std::string_view::npos) ++surplus_;
    }
    if (count < field_count) {
      throw refused_trace{{place_in(in_.file, number, line.find_last_not_of(blanks) + 2), "18 fields",
                           std::to_string(count) + " fields", "complete the line; -1 stands for what is not known"}};
    }
    take_job(row);
  }

  // "MaxProcs: 128 (two a node)": the number that a header line begins with.
  void take_comment(std::string_view comment) {
    for (const auto &[name, value] : {std::pair{std::string_view("MaxNodes:"), &max_nodes_},
                                      std::pair{std::string_view("MaxProcs:"), &max_processors_},
                                      std::pair{std::string_view("UnixStartTime:"), &begins_s_}}) {
      const size_t at = comment.find_first_not_of(blanks);
      if (at == std::string_view::npos || !comment.substr(at).starts_with(name)) continue;
      const size_t digits = comment.find_first_not_of(blanks, at + name.size());
      if (digits == std::string_view::npos) continue;
      int64_t number = 0;
      const auto [end, problem] = std::from_chars(comment.data() + digits, comment.data() + comment.size(), number);
      if (problem == std::errc() && number > 0) *value = number;
    }
  }

  // The header is over: the nodes are known now or never.
  void get_ready(size_t line) {
    ready_ = true;
    if (begins_s_ > 0 && begins_s_ < most_begin_s) into_.begins_ms = begins_s_ * 1000;
    if (!has_machines_) {
      if (max_processors_ == 0) max_processors_ = max_nodes_;
      if (max_processors_ == 0) {
        throw refused_trace{{place_in(in_.file, line, 1), "a header line '; MaxProcs: N' before the first job", "none",
                             "add it, or name a list of machines: swf:FILE,MACHINES.csv"}};
      }
      if (max_nodes_ == 0 || max_nodes_ > max_processors_) max_nodes_ = max_processors_;
      if (max_nodes_ > most_nodes) {
        throw refused_trace{{place_in(in_.file, line, 1), "at most " + std::to_string(most_nodes) + " nodes",
                             std::to_string(max_nodes_), "correct MaxNodes and MaxProcs"}};
      }
      for (int64_t i = 0; i < max_nodes_; ++i) {
        const int64_t share = max_processors_ / max_nodes_ + (i < max_processors_ % max_nodes_ ? 1 : 0);
        into_.nodes.push_back({"node-" + std::to_string(i), {{"vcore", share * 1000}}, {}});
      }
    }
    for (const load_node &node : into_.nodes) capacity_ += node.capacity.at("vcore") / 1000;
  }

  void take_job(const fields &row) {
    const int64_t state = row[status].whole(-1, last_partial + 1);
    if (state >= first_partial && state <= last_partial) return;
    const int64_t number = row[job_number].whole(0, most);
    if (!seen_.insert(number).second) {
      row[job_number].refuse("a number that no line before has", "number each job once");
    }
    trace_job job;
    job.id = "job-" + std::to_string(number);
    job.arrival_ms = row[submit_time].seconds_as_ms();
    job.duration_ms = row[run_time].seconds_as_ms(-1);
    job.workers = row[requested_processors].whole(-1, most);
    const bool has_requested = job.workers > 0;
    const int64_t allocated = row[processors].whole(-1, most);
    if (!has_requested) job.workers = allocated;
    const size_t named_before = names_;
    job.user = name_of(row[user_id], "user", "nobody");
    job.queue = "root." + name_of(row[queue_number], "q", "none");
    if (names_ != named_before) ++named_;
    load_shape worker{{{"vcore", 1000}}, {}};
    double memory = row[requested_memory].decimal(-1, most);
    if (memory <= 0) memory = row[used_memory].decimal(-1, most);
    if (has_machines_ && memory > 0) worker.resources["memory"] = std::llround(memory) * kib;

    if (job.workers <= 0) return leave_out("no number of processors");
    if (state == cancelled && job.duration_ms <= 0) return leave_out("cancelled before it ran");
    if (job.duration_ms < 0) return leave_out("no run time");
    if (job.workers > capacity_) return leave_out("more processors than all nodes have");
    jobs_.add(job, worker, row[has_requested ? requested_processors : processors]);
  }

  // A number with the prefix, or a name as it is, but for what a name of a user or queue cannot have.
  std::string name_of(const trace_field &field, const char *prefix, const char *unknown) {
    const std::string_view text = field.text();
    const size_t sign = !text.empty() && (text[0] == '-' || text[0] == '+') ? 1 : 0;
    if (text.find_first_not_of("0123456789", sign) == std::string_view::npos) {
      const int64_t number = field.whole(-1, most);
      return number < 0 ? unknown : prefix + std::to_string(number);
    }
    ++names_;
    std::string out(text.substr(0, longest_name));
    std::replace_if(
        out.begin(), out.end(), [](unsigned char c) { return std::isalnum(c) == 0 && c != '-' && c != '_'; }, '_');
    return out;
  }

  // Some logs have the seconds since 1970 where the format has those since the log's beginning.
  void start_at_the_first_job() {
    const auto first = std::min_element(into_.asks.begin(), into_.asks.end(),
                                        [](const auto &a, const auto &b) { return a.arrival_ms < b.arrival_ms; });
    if (first == into_.asks.end() || first->arrival_ms < least_date_s * 1000) return;
    const int64_t offset_ms = first->arrival_ms;
    for (load_ask &ask : into_.asks) ask.arrival_ms -= offset_ms;
    if (offset_ms < most_begin_s * 1000) into_.begins_ms = offset_ms;
  }

  void leave_out(const std::string &reason) { ++left_out_[reason]; }

  static constexpr int64_t most_nodes = 1'000'000;
  static constexpr int64_t most_begin_s = int64_t{1} << 33;  // the year 2242
  static constexpr int64_t least_date_s = 600'000'000;       // 1989; no log is so long
  static constexpr size_t longest_name = 64;

  const trace_text &in_;
  load &into_;
  job_adder jobs_;
  bool has_machines_, ready_ = false;
  int64_t max_nodes_ = 0, max_processors_ = 0, begins_s_ = 0;
  int64_t capacity_ = 0;  // processors of all nodes
  std::unordered_set<int64_t> seen_;
  std::map<std::string, uint64_t> left_out_;
  uint64_t surplus_ = 0, named_ = 0;  // lines
  uint64_t names_ = 0;                // instead of numbers
};

}  // namespace

result<load> read_swf(const trace_text &jobs, const trace_text &machines) {
  load out;
  const bool has_machines = !machines.file.empty();
  out.origin = "SWF trace " + jobs.file;
  if (has_machines) {
    out.origin += ", " + machines.file;
    if (const auto why = read_machines(machines, out)) return *why;
  } else {
    out.origin += ", processors as in its header, memory not known";
  }
  if (const auto why = swf_reader(jobs, out, has_machines).read()) return *why;
  return out;
}

}  // namespace tenon::cli
