// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// A sink of a deployment, and records to give it.
#pragma once

#include <gtest/gtest.h>

#include <deque>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "tenon/host/module_host.hpp"

namespace tenon::testing {

// A record that owns its texts.
struct test_record {
  uint64_t id = 0, last_id = 0;
  uint32_t type = TENON_EVENT_APP, change = TENON_EVENT_NONE, detail = 0;
  int64_t timestamp_ns = 0;
  std::string run = "run-1", partition = "[rm]default", object = {}, reference = {}, group = {}, reason = {},
              message = {};
  std::string application = {}, queue = {}, node = {};
  std::vector<std::pair<std::string, int64_t>> resource = {};
};

// What a query gave, or how it failed.
struct query_answer {
  tenon_status status = TENON_OK;
  std::vector<test_record> records;
  uint64_t next = 0;
  std::string error;

  [[nodiscard]] std::vector<uint64_t> ids() const;
};

tenon_event_query_in everything();

class sink_case {
 public:
  // The only sink of a deployment with these `config` lines (JSON), from the modules of the build.
  sink_case(const std::string &module, const std::string &configuration);

  tenon_status emit(const std::vector<test_record> &records);
  query_answer query(const tenon_event_query_in &wanted) const;
  // Ends the instance and makes another one.
  void restart();
  [[nodiscard]] const std::string &error() const { return error_; }
  [[nodiscard]] std::string log() const { return log_->str(); }

 private:
  std::unique_ptr<std::ostringstream> log_;  // outlives the host
  std::unique_ptr<host::module_host> host_;
  std::vector<host::listed_module> listed_;
  std::unique_ptr<host::bound_module> sink_;
  std::string error_;
};

inline tenon_text as_text(const std::string &s) { return {s.data(), s.size()}; }

}  // namespace tenon::testing
