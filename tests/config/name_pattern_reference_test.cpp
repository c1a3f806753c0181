// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Random expressions and names: what name_pattern matches is what the meaning of each part says, written down here as
// the positions at which a match may end.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "tenon/kernel/name_pattern.hpp"

namespace tenon {
namespace {

using positions = std::set<size_t>;

// A part of an expression: how it is written, and where it may end in a name when it begins at a position.
class part {
 public:
  virtual ~part() = default;
  [[nodiscard]] virtual std::string text() const = 0;
  [[nodiscard]] virtual positions ends(const std::u32string &name, size_t at) const = 0;
};
using part_ptr = std::unique_ptr<part>;

std::string utf8_text(char32_t letter) {
  if (letter < 0x80) return {static_cast<char>(letter)};
  return {static_cast<char>(0xC0 | letter >> 6), static_cast<char>(0x80 | (letter & 0x3F))};
}

// One character of a set, or of what is not in it.
class one_of : public part {
 public:
  one_of(std::string text, std::u32string set, bool all_but)
      : text_(std::move(text)), set_(std::move(set)), all_but_(all_but) {}
  [[nodiscard]] std::string text() const override { return text_; }
  [[nodiscard]] positions ends(const std::u32string &name, size_t at) const override {
    if (at == name.size() || (set_.find(name[at]) != std::u32string::npos) == all_but_) return {};
    return {at + 1};
  }

 private:
  std::string text_;
  std::u32string set_;
  bool all_but_;
};

class edge : public part {
 public:
  explicit edge(bool of_the_end) : of_the_end_(of_the_end) {}
  [[nodiscard]] std::string text() const override { return of_the_end_ ? "$" : "^"; }
  [[nodiscard]] positions ends(const std::u32string &name, size_t at) const override {
    return at == (of_the_end_ ? name.size() : 0) ? positions{at} : positions{};
  }

 private:
  bool of_the_end_;
};

class either : public part {
 public:
  either(part_ptr one, part_ptr other) : one_(std::move(one)), other_(std::move(other)) {}
  [[nodiscard]] std::string text() const override { return "(?:" + one_->text() + "|" + other_->text() + ")"; }
  [[nodiscard]] positions ends(const std::u32string &name, size_t at) const override {
    positions out = one_->ends(name, at);
    out.merge(other_->ends(name, at));
    return out;
  }

 private:
  part_ptr one_, other_;
};

class both : public part {
 public:
  both(part_ptr first, part_ptr then) : first_(std::move(first)), then_(std::move(then)) {}
  [[nodiscard]] std::string text() const override { return first_->text() + then_->text(); }
  [[nodiscard]] positions ends(const std::u32string &name, size_t at) const override {
    positions out;
    for (const size_t middle : first_->ends(name, at)) out.merge(then_->ends(name, middle));
    return out;
  }

 private:
  part_ptr first_, then_;
};

// From `least` to `most` times; 9 stands for without end, which no name of the test is long enough to tell apart.
class repeated : public part {
 public:
  repeated(part_ptr of, size_t least, size_t most, std::string sign)
      : of_(std::move(of)), least_(least), most_(most), sign_(std::move(sign)) {}
  [[nodiscard]] std::string text() const override { return "(" + of_->text() + ")" + sign_; }
  [[nodiscard]] positions ends(const std::u32string &name, size_t at) const override {
    positions out, now{at};
    for (size_t times = 0; times <= most_ && !now.empty(); ++times) {
      if (times >= least_) out.insert(now.begin(), now.end());
      positions next;
      for (const size_t from : now) next.merge(of_->ends(name, from));
      now = std::move(next);
    }
    return out;
  }

 private:
  part_ptr of_;
  size_t least_, most_;
  std::string sign_;
};

constexpr std::u32string_view letters = U"abAB.\u00E4";
constexpr size_t longest_name = 6, without_end = longest_name + 3;

class drawer {
 public:
  explicit drawer(uint64_t seed) : random_(seed) {}

  part_ptr expression(int depth) {
    switch (depth == 0 ? below(4) : below(8)) {
      case 0:
        return letter();
      case 1:
        return std::make_unique<one_of>(".", U"\n", true);
      case 2:
        return set();
      case 3:
        return below(3) == 0 ? part_ptr(std::make_unique<edge>(below(2) == 0)) : letter();
      case 4:
        return std::make_unique<either>(expression(depth - 1), expression(depth - 1));
      case 5:
      case 6:
        return std::make_unique<both>(expression(depth - 1), expression(depth - 1));
      default:
        return repeat(expression(depth - 1));
    }
  }

  std::u32string name() {
    std::u32string out;
    for (size_t i = below(longest_name + 1); i > 0; --i) out += letters[below(letters.size())];
    return out;
  }

 private:
  size_t below(size_t end) { return random_() % end; }

  part_ptr letter() {
    const char32_t which = letters[below(letters.size())];
    return std::make_unique<one_of>((which == U'.' ? "\\" : "") + utf8_text(which), std::u32string{which}, false);
  }

  part_ptr set() {
    const bool all_but = below(2) == 0;
    std::u32string in;
    std::string text = all_but ? "[^" : "[";
    for (size_t i = 1 + below(3); i > 0; --i) {
      in += letters[below(letters.size())];
      text += utf8_text(in.back());
    }
    return std::make_unique<one_of>(text + "]", in, all_but);
  }

  part_ptr repeat(part_ptr of) {
    const std::string lazy = below(3) == 0 ? "?" : "";
    switch (below(4)) {
      case 0:
        return std::make_unique<repeated>(std::move(of), 0, without_end, "*" + lazy);
      case 1:
        return std::make_unique<repeated>(std::move(of), 1, without_end, "+" + lazy);
      case 2:
        return std::make_unique<repeated>(std::move(of), 0, 1, "?" + lazy);
      default: {
        const size_t least = below(3), most = least + below(2);
        const std::string sign = "{" + std::to_string(least) + "," + std::to_string(most) + "}";
        return std::make_unique<repeated>(std::move(of), least, most, sign + lazy);
      }
    }
  }

  std::mt19937_64 random_;
};

bool found_anywhere(const part &expression, const std::u32string &name) {
  for (size_t at = 0; at <= name.size(); ++at) {
    if (!expression.ends(name, at).empty()) return true;
  }
  return false;
}

std::string utf8_text(const std::u32string &name) {
  std::string out;
  for (const char32_t letter : name) out += utf8_text(letter);
  return out;
}

TEST(NamePatternReference, RandomExpressionsMatchWhatTheirPartsSay) {
  constexpr uint64_t seeds = 3000;
  size_t matched = 0, pairs = 0;
  for (uint64_t seed = 1; seed <= seeds; ++seed) {
    drawer draw(seed);
    const part_ptr expression = draw.expression(4);
    const auto compiled = name_pattern::compile(expression->text());
    ASSERT_TRUE(compiled) << "seed " << seed << ": " << expression->text() << ": " << compiled.why().text();
    for (int i = 0; i < 20; ++i, ++pairs) {
      const std::u32string name = draw.name();
      const bool wanted = found_anywhere(*expression, name);
      ASSERT_EQ(compiled->matches(utf8_text(name)), wanted)
          << "seed " << seed << ": " << expression->text() << " in '" << utf8_text(name) << "'";
      matched += wanted ? 1 : 0;
    }
  }
  EXPECT_GT(matched, pairs / 10);
  EXPECT_LT(matched, pairs - pairs / 10);
}

}  // namespace
}  // namespace tenon
