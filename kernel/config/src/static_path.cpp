// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "static_path.hpp"

#include <algorithm>

#include "tenon/kernel/names.hpp"

namespace tenon::config {

namespace {

std::vector<const rule_source *> chain_of(const rule_source &rule) {
  std::vector<const rule_source *> out;
  for (const rule_source *r = &rule; r != nullptr; r = r->parent.empty() ? nullptr : &r->parent[0]) out.push_back(r);
  std::reverse(out.begin(), out.end());
  return out;
}

std::vector<std::string> parts_of(const std::string &path) {
  std::vector<std::string> out;
  size_t from = 0;
  for (size_t dot = path.find('.'); dot != std::string::npos; dot = path.find('.', from)) {
    out.push_back(path.substr(from, dot - from));
    from = dot + 1;
  }
  out.push_back(path.substr(from));
  return out;
}

}  // namespace

static_path static_path_of(const rule_source &rule) {
  static_path out;
  bool any = false;
  for (const rule_source *r : chain_of(rule)) {
    out.rules += (out.rules.empty() ? "" : "->") + r->name;
    if (out.dynamic_tail || out.illegal != nullptr) continue;
    // The field looks for "fixed" in lower case here although rules have names in any case: what it does not
    // recognise is decided later, so nothing is refused that would run.
    if (r->name != fixed_rule) {
      out.dynamic_tail = true;
      continue;
    }
    const std::string value = lower_case(r->value);
    const bool qualified = value.starts_with(root_queue_name);
    if (qualified && any) {
      out.illegal = r;
      continue;
    }
    out.path = qualified ? value : (any ? out.path : std::string(root_queue_name)) + "." + value;
    any = true;
  }
  return out;
}

bool queues_by_name::is_name(const queue_source &queue, const std::string &name) const {
  return (names_ == name_case::folded ? lower_case(queue.name) : queue.name) == name;
}

const queue_source *queues_by_name::child_of(const queue_source &parent, const std::string &name) {
  const auto [known, fresh] = known_.try_emplace(&parent);
  children &of_parent = known->second;
  if (fresh) {
    for (const queue_source &child : parent.queues)
      of_parent.emplace(names_ == name_case::folded ? lower_case(child.name) : child.name, &child);
  }
  const auto found = of_parent.find(name);
  return found == of_parent.end() ? nullptr : found->second;
}

path_check check_path(const static_path &path, bool create, const queue_source &root, queues_by_name &names) {
  const std::vector<std::string> parts = parts_of(path.path);
  const queue_source *above = nullptr;
  for (size_t i = 0; i < parts.size(); ++i) {
    if (above != nullptr && above->queues.empty() && !above->parent)
      return {path_verdict::below_leaf, above->name, false};
    const queue_source *found = nullptr;
    if (above != nullptr) {
      found = names.child_of(*above, parts[i]);
    } else if (names.is_name(root, parts[i])) {
      found = &root;
    }
    if (found == nullptr) return {create ? path_verdict::good : path_verdict::not_existing, {}, false};
    if (i + 1 == parts.size()) {
      const bool wants_parent = path.dynamic_tail;
      if (found->parent != wants_parent) return {path_verdict::no_leaf, {}, false};
      return {path_verdict::good, {}, !wants_parent && !found->queues.empty()};
    }
    above = found;
  }
  return {};
}

}  // namespace tenon::config
