// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "tenon/host/preflight.hpp"

#include <string.h>
#include <unistd.h>

#include <algorithm>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/child_process.hpp"
#include "library/sealed_libraries.hpp"
#include "preflight/pass_cache.hpp"
#include "preflight/preflight_protocol.hpp"

namespace tenon::host {
namespace {

namespace stage = preflight_stage;

struct told {
  std::string last_stage;
  std::string refusal_have, refusal_fix;
};

told read_lines(std::string_view text) {
  told out;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.substr(0, sizeof stage::refused - 1) == stage::refused) {
      const std::string_view words = line.substr(sizeof stage::refused - 1);
      const size_t tab = std::min(words.find('\t'), words.size());
      out.refusal_have = words.substr(0, tab);
      out.refusal_fix = words.substr(std::min(tab + 1, words.size()));
    } else {
      out.last_stage = line;
    }
  }
  return out;
}

// The last words of the child, on one line.
std::string last_text(const child_outcome &child) {
  constexpr size_t longest = 300;
  std::string words = child.output;
  if (words.size() > longest) words.erase(0, words.size() - longest);
  for (char &c : words)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
  const size_t first = words.find_first_not_of(' '), last = words.find_last_not_of(' ');
  return first == std::string::npos ? "" : "; it said: " + words.substr(first, last - first + 1);
}

std::optional<refusal> judge(const child_outcome &child, const preflight_subject &subject,
                             const preflight_options &options) {
  const told said = read_lines(child.lines);
  refusal no{subject.shown_as.string(), "a library that opens, starts and stops in a child process", "", ""};
  const std::string during = (said.last_stage.empty() ? "its start" : said.last_stage) + last_text(child);
  using end = child_outcome::end;
  if (child.how == end::not_started) {
    no.want = "the helper " + options.program.string();
    no.have = "it cannot be started: " + std::generic_category().message(child.code);
    no.fix = "install it beside the tenon executable, or name it in the options";
  } else if (child.how == end::timed_out) {
    no.have = "still busy after " + std::to_string(options.timeout.count()) + " ms during " + during;
    no.fix = "do not wait or loop in constructors, init and deinit";
  } else if (!said.refusal_have.empty()) {
    no.have = said.refusal_have;
    no.fix = said.refusal_fix;
  } else if (child.how == end::killed_by_signal) {
    const char *name = sigabbrev_np(child.code);
    no.have = "killed by " + (name == nullptr ? "signal " + std::to_string(child.code) : "SIG" + std::string(name)) +
              " during " + during;
    no.fix = "run tenon-preflight under a debugger, or ask the module's vendor";
  } else if (child.code != 0 || said.last_stage != stage::leaving) {
    no.have = "ended the process with status " + std::to_string(child.code) + " during " + during;
    no.fix = "a module must not end the process";
  } else {
    return std::nullopt;
  }
  return no;
}

// A library in sealed memory has no name but that of its descriptor, which the child is given.
std::string name_in_child(const std::filesystem::path &library, std::vector<int> &given) {
  const int file = find_sealed(library).descriptor;
  if (file < 0) return library.string();
  given.push_back(file);
  return "/proc/self/fd/" + std::to_string(stage::descriptor_number + static_cast<int>(given.size()));
}

}  // namespace

std::optional<refusal> preflight(const preflight_subject &subject, const preflight_options &options) {
  const pass_cache cache(options.cache_directory, options.program);
  const std::string key = cache.key(subject);
  if (cache.passed(key)) return std::nullopt;

  std::vector<int> given;
  std::vector<std::string> arguments{std::to_string(::getpid()), name_in_child(subject.library, given)};
  for (const auto &companion : subject.companions) arguments.push_back(name_in_child(companion, given));
  const child_outcome child = run_child(options.program, arguments, stage::descriptor_number, options.timeout, given);
  auto no = judge(child, subject, options);
  if (!no) cache.remember(key);
  return no;
}

}  // namespace tenon::host
