// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "scenario/value.hpp"

#include <algorithm>
#include <cctype>
#include <set>

namespace tenon::cli {
namespace {

using mismatches = std::vector<mismatch>;

template <class Range, class Show>
std::string joined(const Range &items, Show show_item) {
  std::string out;
  for (const auto &item : items) {
    if (!out.empty()) out += ", ";
    out += show_item(item);
  }
  return out;
}

std::string list(const auto &texts) {
  return "[" + joined(texts, [](const auto &t) { return std::string(t); }) + "]";
}

int64_t amount_of(const amount_map &amounts, const std::string &type) {
  const auto found = amounts.find(type);
  return found == amounts.end() ? 0 : found->second;
}

mismatches compare_counts(const amount_map &want, const amount_map &have) {
  mismatches out;
  for (const auto &[name, amount] : want) {
    const int64_t present = amount_of(have, name);
    if (present != amount) out.push_back({"." + name, std::to_string(amount), std::to_string(present)});
  }
  return out;
}

mismatches compare_amounts(const value &want, const value &have) {
  const auto *present = std::get_if<amount_map>(&have);
  if (std::holds_alternative<std::monostate>(want)) {
    // An empty map is what an unset one becomes where the scheduler keeps no difference.
    if (present == nullptr || present->empty()) return {};
    return {{"", show(want), show(have)}};
  }
  const auto &listed = std::get<amount_map>(want);
  const amount_map actual = present == nullptr ? amount_map{} : *present;
  if (!listed.empty()) return compare_counts(listed, actual);
  const bool zero = std::all_of(actual.begin(), actual.end(), [](const auto &entry) { return entry.second == 0; });
  return zero ? mismatches{} : mismatches{{"", "every type zero or absent", show(have)}};
}

// The texts of one name, one a line, for rules that want one of them.
text_list lines(const std::string &text) {
  text_list out;
  size_t from = 0;
  while (from <= text.size()) {
    const size_t end = std::min(text.find('\n', from), text.size());
    out.push_back(text.substr(from, end - from));
    from = end + 1;
  }
  return out;
}

template <class Holds>
mismatches compare_texts(const text_map &want, const text_map &have, std::string_view what, Holds holds) {
  mismatches out;
  for (const auto &[name, text] : want) {
    const auto found = have.find(name);
    if (found != have.end() && holds(text, found->second)) continue;
    out.push_back({"." + name, std::string(what) + "'" + text + "'",
                   found == have.end() ? "nothing" : list(lines(found->second))});
  }
  return out;
}

mismatches compare_places(const text_map &want, const text_map &have) {
  mismatches out;
  for (const auto &[key, node] : want) {
    std::set<std::string> nodes;
    for (const auto &[present_key, present_node] : have) {
      if (present_key != key && base_key(present_key) != key) continue;
      for (std::string &line : lines(present_node)) nodes.insert(std::move(line));
    }
    if (nodes == std::set<std::string>{node}) continue;
    out.push_back({"." + key, node, nodes.empty() ? "not placed" : list(nodes)});
  }
  return out;
}

mismatches compare_includes(const text_list &want, const text_list &have) {
  mismatches out;
  for (const std::string &text : want) {
    if (std::find(have.begin(), have.end(), text) != have.end()) continue;
    out.push_back({"", "'" + text + "' among them", list(have)});
  }
  return out;
}

mismatches compare_sets(const std::set<std::string_view> &want, const std::set<std::string_view> &have) {
  if (want == have) return {};
  return {{"", list(want), list(have)}};
}

mismatches compare_keys(const value &want, const text_list &have) {
  if (const auto *count = std::get_if<int64_t>(&want)) {
    // Keys are distinct already: `have` names each ask once, with its application where two share a key.
    const auto present = static_cast<int64_t>(have.size());
    if (present == *count) return {};
    return {{"", std::to_string(*count), std::to_string(present) + " " + list(have)}};
  }
  const auto &keys = std::get<text_list>(want);
  const bool full = std::any_of(keys.begin(), keys.end(), [](const auto &k) { return base_key(k) != k; });
  std::set<std::string_view> present;
  for (const std::string &key : have) present.insert(full ? std::string_view(key) : base_key(key));
  return compare_sets({keys.begin(), keys.end()}, present);
}

template <class T>
mismatches compare_equal(const value &want, const value &have) {
  if (std::get<T>(want) == std::get<T>(have)) return {};
  return {{"", show(want), show(have)}};
}

}  // namespace

std::vector<mismatch> compare(value_rule rule, const value &want, const value &have) {
  const auto equal = [](const auto &a, const auto &b) { return a == b; };
  const auto some_line = [](auto holds) {
    return [holds](const std::string &wanted, const std::string &present) {
      const text_list all = lines(present);
      return std::any_of(all.begin(), all.end(), [&](const std::string &line) { return holds(line, wanted); });
    };
  };
  switch (rule) {
    case value_rule::flag:
      return compare_equal<bool>(want, have);
    case value_rule::number:
      return compare_equal<int64_t>(want, have);
    case value_rule::word:
      return compare_equal<std::string>(want, have);
    case value_rule::amounts:
      return compare_amounts(want, have);
    case value_rule::part: {
      const bool found = std::get<std::string>(have).find(std::get<std::string>(want)) != std::string::npos;
      return found ? mismatches{} : mismatches{{"", "a text with " + show(want), show(have)}};
    }
    case value_rule::counts:
    case value_rule::tallies:
      return compare_counts(std::get<amount_map>(want), std::get<amount_map>(have));
    case value_rule::texts:
      return compare_texts(std::get<text_map>(want), std::get<text_map>(have), "", equal);
    case value_rule::places:
      return compare_places(std::get<text_map>(want), std::get<text_map>(have));
    case value_rule::parts: {
      const auto contains = [](const std::string &line, const std::string &part) {
        return line.find(part) != std::string::npos;
      };
      return compare_texts(std::get<text_map>(want), std::get<text_map>(have), "a text with ", some_line(contains));
    }
    case value_rule::reported:
      return compare_texts(std::get<text_map>(want), std::get<text_map>(have), "", some_line(equal));
    case value_rule::includes:
      return compare_includes(std::get<text_list>(want), std::get<text_list>(have));
    case value_rule::exactly: {
      const auto &wanted = std::get<text_list>(want);
      const auto &present = std::get<text_list>(have);
      return compare_sets({wanted.begin(), wanted.end()}, {present.begin(), present.end()});
    }
    case value_rule::in_order:
      return compare_equal<text_list>(want, have);
    case value_rule::key_set:
      return compare_keys(want, std::get<text_list>(have));
  }
  return {};
}

std::string show(const value &v) {
  struct shower {
    std::string operator()(std::monostate) const { return "not set"; }
    std::string operator()(bool b) const { return b ? "true" : "false"; }
    std::string operator()(int64_t n) const { return std::to_string(n); }
    std::string operator()(const std::string &s) const { return s.empty() ? "''" : s; }
    std::string operator()(const amount_map &m) const {
      return "{" + joined(m, [](const auto &e) { return e.first + ": " + std::to_string(e.second); }) + "}";
    }
    std::string operator()(const text_map &m) const {
      return "{" + joined(m, [](const auto &e) { return e.first + ": " + e.second; }) + "}";
    }
    std::string operator()(const text_list &l) const { return list(l); }
  };
  return std::visit(shower{}, v);
}

std::string_view base_key(std::string_view key) {
  const size_t mark = key.rfind('~');
  if (mark == std::string_view::npos || mark == 0 || key.size() - mark < 4) return key;
  const std::string_view digits = key.substr(mark + 1);
  const bool counted =
      std::all_of(digits.begin(), digits.end(), [](char c) { return std::isdigit(static_cast<unsigned char>(c)); });
  return counted ? key.substr(0, mark) : key;
}

}  // namespace tenon::cli
