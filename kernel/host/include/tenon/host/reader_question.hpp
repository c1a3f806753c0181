// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Whether modules are asked for a decision, or for somebody who wants to know something: an explanation, a what-if.
#pragma once

namespace tenon::host {

// While there is one on this thread, what predicates answer says nothing of how they decide.
class reader_question {
 public:
  reader_question();
  ~reader_question();
  reader_question(const reader_question &) = delete;
  reader_question &operator=(const reader_question &) = delete;

  [[nodiscard]] static bool is_asked();

 private:
  const bool before_;
};

}  // namespace tenon::host
