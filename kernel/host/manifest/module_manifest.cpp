// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "tenon/host/module_manifest.hpp"

#include <algorithm>
#include <array>
#include <set>

#include "manifest/list_entries.hpp"
#include "tenon/abi/base.h"
#include "tenon/abi/host.h"
#include "tenon/abi/host_events.h"
#include "tenon/abi/host_local.h"
#include "tenon/abi/transport.h"
#include "tenon/host/module_configuration.hpp"
#include "tenon/host/text_file.hpp"
#include "tenon/kernel/module_kinds.hpp"

namespace tenon::host {
namespace {

using config::in_quotes;
using config::key_spec;
using config::object_spec;
using config::problems;
using config::value_kind;
using config::yaml_node;

constexpr std::array<std::string_view, 1> api_versions{"tenon.module/v1"};
// Services of hosts of this epoch. One that this host lacks is no reason to refuse: the module is told at run time.
constexpr std::array<std::string_view, 5> known_services{TENON_HOST_LOG, TENON_HOST_THREAD, TENON_HOST_RM,
                                                         TENON_HOST_EVENTS, TENON_HOST_LOCAL};

constexpr std::array<std::string_view, 4> known_permissions{"read", "write", "network", "threads"};

constexpr std::array provides_keys{
    key_spec{.key = "interface",
             .kind = value_kind::text,
             .summary = "Interface id, as tenon.node-sort/1.",
             .required = true},
    key_spec{.key = "name",
             .kind = value_kind::text,
             .summary = "Name by which configurations ask for it.",
             .required = true},
    key_spec{.key = "order_rev",
             .kind = value_kind::count,
             .summary = "Behaviour revision: changes whenever its order or verdict changes.",
             .required = true},
};
constexpr object_spec provides_object{"provided interface", "An entry of `provides`.", provides_keys};

constexpr std::array manifest_keys{
    key_spec{.key = "apiVersion",
             .kind = value_kind::text,
             .summary = "Format of this file.",
             .allowed = api_versions,
             .required = true},
    key_spec{.key = "id",
             .kind = value_kind::text,
             .summary = "Reverse-domain name of the module.",
             .required = true,
             .pattern = "^[a-z][a-z0-9-]*(\\.[a-z0-9][a-z0-9-]*)+$"},
    key_spec{.key = "version",
             .kind = value_kind::text,
             .summary = "Version of the module, as it says itself.",
             .required = true},
    key_spec{.key = "vendor", .kind = value_kind::text, .summary = "Who answers for it.", .required = true},
    key_spec{.key = "license", .kind = value_kind::text, .summary = "SPDX licence expression.", .required = true},
    key_spec{.key = "description", .kind = value_kind::text, .summary = "One sentence.", .required = true},
    key_spec{.key = "library", .kind = value_kind::text, .summary = "File beside the manifest.", .required = true},
    key_spec{.key = "digest",
             .kind = value_kind::text,
             .summary = "SHA-256 of the library; `tenon plugin seal FILE` writes it.",
             .required = true,
             .pattern = "^sha256:[0-9a-f]{64}$"},
    key_spec{.key = "abi_epoch",
             .kind = value_kind::count,
             .summary = "TENON_ABI_EPOCH of the headers it was built with.",
             .required = true},
    key_spec{.key = "draft_rev",
             .kind = value_kind::count,
             .summary = "TENON_DRAFT_REV of those headers; compared where a provided interface is a draft.",
             .required = true},
    key_spec{.key = "provides",
             .kind = value_kind::object_list,
             .summary = "What it provides.",
             .object = &provides_object,
             .required = true},
    key_spec{.key = "services",
             .kind = value_kind::text_list,
             .summary = "Host services that it uses; others are refused to it.",
             .fallback = "none"},
    key_spec{.key = "permissions",
             .kind = value_kind::text_list,
             .summary = "What it asks for in a process of its own: read, write (files), network, threads. The "
                        "deployment grants it.",
             .fallback = "none"},
    key_spec{.key = "config",
             .kind = value_kind::any,
             .summary = "JSON Schema of its configuration, with defaults.",
             .fallback = "it takes none"},
    key_spec{.key = "queue_properties",
             .kind = value_kind::any,
             .summary = "JSON Schema of the queue properties that it reads, as one object.",
             .fallback = "none"},
    key_spec{.key = "tags",
             .kind = value_kind::any,
             .summary = "JSON Schema of the tags that it reads, as one object.",
             .fallback = "none"},
};
constexpr object_spec manifest_object{"module manifest", "The top of the text.", manifest_keys, true};

bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

// "tenon.node-sort/1"
bool is_interface_id(std::string_view text) {
  const size_t slash = text.rfind('/');
  if (slash == std::string_view::npos || !is_module_id(text.substr(0, slash))) return false;
  const std::string_view revision = text.substr(slash + 1);
  return !revision.empty() && revision.size() < 4 && revision.front() != '0' &&
         std::all_of(revision.begin(), revision.end(), is_digit);
}

// A version that can be compared by people: three numbers, then anything after - or +.
bool is_version(std::string_view text) {
  if (text.size() > 64) return false;
  for (int part = 0; part < 3; ++part) {
    const size_t digits = static_cast<size_t>(std::find_if_not(text.begin(), text.end(), is_digit) - text.begin());
    if (digits == 0) return false;
    text.remove_prefix(digits);
    if (part == 2) break;
    if (text.empty() || text.front() != '.') return false;
    text.remove_prefix(1);
  }
  if (text.empty()) return true;
  return (text.front() == '-' || text.front() == '+') && text.size() > 1 &&
         std::all_of(text.begin() + 1, text.end(), [](char c) {
           return is_lower(c) || is_digit(c) || (c >= 'A' && c <= 'Z') || c == '.' || c == '-' || c == '+';
         });
}

class manifest_reader {
 public:
  manifest_reader(const yaml_node &root, problems &report) : root_(root), report_(report) {}

