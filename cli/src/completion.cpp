// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "completion.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "trace/trace.hpp"

namespace tenon::cli {
namespace {

// Each asks the program (complete -- WORDS...) for candidates with their meanings, or where files or folders are meant.
constexpr std::string_view bash = R"sh(# Completion for bash. Load it with: source <(tenon completion bash)
_tenon() {
  local line word=${COMP_WORDS[COMP_CWORD]} files=''
  COMPREPLY=()
  while IFS= read -r line; do
    case $line in
      :files) files=-f ;;
      :folders) files=-d ;;
      *) COMPREPLY+=("${line%%$'\t'*}") ;;
    esac
  done < <("${COMP_WORDS[0]}" complete -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  [[ $word == : ]] && word=''
  if [[ -n $files ]]; then
    compopt -o filenames 2>/dev/null
    mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen "$files" -- "$word")
  fi
  [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *: ]] && compopt -o nospace 2>/dev/null
  return 0
}
complete -F _tenon tenon
)sh";
constexpr std::string_view zsh = R"sh(#compdef tenon
# Completion for zsh. Load it with: source <(tenon completion zsh)
_tenon() {
  local line
  local -a candidates
  for line in ${(f)"$("${words[1]}" complete -- "${(@)words[2,CURRENT]}" 2>/dev/null)"}; do
    case $line in
      :files) _files ;;
      :folders) _files -/ ;;
      *) candidates+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}") ;;
    esac
  done
  (( $#candidates )) && _describe tenon candidates
}
compdef _tenon tenon
)sh";
constexpr std::string_view fish = R"sh(# Completion for fish. Load it with: tenon completion fish | source
function __tenon_complete
    set -l words (commandline -opc) (commandline -ct)
    for line in ($words[1] complete -- $words[2..-1] 2>/dev/null)
        switch $line
            case :files
                __fish_complete_path (commandline -ct)
            case :folders
                __fish_complete_directories (commandline -ct)
            case '*'
                echo $line
        end
    end
end
complete -c tenon -f -a '(__tenon_complete)'
)sh";
constexpr std::array<std::pair<std::string_view, std::string_view>, 3> scripts{
    {{"bash", bash}, {"zsh", zsh}, {"fish", fish}}};

std::string_view files_of(std::string_view type) {
  if (type == "FILE") return ":files\n";
  if (type == "DIR") return ":folders\n";
  return {};
}

// Candidates that begin with a word, each on its line with its meaning.
class candidates {
 public:
  explicit candidates(std::string word) : word_(std::move(word)) {}
  void add(const std::string &one, const std::string &meaning) {
    if (one.starts_with(word_)) out_ += one + '\t' + meaning.substr(0, meaning.find('\n')) + '\n';
  }
  void add(const CLI::Option &values) {
    for (const std::string &one : words_of(values)) add(one, values.get_description());
  }
  void add_line(std::string_view line) { out_ += line; }
  std::string take() { return std::move(out_); }

 private:
  std::string word_, out_;
};

}  // namespace

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

std::vector<std::string> completion_shells() {
  std::vector<std::string> out;
  for (const auto &[shell, script] : scripts) out.emplace_back(shell);
  return out;
}

std::string_view completion_script(std::string_view shell) {
  const auto found = std::find_if(scripts.begin(), scripts.end(), [&](const auto &one) { return one.first == shell; });
  return found == scripts.end() ? std::string_view() : found->second;
}

std::string completions(const CLI::App &program, std::vector<std::string> words) {
  const std::string word = words.empty() ? std::string() : words.back();
  if (!words.empty()) words.pop_back();
  const std::string before = words.empty() ? std::string() : words.back();
  // Bash takes a colon for a word: what is behind it are the files of a trace.
  if (before == ":" || word == ":") return ":files\n";
  const CLI::App *at = &program;
  for (const std::string &one : words) {
    const auto below = at->get_subcommands([&](const CLI::App *each) { return each->get_name() == one; });
    if (!below.empty()) at = below.front();
  }
  candidates out(word);
  const CLI::Option *option = before.starts_with('-') ? at->get_option_no_throw(before) : nullptr;
  if (option != nullptr && option->get_expected_max() != 0) {
    out.add(*option);
    out.add_line(files_of(option->get_type_name()));
    return out.take();
  }
  for (const CLI::App *below : at->get_subcommands([](const CLI::App *) { return true; }))
    out.add(below->get_name(), below->get_description());
  for (const CLI::Option *one : at->get_options()) {
    if (!one->get_lnames().empty()) {
      if (word.starts_with('-')) out.add("--" + one->get_lnames().front(), one->get_description());
      continue;
    }
    out.add(*one);  // without a name: PATH, FILE, or a word
    const std::string &place = one->get_single_name();
    if (!word.starts_with('-') && (place == "PATH" || place == "FILE")) out.add_line(":files\n");
  }
  return out.take();
}

}  // namespace tenon::cli
