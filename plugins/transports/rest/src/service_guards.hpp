// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The host services that answers are made from, as guards that give back what they opened.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "answer.hpp"
#include "tenon/abi/host_admin.h"
#include "tenon/abi/host_events.h"
#include "tenon/abi/host_explain.h"
#include "tenon/abi/host_metrics.h"
#include "tenon/abi/host_read.h"
#include "tenon/sdk/error.hpp"
#include "tenon/sdk/host.hpp"

namespace tenon::rest {

// Any of them may be missing: what needs it is answered with 503 then.
struct services {
  const tenon_host *host = nullptr;
  sdk::host_services log;
  const tenon_host_read *read = nullptr;
  const tenon_host_events *events = nullptr;
  const tenon_host_metrics *metrics = nullptr;
  const tenon_host_explain *explain = nullptr;
  const tenon_host_admin *admin = nullptr;
};

// Room for the text_buffer of a service.
class text_buffer {
 public:
  explicit text_buffer(size_t capacity = 8192) : room_(capacity, '\0') {
    message_ = {sizeof message_, static_cast<uint32_t>(capacity), room_.data(), 0};
  }
  text_buffer(const text_buffer &) = delete;
  text_buffer &operator=(const text_buffer &) = delete;
  [[nodiscard]] tenon_message *out() { return &message_; }
  [[nodiscard]] std::string_view text() const { return {room_.data(), message_.length}; }

 private:
  std::string room_;
  tenon_message message_{};
};

// Throws refused with the status of the interface that says the same.
// `fix` is what a client can do where something is not there, or not in the state for it.
[[noreturn]] void refuse(tenon_status status, std::string_view why, std::string fix = {});

// A snapshot, closed when it goes.
class snapshot {
 public:
  snapshot(const services &, uint32_t wanted, std::string_view partition = {});
  ~snapshot();
  snapshot(const snapshot &) = delete;
  snapshot &operator=(const snapshot &) = delete;
  const tenon_view &operator*() const { return *view_; }
  const tenon_view *operator->() const { return view_; }

 private:
  const services &services_;
  uint64_t id_ = 0;
  const tenon_view *view_ = nullptr;
};

// A reading of the metrics, closed when it goes.
class reading {
 public:
  reading(const services &, uint32_t wanted);
  // Reads the curve of a queue, and nothing else.
  reading(const services &, std::string_view partition, std::string_view queue);
  ~reading();
  reading(const reading &) = delete;
  reading &operator=(const reading &) = delete;
  const tenon_reading *operator->() const { return reading_; }

 private:
  template <class Open>
  void open(Open &&open);

  const services &services_;
  uint64_t id_ = 0;
  const tenon_reading *reading_ = nullptr;
};

// The partition of a request, with what is wanted of it: as "name", or as "[rm]name" where several RMs have one of
// that name; the first that registered otherwise. Throws refused where there is none.
class partition_view {
 public:
  partition_view(const services &, std::string_view name, uint32_t wanted);
  const tenon_view_partition &operator*() const { return *partition_; }
  const tenon_view_partition *operator->() const { return partition_; }
  [[nodiscard]] const tenon_view &all() const { return *whole_; }

 private:
  std::string full_name_;  // before the snapshot: it is found out first
  snapshot whole_;
  const tenon_view_partition *partition_ = nullptr;
};

// The full name of the partition that a request names; throws refused where there is none.
[[nodiscard]] std::string full_name(const services &, std::string_view name);

}  // namespace tenon::rest
