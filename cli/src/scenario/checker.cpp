// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "scenario/checker.hpp"

#include <algorithm>

#include "tenon/config/problems.hpp"

namespace tenon::cli {
namespace {

const partition_snapshot *find_partition(const kernel_snapshot &kernel, const std::string &plain) {
  const auto found = std::find_if(kernel.partitions.begin(), kernel.partitions.end(),
                                  [&](const partition_snapshot &p) { return plain_partition(p.name) == plain; });
  return found == kernel.partitions.end() ? nullptr : &*found;
}

std::string path_of(const expected_object &object, const std::string &block) {
  std::string path = block + "." + std::string(name(object.where));
  if (!object.name.empty()) path += "." + object.name;
  if (!object.queue.empty()) path += "." + object.queue;
  return path;
}

// What is in place of an object that is not there: its nearest name.
std::string not_there(const expected_object &object, const target &of) {
  std::vector<std::string_view> known;
  if (of.partition == nullptr) {
    for (const partition_snapshot &p : of.kernel->partitions) known.push_back(plain_partition(p.name));
    return "no such partition; use " + config::suggestion({}, known);
  }
  if (object.where == section::queues) {
    for (const queue_snapshot &q : of.partition->queues) known.push_back(q.path);
  } else if (object.where == section::nodes) {
    for (const node_snapshot &n : of.partition->nodes) known.push_back(n.id);
  } else if (object.where == section::apps) {
    for (const application_snapshot &a : of.partition->applications) known.push_back(a.id);
  }
  constexpr size_t few = 12;
  const bool lists = known.size() <= few || !config::closest(object.name, known).empty();
  const std::string hint = lists ? config::suggestion(object.name, known) : std::string();
  return "it does not exist" + (hint.empty() ? "" : "; " + hint);
}

void check_object(const expected_object &object, const std::string &path, const target &of, std::vector<failure> &out) {
  const auto table = rows(object.where);
  const bool there = present(object.where, of);
  for (const expected_field &field : object.fields) {
    const field_row &row = table[field.row];
    std::string field_path = path;
    if (!row.key.empty()) field_path.append(".").append(row.key);
    if (!field.sub.empty()) field_path += "." + field.sub;
    if (!there && row.key != exists_key) {
      out.push_back({field.at, field_path, show(field.want), not_there(object, of)});
      continue;
    }
    for (const mismatch &m : compare(row.rule, field.want, row.have(of, field.sub))) {
      out.push_back({field.at, field_path + m.below, m.want, m.have});
    }
  }
}

}  // namespace

std::string failure::text(const std::string &file) const {
  return file + ":" + std::to_string(at.line) + ":" + std::to_string(at.column) + ": " + path + ": want " + want +
         ", have " + have;
}

std::vector<failure> check(const expected_block &wanted, const std::string &path, const kernel_snapshot &kernel,
                           const rm_model &rm, const explainer &explain) {
  std::vector<failure> out;
  const partition_snapshot *partition = find_partition(kernel, wanted.partition);
  for (const expected_object &object : wanted.objects) {
    check_object(object, path_of(object, path), find_target(object, kernel, partition, rm, explain), out);
  }
  if (wanted.any_of.empty()) return out;

  std::string all;
  for (size_t i = 0; i < wanted.any_of.size(); ++i) {
    const auto failures = check(wanted.any_of[i], path + ".any_of[" + std::to_string(i) + "]", kernel, rm, explain);
    if (failures.empty()) return out;
    if (i != 0) all += "; ";
    all += failures.front().path.substr(path.size() + 1) + " is " + failures.front().have;
  }
  out.push_back({wanted.any_of.front().at, path + ".any_of", "one block that holds", "none: " + all});
  return out;
}

}  // namespace tenon::cli
