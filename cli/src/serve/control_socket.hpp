// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The path on which the daemon listens: its own as long as it lives, whoever had it before.
#pragma once

#include <filesystem>
#include <optional>
#include <utility>

#include "tenon/kernel/refusal.hpp"

namespace tenon::cli {

class control_socket {
 public:
  // What is no path for one, whoever has it now and whoever asks. Makes nothing and takes nothing over.
  [[nodiscard]] static std::optional<refusal> refusal_of(const std::filesystem::path &path);
  // Replaces the socket of a daemon that is gone. Refuses the socket of one that lives, and what is no socket.
  [[nodiscard]] static result<control_socket> claim(const std::filesystem::path &path);
  control_socket(control_socket &&other) noexcept;
  control_socket &operator=(control_socket &&) = delete;
  // Removes it.
  ~control_socket();

  // The listening descriptor, for its new owner. Once.
  [[nodiscard]] int release() { return std::exchange(descriptor_, -1); }
  [[nodiscard]] const std::filesystem::path &path() const { return path_; }

 private:
  control_socket(std::filesystem::path path, int lock, int descriptor);

  std::filesystem::path path_;
  int lock_, descriptor_;
};

}  // namespace tenon::cli
