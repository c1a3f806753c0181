// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The shapes that fields of commands have.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace tenon::journal {

template <class T>
inline constexpr bool is_span = false;
template <class E>
inline constexpr bool is_span<std::span<const E>> = true;
template <class T>
inline constexpr bool is_vector = false;
template <class E>
inline constexpr bool is_vector<std::vector<E>> = true;
template <class T>
inline constexpr bool is_map = false;
template <class K, class V>
inline constexpr bool is_map<std::map<K, V>> = true;
template <class T>
inline constexpr bool is_text = std::is_same_v<T, std::string> || std::is_same_v<T, std::string_view>;

// How an IO sees a struct: a writer reads it, a reader fills it.
template <class IO, class T>
using ref = std::conditional_t<IO::writes, const T &, T &>;

}  // namespace tenon::journal
