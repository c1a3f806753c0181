// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "pretty.hpp"

namespace tenon::rest {

void append_pretty(std::string &out, const boost::json::value &v, size_t depth) {
  const auto line = [&](bool first, size_t deep) {
    out += first ? "\n" : ",\n";
    out.append(2 * deep, ' ');
  };
  const auto close = [&](char mark) {
    out += '\n';
    out.append(2 * depth, ' ');
    out += mark;
  };
  bool first = true;
  if (v.is_object() && !v.get_object().empty()) {
    out += '{';
    for (const auto &[key, value] : v.get_object()) {
      line(first, depth + 1);
      first = false;
      out += serialize(boost::json::string(key)) + ": ";
      append_pretty(out, value, depth + 1);
    }
    close('}');
  } else if (v.is_array() && !v.get_array().empty()) {
    out += '[';
    for (const auto &value : v.get_array()) {
      line(first, depth + 1);
      first = false;
      append_pretty(out, value, depth + 1);
    }
    close(']');
  } else {
    out += serialize(v);
  }
}

}  // namespace tenon::rest
