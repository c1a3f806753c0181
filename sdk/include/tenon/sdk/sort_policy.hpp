// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// A queue, application or node order from a plain struct:
//
//   struct emptiest_first {
//     static constexpr std::string_view name = "emptiest-first";          // as queues.yaml says it
//     static constexpr std::tuple columns{resources_column{"node.free"}};
//     double key(const auto &node) const { return -double(node.template get<0>()[0]); }
//   };
//   TENON_MODULE(tenon::sdk::node_sort<emptiest_first>)
//
// Required: `name`, `columns` (or a member function columns() where the configuration decides them) and
//   key(row) -> double | int64_t | uint64_t | std::array<uint64_t, N>, or
//   key(row, std::span<uint64_t>) with a member uint32_t key_words() const.
// Optional: order_rev, rekey_ms (static); a constructor from const config & or const setup &;
//   begin(batch), called before the keys of a batch; not_before(row) -> int64_t, valid_until(row) -> int64_t;
//   prepare(text_map) -> std::array<uint64_t, 4>; score(row), as key; init(host_services &), activate(),
//   deactivate().
// A node order that chooses devices has a number_column{"score.devices:T", scope::context} and says them with the key:
//   score(row) -> with_devices{key, mask}   (bit d: device d; 0: the scheduler chooses)
#pragma once

#include <algorithm>
#include <concepts>
#include <span>
#include <stdexcept>

#include "tenon/abi/app_sort.h"
#include "tenon/abi/node_sort.h"
#include "tenon/abi/queue_sort.h"
#include "tenon/sdk/keys.hpp"
#include "tenon/sdk/module.hpp"

namespace tenon::sdk {

// The key of a node and the devices to take there.
template <class Key>
struct with_devices {
  Key key;
  uint64_t devices;
};
template <class Key>
with_devices(Key, uint64_t) -> with_devices<Key>;

namespace internal {

template <class P>
concept spans_keys = requires(const P &p, const row_of<P> &row, std::span<uint64_t> words) {
  p.key(row, words);
  { p.key_words() } -> std::convertible_to<uint32_t>;
};

template <class P>
using key_of = decltype(std::declval<const P &>().key(std::declval<const row_of<P> &>()));

template <class Key>
constexpr uint32_t words_of = std::is_arithmetic_v<Key> ? 1 : 0;
template <size_t N>
inline constexpr uint32_t words_of<std::array<uint64_t, N>> = N;

template <class P>
constexpr uint32_t device_words() {
  if constexpr (requires(const P &p, const row_of<P> &row) { p.score(row).devices; }) {
    return 1;
  } else {
    return 0;
  }
}
constexpr bool has_device_column(const auto &columns) {
  return std::apply([](const auto &...c) { return (c.id.starts_with("score.devices:") || ...); }, columns);
}
template <class P>
constexpr bool may_have_device_column() {
  if constexpr (describes_columns<P>) {
    return has_device_column(P::columns);
  } else {
    return device_words<P>() != 0;  // its instances say
  }
}

// Those of a key, in order. 0 where the instance says it.
template <class P>
constexpr uint32_t described_words() {
  if constexpr (spans_keys<P>) {
    return 0;
  } else {
    static_assert(words_of<key_of<P>> > 0, "key(row) gives a number or a std::array<uint64_t, N>");
    static_assert(words_of<key_of<P>> + device_words<P>() <= TENON_MAX_KEY_WORDS);
    return words_of<key_of<P>>;
  }
}

inline void put(std::span<uint64_t> out, double key) { out[0] = ascending(key); }
inline void put(std::span<uint64_t> out, int64_t key) { out[0] = ascending(key); }
inline void put(std::span<uint64_t> out, uint64_t key) { out[0] = key; }
template <size_t N>
void put(std::span<uint64_t> out, const std::array<uint64_t, N> &key) {
  std::copy(key.begin(), key.end(), out.begin());
}

template <class Key>
void put(std::span<uint64_t> out, const with_devices<Key> &all) {
  put(out, all.key);
  out.back() = all.devices;
}

template <class P>
struct sort_slots {
  using batch = batch_of<P>;

