// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "tenon/kernel/name_pattern.hpp"

#include <re2/re2.h>

#include <algorithm>
#include <vector>

#include "tenon/kernel/utf8.hpp"

namespace tenon {

namespace {

constexpr size_t longest_expression = 1'000;
constexpr int deepest_group = 100;
constexpr int64_t most_memory = int64_t{1} << 20;

re2::StringPiece piece(std::string_view text) { return {text.data(), text.size()}; }

// An expression as RE2 for C++ is given it: what Go's regexp reads otherwise is written for it, or refused in `why`.
class field_expression {
 public:
  explicit field_expression(std::string_view expression) : rest_(expression) {
    while (!rest_.empty() && why.empty()) take_part();
  }

  std::string text;
  std::string why;  // empty: nothing

 private:
  void take(size_t bytes) {
    text += rest_.substr(0, bytes);
    rest_.remove_prefix(std::min(bytes, rest_.size()));
  }

  void take_part() {
    if (rest_[0] == '\\') return take_escape();
    if (rest_[0] == '[') return take_class();
    if (rest_[0] == '(' && ++depth_ > deepest_group) why = "groups nested too deeply";
    if (rest_[0] == ')') --depth_;
    if (rest_.starts_with("(?<") || rest_.starts_with("(?P<")) return take_group_name();
    take(1);
  }

  // RE2 for C++ wants the P, and lets two groups have one name.
  void take_group_name() {
    const size_t begin = rest_.find('<') + 1;
    const std::string_view name = rest_.substr(begin, rest_.find('>') - begin);
    if (std::find(group_names_.begin(), group_names_.end(), name) != group_names_.end()) {
      why = "two groups with the name " + std::string(name);
    }
    group_names_.push_back(name);
    text += "(?P<";
    rest_.remove_prefix(begin);
  }

  // \Q...\E are characters without a meaning of their own.
  void take_escape() {
    if (rest_.starts_with("\\Q")) {
      const size_t end = rest_.find("\\E", 2);
      return take(end == std::string_view::npos ? rest_.size() : end + 2);
    }
    for (const std::string_view unknown : {"\\p", "\\P", "\\C"}) {
      if (rest_.starts_with(unknown)) why = "an unknown escape: " + std::string(unknown);
    }
    take(2);
  }

  void take_class() {
    take(rest_.starts_with("[^") ? 2 : 1);
    bool first = true;  // where a ']' is one of the characters
    while (!rest_.empty() && why.empty() && (first || rest_[0] != ']')) {
      first = false;
      const size_t end = rest_.starts_with("[:") ? rest_.find(":]", 2) : std::string_view::npos;
      if (end != std::string_view::npos) {
        take(end + 2);
      } else if (rest_.starts_with("\\Q")) {
        take(1);  // no quotation inside of a class: RE2 refuses it
      } else if (rest_[0] == '\\') {
        take_escape();
      } else {
        take(1);
      }
    }
    take(1);
  }

  std::string_view rest_;
  int depth_ = 0;
  std::vector<std::string_view> group_names_;
};

refusal no_expression(const std::string &why) {
  return {{}, "a regular expression (RE2 syntax)", "no regular expression: " + why, {}};
}

}  // namespace

result<name_pattern> name_pattern::compile(std::string_view expression) {
  if (expression.size() > longest_expression) {
    return no_expression("longer than " + std::to_string(longest_expression) + " bytes");
  }
  const std::string characters = utf8_of(expression);
  const field_expression field(characters);
  if (!field.why.empty()) return no_expression(field.why);
  RE2::Options how;
  how.set_log_errors(false);
  how.set_max_mem(most_memory);
  auto program = std::make_shared<const RE2>(piece(field.text), how);
  if (!program->ok()) return no_expression(program->error());
  return name_pattern(expression, std::move(program));
}

bool name_pattern::matches(std::string_view name) const {
  if (utf8::is_valid(name)) return RE2::PartialMatch(piece(name), *program_);
  const std::string characters = utf8_of(name);
  return RE2::PartialMatch(characters, *program_);
}

}  // namespace tenon
