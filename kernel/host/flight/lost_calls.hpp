// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Records of calls in which a module's own process was lost, written on a thread that nobody waits for.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "calls/call_input.hpp"
#include "calls/call_place.hpp"

namespace spdlog {
class logger;
}

namespace tenon::host {

class lost_calls {
 public:
  // The folder is made once there is something for it.
  lost_calls(std::filesystem::path folder, std::shared_ptr<spdlog::logger> log);
  ~lost_calls();  // once what was kept is written
  lost_calls(const lost_calls &) = delete;
  lost_calls &operator=(const lost_calls &) = delete;

  // On the thread of the call, while what it was given is there. Of a module the last one is kept.
  void keep(const call_subject &of, const char *slot, uint32_t items, const call_input &input, const std::string &why);

 private:
  struct kept_call {
    std::string module;
    std::unique_ptr<char[]> bytes;
    size_t size = 0;
  };
  void run();
  void write(const std::string &key, const kept_call &call);

  const std::filesystem::path folder_;
  const std::shared_ptr<spdlog::logger> log_;
  std::mutex mutex_;  // of what follows
  std::map<std::string, kept_call> waiting_;
  std::condition_variable wake_;
  bool ends_ = false;
  std::thread thread_;
};

}  // namespace tenon::host
