// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Modules that ended the process lately, by the records that are kept of that: they are not loaded for a while.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <string>

namespace tenon::host {

struct quarantined {
  std::string fault;     // of the last record, in its words
  uint64_t times = 0;    // records of the last seven days
  int64_t until_ms = 0;  // Unix; it doubles with each time
  std::filesystem::path record;

  // "it ended the process 2 times, with signal SIGSEGV at 0x0 in keys; ..."
  [[nodiscard]] std::string text() const;
};

class quarantine {
 public:
  quarantine() = default;
  // Reads the records below `folder`; empty, or not there: nothing is in quarantine.
  quarantine(const std::filesystem::path &folder, int64_t now_ms);

  // By fault_key(). Nothing once its time is over. From any thread.
  [[nodiscard]] std::optional<quarantined> find(const std::string &key, int64_t now_ms) const;
  // Puts the record aside, as NAME.lifted. False: it is in none, or the record stays where it is. From any thread.
  bool lift(const std::string &key);

 private:
  mutable std::mutex mutex_;
  std::map<std::string, quarantined> by_key_;
};

}  // namespace tenon::host
