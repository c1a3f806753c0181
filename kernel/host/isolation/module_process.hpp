// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// A process that holds one module: started, asked, waited for no longer than its time, and gone with this object.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "descriptor.hpp"
#include "isolation/region_writer.hpp"
#include "isolation/shared_memory.hpp"
#include "isolation/shared_pages.hpp"

namespace tenon::host::isolation {

struct process_start {
  std::filesystem::path program;  // tenon-module-runner
  std::string id;                 // of the module, for who lists processes
  std::string opening;            // what the process reads first: which library, and what it may use
};

class module_process {
 public:
  using log_line = std::function<void(uint32_t level, std::string_view line)>;

  // The process is under way to open its module: that is request 1.
  [[nodiscard]] static result<std::unique_ptr<module_process>> start(const process_start &how, log_line log);
  ~module_process();
  module_process(const module_process &) = delete;
  module_process &operator=(const module_process &) = delete;

  // The next request, in bytes: create.
  void ask(call_kind what, std::string_view bytes);
  // The next request: a slot, on what stands at these addresses of the process.
  void ask(call_kind what, uint64_t input, uint64_t output);

  // Until the request is answered, the process has ended or the time is over, whatever comes first.
  enum class outcome : uint8_t { answered, ended, late };
  [[nodiscard]] outcome wait(std::chrono::nanoseconds at_most);

  // Of the request that was answered.
  [[nodiscard]] int32_t status() const;
  [[nodiscard]] std::string reply() const;

  // After `ended`: how, and the last words.
  [[nodiscard]] std::string how_it_ended();
  // What it wrote to standard error so far, the end of it: "; it said: ...", or nothing.
  [[nodiscard]] std::string last_words();

  // Lets the module leave as it wants, no longer than that; then it is killed.
  void end(std::chrono::milliseconds at_most);

  // Where requests' columns and outputs are put.
  [[nodiscard]] region_writer &requests() { return requests_; }
  [[nodiscard]] region_writer &answers() { return answers_; }

 private:
  module_process(shared_memory request_region, shared_memory answer_region, log_line log);

  [[nodiscard]] request_page &request() const { return *reinterpret_cast<request_page *>(request_region_.base()); }
  [[nodiscard]] answer_page &answer() const { return *reinterpret_cast<answer_page *>(answer_region_.base()); }
  [[nodiscard]] bool is_answered() const;
  [[nodiscard]] bool has_ended(std::chrono::milliseconds wait);
  void send(call_kind what);
  outcome take();
  void drain_log();
  [[nodiscard]] std::optional<refusal> spawn(const process_start &how);

  shared_memory request_region_, answer_region_;
  region_writer requests_, answers_;
  descriptor request_bell_, answer_bell_, lifeline_, words_, pid_;
  uint64_t number_ = 0;
  bool spins_;
  log_line log_;
};

}  // namespace tenon::host::isolation
