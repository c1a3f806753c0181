// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// RE2's syntax with the flags that Go's regexp sets: Perl's escapes and groups, one line unless (?m).
#include <algorithm>

#include "base/name_pattern_set.hpp"
#include "base/name_pattern_tree.hpp"

namespace tenon::pattern {

namespace {

using kind = node::kind;

constexpr int deepest_group = 100;
constexpr size_t longest_expression = 1'000;

// Ends the reading; parse_expression turns it into a refusal.
struct no_expression {
  std::string why;
};

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_octal(char c) { return c >= '0' && c <= '7'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

int hex_value(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

struct flags {
  bool fold = false;     // i
  bool lines = false;    // m
  bool dot_all = false;  // s
};

struct repeat_counts {
  int least;
  int most;
};

class reader {
 public:
  explicit reader(std::string_view text) : rest_(text) {}

  node read() {
    node out = read_choice(0);
    if (!rest_.empty()) throw no_expression{"')' without '('"};
    return out;
  }

 private:
  bool take(std::string_view prefix) {
    if (!rest_.starts_with(prefix)) return false;
    rest_.remove_prefix(prefix.size());
    return true;
  }

  char take_byte(const char *missing) {
    if (rest_.empty()) throw no_expression{missing};
    const char c = rest_[0];
    rest_.remove_prefix(1);
    return c;
  }

  static node characters(ranges set) {
    normalise(set);
    node out;
    out.what = kind::characters;
    out.set = std::move(set);
    return out;
  }

  [[nodiscard]] node literal(char32_t c) const {
    ranges set{{c, c}};
    if (flags_.fold) fold_case(set);
    return characters(std::move(set));
  }

  static node check(assertion what) {
    node out;
    out.what = kind::check;
    out.check = what;
    return out;
  }

  // a|b up to the end or a ')'.
  node read_choice(int depth) {
    if (depth > deepest_group) throw no_expression{"groups nested too deeply"};
    node out;
    out.what = kind::choice;
    do out.parts.push_back(read_sequence(depth));
    while (take("|"));
    return out.parts.size() == 1 ? std::move(out.parts[0]) : out;
  }

  node read_sequence(int depth) {
    node out;
    out.what = kind::sequence;
    bool repeated = false;  // the last part ends in a repetition, which cannot be repeated again
    while (!rest_.empty() && rest_[0] != '|' && rest_[0] != ')') {
      if (const auto counts = take_repeat()) {
        if (repeated) throw no_expression{"a repetition of a repetition"};
        if (out.parts.empty()) throw no_expression{"nothing before a repetition"};
        repeat_last(out, *counts);
        repeated = true;
        continue;
      }
      read_part(out, depth);
      repeated = false;
    }
    return out;
  }

  // Repeats inside of repeats multiply; what is left for the inner ones is rounded down, as in RE2.
  static bool repeats_within(const node &n, int allowed) {
    if (n.what == kind::repeat) {
      if (n.most == 0) return true;
      const int times = n.most == endless ? n.least : n.most;
      if (times > allowed) return false;
      if (times > 0) allowed /= times;
    }
    return std::all_of(n.parts.begin(), n.parts.end(), [&](const node &part) { return repeats_within(part, allowed); });
  }

  static void repeat_last(node &sequence, repeat_counts counts) {
    node repeated;
    repeated.what = kind::repeat;
    repeated.least = counts.least;
    repeated.most = counts.most;
    repeated.parts.push_back(std::move(sequence.parts.back()));
    if (!repeats_within(repeated, most_repeats)) {
      throw no_expression{"nested repeat counts that multiply to more than " + std::to_string(most_repeats)};
    }
    sequence.parts.back() = std::move(repeated);
  }

  // *, +, ?, {n}, {n,}, {n,m}, each with a '?' that only says which match is preferred.
  std::optional<repeat_counts> take_repeat() {
    std::optional<repeat_counts> out;
    if (take("*")) {
      out = {0, endless};
    } else if (take("+")) {
      out = {1, endless};
    } else if (take("?")) {
      out = {0, 1};
    } else {
      out = take_braces();
    }
    if (out) take("?");
    return out;
  }

  // Braces that hold no counts are ordinary characters.
  std::optional<repeat_counts> take_braces() {
    if (!rest_.starts_with('{')) return std::nullopt;
    std::string_view inside = rest_.substr(1);
    const auto number = [&]() -> std::optional<int> {
      size_t digits = 0;
      int value = 0;
      while (digits < inside.size() && is_digit(inside[digits])) {
        value = std::min(value * 10 + (inside[digits] - '0'), most_repeats + 1);
        ++digits;
      }
      const bool padded = digits > 1 && inside[0] == '0';
      if (digits == 0 || padded) return std::nullopt;
      inside.remove_prefix(digits);
      return value;
    };
    const auto least = number();
    if (!least) return std::nullopt;
    std::optional<int> most = least;
    if (inside.starts_with(',')) {
      inside.remove_prefix(1);
      most = inside.starts_with('}') ? std::optional<int>(endless) : number();
    }
    if (!most || !inside.starts_with('}')) return std::nullopt;
    rest_ = inside.substr(1);
    if (*least > most_repeats || *most > most_repeats || (*most != endless && *most < *least)) {
      throw no_expression{"repeat counts out of order, or above " + std::to_string(most_repeats)};
    }
    return repeat_counts{*least, *most};
  }

  void read_part(node &out, int depth) {
    if (take("(")) return read_group(out, depth);
    if (take("[")) return out.parts.push_back(read_class());
    if (take("\\")) return read_escape(out);
    if (take(".")) {
      ranges set{{0, last_character}};
      if (!flags_.dot_all) set = {{0, '\n' - 1}, {'\n' + 1, last_character}};
      return out.parts.push_back(characters(std::move(set)));
    }
    if (take("^")) return out.parts.push_back(check(flags_.lines ? assertion::line_begin : assertion::text_begin));
    if (take("$")) return out.parts.push_back(check(flags_.lines ? assertion::line_end : assertion::text_end));
    out.parts.push_back(literal(take_character(rest_)));
  }

  void read_group(node &out, int depth) {
    const flags outside = flags_;
    if (take("?")) {
      if (take("P<") || take("<")) {
        take_group_name();
      } else if (take_flags()) {
        return;  // (?i): for the rest of the group around it
      }
    }
    node inside = read_choice(depth + 1);
    if (!take(")")) throw no_expression{"'(' without ')'"};
    flags_ = outside;
    out.parts.push_back(std::move(inside));
  }

  void take_group_name() {
    const size_t end = rest_.find('>');
    const std::string_view name = rest_.substr(0, end);
    const bool good = end != std::string_view::npos && !name.empty() &&
                      std::all_of(name.begin(), name.end(), [](char c) { return is_word_character(c); });
    const bool again = std::find(group_names_.begin(), group_names_.end(), name) != group_names_.end();
    if (!good || again) throw no_expression{"a group name that is none, or is used twice"};
    group_names_.push_back(name);
    rest_.remove_prefix(end + 1);
  }

  // What follows "(?". True for flags alone, false where "flags:" opens a group.
  bool take_flags() {
    bool set = true, any = false;
    flags changed = flags_;
    while (true) {
      const char c = take_byte("'(?' without an end");
      switch (c) {
        case 'i':
          changed.fold = set;
          break;
        case 'm':
          changed.lines = set;
          break;
        case 's':
          changed.dot_all = set;
          break;
        case 'U':
          break;  // which match is preferred: never asked
        case '-':
          if (!set) throw no_expression{"unknown flags in '(?'"};
          set = any = false;
          continue;
        case ')':
        case ':':
          if (!set && !any) throw no_expression{"unknown flags in '(?'"};
          flags_ = changed;
          return c == ')';
        default:
          throw no_expression{"unknown flags in '(?'"};
      }
      any = true;
    }
  }

  void read_escape(node &out) {
    const char c = rest_.empty() ? '\0' : rest_[0];
    if (const auto set = perl_set(c)) {
      rest_.remove_prefix(1);
      return out.parts.push_back(characters(*set));
    }
    if (take("A")) return out.parts.push_back(check(assertion::text_begin));
    if (take("z")) return out.parts.push_back(check(assertion::text_end));
    if (take("b")) return out.parts.push_back(check(assertion::word_edge));
    if (take("B")) return out.parts.push_back(check(assertion::no_word_edge));
    if (take("Q")) return read_verbatim(out);
    out.parts.push_back(literal(take_escaped()));
  }

  // \Q...\E: characters without a meaning of their own.
  void read_verbatim(node &out) {
    const size_t end = rest_.find("\\E");
    std::string_view inside = rest_.substr(0, end);
    rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 2);
    while (!inside.empty()) out.parts.push_back(literal(take_character(inside)));
  }

  // The character that stands behind a backslash.
  char32_t take_escaped() {
    const char c = take_byte("a backslash at the end");
    switch (c) {
      case 'a':
        return '\a';
      case 'f':
        return '\f';
      case 'n':
        return '\n';
      case 'r':
        return '\r';
      case 't':
        return '\t';
      case 'v':
        return '\v';
      case 'x':
        return take_hex();
      default:
        break;
    }
    // \1 alone would refer back to a group, which no linear matcher can do; \12 is octal.
    if (is_octal(c) && (c == '0' || (!rest_.empty() && is_octal(rest_[0])))) {
      auto value = static_cast<char32_t>(c - '0');
      for (int i = 0; i < 2 && !rest_.empty() && is_octal(rest_[0]); ++i) {
        value = value * 8 + static_cast<char32_t>(take_byte("") - '0');
      }
      return value;
    }
    const bool plain = static_cast<unsigned char>(c) < 0x80 && !is_letter(c) && !is_digit(c);
    if (!plain) throw no_expression{"an unknown escape"};
    return static_cast<char32_t>(c);
  }

  char32_t take_hex() {
    const bool braces = take("{");
    char32_t value = 0;
    int digits = 0;
    while (!rest_.empty() && hex_value(rest_[0]) >= 0 && (braces || digits < 2)) {
      value = value * 16 + static_cast<char32_t>(hex_value(take_byte("")));
      ++digits;
      if (value > last_character) throw no_expression{"a character beyond U+10FFFF"};
    }
    if (digits == 0 || (!braces && digits < 2) || (braces && !take("}"))) throw no_expression{"an unknown escape"};
    return value;
  }

  node read_class() {
    const bool negated = take("^");
    ranges set;
    bool first = true;
    while (first || !rest_.starts_with(']')) {
      if (rest_.empty()) throw no_expression{"'[' without ']'"};
      first = false;
      if (!take_named_set(set)) take_range(set);
    }
    rest_.remove_prefix(1);
    if (flags_.fold) fold_case(set);
    return characters(negated ? complement(std::move(set)) : std::move(set));
  }

  // [:alpha:] or \d inside of a class.
  bool take_named_set(ranges &set) {
    if (rest_.starts_with("[:")) {
      const size_t end = rest_.find(":]", 2);
      if (end == std::string_view::npos) return false;
      std::string_view name = rest_.substr(2, end - 2);
      const bool negated = name.starts_with('^');
      if (negated) name.remove_prefix(1);
      const auto named = posix_set(name);
      if (!named) throw no_expression{"an unknown class [:" + std::string(name) + ":]"};
      rest_.remove_prefix(end + 2);
      add(set, negated ? complement(*named) : *named);
      return true;
    }
    if (rest_.size() < 2 || rest_[0] != '\\') return false;
    const auto named = perl_set(rest_[1]);
    if (!named) return false;
    rest_.remove_prefix(2);
    add(set, *named);
    return true;
  }

  void take_range(ranges &set) {
    const char32_t from = take_class_character();
    char32_t to = from;
    if (rest_.size() >= 2 && rest_[0] == '-' && rest_[1] != ']') {
      rest_.remove_prefix(1);
      to = take_class_character();
      if (to < from) throw no_expression{"a range that ends before it begins"};
    }
    set.emplace_back(from, to);
  }

  char32_t take_class_character() {
    if (rest_.empty()) throw no_expression{"'[' without ']'"};
    return take("\\") ? take_escaped() : take_character(rest_);
  }

  std::string_view rest_;
  flags flags_;
  std::vector<std::string_view> group_names_;
};

}  // namespace

char32_t take_character(std::string_view &text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  size_t length = lead < 0x80 ? 1 : lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC2 ? 2 : 0;
  constexpr unsigned char lead_mask[] = {0, 0x7F, 0x1F, 0x0F, 0x07};
  constexpr char32_t least[] = {0, 0, 0x80, 0x800, 0x10000};  // below it the character has a shorter form
  char32_t out = lead & lead_mask[length];
  bool good = length != 0 && length <= text.size();
  for (size_t i = 1; good && i < length; ++i) {
    good = (byte(i) & 0xC0U) == 0x80U;
    out = out << 6U | (byte(i) & 0x3FU);
  }
  good = good && out >= least[length] && out <= last_character && (out < 0xD800 || out > 0xDFFF);
  text.remove_prefix(good ? length : 1);
  return good ? out : bad_character;
}

result<node> parse_expression(std::string_view text) {
  std::string why;
  if (text.size() > longest_expression) {
    why = "longer than " + std::to_string(longest_expression) + " characters";
  } else {
    try {
      return reader(text).read();
    } catch (const no_expression &found) {
      why = found.why;
    }
  }
  return refusal{{}, "a regular expression (RE2 syntax)", "no regular expression: " + why, {}};
}

}  // namespace tenon::pattern
