// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The host's views as ranges and JSON: lists to walk, amounts and pairs as objects, what Go's omitempty leaves out.
#pragma once

#include <boost/json.hpp>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "tenon/abi/host_views.h"
#include "tenon/sdk/error.hpp"

namespace tenon::rest {

using sdk::view;

// The elements of a view list, each as far as the host fills it.
template <class T>
class listed {
 public:
  explicit listed(const tenon_view_list &list) : list_(list) {}

  class iterator {
   public:
    iterator(const char *at, uint64_t stride) : at_(at), stride_(stride) {}
    const T &operator*() const { return *reinterpret_cast<const T *>(at_); }
    iterator &operator++() {
      at_ += stride_;
      return *this;
    }
    bool operator!=(const iterator &other) const { return at_ != other.at_; }

   private:
    const char *at_;
    uint64_t stride_;
  };
  [[nodiscard]] iterator begin() const { return {static_cast<const char *>(list_.first), list_.stride}; }
  [[nodiscard]] iterator end() const {
    return {static_cast<const char *>(list_.first) + list_.count * list_.stride, list_.stride};
  }
  [[nodiscard]] uint64_t size() const { return list_.count; }
  const T &operator[](uint64_t i) const {
    return *reinterpret_cast<const T *>(static_cast<const char *>(list_.first) + i * list_.stride);
  }

 private:
  const tenon_view_list &list_;
};

[[nodiscard]] boost::json::object json_of(const tenon_rm_amounts &amounts);
[[nodiscard]] boost::json::object json_of(const tenon_rm_pairs &texts);
[[nodiscard]] boost::json::array json_of(const tenon_view_texts &texts);

// What is used of each type, in percent of what there is of it.
[[nodiscard]] boost::json::object percent_of(const tenon_rm_amounts &there, const tenon_rm_amounts &used);
[[nodiscard]] int64_t percent_of(int64_t there, int64_t used);

[[nodiscard]] inline int64_t nanoseconds(int64_t ms) { return ms * 1'000'000; }

// An object whose zero values are left out, as the field's interface does; always() keeps them.
class object_writer {
 public:
  template <class T>
  void always(std::string_view key, T &&v) {
    out_[key] = std::forward<T>(v);
  }
  void put(std::string_view key, std::string_view text) {
    if (!text.empty()) out_[key] = text;
  }
  void put(std::string_view key, const char *text) { put(key, std::string_view(text)); }
  void put(std::string_view key, const tenon_text &text) { put(key, view(text)); }
  void put(std::string_view key, int64_t number) {
    if (number != 0) out_[key] = number;
  }
  void put(std::string_view key, uint64_t number) {
    if (number != 0) out_[key] = number;
  }
  void put(std::string_view key, bool flag) {
    if (flag) out_[key] = true;
  }
  void put(std::string_view key, boost::json::object o) {
    if (!o.empty()) out_[key] = std::move(o);
  }
  void put(std::string_view key, boost::json::array a) {
    if (!a.empty()) out_[key] = std::move(a);
  }
  void put(std::string_view key, const tenon_rm_amounts &amounts) { put(key, json_of(amounts)); }
  void put(std::string_view key, const tenon_rm_pairs &texts) { put(key, json_of(texts)); }
  void put(std::string_view key, const tenon_view_texts &texts) { put(key, json_of(texts)); }
  [[nodiscard]] boost::json::object take() { return std::move(out_); }

 private:
  boost::json::object out_;
};

}  // namespace tenon::rest
