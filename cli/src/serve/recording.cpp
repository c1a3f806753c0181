// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "serve/recording.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace tenon::cli {
namespace {

// Beyond it whoever appends waits for the disk.
constexpr size_t most_waiting = size_t{64} << 20;

}  // namespace

result<std::unique_ptr<recording>> recording::create(const std::filesystem::path &path) {
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0640);
  if (descriptor < 0)
    return refusal{path.string(), "a file that can be written", std::string("cannot open it: ") + std::strerror(errno),
                   "name a file in a folder that exists and is the daemon's"};
  struct stat about {};
  if (::fstat(descriptor, &about) == 0 && about.st_size > 0) {
    ::close(descriptor);
    return refusal{path.string(), "a new file", "one with " + std::to_string(about.st_size) + " bytes",
                   "move it away, or name another"};
  }
  return std::unique_ptr<recording>(new recording(path, descriptor));
}

recording::~recording() {
  flush();
  ::close(descriptor_);
}

void recording::append(std::string_view bytes) {
  {
    const std::lock_guard lock(mutex_);
    if (failure_) return;
    waiting_ += bytes;
    if (waiting_.size() < most_waiting) return;
  }
  flush();
}

void recording::flush() {
  const std::lock_guard one(writing_);
  flush_with_writing_held();
}

void recording::finish() {
  const std::lock_guard one(writing_);
  flush_with_writing_held();
  finished_ = true;
}

void recording::flush_with_writing_held() {
  std::string now;
  {
    const std::lock_guard lock(mutex_);
    now.swap(waiting_);
  }
  if (!finished_) write_out(now);
}

void recording::write_out(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      const std::lock_guard lock(mutex_);
      failure_ = refusal{path_.string(), "a file that takes what is written",
                         std::string("writing failed: ") + std::strerror(errno), "see that the disk has room"};
      waiting_.clear();
      return;
    }
    bytes.remove_prefix(static_cast<size_t>(written));
  }
}

std::optional<refusal> recording::failure() const {
  const std::lock_guard lock(mutex_);
  return failure_;
}

}  // namespace tenon::cli
