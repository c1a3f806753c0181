// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The module of this process, and its one instance.
#pragma once

#include <string>
#include <string_view>

#include "isolation/shared_pages.hpp"
#include "module_library.hpp"
#include "runner_host.hpp"
#include "sandbox.hpp"
#include "tenon/abi/module.h"
#include "tenon/abi/predicate.h"
#include "tenon/abi/sort.h"

namespace tenon::host::runner {

class served_module {
 public:
  explicit served_module(runner_host &host) : host_(host) {}

  // Opens the library and describes what it provides: the bytes of a module_report.
  [[nodiscard]] std::string open(const std::string &library, const confinement &confined);
  // Makes an instance of an implementation and takes it to active: the bytes of an instance_report.
  [[nodiscard]] std::string create(std::string_view request);
  // A slot of the instance.
  [[nodiscard]] tenon_status call(isolation::call_kind what, uint64_t input, uint64_t output);
  // Takes the instance down and undoes the init.
  void end();

 private:
  struct refused {
    std::string want, have, fix;
  };
  void open_library(const std::string &library);
  void check_table() const;
  void initialise();

  runner_host &host_;
  module_library opened_;
  const tenon_module *table_ = nullptr;
  tenon_instance *instance_ = nullptr;
  tenon_lifecycle lifecycle_{};
  tenon_sort_v1 sort_{};
  tenon_predicate_v1 predicate_{};
  bool active_ = false;
};

}  // namespace tenon::host::runner
