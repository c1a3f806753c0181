// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "plugin/list_command.hpp"

#include <algorithm>
#include <boost/json.hpp>
#include <ostream>

#include "run/complain.hpp"
#include "run/refusal_json.hpp"

namespace tenon::cli {
namespace {

namespace json = boost::json;

std::string provides_text(const surveyed_module &module) {
  std::string out;
  for (const host::provided_interface &one : module.provides) {
    out += (out.empty() ? "" : ", ") + one.interface + " " + one.name;
  }
  return out;
}

std::string padded(std::string text, size_t width) {
  text.resize(std::max(width, text.size()), ' ');
  return text;
}

// The installed versions that are not in use.
std::string other_versions_text(const surveyed_module &module) {
  std::string out;
  for (const std::string &one : module.versions)
    if (one != module.version) out += (out.empty() ? "; also installed: " : ", ") + one;
  return out;
}

json::value refused_json(const std::optional<refusal> &why) { return why ? json::value(refusal_json(*why)) : nullptr; }

json::object module_json(const surveyed_module &m) {
  json::array provides;
  for (const host::provided_interface &p : m.provides) {
    provides.push_back(json::object{{"interface", p.interface}, {"name", p.name}, {"order_rev", p.order_rev}});
  }
  return {{"id", m.id},
          {"version", m.version},
          {"description", m.description},
          {"manifest", m.manifest.string()},
          {"provides", std::move(provides)},
          {"built_in", m.built_in},
          {"versions", json::value_from(m.versions)},
          {"standing", standing_word(m.standing)},
          {"why", m.why},
          {"refused", refused_json(m.refused)}};
}

json::object served_json(const served_name &s) {
  return {{"kind", s.kind},           {"name", s.name}, {"wanted_by", s.wanted_by},          {"module", s.module},
          {"order_rev", s.order_rev}, {"why", s.why},   {"refused", refused_json(s.refused)}};
}

json::array modules_json(const survey &seen) {
  json::array out;
  for (const surveyed_module &module : seen.modules) out.push_back(module_json(module));
  return out;
}

void print_refusal(const std::optional<refusal> &why, std::ostream &out) {
  if (!why) return;
  out << "      " << why->where << ": " << why->have << '\n';
  if (!why->want.empty()) out << "      want: " << why->want << '\n';
  if (!why->fix.empty()) out << "      fix:  " << why->fix << '\n';
}

size_t width_of_names(const survey &seen) {
  size_t width = 0;
  for (const surveyed_module &m : seen.modules) width = std::max(width, m.id.size() + m.version.size() + 1);
  return width;
}

void print_modules(const survey &seen, std::ostream &out) {
  const size_t width = width_of_names(seen);
  for (const surveyed_module &m : seen.modules) {
    const std::string name = m.id.empty() ? m.manifest.string() : m.id + " " + m.version;
    out << "  " << padded(name, width) << "  " << padded(std::string(standing_word(m.standing)), 10) << "  " << m.why
        << '\n';
    print_refusal(m.refused, out);
  }
}

void print_served(const survey &seen, std::ostream &out) {
  size_t width = 0;
  for (const served_name &s : seen.served) width = std::max(width, s.kind.size() + s.name.size() + 1);
  for (const served_name &s : seen.served) {
    out << "  " << padded(s.kind + " " + s.name, width) << "  ";
    if (s.module.empty()) {
      out << "nobody";
    } else {
      out << s.module << ", order_rev " << s.order_rev << " (" << s.why << ")";
    }
    out << "\n      for " << s.wanted_by << '\n';
    print_refusal(s.refused, out);
  }
}

bool all_served(const survey &seen) {
  return std::none_of(seen.served.begin(), seen.served.end(), [](const served_name &s) { return s.refused; }) &&
         std::none_of(seen.modules.begin(), seen.modules.end(),
                      [&](const surveyed_module &m) { return m.refused && seen.plan.find(m.id) != nullptr; });
}

}  // namespace

exit_code list_plugins(const plugin_list_options &options, std::ostream &out, std::ostream &err) {
  const auto seen = make_survey(options.look);
  if (!seen) {
    complain(err, seen.why());
    return exit_code::bad_input;
  }
  if (options.json) {
    out << json::serialize(json::object{{"modules", modules_json(*seen)}}) << '\n';
    return exit_code::ok;
  }
  const size_t width = width_of_names(*seen);
  for (const surveyed_module &m : seen->modules) {
    out << padded(m.id.empty() ? m.manifest.string() : m.id + " " + m.version, width) << "  "
        << padded(std::string(standing_word(m.standing)), 10) << "  " << (m.built_in ? "built in  " : "          ")
        << provides_text(m) << other_versions_text(m) << '\n';
    if (m.refused) print_refusal(m.refused, out);
  }
  return exit_code::ok;
}

exit_code explain_plugins(plugin_list_options options, std::ostream &out, std::ostream &err) {
  options.look.open = true;
  const auto seen = make_survey(options.look);
  if (!seen) {
    complain(err, seen.why());
    return exit_code::bad_input;
  }
  const bool good = all_served(*seen);
  if (options.json) {
    json::array served;
    for (const served_name &one : seen->served) served.push_back(served_json(one));
    out << json::serialize(json::object{{"deployment", seen->plan.file},
                                        {"locked", seen->plan.lock.has_value()},
                                        {"good", good},
                                        {"serves", std::move(served)},
                                        {"modules", modules_json(*seen)}})
        << '\n';
  } else {
    out << (seen->plan.file.empty() ? "the default deployment" : seen->plan.file)
        << (seen->plan.lock ? ", locked by " + seen->plan.lock->file.string() : std::string())
        << "\n\nWho serves what\n";
    print_served(*seen, out);
    out << "\nModules\n";
    print_modules(*seen, out);
  }
  return good ? exit_code::ok : exit_code::failed;
}

}  // namespace tenon::cli
