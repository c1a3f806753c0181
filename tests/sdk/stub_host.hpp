// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// A host for tests: says which thread it is asked on and keeps the lines that are logged.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tenon/abi/host.h"

namespace tenon::sdk {

struct stub_host {
  tenon_host table{sizeof(tenon_host), TENON_ABI_EPOCH, get_service};  // first: a tenon_host * points to this
  uint32_t thread = TENON_THREAD_MAIN;
  bool has_services = true;
  std::vector<std::string> lines;

  static stub_host &of(const tenon_host *host) {
    return *reinterpret_cast<stub_host *>(const_cast<tenon_host *>(host));
  }

  static tenon_status write(const tenon_host *host, const tenon_log_in *in) {
    of(host).lines.emplace_back(in->line.data, in->line.length);
    return TENON_OK;
  }
  static tenon_status current(const tenon_host *host, tenon_thread_out *out) {
    out->thread = of(host).thread;
    return TENON_OK;
  }
  static tenon_status get_service(const tenon_host *host, const tenon_get_service_in *in, tenon_get_service_out *out) {
    static constexpr tenon_host_log log{sizeof(tenon_host_log), 0, write};
    static constexpr tenon_host_thread thread_table{sizeof(tenon_host_thread), 0, current};
    const std::string_view id(in->id.data, in->id.length);
    out->service = nullptr;
    if (!of(host).has_services) return TENON_UNSUPPORTED;
    if (id == TENON_HOST_LOG) out->service = &log;
    if (id == TENON_HOST_THREAD) out->service = &thread_table;
    return out->service == nullptr ? TENON_UNSUPPORTED : TENON_OK;
  }
};

}  // namespace tenon::sdk
