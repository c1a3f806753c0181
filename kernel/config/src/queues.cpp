// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "tenon/config/queues.hpp"

#include <algorithm>

#include "policy_names.hpp"
#include "queues_source.hpp"
#include "tenon/config/queues_spec.hpp"
#include "tenon/config/sha256.hpp"
#include "tenon/config/shape.hpp"

namespace tenon::config {

namespace {

constexpr std::string_view checksum_key = "checksum: ";
constexpr size_t checksum_digits = 64;

// Whoever took a user's name for its group could let somebody in who is only called like one.
void check_identity(const partition_source &partition, const parse_options &options, problems &report) {
  const std::string &type = partition.user_group_resolver;
  if (type.empty() || provides(options.known, module_kind::identity, type)) return;
  const text_position at = place_in(*partition.node->find("usergroupresolver"), "type");
  const std::string have = "user group resolver " + in_quotes(type) + " is not provided";
  const std::string want = "one that is built in, or that a module of the deployment provides";
  const std::string fix = suggest(options.known, module_kind::identity, type);
  if (options.known[module_kind::identity]) {
    report.refuse(at, have, want, fix);
  } else {
    report.warn(at, have, want, fix + "; a daemon refuses it unless a module of its deployment provides it");
  }
}

// A timer that is always due would never let the kernel go on.
void check_periods(const partition_source &partition, problems &report) {
  const yaml_node *timeouts = partition.node->find("timeouts");
  if (timeouts == nullptr || duration_ms_of(*timeouts, "queuecleanup", 1) != 0) return;
  report.refuse(place_in(*timeouts, "queuecleanup"), "a queuecleanup of 0", "a duration above 0", {});
}

void check_partition(const partition_source &partition, const parse_options &options, problems &report) {
  check_structure(partition, report);
  if (!partition.has_queues) return;
  // Limits of the partition are those of the root: they are checked there.
  queue_source root = partition.root;
  if (root.limits.empty()) root.limits = partition.limits;
  check_queues(root, options, report);
  check_resources(root, report);
  check_placement(partition, options, report);
  check_node_sort(partition, options, report);
  check_canary(partition, options, report);
  check_max_applications(root, report);
  check_limit_hierarchy(root, report);
  check_rule_kinds(partition, options, report);
  check_identity(partition, options, report);
  check_periods(partition, report);
  check_properties(root, options, report);
  check_meaning(partition, root, report);
}

// A ConfigMap without the text of queues, or an object of another scheduler.
bool refuse_kubernetes_object(const yaml_node &root, problems &report) {
  const yaml_node *kind = root.find("kind");
  if (kind == nullptr || root.find("apiVersion") == nullptr || root.find("partitions") != nullptr) return false;
  report.refuse(kind->at, "a Kubernetes object of kind " + in_quotes(kind->text), "a text with the key 'partitions'",
                kind->text == "ConfigMap"
                    ? "write the queues below data, as the text of the key queues.yaml"
                    : "write its queues and limits as partitions; moving.md translates word by word");
  return true;
}

std::optional<cluster_config> parse(std::string_view text, const parse_options &options, problems &report,
                                    bool &has_content) {
  const auto root = read_yaml(text, report, options.limits);
  if (!root) return std::nullopt;
  if (root->what == yaml_node::kind::null) {
    bool of_built_in = true;
    has_content = false;
    report.warn({}, "a text without content, in place of which the built-in one holds", "queues",
                "write the queues, or leave it out");
    return parse(default_queues_yaml(), options, report, of_built_in);
  }
  if (refuse_kubernetes_object(*root, report)) return std::nullopt;
  if (!check_shape(*root, queues_file_spec, report)) return std::nullopt;
  const file_source file = read_source(*root);
  check_partition_names(file, report);
  for (const partition_source &partition : file.partitions) check_partition(partition, options, report);
  if (report.refused()) return std::nullopt;
  if (file.partitions.empty()) {
    report.warn(root->at, "no partitions", "at least one entry of 'partitions'", "nothing can be scheduled");
  }
  return build_config(*root, file, options);
}

// The text that the checksum is of: without its own checksum, in whatever line that stands.
std::string without_checksum(std::string_view text) {
  const size_t found = text.find(checksum_key);
  if (found == std::string_view::npos) return std::string(text);
  const std::string_view digits = text.substr(found + checksum_key.size());
  // Up to the next such key, without line ends behind it, 64 characters at most.
  std::string_view value = digits.substr(0, digits.find(checksum_key));
  value = value.substr(0, value.find_last_not_of('\n') + 1).substr(0, checksum_digits);
  const std::string part = std::string(checksum_key) + std::string(value);
  std::string out;
  size_t from = 0;
  for (size_t at = found; at != std::string_view::npos; at = text.find(part, from)) {
    out += text.substr(from, at - from);
    from = at + part.size();
  }
  out += text.substr(from);
  return out;
}

}  // namespace

std::string_view default_queues_yaml() {
  return "partitions:\n"
         "- name: default\n"
         "  placementrules:\n"
         "  - name: tag\n"
         "    value: namespace\n"
         "    create: true\n"
         "  queues:\n"
         "  - name: root\n"
         "    submitacl: '*'\n";
}

std::string queues_checksum(std::string_view text) {
  std::string sum = sha256_hex(without_checksum(text));
  std::transform(sum.begin(), sum.end(), sum.begin(),
                 [](char c) { return c >= 'a' ? static_cast<char>(c - 'a' + 'A') : c; });
  return sum;
}

namespace {

// The text of queues in a file that holds it among others: a Kubernetes ConfigMap, or the values of a Helm chart.
struct text_inside {
  std::string text, place;  // data."queues.yaml"
};

std::optional<text_inside> find_text_inside(std::string_view text, const parse_options &options) {
  constexpr std::string_view name = "queues.yaml";
  if (text.find(name) == std::string_view::npos) return std::nullopt;
  problems unheard{{}};
  const auto root = read_yaml(text, unheard, options.limits);
  if (!root || root->find("partitions") != nullptr) return std::nullopt;
  for (const yaml_entry &entry : root->entries) {
    const yaml_node *inside = entry.value.find(name);
    if (inside == nullptr || inside->what != yaml_node::kind::scalar) continue;
    return text_inside{inside->text, entry.key.text + ".\"" + std::string(name) + '"'};
  }
  return std::nullopt;
}

parsed_queues parse_plain(std::string_view text, std::string_view file_name, const parse_options &options) {
  problems report{std::string(file_name)};
  parsed_queues out;
  out.config = parse(text, options, report, out.has_content);
  if (out.config) out.config->checksum = queues_checksum(text);
  out.refusals = report.refusals();
  out.warnings = report.warnings();
  out.refused = report.refused_count();
  return out;
}

}  // namespace

parsed_queues parse_queues(std::string_view text, std::string_view file_name, const parse_options &options) {
  const auto inside = find_text_inside(text, options);
  if (!inside) return parse_plain(text, file_name, options);
  const std::string file(file_name);
  parsed_queues out = parse_plain(inside->text, file + ", " + inside->place, options);
  if (out.config) out.config->checksum = queues_checksum(text);
  out.warnings.insert(out.warnings.begin(), refusal{file, "queues alone, or where they are kept in another file",
                                                    "a file of other things, of which " + inside->place + " is read",
                                                    "leave it so, or give that text a file of its own"});
  return out;
}

refusal first_reason(const parsed_queues &refused) {
  refusal first = refused.refusals.at(0);
  if (refused.refused > 1) first.have += " (and " + std::to_string(refused.refused - 1) + " more)";
  return first;
}

result<cluster_config> parse_queues_yaml(std::string_view text, std::string_view file_name,
                                         const parse_options &options) {
  parsed_queues parsed = parse_queues(text, file_name, options);
  if (parsed.config) return std::move(*parsed.config);
  return first_reason(parsed);
}

}  // namespace tenon::config
