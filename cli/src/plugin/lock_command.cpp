// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "plugin/lock_command.hpp"

#include <algorithm>
#include <ostream>

#include "run/complain.hpp"
#include "run/output_file.hpp"
#include "tenon/host/library_file.hpp"

namespace tenon::cli {
namespace {

// What is wrong with the modules that would be locked.
std::vector<refusal> refusals_of(const survey &seen) {
  std::vector<refusal> out;
  for (const surveyed_module &m : seen.modules) {
    if (m.refused && seen.plan.find(m.id) != nullptr) out.push_back(*m.refused);
  }
  for (const host::module_use &use : seen.plan.modules) {
    const bool found =
        std::any_of(seen.modules.begin(), seen.modules.end(), [&](const surveyed_module &m) { return m.id == use.id; });
    if (!found) {
      out.push_back({config::problems(seen.plan.file).where(use.at), "a module on the path",
                     "no module '" + use.id + "'", "correct the id, or module_path"});
    }
  }
  for (const served_name &s : seen.served) {
    if (s.refused) out.push_back(*s.refused);
  }
  return out;
}

result<std::string> text_of(const survey &seen) {
  std::vector<host::locked_module> modules;
  for (const surveyed_module &m : seen.modules) {
    if (m.standing != module_standing::used) continue;
    config::problems report(m.manifest.string());
    const auto manifest = host::read_manifest(m.manifest, report);
    if (!manifest) return report.refusals().front();
    modules.push_back(host::locked(*manifest, m.built_in));
  }
  return host::lock_text(std::move(modules));
}

// The line `key: ...` at the top of a YAML text: where it starts and ends. npos: there is none.
std::pair<size_t, size_t> line_of(const std::string &text, const std::string &key) {
  const std::string start = key + ":";
  size_t at = text.starts_with(start) ? 0 : text.find("\n" + start);
  if (at == std::string::npos) return {at, at};
  if (text[at] == '\n') ++at;
  return {at, std::min(text.find('\n', at), text.size())};
}

}  // namespace

exit_code lock_plugins(plugin_lock_options options, std::ostream &out, std::ostream &err) {
  options.look.open = options.look.ignore_lock = true;
  const auto seen = make_survey(options.look);
  if (!seen) {
    complain(err, seen.why());
    return exit_code::bad_input;
  }
  if (const auto refused = refusals_of(*seen); !refused.empty()) {
    complain(err, refused);
    return exit_code::failed;
  }
  const auto text = text_of(*seen);
  if (!text) {
    complain(err, text.why());
    return exit_code::failed;
  }
  const std::filesystem::path file = host::lock_file_of(options.look.deployment);
  std::error_code failed;
  std::string have;
  if (std::filesystem::exists(file, failed)) {
    if (auto old = read_file(file)) have = *old;
  }
  if (options.check) {
    if (have == *text) {
      out << file.string() << ": up to date\n";
      return exit_code::ok;
    }
    complain(err, refusal{file.string(), "the modules that the deployment uses",
                          have.empty() ? "no lock" : "other modules, or other builds of them",
                          "`tenon plugin lock " + options.look.deployment + "`"});
    return exit_code::failed;
  }
  if (auto no = write_file(file, *text)) {
    complain(err, *no);
    return exit_code::bad_input;
  }
  out << file.string() << (have == *text ? ": as it was" : have.empty() ? ": written" : ": written anew") << '\n';
  return exit_code::ok;
}

exit_code seal_plugin(const std::string &manifest, std::ostream &out, std::ostream &err) {
  const auto refuse = [&](const refusal &why) {
    complain(err, why);
    return exit_code::bad_input;
  };
  auto text = read_file(manifest);
  if (!text) return refuse(text.why());
  config::problems report(manifest);
  const auto root = config::read_yaml(*text, report);
  if (!root) return refuse(report.refusals().front());
  const std::string name = config::text_of(*root, "library");
  const auto [library_at, library_end] = line_of(*text, "library");
  if (name.empty() || library_at == std::string::npos) {
    return refuse({manifest, "a line `library: NAME.so` at the top", "none", "write it"});
  }
  const auto library = host::read_library(std::filesystem::path(manifest).parent_path() / name);
  if (!library) return refuse(library.why());
  const std::string line = "digest: sha256:" + library->digest;
  if (const auto [at, end] = line_of(*text, "digest"); at != std::string::npos) {
    text->replace(at, end - at, line);
  } else {
    text->insert(library_end, "\n" + line);
  }
  if (auto no = write_file(manifest, *text)) return refuse(*no);
  out << manifest << ": sealed for " << library->path.string() << '\n';
  return exit_code::ok;
}

}  // namespace tenon::cli
