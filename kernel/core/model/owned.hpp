// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Owned: an amount, a count, a list or a link to another object, which everybody reads and the ledger alone changes.
#pragma once

#include <type_traits>
#include <utility>

namespace tenon::internal {

class ledger;
class links;

// `Holder` is the object that has it: where a holder is moved as a whole, the value goes along.
template <class T, class Holder>
class owned {
 public:
  owned() = default;
  ~owned() = default;

  operator const T &() const { return value_; }
  // A link reads as the pointer that it is.
  [[nodiscard]] auto &operator*() const {
    if constexpr (std::is_pointer_v<T>) {
      return *value_;
    } else {
      return value_;
    }
  }
  [[nodiscard]] auto operator->() const {
    if constexpr (std::is_pointer_v<T>) {
      return value_;
    } else {
      return &value_;
    }
  }
  template <class Key>
  [[nodiscard]] auto operator[](Key key) const {
    return value_[key];
  }
  [[nodiscard]] auto begin() const { return value_.begin(); }
  [[nodiscard]] auto end() const { return value_.end(); }

 private:
  friend class ledger;
  friend class links;
  friend Holder;
  owned(const owned &) = default;
  owned(owned &&) noexcept = default;
  owned &operator=(const owned &) = default;
  owned &operator=(owned &&) noexcept = default;

  [[nodiscard]] T &edit() { return value_; }

  T value_{};
};

}  // namespace tenon::internal
