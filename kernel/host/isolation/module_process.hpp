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

#include "base/descriptor.hpp"
#include "isolation/process_accounts.hpp"
#include "isolation/process_loss.hpp"
#include "isolation/region_writer.hpp"
#include "isolation/shared_memory.hpp"
#include "isolation/shared_pages.hpp"

namespace tenon::host::isolation {

struct process_start {
  std::filesystem::path program;  // tenon-module-runner
  std::string id;                 // of the module, for who lists processes
  std::string opening;            // what the process reads first: which library, and what it may use
  process_accounts *accounts = nullptr;
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

  // Who answers what the process asks while it works on a request; nobody: it is refused.
  using queue_lookup = std::function<queue_answer(uint64_t world, std::string_view path)>;
  void answer_by(queue_lookup lookup) { lookup_ = std::move(lookup); }

  // Until the request is answered, the process has ended or the time is over, whatever comes first.
  enum class outcome : uint8_t { answered, ended, late };
  [[nodiscard]] outcome wait(std::chrono::nanoseconds at_most);

  // Returns the processor time that all threads of the process have used; 0 once the process has ended.
  [[nodiscard]] std::chrono::nanoseconds processor_time() const;
  // Returns true if a thread of the process runs, waits for a processor or waits for a disk.
  [[nodiscard]] bool could_run() const;

  // Of the request that was answered.
  [[nodiscard]] int32_t status() const { return status_; }
  [[nodiscard]] std::string reply() const;
  // What stands in `room` of the answers, which has `most` bytes, as long as the process says it is.
  [[nodiscard]] std::string bytes_in(const placed<std::byte> &room, size_t most) const;

  // After `ended`: with what.
  [[nodiscard]] process_loss loss();
  // The same in words, and the last ones of the module.
  [[nodiscard]] std::string how_it_ended();
  // What it wrote to standard error so far, the end of it: "; it said: ...", or nothing.
  [[nodiscard]] std::string last_words();

  // Lets the module leave as it wants, no longer than that; then it is killed.
  void end(std::chrono::milliseconds at_most);

  // Where requests' columns and outputs are put.
  [[nodiscard]] region_writer &requests() { return requests_; }
  [[nodiscard]] region_writer &answers() { return answers_; }

 private:
  module_process(shared_memory request_region, shared_memory answer_region, process_accounts &accounts, log_line log);

  [[nodiscard]] request_page &request() const { return *reinterpret_cast<request_page *>(request_region_.base()); }
  [[nodiscard]] answer_page &answer() const { return *reinterpret_cast<answer_page *>(answer_region_.base()); }
  [[nodiscard]] bool is_answered() const;
  [[nodiscard]] bool asks() const;
  void answer_question();
  [[nodiscard]] bool has_ended(std::chrono::milliseconds wait);
  template <class Ready>
  [[nodiscard]] bool spin(Ready &&is_due);
  void send(call_kind what);
  void wake();
  outcome take();
  void drain_log();
  [[nodiscard]] std::optional<refusal> spawn(const process_start &how);

  shared_memory request_region_, answer_region_;
  region_writer requests_, answers_;
  descriptor answer_bell_, rings_, lifeline_, words_, pid_;
  uint64_t number_ = 0, questions_ = 0;
  queue_lookup lookup_;
  process_accounts &accounts_;
  pid_t number_of_process_ = -1;
  int32_t status_ = 0;  // of the last answer: read once, whatever the process writes there then
  bool spins_;
  log_line log_;
};

}  // namespace tenon::host::isolation
