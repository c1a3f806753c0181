// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// How every part of Tenon says no: where, what was wanted, what was found, what to do.
#pragma once

#include <string>
#include <utility>
#include <variant>

namespace tenon {

// A refusal names a place ("queues.yaml:12:7", "node n-1"), what was wanted there, what was found, and
// how to fix it. Parts may be empty, `have` never is.
struct refusal {
  std::string where;
  std::string want;
  std::string have;
  std::string fix;

  // "where: have; want: ...; fix: ..." on one line.
  [[nodiscard]] std::string text() const;
};

// A value or the refusal that explains why there is none.
template <class T>
class result {
 public:
  result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  result(refusal why) : state_(std::in_place_index<1>, std::move(why)) {}

  [[nodiscard]] explicit operator bool() const { return state_.index() == 0; }
  [[nodiscard]] T &operator*() { return std::get<0>(state_); }
  [[nodiscard]] const T &operator*() const { return std::get<0>(state_); }
  [[nodiscard]] T *operator->() { return &std::get<0>(state_); }
  [[nodiscard]] const T *operator->() const { return &std::get<0>(state_); }
  [[nodiscard]] const refusal &why() const { return std::get<1>(state_); }

 private:
  std::variant<T, refusal> state_;
};

}  // namespace tenon