  module_manifest read(std::filesystem::path file) {
    module_manifest out;
    out.file = std::move(file);
    out.id = text("id", is_module_id, "a reverse-domain name of lower-case letters, digits and '-', as acme.binpack");
    out.version = text("version", is_version, "a version of three numbers, as 1.2.0");
    out.vendor = filled("vendor", "who answers for the module, as Acme");
    out.license = filled("license", "an SPDX licence expression, as Apache-2.0");
    for (const auto &[key, value] : root_.entries)
      if (key.text.starts_with("x-") && value.what == config::yaml_node::kind::scalar) out.own[key.text] = value.text;
    out.description = filled("description", "a sentence about what the module does");
    out.library = text("library", is_file_name, "the name of a file beside the manifest, without a folder");
    read_digest(out);
    read_abi(out);
    read_provides(out);
    read_services(out);
    read_permissions(out);
    out.configuration = schema("config");
    out.queue_properties = schema("queue_properties");
    out.tags = schema("tags");
    return out;
  }

 private:
  static bool is_file_name(std::string_view text) {
    return !text.empty() && text != "." && text != ".." && text.find('/') == std::string_view::npos &&
           text.find('\0') == std::string_view::npos;
  }

  template <class Check>
  std::string text(std::string_view key, Check sound, const char *want) {
    std::string value = config::text_of(root_, key);
    if (!sound(value)) report_.refuse(at(key), std::string(key) + " is " + in_quotes(value), want);
    return value;
  }

  std::string filled(std::string_view key, const char *want) {
    return text(
        key, [](std::string_view value) { return !value.empty(); }, want);
  }

  void read_digest(module_manifest &out) {
    const std::string value = config::text_of(root_, "digest");
    if (auto digits = digest_digits(value))
      out.digest = *digits;
    else
      report_.refuse(
          at("digest"), "digest is " + in_quotes(value), "sha256: and 64 lower-case hexadecimal digits",
          "build the module with tenon_add_module, which writes it; after another build `tenon plugin seal " +
              report_.where({}) + "` does");
  }

  void read_abi(module_manifest &out) {
    out.abi_epoch = static_cast<uint32_t>(std::min<uint64_t>(config::count_of(root_, "abi_epoch", 0), UINT32_MAX));
    out.draft_rev = static_cast<uint32_t>(std::min<uint64_t>(config::count_of(root_, "draft_rev", 0), UINT32_MAX));
    if (out.abi_epoch != TENON_ABI_EPOCH)
      report_.refuse(at("abi_epoch"), "built for ABI epoch " + std::to_string(out.abi_epoch),
                     "ABI epoch " + std::to_string(TENON_ABI_EPOCH) + ", that of this host",
                     "install a build of the module for this host");
  }

  void read_provides(module_manifest &out) {
    const yaml_node *list = root_.find("provides");
    if (list == nullptr) return;
    if (list->items.empty())
      report_.refuse(list->at, "provides nothing", "at least one interface", "list what the module provides");
    std::set<std::pair<std::string, std::string>> seen;
    for (const yaml_node *entry : list_entries(root_, "provides", report_)) {
      const yaml_node &item = *entry;
      provided_interface one{
          config::text_of(item, "interface"), config::text_of(item, "name"),
          static_cast<uint32_t>(std::min<uint64_t>(config::count_of(item, "order_rev", 0), UINT32_MAX))};
      check_interface(item, one, out.draft_rev);
      if (!seen.emplace(one.interface, one.name).second)
        report_.refuse(item.at, in_quotes(one.name) + " of " + one.interface + " is listed twice", "each once",
                       "remove one");
      out.provides.push_back(std::move(one));
    }
  }

