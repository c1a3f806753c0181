// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "trace/swf.hpp"

#include <algorithm>
#include <array>
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
    } catch (const refused_trace &refused) {
      return refused.why;
    }
    for (const auto &[reason, count] : left_out_) into_.left_out_jobs.push_back({reason, count});
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
    for (size_t from = first; from != std::string_view::npos; ++count) {
      const size_t end = std::min(line.find_first_of(blanks, from), line.size());
      const std::string_view name = count < field_count ? field_names[count] : std::string_view("one too many");
      const trace_field field(line.substr(from, end - from), name, in_.file, number, from + 1);
      if (count == field_count) field.refuse("18 fields", "take the surplus away");
      row[count] = field;
      from = line.find_first_not_of(blanks, end);
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
    const int64_t user = row[user_id].whole(-1, most), queue = row[queue_number].whole(-1, most);
    job.user = user < 0 ? "nobody" : "user" + std::to_string(user);
    job.queue = queue < 0 ? "root.none" : "root.q" + std::to_string(queue);
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

  void leave_out(const std::string &reason) { ++left_out_[reason]; }

  static constexpr int64_t most_nodes = 1'000'000;
  static constexpr int64_t most_begin_s = int64_t{1} << 33;  // the year 2242

  const trace_text &in_;
  load &into_;
  job_adder jobs_;
  bool has_machines_, ready_ = false;
  int64_t max_nodes_ = 0, max_processors_ = 0, begins_s_ = 0;
  int64_t capacity_ = 0;  // processors of all nodes
  std::unordered_set<int64_t> seen_;
  std::map<std::string, uint64_t> left_out_;
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
