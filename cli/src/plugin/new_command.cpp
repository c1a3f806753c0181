// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "plugin/new_command.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <ostream>
#include <vector>

#include "run/complain.hpp"
#include "run/output_file.hpp"
#include "tenon/abi/base.h"
#include "tenon/config/problems.hpp"
#include "tenon/host/module_manifest.hpp"

namespace tenon::cli {
namespace {

namespace fs = std::filesystem;

// What templates say of each kind.
struct kind_text {
  module_kind kind;
  std::string_view source;  // stem of its templates
  std::string_view column;  // sort kinds
  std::string_view items, says;
  std::string_view description;
  std::string_view use;
};

constexpr std::array kinds{
    kind_text{module_kind::queue_sort, "sort", "queue.allocated", "queues", "the queue that uses least comes next",
              "Orders queues by one resource that they use, smallest first.",
              "names it as `queue.sort.policy` of a queue"},
    kind_text{module_kind::app_sort, "sort", "app.allocated", "applications",
              "the application that uses least comes next",
              "Orders applications by one resource that they use, smallest first.",
              "names it as `application.sort.policy` of a queue"},
    kind_text{module_kind::node_sort, "sort", "node.free", "nodes", "the node with least of it free is filled first",
              "Orders nodes by one resource that they have free, smallest first.",
              "names it as `nodesortpolicy.type` of a partition"},
    kind_text{module_kind::predicate,
              "predicate",
              {},
              {},
              {},
              "An ask with a zone runs only on nodes of that zone.",
              "adds `- use:` of it to `predicates` of the deployment"},
    kind_text{module_kind::placement_rule,
              "placement-rule",
              {},
              {},
              {},
              "Places an application in the queue that its tag names.",
              "names it in `placementrules` of a partition"},
    kind_text{module_kind::identity,
              "identity",
              {},
              {},
              {},
              "Takes the groups of users from a file.",
              "names it as `usergroupresolver.type` of a partition"},
    kind_text{module_kind::event_sink,
              "event-sink",
              {},
              {},
              {},
              "Writes event records to a file, a line each.",
              "adds `- use:` of it to `events` of the deployment"},
    kind_text{module_kind::transport,
              "transport",
              {},
              {},
              {},
              "Connects resource managers by packets on a Unix socket.",
              "adds `- use:` of it to `transports` of the deployment"},
};

// The language of a project: what its templates are called by, and what people call it.
struct language_text {
  std::string_view name, title;
  std::string_view source;
  std::string_view reads;            // where a policy says what it reads
  std::string_view cmake, beside_c;  // what CMake calls it, alone and beside a test in C
  std::string_view packages;         // of Debian, that compile it
};
constexpr std::array languages{
    language_text{"c++", "C++", "module.cpp", "columns", "CXX", "C CXX", "g++"},
    language_text{"c", "C", "module.c", "columns", "C", "C", "gcc"},
    language_text{"rust", "Rust", "src/lib.rs", "Setup::column", "NONE", "NONE", "cargo gcc"},
};

// The crate has policies: what waits, and what speaks with others, is written on the headers.
bool has_in_rust(module_kind kind) {
  return kind != module_kind::identity && kind != module_kind::event_sink && kind != module_kind::transport;
}

// "acme-rack-spread" is AcmeRackSpread where types are written so.
std::string in_one_word(std::string_view name) {
  std::string out;
  bool begins = true;
  for (const char c : name) {
    if (c != '-') out += begins && c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    begins = c == '-';
  }
  return out;
}

std::string replaced(std::string text, char from, char to) {
  std::replace(text.begin(), text.end(), from, to);
  return text;
}

// @key@ -> its word. A template that has another @...@ is a mistake of ours: it is left as it is and seen at once.
std::string filled(const std::string &text, const std::map<std::string, std::string> &values) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    const size_t open = text.find('@', at), close = open == std::string::npos ? open : text.find('@', open + 1);
    if (close == std::string::npos) return out + text.substr(at);
    const auto word = values.find(text.substr(open + 1, close - open - 1));
    if (word == values.end()) {
      out += text.substr(at, close - at);
      at = close;
      continue;
    }
    out += text.substr(at, open - at) + word->second;
    at = close + 1;
  }
  return out;
}

fs::path default_templates() {
  std::error_code failed;
  const fs::path program = fs::read_symlink("/proc/self/exe", failed);
  return failed ? fs::path{} : program.parent_path().parent_path() / "share" / "tenon" / "templates";
}

// One file of the project: the templates that it is made of, one behind the other.
struct project_file {
  std::string name;
  std::vector<std::string> from;
};

