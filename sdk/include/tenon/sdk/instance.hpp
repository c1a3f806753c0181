// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What stands behind a tenon_instance: a policy, its place in the lifecycle and the guard around every slot.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "tenon/abi/module.h"
#include "tenon/sdk/columns.hpp"
#include "tenon/sdk/config.hpp"
#include "tenon/sdk/error.hpp"
#include "tenon/sdk/host.hpp"

namespace tenon::sdk {

// What a policy's constructor may ask for; valid for the constructor.
struct setup {
  const config &settings;
  uint32_t max_resource_types;  // no type index reaches it
};

namespace internal {

// Columns are a static constexpr member, or a function of the instance where its configuration decides. Kinds that
// read no columns have neither.
template <class P>
concept describes_columns = requires {
  std::tuple_size<std::remove_cvref_t<decltype(P::columns)>>::value;
};
template <class P>
concept computes_columns = requires(const P &policy) {
  policy.columns();
};

template <class P>
struct columns_of {
  using type = std::tuple<>;
};
template <computes_columns P>
struct columns_of<P> {
  using type = std::remove_cvref_t<decltype(std::declval<const P &>().columns())>;
};
template <describes_columns P>
struct columns_of<P> {
  using type = std::remove_cvref_t<decltype(P::columns)>;
};
template <class P>
requires describes_columns<P> || computes_columns<P>
using batch_of = batch<typename columns_of<P>::type>;
template <class P>
using row_of = typename batch_of<P>::row;

template <class P>
using column_uses = std::array<tenon_column_use, std::tuple_size_v<typename columns_of<P>::type>>;

template <class... Values>
constexpr std::array<tenon_column_use, sizeof...(Values)> uses(const std::tuple<column<Values>...> &columns) {
  return std::apply(
      [](const auto &...c) {
        return std::array<tenon_column_use, sizeof...(Values)>{
            tenon_column_use{sizeof(tenon_column_use), static_cast<uint32_t>(c.of), text(c.id)}...};
      },
      columns);
}

template <class P>
std::unique_ptr<P> construct(const setup &s) {
  if constexpr (std::is_constructible_v<P, const setup &>) {
    return std::make_unique<P>(s);
  } else if constexpr (std::is_constructible_v<P, const config &>) {
    return std::make_unique<P>(s.settings);
  } else {
    static_assert(std::is_default_constructible_v<P>,
                  "a policy is constructed from const config &, const setup & or nothing");
    return std::make_unique<P>();
  }
}

enum class life : uint8_t { created, initialised, active, stopped };

template <class P>
struct instance {
  std::unique_ptr<P> policy;
  host_services host;
  column_uses<P> uses{};
  life state = life::created;
  bool fault_logged = false;

  static instance *of(tenon_instance *self) { return reinterpret_cast<instance *>(self); }
  tenon_instance *handle() { return reinterpret_cast<tenon_instance *>(this); }

  // The first fault of an instance is logged; later ones are the host's to count.
  void fault(std::string_view words) noexcept {
    if (std::exchange(fault_logged, true)) return;
    host.log(TENON_LOG_ERROR, words);
  }

  // False in a debug build on a thread of the host that no slot of this tag (TENON_THREAD_*) may run on.
  [[nodiscard]] bool on_thread([[maybe_unused]] uint32_t tag) noexcept {
#ifndef NDEBUG
    const uint32_t now = host.thread();
    if (now == 0 || now == tag || (tag == TENON_THREAD_MAIN && now == TENON_THREAD_CYCLE)) return true;
    fault(tag == TENON_THREAD_CYCLE ? "a [cycle] slot was called on another thread"
          : tag == TENON_THREAD_IO  ? "an [io] slot was called on another thread"
                                    : "a [main] slot was called on another thread");
    return false;
#else
    return true;
#endif
  }

  // The body of a slot of a kind: `body(policy)` gives its status.
  template <class Body>
  static tenon_status slot(uint32_t tag, tenon_instance *self, Body &&body) noexcept {
    if (self == nullptr || !of(self)->on_thread(tag)) return TENON_INTERNAL;
    return guarded([&] { return body(*of(self)->policy); }, [&](std::string_view words) { of(self)->fault(words); });
  }
  template <class Body>
  static tenon_status cycle(tenon_instance *self, Body &&body) noexcept {
    return slot(TENON_THREAD_CYCLE, self, std::forward<Body>(body));
  }
  template <class Body>
  static tenon_status io(tenon_instance *self, Body &&body) noexcept {
    return slot(TENON_THREAD_IO, self, std::forward<Body>(body));
  }

