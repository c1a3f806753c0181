// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Owned: an amount or a count that everybody reads and the ledger alone changes.
#pragma once

#include <utility>

namespace tenon::internal {

class ledger;

// `Holder` is the object that has it: where a holder is moved as a whole, the value goes along.
template <class T, class Holder>
class owned {
 public:
  owned() = default;
  ~owned() = default;

  operator const T &() const { return value_; }
  [[nodiscard]] const T &operator*() const { return value_; }
  [[nodiscard]] const T *operator->() const { return &value_; }
  template <class Key>
  [[nodiscard]] auto operator[](Key key) const {
    return value_[key];
  }

 private:
  friend class ledger;
  friend Holder;
  owned(const owned &) = default;
  owned(owned &&) noexcept = default;
  owned &operator=(const owned &) = default;
  owned &operator=(owned &&) noexcept = default;

  [[nodiscard]] T &edit() { return value_; }

  T value_{};
};

}  // namespace tenon::internal