class project {
 public:
  project(const plugin_new_options &options, const kind_text &kind, const language_text &language, std::string id)
      : options_(options), kind_(kind), language_(language), name_(replaced(id, '.', '-')) {
    const std::string target = replaced(name_, '-', '_');
    const kind_entry &about = entry_of(kind.kind);
    const std::string wrapper = replaced(std::string(about.name()), '-', '_');
    values_ = {{"id", std::move(id)},
               {"name", name_},
               {"struct", target},
               {"type", in_one_word(name_)},
               {"wrapper", wrapper},
               {"header", wrapper},
               {"interface", std::string(about.interface)},
               {"macro", about.macro},
               {"column", std::string(kind.column)},
               {"items", std::string(kind.items)},
               {"says", std::string(kind.says)},
               {"description", std::string(kind.description)},
               {"use", std::string(kind.use)},
               {"source", std::string(language.source)},
               {"reads", std::string(language.reads)},
               {"test", test_name()},
               {"language", std::string(language.cmake)},
               {"languages", std::string(language.beside_c)},
               {"packages", std::string(language.packages)},
               {"abi_epoch", std::to_string(TENON_ABI_EPOCH)},
               {"draft_rev", std::to_string(TENON_DRAFT_REV)}};
    values_["vendor"] = values_["id"].substr(0, values_["id"].find('.'));
  }

  [[nodiscard]] fs::path folder() const { return fs::path(options_.directory) / name_; }

  [[nodiscard]] std::vector<project_file> files() const {
    const std::string stem(kind_.source), kind(entry_of(kind_.kind).name());
    const std::string of_language = stem + "-" + std::string(language_.name);
    std::vector<project_file> out{
        {"CMakeLists.txt", {build_template(stem)}},
        {"README.md", {"README.md"}},
        {"LICENSE", {"LICENSE"}},
        {".github/workflows/build.yaml", {"ci.yaml"}},
        {"tenon.yaml", {is_used() ? "tenon-" + kind + ".yaml" : "tenon.yaml"}},
        {name_ + ".yaml",
         {"manifest/head.yaml", is_c() && plays_scenarios() ? "manifest/c.yaml" : "manifest/" + of_language + ".yaml"}},
    };
    if (plays_scenarios()) out.push_back({test_name(), {"scenario/" + kind + ".yaml"}});
    if (kind_.kind == module_kind::transport) out.push_back({test_name(), {"transport/client.c"}});
    if (kind_.kind == module_kind::identity) {
      out.push_back({test_name(), {is_c() ? "identity/test.c" : "identity/test.cpp"}});
      out.push_back({"tests/groups.txt", {"identity/groups.txt"}});
      out.push_back({"tests/verify.yaml", {is_c() ? "identity/verify-c.yaml" : "identity/verify-c++.yaml"}});
    }
    const std::string source(language_.source);
    if (is_rust()) {
      out.push_back({"Cargo.toml", {"rust/Cargo.toml"}});
      out.push_back({source, {"rust/" + stem + ".rs"}});
    } else if (is_c()) {
      // A transport keeps state: what it is made of stands in its own template.
      out.push_back({source, {"c/" + stem + ".c"}});
      if (kind_.kind != module_kind::transport) out.back().from.emplace_back("c/module.c");
    } else {
      out.push_back({source, {"c++/" + stem + ".cpp"}});
    }
    return out;
  }

  // Everything is read before anything is written.
  [[nodiscard]] std::optional<refusal> write() const {
    const fs::path from = options_.templates.empty() ? default_templates() : options_.templates;
    std::vector<std::pair<fs::path, std::string>> texts;
    for (const project_file &file : files()) {
      std::string text;
      for (const std::string &part : file.from) {
        const auto read = read_file(from / part);
        if (!read) {
          return refusal{(from / part).string(), "the template of " + file.name, read.why().have,
                         "install the package tenon-sdk"};
        }
        text += *read;
      }
      texts.emplace_back(folder() / file.name, filled(text, values_));
    }
    std::error_code failed;
    for (const auto &[path, text] : texts)
      if (!failed) fs::create_directories(path.parent_path(), failed);
    if (failed) return refusal{folder().string(), "a folder that can be made", failed.message(), "name another place"};
    for (const auto &[path, text] : texts) {
      if (auto no = write_file(path, text)) return no;
    }
    return std::nullopt;
  }

