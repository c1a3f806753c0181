// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "plugin/lint_command.hpp"

#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <ostream>
#include <utility>

#include "run/complain.hpp"
#include "run/output_file.hpp"
#include "run/refusal_json.hpp"
#include "tenon/host/library_lint.hpp"
#include "tenon/host/module_manifest.hpp"
#include "tenon/host/verified_library.hpp"

namespace tenon::cli {
namespace {

namespace json = boost::json;

struct lint_verdict {
  std::string file;
  std::vector<refusal> refused;  // a host would not load it
  std::vector<refusal> warned;   // it would, but customers may be surprised
};

// Libraries that every machine with Tenon has.
bool is_everywhere(std::string_view library) {
  constexpr std::array<std::string_view, 7> known{"libc.so",      "libm.so",     "libdl.so", "libpthread.so",
                                                  "libstdc++.so", "libgcc_s.so", "ld-linux"};
  return std::any_of(known.begin(), known.end(), [&](std::string_view stem) { return library.starts_with(stem); });
}

void lint_one_library(const std::filesystem::path &path, const host::module_manifest *manifest, lint_verdict &to) {
  const auto file = host::read_library(path);
  if (!file) {
    to.refused.push_back(file.why());
    return;
  }
  bool transport = false;
  if (manifest != nullptr) {
    transport = manifest->provides_kind(module_kind::transport);
    if (auto no = host::check_digest(*manifest, *file)) to.refused.push_back(std::move(*no));
  }
  host::lint_report report = host::lint_library(*file, {.may_link_grpc = transport});
  to.refused.insert(to.refused.end(), report.findings.begin(), report.findings.end());
  for (const std::string &name : report.traits.needed) {
    if (is_everywhere(name)) continue;
    to.warned.push_back({path.string(), "libraries that every machine has", "it needs " + name,
                         "link it statically, or tell customers to install it"});
  }
}

lint_verdict lint_file(const std::string &name, bool &readable) {
  lint_verdict out{name, {}, {}};
  const std::filesystem::path path(name);
  if (path.extension() == ".so") {
    lint_one_library(path, nullptr, out);
    return out;
  }
  config::problems report(name);
  const auto text = read_file(path);
  if (!text) {
    readable = false;
    out.refused.push_back(text.why());
    return out;
  }
  const auto manifest = host::parse_manifest(*text, path, report);
  out.refused = report.refusals();
  out.warned = report.warnings();
  if (manifest) lint_one_library(manifest->library_path(), &*manifest, out);
  return out;
}

}  // namespace

exit_code lint_plugins(const plugin_lint_options &options, std::ostream &out, std::ostream &err) {
  bool good = true, readable = true;
  json::array files;
  for (const std::string &name : options.files) {
    const lint_verdict v = lint_file(name, readable);
    good = good && v.refused.empty();
    if (options.json) {
      files.push_back(json::object{{"file", v.file},
                                   {"good", v.refused.empty()},
                                   {"refusals", refusals_json(v.refused)},
                                   {"warnings", refusals_json(v.warned)}});
      continue;
    }
    for (const refusal &why : v.refused) remark(err, "", why);
    for (const refusal &why : v.warned) remark(err, "warning: ", why);
    out << v.file << ": ";
    if (v.refused.empty()) {
      out << "good";
    } else {
      out << "refused, " << v.refused.size() << (v.refused.size() == 1 ? " reason" : " reasons");
    }
    if (!v.warned.empty()) out << ", " << v.warned.size() << (v.warned.size() == 1 ? " warning" : " warnings");
    out << '\n';
  }
  if (options.json) out << json::serialize(json::object{{"good", good}, {"files", std::move(files)}}) << '\n';
  if (!readable) return exit_code::bad_input;
  return good ? exit_code::ok : exit_code::failed;
}

}  // namespace tenon::cli
