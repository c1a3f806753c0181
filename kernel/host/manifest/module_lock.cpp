// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "tenon/host/module_lock.hpp"

#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <limits>
#include <set>

#include "manifest/list_entries.hpp"
#include "tenon/host/text_file.hpp"

namespace tenon::host {
namespace {

using config::in_quotes;
using config::key_spec;
using config::object_spec;
using config::problems;
using config::value_kind;
using config::yaml_node;

constexpr std::array<std::string_view, 1> api_versions{"tenon.lock/v1"};

constexpr std::array provides_keys{
    key_spec{.key = "interface", .kind = value_kind::text, .summary = "Interface id.", .required = true},
    key_spec{.key = "name", .kind = value_kind::text, .summary = "Name of the implementation.", .required = true},
    key_spec{.key = "order_rev", .kind = value_kind::count, .summary = "Its behaviour revision.", .required = true},
};
constexpr object_spec provides_object{"locked interface", "An entry of `provides` of a locked module.", provides_keys};

constexpr std::array module_keys{
    key_spec{.key = "id", .kind = value_kind::text, .summary = "The module.", .required = true},
    key_spec{.key = "version", .kind = value_kind::text, .summary = "Its version.", .required = true},
    key_spec{.key = "digest",
             .kind = value_kind::text,
             .summary = "SHA-256 of its library.",
             .fallback = "a built-in module: any build, with the same behaviour revisions",
             .pattern = "^sha256:[0-9a-f]{64}$"},
    key_spec{.key = "provides",
             .kind = value_kind::object_list,
             .summary = "What it provides.",
             .object = &provides_object,
             .required = true},
};
constexpr object_spec module_object{"locked module", "An entry of `modules` of a lock.", module_keys};

constexpr std::array lock_keys{
    key_spec{.key = "apiVersion",
             .kind = value_kind::text,
             .summary = "Format of this file.",
             .allowed = api_versions,
             .required = true},
    key_spec{.key = "modules",
             .kind = value_kind::object_list,
             .summary = "Every module that the deployment uses.",
             .object = &module_object,
             .required = true},
};
constexpr object_spec lock_object{"lock file", "The top of the text.", lock_keys};

// The command that writes a lock, for messages.
std::string command_for(const std::filesystem::path &lock) {
  return "`tenon plugin lock " + std::filesystem::path(lock).replace_extension().string() + "`";
}

std::string words(const provided_interface &one) {
  return one.interface + " " + in_quotes(one.name) + " of order_rev " + std::to_string(one.order_rev);
}

bool same(const provided_interface &a, const provided_interface &b) {
  return a.interface == b.interface && a.name == b.name && a.order_rev == b.order_rev;
}

// The first of `these` that is not among `those`.
const provided_interface *missing(const std::vector<provided_interface> &these,
                                  const std::vector<provided_interface> &those) {
  for (const provided_interface &one : these) {
    if (std::none_of(those.begin(), those.end(), [&](const auto &other) { return same(one, other); })) return &one;
  }
  return nullptr;
}

locked_module read_module(const yaml_node &item, const std::string &lock_anew, problems &report) {
  locked_module out;
  out.id = config::text_of(item, "id");
  out.version = config::text_of(item, "version");
  if (!is_module_id(out.id)) report.refuse(item.at, in_quotes(out.id) + " is no module id", "one", lock_anew);
  if (const yaml_node *digest = item.find("digest")) {
    if (const auto digits = digest_digits(digest->text)) {
      out.digest = *digits;
    } else {
      report.refuse(digest->at, "digest is " + in_quotes(digest->text), "sha256: and 64 lower-case hexadecimal digits",
                    lock_anew);
    }
  }
  for (const yaml_node *entry : list_entries(item, "provides", report)) {
    const uint64_t revision = config::count_of(*entry, "order_rev", 0);
    out.provides.push_back({config::text_of(*entry, "interface"), config::text_of(*entry, "name"),
                            static_cast<uint32_t>(std::min<uint64_t>(revision, UINT32_MAX))});
  }
  return out;
}

}  // namespace

const locked_module *module_lock::find(std::string_view id) const {
  const auto found = std::find_if(modules.begin(), modules.end(), [&](const locked_module &m) { return m.id == id; });
  return found == modules.end() ? nullptr : &*found;
}

std::filesystem::path lock_file_of(const std::filesystem::path &deployment) {
  std::filesystem::path out = deployment;
  out += ".lock";
  return out;
}

const object_spec &lock_spec() { return lock_object; }

std::optional<module_lock> parse_lock(std::string_view text, std::filesystem::path file, problems &report) {
  const auto root = config::read_yaml(text, report);
  if (!root || !config::check_shape(*root, lock_object, report)) return std::nullopt;
  module_lock out;
  out.file = std::move(file);
  const std::string lock_anew = command_for(out.file) + " writes it anew";
  std::set<std::string> seen;
  for (const yaml_node *item : list_entries(*root, "modules", report)) {
    locked_module one = read_module(*item, lock_anew, report);
    if (!seen.insert(one.id).second) {
      report.refuse(item->at, "module " + in_quotes(one.id) + " is there twice", "each module once", lock_anew);
    }
    out.modules.push_back(std::move(one));
  }
  if (report.refused()) return std::nullopt;
  return out;
}

std::optional<module_lock> read_lock(const std::filesystem::path &file, problems &report) {
  const auto text = read_text_file(file);
  if (text) return parse_lock(*text, file, report);
  report.refuse({}, text.why().have, "the lock of a deployment", text.why().fix);
  return std::nullopt;
}

std::string lock_text(std::vector<locked_module> modules) {
  std::sort(modules.begin(), modules.end(), [](const auto &a, const auto &b) { return a.id < b.id; });
  std::string out =
      "# Written by tenon plugin lock. The deployment loads only what is written here.\n"
      "apiVersion: tenon.lock/v1\nmodules:" +
      std::string(modules.empty() ? " []\n" : "\n");
  for (const locked_module &one : modules) {
    out += "  - id: " + one.id + "\n    version: \"" + one.version + "\"\n";
    if (!one.digest.empty()) out += "    digest: sha256:" + one.digest + "\n";
    out += "    provides:\n";
    for (const provided_interface &p : one.provides) {
      out += "      - { interface: " + p.interface + ", name: " + p.name +
             ", order_rev: " + std::to_string(p.order_rev) + " }\n";
    }
  }
  return out;
}

std::string lock_line(std::vector<locked_module> modules) {
  std::sort(modules.begin(), modules.end(), [](const auto &a, const auto &b) { return a.id < b.id; });
  boost::json::array all;
  for (const locked_module &one : modules) {
    boost::json::array provides;
    for (const provided_interface &p : one.provides)
      provides.push_back({{"interface", p.interface}, {"name", p.name}, {"order_rev", p.order_rev}});
    boost::json::object item{{"id", one.id}, {"version", one.version}, {"provides", std::move(provides)}};
    if (!one.digest.empty()) item["digest"] = "sha256:" + one.digest;
    all.push_back(std::move(item));
  }
  return boost::json::serialize(boost::json::object{{"apiVersion", api_versions.front()}, {"modules", std::move(all)}});
}

locked_module locked(const module_manifest &manifest, bool built_in) {
  return {manifest.id, manifest.version, built_in ? std::string() : manifest.digest, manifest.provides};
}

std::optional<refusal> check_lock(const module_lock &lock, const module_manifest &manifest, bool built_in) {
  const std::string fix = "put the locked build back, or accept this one with " + command_for(lock.file);
  const std::string where = lock.file.string();
  const locked_module *want = lock.find(manifest.id);
  if (want == nullptr) {
    return refusal{where, "every module that the deployment uses", "module " + in_quotes(manifest.id) + " is not in it",
                   command_for(lock.file) + " adds it"};
  }
  const std::string &file = manifest.file.string();
  if (!built_in && want->version != manifest.version) {
    return refusal{file, manifest.id + " " + want->version + ", as " + where + " says", "version " + manifest.version,
                   fix};
  }
  if (!built_in && want->digest != manifest.digest) {
    return refusal{file, "sha256:" + want->digest + ", as " + where + " says", "sha256:" + manifest.digest, fix};
  }
  if (const provided_interface *one = missing(want->provides, manifest.provides)) {
    const auto now = std::find_if(manifest.provides.begin(), manifest.provides.end(), [&](const auto &other) {
      return other.interface == one->interface && other.name == one->name;
    });
    const bool gone = now == manifest.provides.end();
    return refusal{file, words(*one) + ", as " + where + " says",
                   gone ? "a module without it" : "order_rev " + std::to_string(now->order_rev), fix};
  }
  if (const provided_interface *one = missing(manifest.provides, want->provides)) {
    return refusal{file, "what " + where + " says", "a module that also provides " + words(*one), fix};
  }
  return std::nullopt;
}

}  // namespace tenon::host
