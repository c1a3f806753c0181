// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "runner/runner_host.hpp"

#include <algorithm>
#include <cstring>
#include <string_view>

namespace tenon::host::runner {
namespace {

constexpr uint64_t longest_line = 4096;

}  // namespace

runner_host::runner_host(std::vector<std::string> services, isolation::answer_page &page)
    : tenon_host{sizeof(tenon_host), TENON_ABI_EPOCH, find_service}, services_(std::move(services)), page_(page) {}

tenon_status runner_host::find_service(const tenon_host *host, const tenon_get_service_in *in,
                                       tenon_get_service_out *out) {
  static constexpr tenon_host_log log{sizeof(tenon_host_log), 0, write_log};
  static constexpr tenon_host_thread thread{sizeof(tenon_host_thread), 0, current_thread};
  if (out == nullptr || !TENON_COVERS(out, tenon_get_service_out, service)) return TENON_UNSUPPORTED;
  out->service = nullptr;
  if (host == nullptr || in == nullptr || !TENON_COVERS(in, tenon_get_service_in, id)) return TENON_UNSUPPORTED;
  const auto &listed = static_cast<const runner_host *>(host)->services_;
  const std::string_view wanted(in->id.data, in->id.length);
  if (std::find(listed.begin(), listed.end(), wanted) == listed.end()) return TENON_UNSUPPORTED;
  if (wanted == TENON_HOST_LOG) out->service = &log;
  if (wanted == TENON_HOST_THREAD) out->service = &thread;
  return out->service == nullptr ? TENON_UNSUPPORTED : TENON_OK;
}

// What a call says beyond its room is lost.
tenon_status runner_host::write_log(const tenon_host *host, const tenon_log_in *in) {
  if (host == nullptr || in == nullptr || !TENON_COVERS(in, tenon_log_in, line)) return TENON_UNSUPPORTED;
  if (in->line.data == nullptr && in->line.length != 0) return TENON_UNSUPPORTED;
  isolation::answer_page &page = static_cast<const runner_host *>(host)->page_;
  const uint32_t head[2] = {in->level, static_cast<uint32_t>(std::min(in->line.length, longest_line))};
  if (page.log_used > isolation::log_bytes - sizeof head ||
      head[1] > isolation::log_bytes - sizeof head - page.log_used)
    return TENON_OK;
  char *to = reinterpret_cast<char *>(&page) + isolation::page_bytes + page.log_used;
  std::memcpy(to, head, sizeof head);
  if (head[1] != 0) std::memcpy(to + sizeof head, in->line.data, head[1]);
  page.log_used += static_cast<uint32_t>(sizeof head) + head[1];
  return TENON_OK;
}

tenon_status runner_host::current_thread(const tenon_host *host, tenon_thread_out *out) {
  if (host == nullptr || out == nullptr || !TENON_COVERS(out, tenon_thread_out, thread)) return TENON_UNSUPPORTED;
  out->thread = static_cast<const runner_host *>(host)->thread_;
  return TENON_OK;
}

}  // namespace tenon::host::runner
