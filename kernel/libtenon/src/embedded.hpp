// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// A scheduler inside of a program, and the port by which the program's RMs enter.
#pragma once

#include <cstdio>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "tenon/abi/host_local.h"
#include "tenon/observe/scheduler_access.hpp"
#include "tenon/rm/tenon.h"
#include "tenon/service/scheduler.hpp"

namespace tenon::embedded {

// The port of the transport that runs; calls go there while it is open.
class local_port {
 public:
  static const tenon_host_local &table();
  // The port, or null.
  [[nodiscard]] const tenon_local_port *get() const;

 private:
  static tenon_status open(const tenon_host *host, const tenon_local_port *port);
  static tenon_status close(const tenon_host *host, const tenon_local_port *port);

  mutable std::mutex mutex_;
  const tenon_local_port *port_ = nullptr;
};

struct file_closer {
  void operator()(std::FILE *file) const { std::fclose(file); }
};

// What a tenon_scheduler is. Members go in the order in which they are needed last.
struct instance {
  virtual ~instance() = default;

  // Why it failed, the first time; empty: it did not, or had before.
  std::string write_journal(std::string_view bytes);
  [[nodiscard]] std::string journal_failure();  // empty: there is none

  local_port port;
  std::unique_ptr<std::FILE, file_closer> journal;
  std::shared_ptr<observe::people_services> people;
  std::unique_ptr<service::scheduler> service;
  std::mutex rms_mutex;
  std::vector<std::unique_ptr<tenon_rm>> rms;

 private:
  std::mutex journal_mutex_;
  uint64_t journal_bytes_ = 0;  // of whole records
  std::string journal_failure_;
};

[[nodiscard]] result<std::unique_ptr<instance>> open(const tenon_scheduler_options &options);

// The whole state as JSON; `said` is what each RM says of itself. `journal_failure`: empty where there is none.
[[nodiscard]] std::string dump(const kernel_snapshot &state, const std::vector<service::rm_status> &rms,
                               const std::map<uint64_t, std::string> &said, const std::string &journal_failure);

}  // namespace tenon::embedded

struct tenon_scheduler : tenon::embedded::instance {};
struct tenon_rm {
  tenon::embedded::instance *of = nullptr;
  tenon_rm_session session = 0;
};