 private:
  // By the deployment; others are named by queues.yaml.
  [[nodiscard]] bool is_used() const { return entry_of(kind_.kind).named == named_in::deployment; }
  // Others are asked by a test of their own: no scenario reaches them.
  [[nodiscard]] bool plays_scenarios() const {
    return kind_.kind != module_kind::identity && kind_.kind != module_kind::transport;
  }
  [[nodiscard]] std::string test_name() const {
    if (plays_scenarios()) return "tests/" + name_ + "-works.yaml";
    if (kind_.kind == module_kind::transport) return "tests/client.c";
    return is_c() ? "tests/test.c" : "tests/test.cpp";
  }
  [[nodiscard]] std::string build_template(const std::string &stem) const {
    if (is_rust()) return "CMakeLists-rust.txt";
    return plays_scenarios() ? "CMakeLists.txt" : "CMakeLists-" + stem + ".txt";
  }
  [[nodiscard]] bool is_c() const { return language_.name == "c"; }
  [[nodiscard]] bool is_rust() const { return language_.name == "rust"; }

  const plugin_new_options &options_;
  const kind_text &kind_;
  const language_text &language_;
  std::string name_;
  std::map<std::string, std::string> values_;
};

// "acme-binpack" is acme.binpack: the first part is the vendor.
std::string module_id_of(std::string text) {
  const size_t dash = text.find('-');
  if (text.find('.') == std::string::npos && dash != std::string::npos) text[dash] = '.';
  return text;
}

}  // namespace

std::string_view use_of(module_kind kind) {
  return std::find_if(kinds.begin(), kinds.end(), [&](const kind_text &one) { return one.kind == kind; })->use;
}

exit_code new_plugin(const plugin_new_options &options, std::ostream &out, std::ostream &err) {
  const auto refuse = [&](const refusal &why) {
    complain(err, why);
    return exit_code::bad_input;
  };
  const std::string id = module_id_of(options.id);
  if (!host::is_module_id(id) || !host::is_policy_name(replaced(id, '.', '-'))) {
    return refuse({"tenon plugin new", "vendor and policy in lower-case letters, digits and '-', as acme-binpack",
                   config::in_quotes(options.id), "as `tenon plugin new acme-binpack --kind node-sort`"});
  }
  const auto kind =
      std::find_if(kinds.begin(), kinds.end(), [&](const auto &k) { return entry_of(k.kind).name() == options.kind; });
  if (kind == kinds.end()) {
    std::vector<std::string_view> known;
    for (const kind_text &one : kinds) known.push_back(entry_of(one.kind).name());
    return refuse({"tenon plugin new --kind", "a kind of module", config::in_quotes(options.kind),
                   config::suggestion(options.kind, known)});
  }
  const auto language = std::find_if(languages.begin(), languages.end(),
                                     [&](const language_text &one) { return one.name == options.language; });
  if (language == languages.end()) {
    std::vector<std::string_view> known;
    for (const language_text &one : languages) known.push_back(one.name);
    return refuse({"tenon plugin new --lang", "a language", config::in_quotes(options.language),
                   config::suggestion(options.language, known)});
  }
  if (language->name == "rust" && !has_in_rust(kind->kind)) {
    return refuse({"tenon plugin new --lang", "a language that has templates of the kind " + options.kind, "'rust'",
                   "take c++ or c; the crate tenon-sdk has orders, predicates and placement rules"});
  }
  const project made(options, *kind, *language, id);
  std::error_code failed;
  if (fs::exists(made.folder(), failed)) {
    return refuse({made.folder().string(), "a folder that is not there yet", "it is there",
                   "name another id, or another place with --directory"});
  }
  if (auto no = made.write()) return refuse(*no);
  const fs::path prefix = default_templates().parent_path().parent_path().parent_path();
  const bool installed = fs::exists(prefix / "lib/cmake/tenon-sdk/tenon-sdk-config.cmake", failed);
  const std::string where = prefix == "/usr" ? ""
                            : installed      ? " -DCMAKE_PREFIX_PATH=" + prefix.string()
                                             : " -Dtenon-sdk_DIR=TREE/sdk/cmake    # TREE: the sources of Tenon";
  const kind_entry &about = entry_of(kind->kind);
  out << made.folder().string()
      << (std::string_view("aei").find(about.name().front()) != std::string_view::npos ? ": an " : ": a ")
      << about.name() << (about.called == called_by::service ? " in " : " policy in ") << language->title << "\n\n  cd "
      << made.folder().string() << "\n  cmake -B build" << where
      << "\n  cmake --build build\n  ctest --test-dir build --output-on-failure\n";
  return exit_code::ok;
}

}  // namespace tenon::cli
