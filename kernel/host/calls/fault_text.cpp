// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "calls/fault_text.hpp"

#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#include <climits>

namespace tenon::host {
namespace {

void write_bytes(int to, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t took = ::write(to, bytes.data(), bytes.size());
    if (took <= 0) return;
    bytes.remove_prefix(static_cast<size_t>(took));
  }
}

}  // namespace

int64_t unix_now_ms() {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  return int64_t{now.tv_sec} * 1'000 + now.tv_nsec / 1'000'000;
}

void describe(const recorded_call &call, std::string_view what, int64_t now_ms, std::string_view file_ending,
              fault_text &to) {
  to.add("fault: ").add(what);
  to.add("\nat_ms: ").add(static_cast<uint64_t>(now_ms));
  to.add("\nmodule: ").add(call.module).add(" ").add(call.version);
  to.add("\ndigest: ").add(call.digest);
  to.add("\nkey: ").add(call.key);
  if (!call.interface.empty()) to.add("\npolicy: ").add(call.interface).add(" ").add(call.name);
  to.add("\nslot: ").add(call.slot);
  to.add("\nitems: ").add(call.items);
  to.add("\nthread: ").add(role_name(call.role)).add(" ").add(static_cast<uint64_t>(call.thread));
  to.add("\nprocess: ").add(static_cast<uint64_t>(call.process));
  if (!file_ending.empty()) to.add("\ncall: ").add(call.key).add(file_ending);
  to.add("\n");
}

record_file::record_file(std::string_view folder, std::string_view key) {
  char path[PATH_MAX];
  if (folder.empty() || folder.size() + key.size() + 2 > sizeof path) return;
  std::memcpy(path, folder.data(), folder.size());
  path[folder.size()] = '/';
  std::memcpy(path + folder.size() + 1, key.data(), key.size());
  path[folder.size() + 1 + key.size()] = '\0';
  file_ = ::open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0640);
}

record_file::~record_file() {
  write(fault_text().add("\n"));
  if (file_ >= 0) ::close(file_);
}

void record_file::write(const fault_text &lines) const {
  if (file_ >= 0) {
    write_bytes(file_, lines.text());
    ::fsync(file_);
  }
  write_bytes(STDERR_FILENO, lines.text());
}

}  // namespace tenon::host
