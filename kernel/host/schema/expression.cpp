// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "tenon/host/expression.hpp"

#include <re2/re2.h>

#include <utility>

namespace tenon::host {
namespace {

constexpr int64_t memory = int64_t{1} << 20;  // of one expression, what it keeps while it runs included
constexpr size_t shown_bytes = 200;

}  // namespace

struct expression::compiled {
  compiled(std::string_view text, const RE2::Options &how) : program(re2::StringPiece(text.data(), text.size()), how) {}
  RE2 program;
};

result<expression> expression::compile(std::string_view text) {
  RE2::Options how;
  how.set_log_errors(false);
  how.set_max_mem(memory);
  auto made = std::make_shared<const compiled>(text, how);
  if (made->program.ok()) return expression(std::move(made));
  const std::string shown = std::string(text.substr(0, shown_bytes)) + (text.size() > shown_bytes ? "..." : "");
  return refusal{"", "a regular expression, in the syntax of RE2",
                 "'" + shown + "': " + made->program.error().substr(0, shown_bytes),
                 "correct it, with \\ before characters that stand for themselves; there are no references back, and "
                 "nothing looks "
                 "ahead or behind"};
}

bool expression::found_in(std::string_view text) const {
  return RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), compiled_->program);
}

}  // namespace tenon::host
