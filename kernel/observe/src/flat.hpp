// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Room for the flat structs of a view: arrays that live as long as the view.
#pragma once

#include <map>
#include <memory_resource>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "tenon/abi/host_views.h"

namespace tenon::observe {

[[nodiscard]] inline tenon_text text_of(std::string_view s) { return {s.data(), s.size()}; }

class flat_memory {
 public:
  // An array of `count` zeroed elements.
  template <class T>
  T *array(size_t count) {
    if (count == 0) return nullptr;
    T *out = static_cast<T *>(room_.allocate(count * sizeof(T), alignof(T)));
    for (size_t i = 0; i < count; ++i) new (out + i) T{};
    return out;
  }

  // Texts that nobody else keeps.
  tenon_text copy(std::string_view s) {
    char *at = array<char>(s.size());
    s.copy(at, s.size());
    return {at, s.size()};
  }

  tenon_rm_amounts amounts(const std::map<std::string, int64_t> &from) {
    auto *types = array<tenon_text>(from.size());
    auto *values = array<int64_t>(from.size());
    size_t i = 0;
    for (const auto &[type, amount] : from) {
      types[i] = text_of(type);
      values[i++] = amount;
    }
    return {types, values, static_cast<uint32_t>(from.size()), 1};
  }

  template <class Pairs>
  tenon_rm_pairs pairs(const Pairs &from) {
    auto *names = array<tenon_text>(from.size());
    auto *values = array<tenon_text>(from.size());
    size_t i = 0;
    for (const auto &[name, value] : from) {
      names[i] = text_of(name);
      values[i++] = text_of(value);
    }
    return {names, values, from.size()};
  }

  template <class Texts>
  tenon_view_texts texts(const Texts &from) {
    auto *out = array<tenon_text>(from.size());
    size_t i = 0;
    for (const auto &one : from) out[i++] = text_of(one);
    return {out, from.size()};
  }

  // Elements made one by one from those of `from`: make(element) gives a T.
  template <class T, class From, class Make>
  tenon_view_list list(const From &from, Make &&make) {
    T *out = array<T>(from.size());
    size_t i = 0;
    for (const auto &one : from) {
      out[i] = make(one);
      out[i++].size = sizeof(T);
    }
    return {out, from.size(), sizeof(T)};
  }

 private:
  std::pmr::monotonic_buffer_resource room_{size_t{64} << 10};
};

}  // namespace tenon::observe
