// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "plugin/describe_command.hpp"

#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <charconv>
#include <ostream>
#include <vector>

#include "plugin/installed_versions.hpp"
#include "run/complain.hpp"
#include "run/text_table.hpp"
#include "tenon/host/deployment.hpp"
#include "tenon/host/module_catalog.hpp"
#include "tenon/host/module_configuration.hpp"

namespace tenon::cli {
namespace {

namespace json = boost::json;

std::string joined(const std::vector<std::string> &words) {
  std::string out;
  for (const std::string &one : words) out += (out.empty() ? "" : ", ") + one;
  return out.empty() ? "none" : out;
}

std::vector<std::string> versions_in_words(const installed_versions &of) {
  std::vector<std::string> out = of.all();
  for (std::string &one : out) one += one == of.in_use() ? " (in use)" : one == of.before() ? " (before)" : "";
  return out;
}

bool is_required(const json::object &schema, std::string_view key) {
  const json::value *required = schema.if_contains("required");
  return required != nullptr && required->is_array() &&
         std::any_of(required->get_array().begin(), required->get_array().end(),
                     [&](const json::value &one) { return one.is_string() && one.get_string() == key; });
}

// Returns a value as people write it: 0.8, not 8E-1.
std::string plainly(const json::value &of) {
  std::string out;
  if (of.is_double()) {
    std::array<char, 32> room{};
    return {room.data(), std::to_chars(room.data(), room.data() + room.size(), of.get_double()).ptr};
  }
  if (of.is_array()) {
    for (const json::value &one : of.get_array()) out += (out.empty() ? "" : ", ") + plainly(one);
    return "[" + out + "]";
  }
  if (!of.is_object()) return json::serialize(of);
  for (const auto &[key, value] : of.get_object())
    out += (out.empty() ? "" : ", ") + std::string(key) + ": " + plainly(value);
  return "{" + out + "}";
}

// A row for each property, with a path for those of objects inside.
void add_rows(const json::object &schema, const std::string &above, table &rows) {
  const json::value *properties = schema.if_contains("properties");
  if (properties == nullptr || !properties->is_object()) return;
  for (const auto &[key, value] : properties->get_object()) {
    if (!value.is_object()) continue;
    const json::object &about = value.get_object();
    const std::string path = above + std::string(key);
    const json::value *fallback = about.if_contains("default"), *text = about.if_contains("description");
    rows.add({path, host::values_in_words(about),
              fallback != nullptr        ? plainly(*fallback)
              : is_required(schema, key) ? "must be given"
                                         : "none",
              text != nullptr && text->is_string() ? std::string(text->get_string()) : std::string()});
    add_rows(about, path + ".", rows);
  }
}

void print_schema(const char *heading, const json::object &schema, std::ostream &out) {
  table rows({{"name"}, {"value"}, {"default"}, {"meaning"}});
  add_rows(schema, "", rows);
  out << '\n' << heading << (rows.empty() ? ": none\n" : "\n");
  if (!rows.empty()) rows.print(out);
}

void print_module(const host::catalogued_module &module, std::ostream &out) {
  const host::module_manifest &m = module.manifest;
  out << m.id << ' ' << m.version << (module.built_in ? ", built in" : "") << '\n'
      << m.description << "\n\nvendor:      " << m.vendor << "\nlicense:     " << m.license
      << "\nmanifest:    " << m.file.string() << "\npermissions: " << joined(m.permissions)
      << "\nservices:    " << joined(m.services) << '\n';
  if (const auto versions = installed_versions::of(m))
    out << "versions:    " << joined(versions_in_words(*versions)) << '\n';
  for (const auto &[key, text] : m.own) out << key << ": " << text << '\n';
  out << "\nProvides\n";
  for (const host::provided_interface &one : m.provides)
    out << "  " << one.interface << ' ' << one.name << ", order_rev " << one.order_rev << '\n';
  print_schema("Options, `config` of its entry in a deployment", m.configuration, out);
  print_schema("Properties of queues that it reads", m.queue_properties, out);
  print_schema("Tags of applications and asks that it reads", m.tags, out);
}

std::vector<std::string> versions_of(const host::module_manifest &manifest) {
  const auto versions = installed_versions::of(manifest);
  return versions ? versions->all() : std::vector<std::string>();
}

json::object json_of(const host::catalogued_module &module) {
  const host::module_manifest &m = module.manifest;
  json::array provides;
  for (const host::provided_interface &p : m.provides)
    provides.push_back(json::object{{"interface", p.interface}, {"name", p.name}, {"order_rev", p.order_rev}});
  return {{"id", m.id},
          {"version", m.version},
          {"description", m.description},
          {"vendor", m.vendor},
          {"license", m.license},
          {"own", json::value_from(m.own)},
          {"manifest", m.file.string()},
          {"built_in", module.built_in},
          {"digest", m.digest},
          {"versions", json::value_from(versions_of(m))},
          {"provides", std::move(provides)},
          {"permissions", json::value_from(m.permissions)},
          {"services", json::value_from(m.services)},
          {"config", m.configuration},
          {"queue_properties", m.queue_properties},
          {"tags", m.tags}};
}

}  // namespace

exit_code describe_plugin(const plugin_describe_options &options, std::ostream &out, std::ostream &err) {
  auto plan = host::deployment_of(options.deployment);
  if (!plan) {
    complain(err, plan.why());
    return exit_code::bad_input;
  }
  if (!options.module_path.empty()) plan->module_path.insert(plan->module_path.begin(), options.module_path);
  const auto catalog =
      host::module_catalog::scan(host::module_folders(plan->module_path, host::default_module_folder()));
  if (!catalog) {
    complain(err, catalog.why());
    return exit_code::bad_input;
  }
  const host::catalogued_module *module = catalog->find(options.id);
  if (module == nullptr) {
    complain(err, catalog->missing(options.id, "tenon plugin describe"));
    return exit_code::failed;
  }
  if (options.json) {
    out << json::serialize(json_of(*module)) << '\n';
  } else {
    print_module(*module, out);
  }
  return exit_code::ok;
}

}  // namespace tenon::cli
