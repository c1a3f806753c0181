// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "completion.hpp"

#include <CLI/CLI.hpp>
#include <string_view>
#include <vector>

#include "trace/trace.hpp"

namespace tenon::cli {
namespace {

// Before and after what is made from the commands.
constexpr std::string_view head = R"sh(# Completion for bash. Load it with: source <(tenon completion bash)
_tenon() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command=tenon
  local i options='' candidates='' files=''
  for ((i = 1; i < COMP_CWORD; ++i)); do
    case "$command ${COMP_WORDS[i]}" in
)sh";
constexpr std::string_view after_commands = R"sh() command+=" ${COMP_WORDS[i]}" ;;
    esac
  done
  # Bash takes a colon for a word: what is behind it are the files of a trace.
  [[ $before == : ]] && files=-f before='' options=no
  [[ $word == : ]] && word='' files=-f before='' options=no
  case "$command $before" in
)sh";
constexpr std::string_view after_values = R"sh(  esac
  if [[ -z $options ]]; then
    case "$command" in
)sh";
constexpr std::string_view tail = R"sh(    esac
    [[ $word == -* ]] && candidates=$options files=''
  fi
  [[ -n $files ]] && compopt -o filenames 2>/dev/null
  mapfile -t COMPREPLY < <(
    [[ -n $candidates ]] && compgen -W "$candidates" -- "$word"
    [[ -n $files ]] && compgen "$files" -- "$word"
  )
  [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *: ]] && compopt -o nospace 2>/dev/null
}
complete -F _tenon tenon
)sh";

std::string quoted(const std::string &text) { return "'" + text + "'"; }

std::string joined(const std::vector<std::string> &parts, std::string_view between) {
  std::string out;
  for (const std::string &part : parts) out += (out.empty() ? "" : std::string(between)) + part;
  return out;
}

std::string_view files_of(std::string_view type) {
  if (type == "FILE") return "-f";
  if (type == "DIR") return "-d";
  return "";
}

struct parts {
  std::vector<std::string> commands;  // full names, as patterns of a case
  std::string values, options;        // branches of a case
};

void gather(const CLI::App &app, const std::string &name, parts &into) {
  std::vector<std::string> candidates, options;
  std::string_view files;
  for (const CLI::App *below : app.get_subcommands({})) {
    candidates.push_back(below->get_name());
    into.commands.push_back(quoted(name + " " + below->get_name()));
  }
  for (const CLI::Option *option : app.get_options()) {
    const std::vector<std::string> known = words_of(*option);
    if (option->get_lnames().empty()) {  // one without a name: PATH, FILE, or a word
      candidates.insert(candidates.end(), known.begin(), known.end());
      const std::string &place = option->get_single_name();
      if (place == "PATH" || place == "FILE") files = "-f";
      continue;
    }
    const std::string option_name = "--" + option->get_lnames().front();
    options.push_back(option_name);
    if (option->get_expected_max() == 0) continue;  // takes no value
    const std::string_view value_files = files_of(option->get_type_name());
    into.values += "    " + quoted(name + " " + option_name) + ") options=no";
    if (!known.empty()) into.values += " candidates=" + quoted(joined(known, " "));
    if (!value_files.empty()) into.values += " files=" + std::string(value_files);
    into.values += " ;;\n";
  }
  into.options += "      " + quoted(name) + ") options=" + quoted(joined(options, " ")) +
                  " candidates=" + quoted(joined(candidates, " ")) + " files='" + std::string(files) + "' ;;\n";
  for (const CLI::App *below : app.get_subcommands({})) gather(*below, name + " " + below->get_name(), into);
}

}  // namespace

// "WORD:{fill,replay}" names the candidates, "KIND:FILES" is one that begins with a word.
std::vector<std::string> words_of(const CLI::Option &option) {
  const std::string type = option.get_type_name();
  if (type.starts_with("KIND:")) return std::vector<std::string>(trace_kinds.begin(), trace_kinds.end());
  std::vector<std::string> out;
  const size_t open = type.find('{'), close = type.rfind('}');
  if (open == std::string::npos || close == std::string::npos) return out;
  std::string rest = type.substr(open + 1, close - open - 1);
  for (size_t comma = rest.find(','); comma != std::string::npos; comma = rest.find(',')) {
    out.push_back(rest.substr(0, comma));
    rest.erase(0, comma + 1);
  }
  out.push_back(rest);
  return out;
}

std::string bash_completion(const CLI::App &program) {
  parts all;
  gather(program, program.get_name(), all);
  std::string commands = "      ";
  for (size_t i = 0; i < all.commands.size(); ++i) commands += (i == 0 ? "" : " | \\\n        ") + all.commands[i];
  return std::string(head) + commands + std::string(after_commands) + all.values + std::string(after_values) +
         all.options + std::string(tail);
}

}  // namespace tenon::cli
