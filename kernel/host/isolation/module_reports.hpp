// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What a module's process says of the module and of an instance, read without believing any of it.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "isolation/byte_stream.hpp"
#include "isolation/shared_pages.hpp"
#include "tenon/abi/module.h"

namespace tenon::host::isolation {

// A list of columns as modules declare it. A list that was broken there is one that cannot be read here.
class reported_columns {
 public:
  void read(byte_reader &from);
  [[nodiscard]] const tenon_column_use *first() const { return uses_.data(); }
  [[nodiscard]] uint32_t count() const { return broken_ ? 1 : static_cast<uint32_t>(uses_.size()); }
  [[nodiscard]] uint32_t stride() const { return broken_ ? 0 : sizeof(tenon_column_use); }

 private:
  bool broken_ = false;
  std::vector<std::string> ids_;
  std::vector<tenon_column_use> uses_;
};

// One implementation, as its module describes it.
class reported_implementation {
 public:
  explicit reported_implementation(byte_reader &from);
  reported_implementation(const reported_implementation &) = delete;
  reported_implementation &operator=(const reported_implementation &) = delete;

  [[nodiscard]] tenon_description description() const;

 private:
  std::string name_, version_;
  reported_columns columns_;
  uint32_t key_words_ = 0, order_rev_ = 0, rekey_ms_ = 0;
  std::vector<std::string> reasons_;
  std::vector<tenon_text> reason_texts_;
};

struct reported_interface {
  std::string id;
  tenon_status status = TENON_UNSUPPORTED;  // of get_factory
  bool has_factory = false;                 // one with describe and create
  std::vector<std::unique_ptr<reported_implementation>> implementations;
  tenon_status end = TENON_UNSUPPORTED;  // of describe past the last of them
};

struct module_report {
  bool opened = false;
  std::string want, have, fix;  // where it was not
  uint32_t abi_epoch = 0, draft_rev = 0;
  uint32_t in_force = 0, landlock = 0;
  std::vector<reported_interface> interfaces;
};
[[nodiscard]] module_report read_module_report(std::string_view bytes);

struct instance_report {
  create_stage stage = create_stage::create;  // where it stopped
  tenon_status status = TENON_INTERNAL;
  std::string words;
  bool has_instance = false;
  bool has_lifecycle = false;  // without an empty slot
  uint32_t slots = 0;
  bool own_columns = false;
  reported_columns columns;
  uint32_t key_words = 0;
};
[[nodiscard]] instance_report read_instance_report(std::string_view bytes);

}  // namespace tenon::host::isolation
