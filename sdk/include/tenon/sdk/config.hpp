// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The configuration of an instance: a JSON object (RFC 8259) read whole, then asked by key.
//
//   weight_ = settings.number("weight", 1.0);     // a missing key gives the default
//   names_ = settings.texts("keys", {});          // a value of another kind throws invalid_config
#pragma once

#include <charconv>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "tenon/sdk/error.hpp"

namespace tenon::sdk {

namespace internal {

struct json_value;
using json_list = std::vector<json_value>;
using json_object = std::vector<std::pair<std::string, json_value>>;
struct json_value {
  std::variant<std::nullptr_t, bool, double, std::string, json_list, json_object> is;
};

// Recursive descent with a bound on depth. Refuses what RFC 8259 refuses, and duplicate keys.
class json_reader {
 public:
  explicit json_reader(std::string_view json) : json_(json) {}

  json_value whole() {
    json_value v = value(0);
    blanks();
    if (at_ != json_.size()) refuse("the end");
    return v;
  }

 private:
  static constexpr int max_depth = 32;

  [[noreturn]] void refuse(std::string_view want) const {
    throw invalid_config("configuration, byte " + std::to_string(at_) + ": want " + std::string(want) + ", have " +
                         (at_ < json_.size() ? "\"" + std::string(json_.substr(at_, 12)) + "\"" : "the end"));
  }

  void blanks() {
    while (at_ < json_.size() && std::string_view(" \t\r\n").find(json_[at_]) != std::string_view::npos) ++at_;
  }

  bool take(char c) {
    blanks();
    if (at_ == json_.size() || json_[at_] != c) return false;
    ++at_;
    return true;
  }

  void need(char c) {
    if (!take(c)) refuse(std::string("'") + c + "'");
  }

  bool word(std::string_view w) {
    if (json_.substr(at_, w.size()) != w) return false;
    at_ += w.size();
    return true;
  }

  json_value value(int depth) {
    if (depth == max_depth) refuse("less nesting");
    blanks();
    if (take('{')) return {object(depth)};
    if (take('[')) return {list(depth)};
    if (take('"')) return {string()};
    if (word("true")) return {true};
    if (word("false")) return {false};
    if (word("null")) return {nullptr};
    return {number()};
  }

  json_object object(int depth) {
    json_object out;
    if (take('}')) return out;
    do {
      need('"');
      std::string key = string();
      for (const auto &[known, unused] : out) {
        if (known == key) refuse("one value for the key \"" + key + "\" only");
      }
      need(':');
      out.emplace_back(std::move(key), value(depth + 1));
    } while (take(','));
    need('}');
    return out;
  }

  json_list list(int depth) {
    json_list out;
    if (take(']')) return out;
    do out.push_back(value(depth + 1));
    while (take(','));
    need(']');
    return out;
  }

  double number() {
    const size_t start = at_;
    const auto digits = [&] {
      const size_t first = at_;
      while (at_ < json_.size() && json_[at_] >= '0' && json_[at_] <= '9') ++at_;
      if (at_ == first) refuse(first == start ? "a value" : "a digit");
    };
    word("-");
    if (!word("0")) digits();
    if (word(".")) digits();
    if (word("e") || word("E")) {
      if (!word("+")) word("-");
      digits();
    }
    double parsed = 0;
    const auto [end, error] = std::from_chars(json_.data() + start, json_.data() + at_, parsed);
    if (error != std::errc() || end != json_.data() + at_) {
      at_ = start;
      refuse("a number within the range of a double");
    }
    return parsed;
  }

  uint32_t hex4() {
    uint32_t code = 0;
    const auto digits = json_.substr(at_, 4);
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), code, 16);
    if (digits.size() != 4 || error != std::errc() || end != digits.data() + 4) refuse("four hexadecimal digits");
    at_ += 4;
    return code;
  }

  void append_code(std::string &out) {
    uint32_t code = hex4();
    if (code >= 0xD800 && code < 0xDC00) {
      if (!word("\\u")) refuse("the second half of a surrogate pair");
      const uint32_t low = hex4();
      if (low < 0xDC00 || low > 0xDFFF) refuse("the second half of a surrogate pair");
      code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
    } else if (code >= 0xDC00 && code <= 0xDFFF) {
      refuse("the first half of a surrogate pair");
    }
    const auto tail = [&](uint32_t shift) { out += static_cast<char>(0x80 | ((code >> shift) & 0x3F)); };
    if (code < 0x80) {
      out += static_cast<char>(code);
    } else if (code < 0x800) {
      out += static_cast<char>(0xC0 | (code >> 6)), tail(0);
    } else if (code < 0x10000) {
      out += static_cast<char>(0xE0 | (code >> 12)), tail(6), tail(0);
    } else {
      out += static_cast<char>(0xF0 | (code >> 18)), tail(12), tail(6), tail(0);
    }
  }

