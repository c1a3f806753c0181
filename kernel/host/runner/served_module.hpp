// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The module of this process, and its one instance.
#pragma once

#include <string>
#include <string_view>

#include "isolation/byte_stream.hpp"
#include "isolation/shared_pages.hpp"
#include "library/module_library.hpp"
#include "runner/channel.hpp"
#include "runner/runner_host.hpp"
#include "runner/sandbox.hpp"
#include "tenon/abi/event_sink.h"
#include "tenon/abi/identity.h"
#include "tenon/abi/module.h"
#include "tenon/abi/placement_rule.h"
#include "tenon/abi/predicate.h"
#include "tenon/abi/sort.h"

namespace tenon::host::runner {

class served_module {
 public:
  served_module(runner_host &host, channel &calls) : host_(host), calls_(calls) {}

  // Opens the library and describes what it provides: the bytes of a module_report.
  [[nodiscard]] std::string open(const std::string &library, const confinement &confined);
  // The same of a module whose library is not opened, since too little confines this process.
  [[nodiscard]] std::string leave_closed(const confinement &confined) const;
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
  // The bytes of a module_report.
  [[nodiscard]] std::string report(const refused &no, const confinement &confined,
                                   const isolation::byte_writer &interfaces) const;
  void open_library(const std::string &library);
  void check_table() const;
  void initialise();
  // What the instance's table has, as bits has_*.
  [[nodiscard]] uint32_t take_table(std::string_view interface, const void *given);
  [[nodiscard]] tenon_status place(const tenon_place_in &in, tenon_place_out *out);
  [[nodiscard]] tenon_status query(const tenon_event_query_in *in, tenon_event_query_out *out);

  runner_host &host_;
  channel &calls_;
  module_library opened_;
  const tenon_module *table_ = nullptr;
  tenon_instance *instance_ = nullptr;
  tenon_lifecycle lifecycle_{};
  tenon_sort_v1 sort_{};
  tenon_predicate_v1 predicate_{};
  tenon_placement_rule_v1 placement_{};
  tenon_identity_v1 identity_{};
  tenon_event_sink_v1 sink_{};
  bool active_ = false;
};

}  // namespace tenon::host::runner
