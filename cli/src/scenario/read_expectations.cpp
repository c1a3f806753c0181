// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <span>
#include <string>

#include "scenario/expectation_fields.hpp"
#include "scenario/scenario_reader.hpp"
#include "scenario/terminations.hpp"
#include "tenon/kernel/state_tables.hpp"

namespace tenon::cli {
namespace {

using config::problems;
using config::yaml_entry;
using config::yaml_node;
using kind = yaml_node::kind;

constexpr std::array all_sections = {section::queues,     section::nodes,  section::apps,
                                     section::users,      section::groups, section::cluster,
                                     section::partitions, section::rm,     section::explain};

bool want_map(const yaml_node &node, const std::string &of, problems &report) {
  if (node.what == kind::map) return true;
  report.refuse(node.at, of + ": " + node.describe(), "a map", "write {key: value}");
  return false;
}

void refuse_key(const yaml_node &key, const std::string &of, const std::vector<std::string_view> &known,
                problems &report) {
  report.refuse(key.at, "unknown key " + config::in_quotes(key.text) + " in " + of, "a key of " + of,
                config::suggestion(key.text, known));
}

// {task group: {count, replaced, timedout}}
amount_map read_tallies(const yaml_node &node, problems &report) {
  static const std::vector<std::string_view> known = {"count", "replaced", "timedout"};
  amount_map out;
  if (!want_map(node, "placeholder_data", report)) return out;
  for (const auto &[group, tally] : node.entries) {
    if (!want_map(tally, group.text, report)) continue;
    for (const yaml_entry &entry : tally.entries) {
      const bool fine = std::find(known.begin(), known.end(), entry.key.text) != known.end();
      if (!fine) refuse_key(entry.key, "placeholder_data", known, report);
    }
    for (const auto &[name, count] : read_amounts(tally, report)) out[group.text + "." + name] = count;
  }
  return out;
}

value read_integer(const std::string &key, const yaml_node &node, problems &report) {
  if (node.plain && node.type() == config::scalar_type::integer) {
    if (const auto number = node.as_integer()) return *number;
  }
  report.refuse(node.at, key + ": " + node.describe(), "an integer", "write a number without quotes");
  return int64_t{0};
}

value read_value(value_rule rule, const std::string &key, const yaml_node &node, problems &report) {
  switch (rule) {
    case value_rule::flag:
      if (const auto b = node.as_boolean(); b && node.plain) return *b;
      report.refuse(node.at, key + ": " + node.describe(), "true or false", "write true or false");
      return false;
    case value_rule::number:
      return read_integer(key, node, report);
    case value_rule::word:
    case value_rule::part:
      if (node.what != kind::scalar) report.refuse(node.at, key + ": " + node.describe(), "a text", "write a text");
      return node.text;
    case value_rule::amounts:
      return node.what == kind::null ? value() : value(read_amounts(node, report));
    case value_rule::counts:
      return read_amounts(node, report);
    case value_rule::tallies:
      return read_tallies(node, report);
    case value_rule::texts:
    case value_rule::places:
    case value_rule::parts:
    case value_rule::reported:
      return read_texts(node, report);
    case value_rule::includes:
    case value_rule::exactly:
    case value_rule::in_order:
      return read_text_list(node, report);
    case value_rule::key_set:
      if (node.what == kind::scalar) return read_integer(key, node, report);
      return read_text_list(node, report);
  }
  return {};
}

// {TERMINATION_TYPE: value}: one field for each type.
void read_by_termination(const field_row &row, size_t index, const yaml_node &node, expected_object &into,
                         problems &report) {
  if (!want_map(node, std::string(row.key), report)) return;
  for (const auto &[type, wanted] : node.entries) {
    if (!termination_of(type.text)) {
      std::vector<std::string_view> known;
      for (const termination t : all_terminations) known.push_back(name(t));
      refuse_key(type, std::string(row.key), known, report);
      continue;
    }
    into.fields.push_back({wanted.at, index, type.text, read_value(row.rule, type.text, wanted, report)});
  }
}

// States are known before anything is played.
void check_state(section where, std::string_view key, const yaml_node &node, problems &report) {
  const auto check = [&](std::span<const std::string_view> states) {
    if (node.what != kind::scalar || std::find(states.begin(), states.end(), node.text) != states.end()) return;
    report.refuse(node.at, std::string(key) + ": " + node.describe(), "a state of " + std::string(name(where)),
                  config::suggestion(node.text, states));
  };
  if (where == section::apps && key == "state") check(machine<application_state>::state_names);
  if (where == section::queues && key == "status") check(machine<object_state>::state_names);
  if (where == section::cluster && key == "state") check(machine<object_state>::state_names);
}

void read_fields(const yaml_node &node, expected_object &into, problems &report) {
  const auto table = rows(into.where);
  const std::string of(name(into.where));
  if (!want_map(node, into.name.empty() ? of : into.name, report)) return;
  for (const auto &[key, wanted] : node.entries) {
    const auto row =
        std::find_if(table.begin(), table.end(), [&word = key.text](const field_row &r) { return r.key == word; });
    if (row == table.end()) {
      std::vector<std::string_view> known;
      for (const field_row &r : table) known.push_back(r.key);
      refuse_key(key, of, known, report);
      continue;
    }
    const auto index = static_cast<size_t>(row - table.begin());
    check_state(into.where, row->key, wanted, report);
    if (row->subs == sub_keys::terminations) {
      read_by_termination(*row, index, wanted, into, report);
    } else {
      into.fields.push_back({wanted.at, index, "", read_value(row->rule, key.text, wanted, report)});
    }
  }
}

// The section's value is itself what one key, or each ask, is wanted to be.
void read_whole(section where, const yaml_node &node, expected_block &into, problems &report) {
  const field_row &row = rows(where).front();
  expected_object object{node.at, where, "", "", {}};
  if (row.subs == sub_keys::none) {
    object.fields.push_back({node.at, 0, "", read_value(row.rule, std::string(name(where)), node, report)});
  } else if (want_map(node, std::string(name(where)), report)) {
    for (const auto &[ask, wanted] : node.entries) {
      object.fields.push_back({wanted.at, 0, ask.text, read_value(row.rule, ask.text, wanted, report)});
    }
  }
  into.objects.push_back(std::move(object));
}

void read_section(section where, const yaml_node &node, expected_block &into, problems &report) {
  if (where == section::partitions || where == section::explain) return read_whole(where, node, into, report);
  if (where == section::cluster || where == section::rm) {
    expected_object object{node.at, where, "", "", {}};
    read_fields(node, object, report);
    into.objects.push_back(std::move(object));
    return;
  }
  if (!want_map(node, std::string(name(where)), report)) return;
  for (const auto &[key, wanted] : node.entries) {
    if (where != section::users && where != section::groups) {
      expected_object object{wanted.at, where, key.text, "", {}};
      read_fields(wanted, object, report);
      into.objects.push_back(std::move(object));
      continue;
    }
    if (!want_map(wanted, key.text, report)) continue;
    for (const auto &[path, usage] : wanted.entries) {
      expected_object object{usage.at, where, key.text, path.text, {}};
      read_fields(usage, object, report);
      into.objects.push_back(std::move(object));
    }
  }
}

std::vector<expected_block> read_any_of(const yaml_node &node, problems &report) {
  std::vector<expected_block> blocks;
  if (node.what != kind::list) {
    report.refuse(node.at, "any_of: " + node.describe(), "a list of blocks", "write [{queues: ...}, {nodes: ...}]");
    return blocks;
  }
  for (const yaml_node &item : node.items) blocks.push_back(read_expectations(item, report));
  return blocks;
}

}  // namespace

expected_block read_expectations(const yaml_node &node, problems &report) {
  expected_block block;
  block.at = node.at;
  if (!want_map(node, "expect", report)) return block;
  if (const yaml_node *partition = node.find("partition")) block.partition = partition->text;
  for (const auto &[key, wanted] : node.entries) {
    if (key.text == "partition") continue;
    if (key.text == "any_of") {
      block.any_of = read_any_of(wanted, report);
      // A block inside speaks of the same partition unless it names its own.
      for (expected_block &inner : block.any_of) {
        if (inner.partition == "default") inner.partition = block.partition;
      }
      continue;
    }
    const auto where = std::find_if(all_sections.begin(), all_sections.end(),
                                    [&word = key.text](section s) { return name(s) == word; });
    if (where != all_sections.end()) {
      read_section(*where, wanted, block, report);
      continue;
    }
    std::vector<std::string_view> known = {"partition", "any_of"};
    for (const section s : all_sections) known.push_back(name(s));
    refuse_key(key, "expect", known, report);
  }
  return block;
}

}  // namespace tenon::cli
