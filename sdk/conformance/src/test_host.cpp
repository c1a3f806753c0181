// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "test_host.hpp"

#include <array>
#include <cstddef>
#include <map>
#include <mutex>
#include <new>
#include <string_view>

namespace tenon::conformance {
namespace {

constexpr uint64_t mark = 0x7E4011057AB1E000;
thread_local uint32_t thread_now = TENON_THREAD_OTHER;
// Of all hosts; whatever thread of the module calls them.
std::mutex mutex;
std::vector<std::string> wrongs;
std::map<std::string, const void *, std::less<>> offered;

void complain(std::string what) {
  const std::scoped_lock lock(mutex);
  if (wrongs.size() < 8) wrongs.push_back(std::move(what));
}

const void *find_offered(std::string_view id) {
  const std::scoped_lock lock(mutex);
  const auto found = offered.find(id);
  return found == offered.end() ? nullptr : found->second;
}

}  // namespace

test_host::test_host(services given, uint32_t extra_bytes)
    : tenon_host{static_cast<uint32_t>(sizeof(tenon_host)) + extra_bytes, TENON_ABI_EPOCH, find},
      mark_(mark),
      given_(given) {}

void test_host::be(uint32_t thread) { thread_now = thread; }
uint32_t test_host::thread() { return thread_now; }

void test_host::offer(std::string_view id, const void *service) {
  const std::scoped_lock lock(mutex);
  offered[std::string(id)] = service;
}

test_host *test_host::of(const tenon_host *host, const char *asked) {
  if (host == nullptr) {
    complain(std::string(asked) + " was called without the host");
    return nullptr;
  }
  auto *self = const_cast<test_host *>(static_cast<const test_host *>(host));
  if (self->mark_ != mark) {
    complain(std::string(asked) + " was called with another host than the one that was given");
    return nullptr;
  }
  if (self->retired_) complain(std::string(asked) + " was called after destroy");
  return self;
}

std::vector<std::string> test_host::complaints() {
  const std::scoped_lock lock(mutex);
  return wrongs;
}

test_host *test_host::lasting(services given) {
  constexpr size_t count = 4096;
  alignas(test_host) static std::array<std::array<std::byte, sizeof(test_host)>, count> memory;
  static size_t next = 0;
  return new (memory[next++ % count].data()) test_host(given);
}

tenon_status test_host::find(const tenon_host *host, const tenon_get_service_in *in, tenon_get_service_out *out) {
  static constexpr tenon_host_log log_table{sizeof(tenon_host_log), 0, write};
  static constexpr tenon_host_thread thread_table{sizeof(tenon_host_thread), 0, current};
  test_host *self = of(host, "get_service");
  if (self == nullptr) return TENON_UNSUPPORTED;
  if (in == nullptr || out == nullptr || !TENON_COVERS(in, tenon_get_service_in, id) ||
      !TENON_COVERS(out, tenon_get_service_out, service)) {
    complain("get_service was called without its input or output, or with a size that does not cover them");
    return TENON_UNSUPPORTED;
  }
  const std::string_view id(in->id.data == nullptr ? "" : in->id.data, in->id.length);
  out->service = self->given_ == services::none ? nullptr : find_offered(id);
  if (self->given_ == services::none) return TENON_UNSUPPORTED;
  if (id == TENON_HOST_LOG) out->service = &log_table;
  if (id == TENON_HOST_THREAD) out->service = &thread_table;
  return out->service == nullptr ? TENON_UNSUPPORTED : TENON_OK;
}

tenon_status test_host::write(const tenon_host *host, const tenon_log_in *in) {
  test_host *self = of(host, "the log's write");
  if (self == nullptr) return TENON_UNSUPPORTED;
  if (in == nullptr || !TENON_COVERS(in, tenon_log_in, line)) {
    complain("the log's write was called without a line");
    return TENON_UNSUPPORTED;
  }
  if (in->level > TENON_LOG_ERROR) complain("a log line has level " + std::to_string(in->level));
  if (in->line.data == nullptr && in->line.length != 0) complain("a log line has a length and no text");
  return TENON_OK;
}

tenon_status test_host::current(const tenon_host *host, tenon_thread_out *out) {
  test_host *self = of(host, "the thread service");
  if (self == nullptr || out == nullptr || !TENON_COVERS(out, tenon_thread_out, thread)) {
    if (self != nullptr) complain("the thread service was called without an output");
    return TENON_UNSUPPORTED;
  }
  out->thread = thread_now;
  return TENON_OK;
}

}  // namespace tenon::conformance