  // The body of a lifecycle slot: legal from `from` only.
  template <class Body>
  static tenon_status move(tenon_instance *self, life from, life to, tenon_message *error, Body &&body) noexcept {
    if (self == nullptr || !of(self)->on_thread(TENON_THREAD_MAIN)) return TENON_INTERNAL;
    if (of(self)->state != from && !(from == life::initialised && of(self)->state == life::stopped)) {
      explain(error, "a lifecycle call out of order");
      return TENON_INTERNAL;
    }
    return guarded(
        [&] {
          body(*of(self));
          of(self)->state = to;
          return TENON_OK;
        },
        [&](std::string_view words) { explain(error, words); });
  }

  static tenon_status init(tenon_instance *self, const tenon_nothing *, tenon_message *error) noexcept {
    return move(self, life::created, life::initialised, error, [](instance &i) {
      i.host.open();
      if constexpr (requires { i.policy->init(i.host); }) i.policy->init(i.host);
    });
  }
  static tenon_status activate(tenon_instance *self, const tenon_nothing *, tenon_message *error) noexcept {
    return move(self, life::initialised, life::active, error, [](instance &i) {
      if constexpr (requires { i.policy->activate(); }) i.policy->activate();
    });
  }
  static tenon_status deactivate(tenon_instance *self, const tenon_nothing *, tenon_message *error) noexcept {
    return move(self, life::active, life::stopped, error, [](instance &i) {
      if constexpr (requires { i.policy->deactivate(); }) i.policy->deactivate();
    });
  }
  static tenon_status destroy(tenon_instance *self, const tenon_nothing *, tenon_message *) noexcept {
    if (self == nullptr || !of(self)->on_thread(TENON_THREAD_MAIN)) return TENON_INTERNAL;
    delete of(self);
    return TENON_OK;
  }

  static constexpr tenon_lifecycle lifecycle{sizeof(tenon_lifecycle), 0, init, activate, deactivate, destroy};
};

// Makes an instance of P; `key_words(policy)` is 0 where the description says it.
template <class P, class Table, class KeyWords>
tenon_status create(const tenon_create_in &in, tenon_create_out &out, const Table &table,
                    KeyWords &&key_words) noexcept {
  const auto words = [&](std::string_view w) { explain(out.error, w); };
  if (!TENON_COVERS(&out, tenon_create_out, error) || !TENON_COVERS(&in, tenon_create_in, max_resource_types)) {
    return TENON_UNSUPPORTED;
  }
  return guarded(
      [&] {
        const config settings(view(in.configuration));
        auto made = std::make_unique<instance<P>>();
        made->policy = construct<P>(setup{settings, in.max_resource_types});
        made->host = host_services(TENON_COVERS(&in, tenon_create_in, host) ? in.host : nullptr);
        tenon_create_out answer = {};
        answer.error = out.error;
        answer.lifecycle = &instance<P>::lifecycle;
        answer.interface_table = &table;
        answer.key_words = key_words(*made->policy);
        if constexpr (computes_columns<P>) {
          made->uses = uses(made->policy->columns());
          answer.columns = made->uses.data();
          answer.column_count = static_cast<uint32_t>(made->uses.size());
          answer.column_stride = sizeof(tenon_column_use);
        }
        if ((answer.columns != nullptr || answer.key_words != 0) && !TENON_COVERS(&out, tenon_create_out, key_words)) {
          words("the host is too old for a policy whose configuration decides its columns or key words");
          return TENON_UNSUPPORTED;
        }
        answer.instance = made.release()->handle();
        fill(&out, answer);
        return TENON_OK;
      },
      words);
}

// The part of a description that all kinds share.
template <class P>
tenon_description describe_common() noexcept {
  tenon_description d = {};
  d.name = text(P::name);
  if constexpr (requires { P::order_rev; }) {
    d.order_rev = P::order_rev;
  } else {
    d.order_rev = 1;
  }
  if constexpr (describes_columns<P>) {
    static constexpr column_uses<P> declared = uses(P::columns);
    d.columns = declared.data();
    d.column_count = static_cast<uint32_t>(declared.size());
    d.column_stride = sizeof(tenon_column_use);
  }
  return d;
}

}  // namespace internal
}  // namespace tenon::sdk
