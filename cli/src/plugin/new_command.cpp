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
#include "tenon/kernel/module_kinds.hpp"

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
              "adds `- use:` of it to `predicates` there"},
    kind_text{module_kind::placement_rule,
              "placement-rule",
              {},
              {},
              {},
              "Places an application in the queue that its tag names.",
              "names it in `placementrules` of a partition"},
    kind_text{module_kind::event_sink,
              "event-sink",
              {},
              {},
              {},
              "Writes event records to a file, a line each.",
              "adds `- use:` of it to `events` there"},
};
constexpr std::array<std::string_view, 2> languages{"c++", "c"};

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
  project(const plugin_new_options &options, const kind_text &kind, std::string id)
      : options_(options), kind_(kind), name_(replaced(id, '.', '-')) {
    const std::string target = replaced(name_, '-', '_');
    const kind_entry &about = entry_of(kind.kind);
    const std::string wrapper = replaced(std::string(about.name()), '-', '_');
    values_ = {{"id", std::move(id)},
               {"name", name_},
               {"struct", target},
               {"wrapper", wrapper},
               {"header", wrapper},
               {"interface", std::string(about.interface)},
               {"macro", about.macro},
               {"column", std::string(kind.column)},
               {"items", std::string(kind.items)},
               {"says", std::string(kind.says)},
               {"description", std::string(kind.description)},
               {"use", std::string(kind.use)},
               {"source", source_name()},
               {"language", is_c() ? "C" : "CXX"},
               {"abi_epoch", std::to_string(TENON_ABI_EPOCH)},
               {"draft_rev", std::to_string(TENON_DRAFT_REV)}};
    values_["vendor"] = values_["id"].substr(0, values_["id"].find('.'));
  }

  [[nodiscard]] fs::path folder() const { return fs::path(options_.directory) / name_; }

  [[nodiscard]] std::vector<project_file> files() const {
    const std::string stem(kind_.source), kind(entry_of(kind_.kind).name());
    std::vector<project_file> out{
        {"CMakeLists.txt", {"CMakeLists.txt"}},
        {"README.md", {"README.md"}},
        {"tenon.yaml", {is_used() ? "tenon-" + kind + ".yaml" : "tenon.yaml"}},
        {name_ + ".yaml", {"manifest/head.yaml", is_c() ? "manifest/c.yaml" : "manifest/" + stem + "-c++.yaml"}},
        {"tests/" + name_ + "-works.yaml", {"scenario/" + kind + ".yaml"}},
    };
    if (is_c()) {
      out.push_back({source_name(), {"c/" + stem + ".c", "c/module.c"}});
    } else {
      out.push_back({source_name(), {"c++/" + stem + ".cpp"}});
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
    fs::create_directories(folder() / "tests", failed);
    if (failed) return refusal{folder().string(), "a folder that can be made", failed.message(), "name another place"};
    for (const auto &[path, text] : texts) {
      if (auto no = write_file(path, text)) return no;
    }
    return std::nullopt;
  }

 private:
  // By the deployment; others are named by queues.yaml.
  [[nodiscard]] bool is_used() const { return entry_of(kind_.kind).named == named_in::deployment; }
  [[nodiscard]] bool is_c() const { return options_.language == "c"; }
  [[nodiscard]] std::string source_name() const { return is_c() ? "module.c" : "module.cpp"; }

  const plugin_new_options &options_;
  const kind_text &kind_;
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

exit_code new_plugin(const plugin_new_options &options, std::ostream &out, std::ostream &err) {
  const auto refuse = [&](const refusal &why) {
    complain(err, why);
    return exit_code::bad_input;
  };
  const std::string id = module_id_of(options.id);
  if (!host::is_module_id(id) || !host::is_policy_name(replaced(id, '.', '-'))) {
    return refuse({"tenon plugin new", "vendor and policy in lower-case letters, digits and '-', as acme-binpack",
                   config::in_quotes(options.id), "correct it"});
  }
  const auto kind =
      std::find_if(kinds.begin(), kinds.end(), [&](const auto &k) { return entry_of(k.kind).name() == options.kind; });
  if (kind == kinds.end()) {
    std::vector<std::string_view> known;
    for (const kind_text &one : kinds) known.push_back(entry_of(one.kind).name());
    return refuse({"tenon plugin new --kind", "a kind of module", config::in_quotes(options.kind),
                   config::suggestion(options.kind, known)});
  }
  if (std::find(languages.begin(), languages.end(), options.language) == languages.end()) {
    return refuse({"tenon plugin new --lang", "a language", config::in_quotes(options.language),
                   config::suggestion(options.language, languages)});
  }
  const project made(options, *kind, id);
  std::error_code failed;
  if (fs::exists(made.folder(), failed)) {
    return refuse({made.folder().string(), "a folder that is not there yet", "it is there",
                   "name another id, or another place with --directory"});
  }
  if (auto no = made.write()) return refuse(*no);
  out << made.folder().string() << (kind->kind == module_kind::event_sink ? ": an " : ": a ")
      << entry_of(kind->kind).name() << (kind->kind == module_kind::event_sink ? " in " : " policy in ")
      << (options.language == "c" ? "C" : "C++") << "\n\n  cd " << made.folder().string()
      << "\n  cmake -B build && cmake --build build\n  ctest --test-dir build --output-on-failure\n";
  return exit_code::ok;
}

}  // namespace tenon::cli
