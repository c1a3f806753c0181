// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "policy_names.hpp"

#include <algorithm>
#include <vector>

#include "tenon/config/problems.hpp"
#include "tenon/kernel/built_in_policies.hpp"

namespace tenon::config {

namespace {

std::vector<std::string_view> names_of(const known_policies &known, module_kind kind) {
  if (const auto &given = known[kind]) return {given->begin(), given->end()};
  std::vector<std::string_view> out;
  for (const built_in_policy &one : built_in_policies)
    if (one.kind == kind) out.push_back(one.name);
  return out;
}

}  // namespace

bool provides(const known_policies &known, module_kind kind, std::string_view name) {
  const auto names = names_of(known, kind);
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string suggest(const known_policies &known, module_kind kind, std::string_view name) {
  if (const std::string module = known.unlisted(kind, name); !module.empty())
    return in_quotes(module) + " provides it and is not listed: add `- id: " + module +
           "` to modules of the deployment";
  return suggestion(name, names_of(known, kind));
}

}  // namespace tenon::config