  std::string string() {
    static constexpr std::string_view plain = "\"\\/bfnrt", meant = "\"\\/\b\f\n\r\t";
    std::string out;
    while (at_ < json_.size() && json_[at_] != '"') {
      if (static_cast<unsigned char>(json_[at_]) < 0x20) refuse("no control character in a text");
      if (json_[at_] != '\\') {
        out += json_[at_++];
        continue;
      }
      ++at_;
      if (word("u")) {
        append_code(out);
        continue;
      }
      const size_t which = at_ < json_.size() ? plain.find(json_[at_]) : std::string_view::npos;
      if (which == std::string_view::npos) refuse("an escape");
      out += meant[which];
      ++at_;
    }
    if (at_ == json_.size()) refuse("the end of a text");
    ++at_;
    return out;
  }

  std::string_view json_;
  size_t at_ = 0;
};

}  // namespace internal

class config {
 public:
  config() = default;

  // Reads a JSON object; blank text is the empty object. Throws invalid_config.
  explicit config(std::string_view json) {
    if (json.find_first_not_of(" \t\r\n") == std::string_view::npos) return;
    internal::json_value whole = internal::json_reader(json).whole();
    auto *object = std::get_if<internal::json_object>(&whole.is);
    if (object == nullptr) throw invalid_config("configuration: want an object");
    values_ = std::move(*object);
  }

  [[nodiscard]] bool has(std::string_view key) const { return find(key) != nullptr; }
  [[nodiscard]] bool is_null(std::string_view key) const {
    const internal::json_value *v = find(key);
    return v != nullptr && std::holds_alternative<std::nullptr_t>(v->is);
  }
  [[nodiscard]] double number(std::string_view key, double otherwise) const {
    return get<double>(key, otherwise, "a number");
  }
  [[nodiscard]] bool flag(std::string_view key, bool otherwise) const {
    return get<bool>(key, otherwise, "true or false");
  }
  [[nodiscard]] std::string text(std::string_view key, std::string_view otherwise) const {
    return get<std::string>(key, std::string(otherwise), "a text");
  }

  // A whole number from `least` to `most`.
  [[nodiscard]] int64_t whole(std::string_view key, int64_t otherwise, int64_t least, int64_t most) const {
    const double v = number(key, static_cast<double>(otherwise));
    if (v != std::floor(v) || v < static_cast<double>(least) || v > static_cast<double>(most)) {
      refuse(key, "a whole number from " + std::to_string(least) + " to " + std::to_string(most));
    }
    return static_cast<int64_t>(v);
  }

  // A flat object of numbers.
  [[nodiscard]] std::map<std::string, double> numbers(std::string_view key,
                                                      std::map<std::string, double> otherwise) const {
    const internal::json_value *v = find(key);
    if (v == nullptr) return otherwise;
    const auto *object = std::get_if<internal::json_object>(&v->is);
    if (object == nullptr) refuse(key, "an object of numbers");
    std::map<std::string, double> out;
    for (const auto &[name, value] : *object) {
      const auto *number = std::get_if<double>(&value.is);
      if (number == nullptr) refuse(key, "an object of numbers");
      out.emplace(name, *number);
    }
    return out;
  }

  // A list of texts.
  [[nodiscard]] std::vector<std::string> texts(std::string_view key, std::vector<std::string> otherwise) const {
    const internal::json_value *v = find(key);
    if (v == nullptr) return otherwise;
    const auto *list = std::get_if<internal::json_list>(&v->is);
    if (list == nullptr) refuse(key, "a list of texts");
    std::vector<std::string> out;
    for (const internal::json_value &entry : *list) {
      const auto *one = std::get_if<std::string>(&entry.is);
      if (one == nullptr) refuse(key, "a list of texts");
      out.push_back(*one);
    }
    return out;
  }

  [[noreturn]] static void refuse(std::string_view key, std::string_view want) {
    throw invalid_config("configuration key \"" + std::string(key) + "\": want " + std::string(want));
  }

 private:
  [[nodiscard]] const internal::json_value *find(std::string_view key) const {
    for (const auto &[name, value] : values_) {
      if (name == key) return &value;
    }
    return nullptr;
  }

  template <class T>
  [[nodiscard]] T get(std::string_view key, T otherwise, std::string_view want) const {
    const internal::json_value *v = find(key);
    if (v == nullptr) return otherwise;
    const T *typed = std::get_if<T>(&v->is);
    if (typed == nullptr) refuse(key, want);
    return *typed;
  }

  internal::json_object values_;
};

}  // namespace tenon::sdk
