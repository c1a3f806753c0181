// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Queue properties. As in the field nothing is refused for a value that is none: the default holds, and a
// warning says so. Only what names a policy of a module must exist.
#include <algorithm>
#include <charconv>

#include "policy_names.hpp"
#include "queues_source.hpp"
#include "tenon/config/queues_spec.hpp"
#include "tenon/kernel/duration.hpp"
#include "tenon/kernel/names.hpp"

namespace tenon::config {

namespace {

constexpr std::string_view app_sort_property = "application.sort.policy";
constexpr std::string_view queue_sort_property = "queue.sort.policy";

template <class Number>
bool is_number(std::string_view text) {
  Number value{};
  if (text.starts_with('+')) text.remove_prefix(1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size();
}

bool is_word(const property_spec &spec, std::string_view text) {
  return std::find(spec.allowed.begin(), spec.allowed.end(), lower_case(text)) != spec.allowed.end();
}

bool are_words(const property_spec &spec, std::string_view text) {
  while (true) {
    const size_t comma = text.find(',');
    if (!is_word(spec, text.substr(0, comma))) return false;
    if (comma == std::string_view::npos) return true;
    text.remove_prefix(comma + 1);
  }
}

bool is_delay(std::string_view text) {
  const auto delay = parse_duration_ms(text);
  return delay && *delay > 0;
}

bool is_good(const property_spec &spec, std::string_view value) {
  using kind = property_spec::value;
  switch (spec.kind) {
    case kind::policy:
      return true;
    case kind::choice:
      return is_word(spec, value);
    case kind::choices:
      return are_words(spec, value);
    case kind::count:
      return is_number<uint64_t>(value);
    case kind::int32:
      return is_number<int32_t>(value);
    case kind::delay:
      return is_delay(value);
  }
  return false;
}

class property_checker {
 public:
  property_checker(const parse_options &options, problems &report) : options_(options), report_(report) {
    for (const property_spec &spec : queue_properties()) names_.push_back(spec.name);
  }

  void check(const queue_source &queue) {
    if (queue.node != nullptr) {
      check_map(queue.node->find("properties"));
      if (const yaml_node *child_template = queue.node->find("childtemplate")) {
        check_map(child_template->find("properties"));
      }
    }
    for (const queue_source &child : queue.queues) check(child);
  }

 private:
  void check_map(const yaml_node *map) {
    if (map == nullptr) return;
    for (const yaml_entry &entry : map->entries) check_entry(entry);
  }

  void check_entry(const yaml_entry &entry) {
    const std::string &name = entry.key.text;
    const std::string &value = entry.value.text;
    const auto specs = queue_properties();
    const auto known = std::find_if(specs.begin(), specs.end(), [&](const property_spec &s) { return s.name == name; });
    if (known == specs.end()) {
      const auto near = closest(name, names_);
      if (near.empty()) return;
      report_.warn(entry.key.at, "unknown property " + in_quotes(name), "a property that the kernel or a module reads",
                   "did you mean '" + std::string(near) + "'?");
      return;
    }
    if (value.empty()) return;
    if (name == app_sort_property) return check_app_sort(entry);
    if (name == queue_sort_property) return check_queue_sort(entry);
    if (!is_good(*known, value)) {
      const std::string fix = known->kind == property_spec::value::delay ? with_unit(value) : std::string();
      report_.warn(
          entry.value.at, in_quotes(value) + " for " + name + " is ignored", std::string(known->values),
          (fix.empty() ? "correct it" : fix) + "; until then the default holds: " + std::string(known->fallback));
    }
  }

  void check_app_sort(const yaml_entry &entry) {
    const std::string &value = entry.value.text;
    if (provides(options_.known, module_kind::app_sort, value)) return;
    report_.warn(entry.value.at, "application sort policy " + in_quotes(value) + " is not provided",
                 "a policy that is built in, or that a module of the deployment provides",
                 "fifo holds where no module provides it; " + suggest(options_.known, module_kind::app_sort, value));
  }

  void check_queue_sort(const yaml_entry &entry) {
    const std::string &value = entry.value.text;
    if (provides(options_.known, module_kind::queue_sort, value)) return;
    const std::string have = "queue sort policy " + in_quotes(value) + " is not provided";
    const std::string want = "a policy that is built in, or that a module of the deployment provides";
    const std::string fix = suggest(options_.known, module_kind::queue_sort, value);
    if (options_.known[module_kind::queue_sort]) {
      report_.refuse(entry.value.at, have, want, fix);
    } else {
      report_.warn(entry.value.at, have, want, fix);
    }
  }

  const parse_options &options_;
  problems &report_;
  std::vector<std::string_view> names_;
};

}  // namespace

void check_properties(const queue_source &root, const parse_options &options, problems &report) {
  property_checker(options, report).check(root);
}

}  // namespace tenon::config
