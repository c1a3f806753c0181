// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The exported table of a module, from the implementations that it provides:
//
//   TENON_MODULE(tenon::sdk::node_sort<emptiest_first>, tenon::sdk::app_sort<deadline_first>)
//
// once in a module, at namespace scope. TENON_MODULE_VERSION is the manifest's version (tenon_add_module
// sets it). A program that links modules statically compiles each with -DTENON_MODULE_ENTRY=<name of its own>.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string_view>

#include "tenon/abi/module.h"
#include "tenon/sdk/instance.hpp"

namespace tenon::sdk {

namespace internal {

// One implementation, as data. `table` comes first: a tenon_factory * is a pointer to this.
struct factory_record {
  tenon_factory table;
  std::string_view interface_id;
  tenon_description (*describe)() noexcept;
  tenon_status (*create)(const tenon_create_in &, tenon_create_out &) noexcept;
};

// `Version` is a type so that modules that are linked together stay apart.
template <class Version, class... Implementations>
struct module_of {
  static constinit inline std::atomic<uint32_t> inits = 0;

  static tenon_status init(const tenon_module_init_in *in, tenon_message *error) noexcept {
    if (in == nullptr || !TENON_COVERS(in, tenon_module_init_in, abi_epoch)) return TENON_UNSUPPORTED;
    if (in->abi_epoch != TENON_ABI_EPOCH) {
      explain(error, "the module was built for another ABI epoch");
      return TENON_UNSUPPORTED;
    }
    inits.fetch_add(1);
    return TENON_OK;
  }

  // A deinit too many does nothing.
  static tenon_status deinit(const tenon_nothing *, tenon_message *) noexcept {
    uint32_t count = inits.load();
    while (count != 0 && !inits.compare_exchange_weak(count, count - 1)) {
    }
    return TENON_OK;
  }

  static const factory_record *nth(std::string_view interface_id, uint32_t index) noexcept {
    for (const factory_record &f : factories) {
      if (f.interface_id == interface_id && index-- == 0) return &f;
    }
    return nullptr;
  }

  static tenon_status get_factory(const tenon_get_factory_in *in, tenon_get_factory_out *out) noexcept {
    if (in == nullptr || out == nullptr || !TENON_COVERS(in, tenon_get_factory_in, interface_id) ||
        !TENON_COVERS(out, tenon_get_factory_out, factory)) {
      return TENON_UNSUPPORTED;
    }
    const factory_record *first = nth(view(in->interface_id), 0);
    out->factory = first == nullptr ? nullptr : &first->table;
    return first == nullptr ? TENON_UNSUPPORTED : TENON_OK;
  }

  static const factory_record *chosen(const tenon_factory *self, uint32_t index) noexcept {
    return self == nullptr ? nullptr : nth(reinterpret_cast<const factory_record *>(self)->interface_id, index);
  }

  static tenon_status describe(const tenon_factory *self, const tenon_describe_in *in,
                               tenon_description *out) noexcept {
    if (in == nullptr || out == nullptr || !TENON_COVERS(in, tenon_describe_in, index)) return TENON_UNSUPPORTED;
    const factory_record *f = chosen(self, in->index);
    if (f == nullptr) return TENON_UNSUPPORTED;
    tenon_description d = f->describe();
    d.version = text(Version::value);
    fill(out, d);
    return TENON_OK;
  }

  static tenon_status create(const tenon_factory *self, const tenon_create_in *in, tenon_create_out *out) noexcept {
    if (in == nullptr || out == nullptr || !TENON_COVERS(in, tenon_create_in, index)) return TENON_UNSUPPORTED;
    const factory_record *f = chosen(self, in->index);
    return f == nullptr ? TENON_UNSUPPORTED : f->create(*in, *out);
  }

  static constexpr std::array<factory_record, sizeof...(Implementations)> factories{
      factory_record{{sizeof(tenon_factory), 0, describe, create},
                     Implementations::interface_id,
                     Implementations::describe,
                     Implementations::make}...};

  static constexpr tenon_module table{sizeof(tenon_module), TENON_ABI_EPOCH, TENON_DRAFT_REV, 0, init, deinit,
                                      get_factory};
};

}  // namespace internal
}  // namespace tenon::sdk

#ifdef TENON_MODULE_ENTRY
extern "C" {
extern const tenon_module TENON_MODULE_ENTRY;
}
#else
#define TENON_MODULE_ENTRY tenon_module_v1
#endif

// NOLINTNEXTLINE(cppcoreguidelines-macro-usage): one line that names the version and the entry
#define TENON_MODULE(...)                                           \
  namespace {                                                       \
  struct tenon_module_version {                                     \
    static constexpr std::string_view value = TENON_MODULE_VERSION; \
  };                                                                \
  }                                                                 \
  constinit const tenon_module TENON_MODULE_ENTRY =                 \
      ::tenon::sdk::internal::module_of<tenon_module_version, __VA_ARGS__>::table;