  template <class Write>
  static tenon_status each(tenon_instance *self, const tenon_batch *in, tenon_keys_out *out, Write &&write) noexcept {
    if (in == nullptr || out == nullptr || !batch::matches(*in) || !TENON_COVERS(out, tenon_keys_out, valid_until_ms)) {
      return TENON_UNSUPPORTED;
    }
    return instance<P>::cycle(self, [&](P &policy) {
      uint32_t words = described_words<P>();
      if constexpr (spans_keys<P>) words = policy.key_words();
      words += device_words<P>();
      if (out->key_words != words) return TENON_UNSUPPORTED;
      const batch items(*in);
      if constexpr (requires { policy.begin(items); }) policy.begin(items);
      for (uint32_t i = 0; i < items.size(); ++i) {
        write(policy, items[i], std::span(out->keys + size_t{i} * words, words));
        if constexpr (requires { policy.not_before(items[i]); }) out->not_before_ms[i] = policy.not_before(items[i]);
        if constexpr (requires { policy.valid_until(items[i]); }) out->valid_until_ms[i] = policy.valid_until(items[i]);
      }
      return TENON_OK;
    });
  }

  static tenon_status keys(tenon_instance *self, const tenon_batch *in, tenon_keys_out *out) noexcept {
    return each(self, in, out, [](const P &policy, const auto &row, std::span<uint64_t> words) {
      if constexpr (device_words<P>() != 0) words.back() = 0;
      const auto in_order = words.first(words.size() - device_words<P>());
      if constexpr (spans_keys<P>) {
        policy.key(row, in_order);
      } else {
        put(in_order, policy.key(row));
      }
    });
  }

  static tenon_status score(tenon_instance *self, const tenon_batch *in, tenon_keys_out *out) noexcept {
    return each(self, in, out,
                [](const P &policy, const auto &row, std::span<uint64_t> words) { put(words, policy.score(row)); });
  }

  static tenon_status prepare(tenon_instance *self, const tenon_prepare_in *in, tenon_prepare_out *out) noexcept {
    if (in == nullptr || out == nullptr || !TENON_COVERS(in, tenon_prepare_in, tag_count) ||
        !TENON_COVERS(out, tenon_prepare_out, error)) {
      return TENON_UNSUPPORTED;
    }
    return instance<P>::cycle(self, [&](P &policy) {
      try {
        const std::array<uint64_t, 4> words = policy.prepare(text_map({in->tag_names, in->tag_values, in->tag_count}));
        std::copy(words.begin(), words.end(), out->words);
        return TENON_OK;
      } catch (const invalid_config &e) {  // the tag's fault, not the policy's
        explain(out->error, e.what());
        return TENON_INVALID_CONFIG;
      }
    });
  }

  static constexpr tenon_sort_v1 table() {
    tenon_sort_v1 t{sizeof(tenon_sort_v1), 0, keys, nullptr, nullptr};
    if constexpr (requires(P & p, const text_map &tags) { p.prepare(tags); }) t.prepare = prepare;
    if constexpr (requires(P & p, const row_of<P> &row) { p.score(row); }) t.score = score;
    return t;
  }
  static constexpr tenon_sort_v1 slots = table();
};

template <class P>
struct sort_implementation {
  static tenon_description describe() noexcept {
    static_assert((device_words<P>() != 0) == may_have_device_column<P>(),
                  "who chooses devices declares score.devices:T, and score(row) gives with_devices{key, mask}");
    tenon_description d = describe_common<P>();
    d.key_words = spans_keys<P> ? 0 : described_words<P>() + device_words<P>();
    if constexpr (requires { P::rekey_ms; }) d.rekey_ms = P::rekey_ms;
    return d;
  }
  static tenon_status make(const tenon_create_in &in, tenon_create_out &out) noexcept {
    return create<P>(in, out, sort_slots<P>::slots, [](const P &policy) -> uint32_t {
      if constexpr (computes_columns<P> && device_words<P>() != 0) {
        if (!has_device_column(policy.columns())) throw std::logic_error("the column score.devices:T is not declared");
      }
      if constexpr (spans_keys<P>) {
        const uint32_t words = policy.key_words() + device_words<P>();
        if (words == device_words<P>() || words > TENON_MAX_KEY_WORDS)
          throw std::length_error("key_words() is out of range");
        return words;
      } else {
        return 0;
      }
    });
  }
};

}  // namespace internal

template <class P>
struct queue_sort : internal::sort_implementation<P> {
  static constexpr std::string_view interface_id = TENON_QUEUE_SORT;
};
template <class P>
struct app_sort : internal::sort_implementation<P> {
  static constexpr std::string_view interface_id = TENON_APP_SORT;
};
template <class P>
struct node_sort : internal::sort_implementation<P> {
  static_assert(
      !requires(const P &p, const internal::row_of<P> &row) { p.not_before(row); } &&
          !requires(const P &p, const internal::row_of<P> &row) { p.valid_until(row); },
      "nodes are left out by predicates; a node order that depends on the time has rekey_ms");
  static constexpr std::string_view interface_id = TENON_NODE_SORT;
};

}  // namespace tenon::sdk