  void check_interface(const yaml_node &item, const provided_interface &one, uint32_t draft_rev) {
    const yaml_node &id = *item.find("interface");
    std::vector<std::string_view> known;
    for (const kind_entry &kind : module_kinds) known.push_back(kind.interface);
    const kind_entry *found = find_kind(one.interface);
    if (!is_interface_id(one.interface)) {
      report_.refuse(id.at, "interface is " + in_quotes(one.interface), "an interface id, as tenon.node-sort/1",
                     config::suggestion(one.interface, known));
    } else if (found == nullptr) {
      report_.refuse(id.at, "this host does not know the interface " + in_quotes(one.interface),
                     "an interface of this host", config::suggestion(one.interface, known));
    } else if (found->draft && draft_rev != TENON_DRAFT_REV) {
      report_.refuse(at("draft_rev"),
                     one.interface + " is a draft, built for draft revision " + std::to_string(draft_rev),
                     "draft revision " + std::to_string(TENON_DRAFT_REV) + ", that of this host",
                     "build the module against this release's headers");
    }
    if (!is_policy_name(one.name))
      report_.refuse(item.find("name")->at, "name is " + in_quotes(one.name),
                     "lower-case letters, digits and '-', at most 64");
  }

  void read_services(module_manifest &out) {
    out.services = config::texts_of(root_, "services");
    const yaml_node *list = root_.find("services");
    for (size_t i = 0; i < out.services.size(); ++i) {
      const std::string &id = out.services[i];
      if (is_interface_id(id)) continue;
      report_.refuse(list->items.empty() ? list->at : list->items[i].at, "service is " + in_quotes(id),
                     "a service id, as " TENON_HOST_LOG, config::suggestion(id, known_services));
    }
  }

  void read_permissions(module_manifest &out) {
    out.permissions = config::texts_of(root_, "permissions");
    const yaml_node *list = root_.find("permissions");
    for (size_t i = 0; i < out.permissions.size(); ++i) {
      const std::string &one = out.permissions[i];
      if (std::find(known_permissions.begin(), known_permissions.end(), one) != known_permissions.end()) continue;
      report_.refuse(list->items.empty() ? list->at : list->items[i].at, "permission is " + in_quotes(one),
                     "one of read, write, network and threads", config::suggestion(one, known_permissions));
    }
  }

  boost::json::object schema(std::string_view key) {
    const yaml_node *node = root_.find(key);
    if (node == nullptr) return {};
    check_schema(key, *node, report_);
    if (const yaml_node *type = node->find("type");
        type != nullptr && type->what == yaml_node::kind::scalar && type->text != "object")
      report_.refuse(type->at, std::string(key) + " is of type " + in_quotes(type->text), "type: object",
                     "write type: object, and each option below properties");
    auto value = to_json(*node);
    return value.is_object() ? std::move(value.get_object()) : boost::json::object{};
  }

  [[nodiscard]] config::text_position at(std::string_view key) const {
    const yaml_node *node = root_.find(key);
    return node == nullptr ? root_.at : node->at;
  }

  const yaml_node &root_;
  problems &report_;
};

}  // namespace

std::span<const std::string_view> permission_words() { return known_permissions; }

const object_spec &manifest_spec() { return manifest_object; }

std::optional<module_manifest> parse_manifest(std::string_view text, std::filesystem::path file, problems &report) {
  const auto root = config::read_yaml(text, report);
  if (!root) return std::nullopt;
  if (!config::check_shape(*root, manifest_object, report)) return std::nullopt;
  module_manifest manifest = manifest_reader(*root, report).read(std::move(file));
  if (report.refused()) return std::nullopt;
  return manifest;
}

std::optional<module_manifest> read_manifest(const std::filesystem::path &file, problems &report) {
  const auto text = read_text_file(file);
  if (!text) {
    report.refuse({}, text.why().have, text.why().want, text.why().fix);
    return std::nullopt;
  }
  return parse_manifest(*text, file, report);
}

bool is_module_id(std::string_view text) {
  if (text.size() > 128 || text.empty() || !is_lower(text.front())) return false;
  size_t parts = 0;
  while (true) {
    const size_t end = std::min(text.find('.'), text.size());
    const std::string_view part = text.substr(0, end);
    if (part.empty() || part.front() == '-' ||
        !std::all_of(part.begin(), part.end(), [](char c) { return is_lower(c) || is_digit(c) || c == '-'; }))
      return false;
    ++parts;
    if (end == text.size()) break;
    text.remove_prefix(end + 1);
  }
  return parts >= 2;
}

bool is_policy_name(std::string_view text) {
  return !text.empty() && text.size() <= 64 && is_lower(text.front()) &&
         std::all_of(text.begin(), text.end(), [](char c) { return is_lower(c) || is_digit(c) || c == '-'; });
}

std::optional<std::string> digest_digits(std::string_view text) {
  constexpr std::string_view prefix = "sha256:";
  if (text.substr(0, prefix.size()) != prefix) return std::nullopt;
  text.remove_prefix(prefix.size());
  const bool hex = std::all_of(text.begin(), text.end(), [](char c) { return is_digit(c) || (c >= 'a' && c <= 'f'); });
  if (text.size() != 64 || !hex) return std::nullopt;
  return std::string(text);
}

}  // namespace tenon::host
