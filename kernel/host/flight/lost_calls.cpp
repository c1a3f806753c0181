// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "flight/lost_calls.hpp"

#include <pthread.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <system_error>
#include <utility>

#include "calls/fault_text.hpp"
#include "flight/call_writer.hpp"
#include "tenon/host/journal_tail.hpp"
#include "tenon/host/thread_role.hpp"

namespace tenon::host {

lost_calls::lost_calls(std::filesystem::path folder, std::shared_ptr<spdlog::logger> log)
    : folder_(std::move(folder)), log_(std::move(log)), thread_([this] { run(); }) {}

lost_calls::~lost_calls() {
  {
    const std::scoped_lock lock(mutex_);
    ends_ = true;
  }
  wake_.notify_all();
  thread_.join();
}

void lost_calls::keep(const call_subject &of, const char *slot, uint32_t items, const call_input &input,
                      const std::string &why) {
  {
    const std::scoped_lock lock(mutex_);
    if (waiting_.contains(of.key)) return;  // it is at fault faster than a disk writes
  }
  fault_text record;
  describe({of.module, of.version, of.digest, of.key, of.interface, of.name, slot, items, current_role(), ::gettid(),
            ::getpid()},
           why, unix_now_ms(), {}, record);
  kept_call call{of.module + " " + of.version, std::make_unique_for_overwrite<char[]>(most_record_bytes)};
  call.size = write_call(call.bytes.get(), most_record_bytes,
                         {record.text(), of.manifest, journal_tail(current_role())}, input);
  {
    const std::scoped_lock lock(mutex_);
    waiting_.insert_or_assign(of.key, std::move(call));
  }
  wake_.notify_all();
}

void lost_calls::run() {
  pthread_setname_np(pthread_self(), "tenon-records");
  std::unique_lock lock(mutex_);
  for (;;) {
    wake_.wait(lock, [this] { return ends_ || !waiting_.empty(); });
    if (waiting_.empty()) return;
    const auto first = waiting_.begin();
    const std::string key = first->first;
    const kept_call call = std::move(first->second);
    lock.unlock();
    write(key, call);
    lock.lock();
    waiting_.erase(key);
  }
}

void lost_calls::write(const std::string &key, const kept_call &call) {
  std::error_code failed;
  std::filesystem::create_directories(folder_, failed);  // where that fails, so does what follows
  const std::string file = (folder_ / (key + std::string(call_file_ending))).string();
  if (write_call_file(folder_.native(), key, {call.bytes.get(), call.size}))
    log_->warn("{}: what its process was given last is in {}; `tenon plugin replay {}` plays it", call.module, file,
               file);
  else
    log_->warn("{}: what its process was given last cannot be written to {}", call.module, file);
}

}  // namespace tenon::host
