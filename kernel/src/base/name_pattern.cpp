// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The program of an expression and its run: every way through the expression is walked at once, character by
// character (Thompson's construction), so a hostile name costs no more than any other of its length.
#include "tenon/kernel/name_pattern.hpp"

#include <algorithm>

#include "base/name_pattern_tree.hpp"

namespace tenon {

namespace {

constexpr size_t most_steps = 10'000;

// The characters on both sides of a place in the name, -1 where there is none.
struct edge {
  int64_t before;
  int64_t after;
};

bool holds(pattern::assertion what, edge at) {
  const bool edge_of_word = pattern::is_word_character(at.before) != pattern::is_word_character(at.after);
  switch (what) {
    case pattern::assertion::text_begin:
      return at.before < 0;
    case pattern::assertion::text_end:
      return at.after < 0;
    case pattern::assertion::line_begin:
      return at.before < 0 || at.before == '\n';
    case pattern::assertion::line_end:
      return at.after < 0 || at.after == '\n';
    case pattern::assertion::word_edge:
      return edge_of_word;
    case pattern::assertion::no_word_edge:
      return !edge_of_word;
  }
  return false;
}

}  // namespace

// Writes steps from the last to the first: each part is given where to go on.
class pattern_writer {
 public:
  explicit pattern_writer(name_pattern &out) : out_(out) {}

  // The first step of `n` followed by `next`; nothing where the program would be too large.
  [[nodiscard]] bool write(const pattern::node &n, uint32_t next, uint32_t &entry) {
    using kind = pattern::node::kind;
    entry = next;
    switch (n.what) {
      case kind::nothing:
        return true;
      case kind::characters:
        return write_characters(n, next, entry);
      case kind::check:
        return append({op::check, next, static_cast<uint32_t>(n.check)}, entry);
      case kind::sequence:
        return std::all_of(n.parts.rbegin(), n.parts.rend(),
                           [&](const pattern::node &part) { return write(part, entry, entry); });
      case kind::choice:
        return write_choice(n, next, entry);
      case kind::repeat:
        return write_repeat(n, next, entry);
    }
    return false;
  }

  [[nodiscard]] bool append(name_pattern::step s, uint32_t &at) {
    if (out_.steps_.size() >= most_steps) return false;
    at = static_cast<uint32_t>(out_.steps_.size());
    out_.steps_.push_back(s);
    return true;
  }

 private:
  using op = name_pattern::op;

  [[nodiscard]] bool write_characters(const pattern::node &n, uint32_t next, uint32_t &entry) {
    const auto same = std::find(out_.classes_.begin(), out_.classes_.end(), n.set);
    const auto index = static_cast<uint32_t>(same - out_.classes_.begin());
    if (same == out_.classes_.end()) out_.classes_.push_back(n.set);
    return append({op::character, next, index}, entry);
  }

  [[nodiscard]] bool write_choice(const pattern::node &n, uint32_t next, uint32_t &entry) {
    if (!write(n.parts.back(), next, entry)) return false;
    for (size_t i = n.parts.size() - 1; i-- > 0;) {
      uint32_t way = 0;
      if (!write(n.parts[i], next, way) || !append({op::split, way, entry}, entry)) return false;
    }
    return true;
  }

  [[nodiscard]] bool write_repeat(const pattern::node &n, uint32_t next, uint32_t &entry) {
    const pattern::node &part = n.parts[0];
    if (n.most == pattern::endless) {
      // A split that leads into the part, whose end leads back to it.
      uint32_t loop = 0, body = 0;
      if (!append({op::split, next, next}, loop) || !write(part, loop, body)) return false;
      out_.steps_[loop].next = body;
      entry = loop;
    } else {
      for (int i = n.least; i < n.most; ++i) {
        uint32_t body = 0;
        if (!write(part, entry, body) || !append({op::split, body, next}, entry)) return false;
      }
    }
    for (int i = 0; i < n.least; ++i) {
      if (!write(part, entry, entry)) return false;
    }
    return true;
  }

  name_pattern &out_;
};

// The steps that are alive between two characters.
class name_pattern::walker {
 public:
  explicit walker(const name_pattern &p) : p_(p), seen_(p.steps_.size(), 0) {}

  // Follows everything that needs no character from `from` on. True at a match.
  bool enter(uint32_t from, edge at) {
    bool matched = false;
    waiting_.push_back(from);
    while (!waiting_.empty()) {
      const uint32_t index = waiting_.back();
      waiting_.pop_back();
      if (seen_[index] == place_) continue;
      seen_[index] = place_;
      const step &s = p_.steps_[index];
      switch (s.what) {
        case op::match:
          matched = true;
          break;
        case op::character:
          alive_.push_back(index);
          break;
        case op::split:
          waiting_.push_back(s.other);
          waiting_.push_back(s.next);
          break;
        case op::check:
          if (holds(static_cast<pattern::assertion>(s.other), at)) waiting_.push_back(s.next);
          break;
      }
    }
    return matched;
  }

  // Takes `c` and enters what follows. True at a match.
  bool advance(char32_t c, edge behind) {
    std::swap(alive_, left_);
    alive_.clear();
    ++place_;
    bool matched = false;
    for (const uint32_t index : left_) {
      const step &s = p_.steps_[index];
      if (contains(p_.classes_[s.other], c)) matched = enter(s.next, behind) || matched;
    }
    return matched;
  }

 private:
  static bool contains(const ranges &set, char32_t c) {
    const auto after = std::upper_bound(set.begin(), set.end(), c,
                                        [](char32_t value, const auto &range) { return value < range.first; });
    return after != set.begin() && c <= std::prev(after)->second;
  }

  const name_pattern &p_;
  std::vector<uint32_t> seen_;  // the place at which a step was last entered
  uint32_t place_ = 1;
  std::vector<uint32_t> alive_;
  std::vector<uint32_t> left_;  // those before the last character
  std::vector<uint32_t> waiting_;
};

result<name_pattern> name_pattern::compile(std::string_view expression) {
  const auto tree = pattern::parse_expression(expression);
  if (!tree) return tree.why();
  name_pattern out;
  out.expression_ = expression;
  pattern_writer writer(out);
  uint32_t end = 0;
  if (!writer.append({op::match, 0, 0}, end) || !writer.write(*tree, end, out.start_)) {
    return refusal{{}, "an expression with fewer repetitions", "an expression that needs too many steps", {}};
  }
  return out;
}

bool name_pattern::matches(std::string_view name) const {
  walker w(*this);
  int64_t before = -1;
  const auto peek = [](std::string_view rest) {
    return rest.empty() ? int64_t{-1} : static_cast<int64_t>(pattern::take_character(rest));
  };
  if (w.enter(start_, {before, peek(name)})) return true;
  while (!name.empty()) {
    const char32_t c = pattern::take_character(name);
    before = c;
    const edge behind{before, peek(name)};
    // A match may begin at every place, so the program is entered anew behind each character.
    if (w.advance(c, behind) || w.enter(start_, behind)) return true;
  }
  return false;
}

}  // namespace tenon
