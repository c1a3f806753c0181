// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The record of a call that ended a module's process, or the scheduler, and that call once more, in a process.
//
//   const auto record = read_flight_record("module-faults/6f0d...-af63....call");
//   const auto again = replay_call(*record, {});
#pragma once

#include <boost/json/object.hpp>
#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "tenon/host/deployment.hpp"
#include "tenon/kernel/refusal.hpp"

namespace spdlog {
class logger;
}

namespace tenon::host {

class recorded_input;

class flight_record {
 public:
  ~flight_record();
  flight_record(flight_record &&) noexcept;

  // The lines that a record for people has, too: "fault", "module", "digest", "slot" and so on. Empty: it has none.
  [[nodiscard]] std::string_view line(std::string_view name) const;
  [[nodiscard]] const std::string &text() const { return text_; }
  [[nodiscard]] const std::filesystem::path &file() const { return file_; }
  [[nodiscard]] const std::string &manifest() const { return manifest_; }
  [[nodiscard]] const std::string &configuration() const { return configuration_; }
  [[nodiscard]] const std::string &columns() const { return columns_; }
  [[nodiscard]] uint32_t max_resource_types() const { return max_resource_types_; }
  // The last entries of the journal, as its file has them; empty where none was recorded.
  [[nodiscard]] const std::string &journal() const { return journal_; }
  [[nodiscard]] const recorded_input &input() const { return *input_; }

  // What is left out of what the slot was given: "the first 100 of 4000 items alone". Empty: nothing.
  [[nodiscard]] std::string cut() const;
  // What the slot was given.
  [[nodiscard]] boost::json::object input_json() const;

 private:
  flight_record();
  friend result<flight_record> read_flight_record(const std::filesystem::path &file);

  std::filesystem::path file_;
  std::string bytes_;
  std::string text_, manifest_, configuration_, columns_, journal_;
  std::map<std::string, std::string, std::less<>> lines_;
  uint32_t max_resource_types_ = 0;
  std::unique_ptr<recorded_input> input_;
};

// The file of a call, or the record for people beside it, which names that file.
[[nodiscard]] result<flight_record> read_flight_record(const std::filesystem::path &file);

struct replay_options {
  std::filesystem::path manifest;  // in place of the record's
  bool any_build = false;          // also where the library is another one
  std::chrono::milliseconds timeout{2'000};
  process_limits limits;  // but for the deadlines of calls; that of opening it and making an instance counts
  granted_permissions granted;
  bool require_sandbox = false;
  std::filesystem::path module_runner;  // empty: beside the executable
  std::shared_ptr<spdlog::logger> log;  // null: standard error
};

struct replayed_call {
  enum class outcome { answered, crashed, hung, overwrote, refused };
  outcome how = outcome::answered;
  std::string where;           // the slot, or what was before it: "open", "create"
  std::string words;           // of a module's process that ended or was killed; of a refusal
  int signal = 0, status = 0;  // with which its process ended
  std::string answer_status;   // "OK"
  boost::json::object answer;
  std::string digest;  // of the library that ran
  double took_ms = 0;
};

// Makes an instance in a process of its own, confined as any other, and calls the slot.
[[nodiscard]] result<replayed_call> replay_call(const flight_record &record, const replay_options &options);

}  // namespace tenon::host
