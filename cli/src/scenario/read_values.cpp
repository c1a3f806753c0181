// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "scenario/scenario_reader.hpp"

namespace tenon::cli {

using config::problems;
using config::yaml_node;

amount_map read_amounts(const yaml_node &node, problems &report) {
  amount_map out;
  if (node.what != yaml_node::kind::map) {
    report.refuse(node.at, node.describe(), "a map of names to integers", "write {name: integer}");
    return out;
  }
  for (const auto &[key, amount] : node.entries) {
    const auto number = amount.plain ? amount.as_integer() : std::nullopt;
    if (amount.type() == config::scalar_type::integer && number) {
      out[key.text] = *number;
    } else {
      report.refuse(amount.at, key.text + ": " + amount.describe(), "an integer",
                    "vcore in milli-cores, memory in bytes, other types plain");
    }
  }
  return out;
}

text_map read_texts(const yaml_node &node, problems &report) {
  text_map out;
  if (node.what != yaml_node::kind::map) {
    report.refuse(node.at, node.describe(), "a map of names to texts", "write {name: text}");
    return out;
  }
  for (const auto &[key, text] : node.entries) {
    if (text.what == yaml_node::kind::scalar) {
      out[key.text] = text.text;
    } else {
      report.refuse(text.at, key.text + ": " + text.describe(), "a text", "write {" + key.text + ": text}");
    }
  }
  return out;
}

text_list read_text_list(const yaml_node &node, problems &report) {
  text_list out;
  if (node.what != yaml_node::kind::list) {
    report.refuse(node.at, node.describe(), "a list of texts", "write [text, text]");
    return out;
  }
  for (const yaml_node &item : node.items) {
    if (item.what == yaml_node::kind::scalar) {
      out.push_back(item.text);
    } else {
      report.refuse(item.at, item.describe(), "a text", "write [text, text]");
    }
  }
  return out;
}

}  // namespace tenon::cli
