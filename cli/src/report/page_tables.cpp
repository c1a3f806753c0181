// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "report/page_tables.hpp"

#include <algorithm>
#include <cmath>

#include "report/html.hpp"
#include "run/formats.hpp"

namespace tenon::cli {
namespace {

constexpr size_t most_table_rows = 500, most_users = 50;

using texts = std::vector<std::string>;
using run_list = std::vector<const run_record *>;

void add_figures(texts &to, const spread &of, std::string (*format)(const figure &)) {
  for (const figure &one : {of.mean, of.p50, of.p90, of.p99, of.most}) to.push_back(format(one));
}

const texts figure_names{"Mean", "Median", "90%", "99%", "Longest"};

texts with(texts first, const texts &more) {
  first.insert(first.end(), more.begin(), more.end());
  return first;
}

texts wait_cells(const std::string &name, const spread &waits) {
  texts out{name, grouped(waits.over), grouped(waits.open)};
  add_figures(out, waits, words_of);
  return out;
}

std::string queue_table(const run_record &run) {
  const auto &waits = run.counted.waits;
  std::vector<texts> rows;
  for (const auto &[queue, of] : waits) {
    if (rows.size() < most_table_rows) rows.push_back(wait_cells(queue.empty() ? "(no queue)" : queue, of));
  }
  texts columns = with({"Queue", "Placed", "Never placed"}, figure_names);
  texts together = wait_cells("All queues", run.counted.all_waits);
  std::string caption = "Waiting by queue";
  if (!run.curves.by_time) {  // nobody waited
    caption = "Placed by queue";
    columns.resize(3);
    together.resize(3);
    for (texts &row : rows) row.resize(3);
  }
  if (waits.size() > rows.size()) {
    caption += "; the summary has " + grouped(waits.size() - rows.size()) + " more queues";
  }
  return page_table(caption, columns, rows, together);
}

std::string use_table(const run_record &run) {
  std::vector<texts> rows;
  for (const auto &[type, u] : run.counted.use) rows.push_back({type, percent(u.average), percent(u.peak)});
  return page_table("Use of the capacity", {"Resource", run.curves.by_time ? "Average" : "At the end", "Peak"}, rows);
}

std::string size_table(const run_record &run) {
  if (run.jobs.sizes.size() < 2 || !run.curves.by_time) return "";
  std::vector<texts> rows;
  for (const job_group &group : run.jobs.sizes) {
    texts row{group.name, grouped(group.jobs)};
    add_figures(row, group.wait, words_of);
    row.push_back(times_text(group.slowdown.mean));
    rows.push_back(std::move(row));
  }
  return page_table("Waiting by size of the job, in " + run.curves.main_type,
                    with(with({"Size", "Jobs"}, figure_names), {"Slowdown"}), rows);
}

std::string user_table(const run_record &run) {
  const auto &users = run.jobs.users;
  if (users.size() < 2 || !run.curves.by_time) return "";
  double all = 0;
  for (const job_group &group : users) all += group.used;
  std::vector<texts> rows;
  for (const job_group &group : users) {
    if (rows.size() == most_users) break;
    rows.push_back({group.name.empty() ? "(nobody)" : group.name, grouped(group.jobs),
                    all > 0 ? percent(group.used / all) : "–", words_of(group.wait.p50), words_of(group.wait.p99),
                    times_text(group.slowdown.mean)});
  }
  std::string caption = "Users, by their part of the " + run.curves.main_type + " that was used";
  if (users.size() > rows.size()) caption += "; " + grouped(users.size() - rows.size()) + " more used less";
  return page_table(caption, {"User", "Jobs", "Part", "Median wait", "99%", "Slowdown"}, rows);
}

std::string reasons(const std::string &title, uint64_t count, const std::map<std::string, uint64_t> &of) {
  if (count == 0) return "";
  std::vector<std::pair<std::string, uint64_t>> sorted(of.begin(), of.end());
  std::stable_sort(sorted.begin(), sorted.end(), [](const auto &a, const auto &b) { return a.second > b.second; });
  std::vector<texts> rows;
  for (const auto &[reason, number] : sorted) {
    if (rows.size() < most_table_rows) rows.push_back({reason, grouped(number)});
  }
  return page_table(title, {"Reason", "Asks"}, rows, {"Together", grouped(count)});
}

std::string list_of(const run_record &run) {
  std::string list;
  const auto entry = [&](const std::string &name, const std::string &value) {
    list += element("dt", escaped(name)) + element("dd", escaped(value));
  };
  const run_summary &c = run.counted;
  for (const auto &[name, value] : run.settings) entry(name, value);
  entry("Nodes", grouped(c.nodes));
  if (run.begins_ms != 0) entry("Began", date_text(run.begins_ms) + ", UTC");
  entry("Virtual time", duration_text(c.makespan_s));
  entry("Jobs", grouped(run.jobs.jobs) +
                    (run.jobs.never_started > 0 ? ", " + grouped(run.jobs.never_started) + " never started" : ""));
  entry("Commands", grouped(c.commands));
  entry("Decisions", grouped(c.decisions));
  if (c.preempted > 0) entry("Preempted", grouped(c.preempted));
  if (c.gpus_placed > 0)
    entry("GPUs placed", c.gpus_placed == std::floor(c.gpus_placed) ? grouped(static_cast<uint64_t>(c.gpus_placed))
                                                                    : decimal(c.gpus_placed, 1));
  return element("dl", "\n" + list);
}

}  // namespace

std::string words_of(const figure &duration) { return (duration.at_least ? "> " : "") + duration_text(duration.value); }

std::string times_text(const figure &times) {
  return (times.at_least ? "> " : "") + decimal(times.value, times.value < 9.995 ? 2 : times.value < 99.95 ? 1 : 0);
}

std::string job_table(const run_list &all) {
  std::vector<texts> rows;
  for (const run_record *run : all) {
    const std::string suffix = all.size() > 1 ? " (" + run->label + ")" : "";
    const job_figures &jobs = run->jobs;
    texts wait{"Wait" + suffix}, completion{"Completion time" + suffix}, slowdown{"Bounded slowdown" + suffix};
    add_figures(wait, jobs.wait, words_of);
    add_figures(completion, jobs.completion, words_of);
    add_figures(slowdown, jobs.slowdown, times_text);
    rows.insert(rows.end(), {wait, completion, slowdown});
  }
  std::stable_sort(rows.begin(), rows.end(), [](const texts &a, const texts &b) {
    return std::string_view("WCB").find(a[0][0]) < std::string_view("WCB").find(b[0][0]);
  });
  return page_table("Jobs", with({""}, figure_names), rows);
}

std::string preemption_table(const run_list &all) {
  std::vector<texts> rows;
  for (const run_record *run : all) {
    for (const queue_curves &queue : run->curves.queues) {
      if (queue.preempted == 0) continue;
      rows.push_back({all.size() > 1 ? queue.name + " (" + run->label + ")" : queue.name, grouped(queue.preempted)});
    }
  }
  return page_table("Preempted by queue", {"Queue", "Allocations that gave way"}, rows);
}

std::string tables_of(const run_list &all) {
  std::string out;
  for (const run_record *run : all) {
    const run_summary &c = run->counted;
    std::string of = use_table(*run) + queue_table(*run) + size_table(*run) + user_table(*run) +
                     reasons("Pending at the end", c.pending, c.pending_reasons) +
                     reasons("Rejected", c.rejected, c.rejection_reasons) +
                     reasons("Left out of the trace", c.skipped, c.skipped_reasons);
    of += element("h3", "The run") + list_of(*run);
    const std::string title = all.size() > 1 ? "Figures of " + run->label : "Figures";
    out += element("section", "\n" + element("h2", escaped(title)) + of);
  }
  return out;
}

}  // namespace tenon::cli
