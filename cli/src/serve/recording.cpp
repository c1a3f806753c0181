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

result<std::unique_ptr<recording>> recording::create(const std::filesystem::path &path, bool at_once) {
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
  return std::unique_ptr<recording>(new recording(path, descriptor, at_once));
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
    waiting_sizes_.push_back(bytes.size());
    if (!at_once_ && waiting_.size() < most_waiting) return;
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
  std::vector<size_t> sizes;
  {
    const std::lock_guard lock(mutex_);
    now.swap(waiting_);
    sizes.swap(waiting_sizes_);
  }
  if (!finished_) write_out(now, sizes);
}

void recording::write_out(std::string_view bytes, const std::vector<size_t> &sizes) {
  size_t written = 0;
  while (written < bytes.size()) {
    const ssize_t count = ::write(descriptor_, bytes.data() + written, bytes.size() - written);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return fail(errno, written, sizes);
    written += static_cast<size_t>(count);
  }
  whole_ += written;
}

// The end of the file may be a part of a record, and who replays it would have to cut it off.
void recording::fail(int error, size_t written, const std::vector<size_t> &sizes) {
  size_t left = written;
  for (auto size = sizes.begin(); size != sizes.end() && *size <= left; ++size) {
    left -= *size;
    whole_ += *size;
  }
  const bool is_whole = left == 0 || ::ftruncate(descriptor_, static_cast<off_t>(whole_)) == 0;
  const std::lock_guard lock(mutex_);
  failure_ = refusal{
      path_.string(), "a file that takes what is written",
      std::string("writing failed: ") + std::strerror(error) +
          (is_whole ? "" : "; cut it to its first " + std::to_string(whole_) + " bytes, which are whole records"),
      "see that the disk has room"};
  waiting_.clear();
  waiting_sizes_.clear();
}

std::optional<refusal> recording::failure() const {
  const std::lock_guard lock(mutex_);
  return failure_;
}

}  // namespace tenon::cli
