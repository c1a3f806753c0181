// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "serve/audit_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <boost/json.hpp>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>

#include "tenon/text/utc.hpp"

namespace tenon::cli {
namespace {

namespace json = boost::json;

std::string time_now() {
  using namespace std::chrono;
  return utc_text(duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count());
}

}  // namespace

std::optional<refusal> audit_file::refusal_of(const std::filesystem::path &path) {
  const int there = ::open(path.c_str(), O_RDWR | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (there >= 0) {
    ::close(there);
    return std::nullopt;
  }
  const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
  if (errno == ENOENT && ::access(folder.c_str(), W_OK | X_OK) == 0) return std::nullopt;
  return refusal{path.string(), "a file for what people do, or a folder in which it can be made", std::strerror(errno),
                 "correct audit.file"};
}

result<std::unique_ptr<audit_file>> audit_file::open(const std::filesystem::path &path) {
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (descriptor < 0)
    return refusal{path.string(), "a file for what people do", std::string("cannot open it: ") + std::strerror(errno),
                   "name one in audit.file that the daemon may write, in a folder that is there"};
  std::unique_ptr<audit_file> out(new audit_file(path, descriptor));
  // Half a line is what a full disk or a lost machine leaves.
  char last = '\n';
  const off_t size = ::lseek(descriptor, 0, SEEK_END);
  if (size > 0 && ::pread(descriptor, &last, 1, size - 1) == 1) out->torn_ = last != '\n';
  return out;
}

audit_file::~audit_file() { ::close(descriptor_); }

void audit_file::append(const observe::audited &what) {
  const std::string line = json::serialize(json::object{{"time", time_now()},
                                                        {"who", what.caller},
                                                        {"action", what.action},
                                                        {"object", what.object},
                                                        {"partition", what.partition},
                                                        {"done", what.done},
                                                        {"words", what.message}}) +
                           "\n";
  const std::lock_guard lock(mutex_);
  const std::string bytes = (torn_ ? "\n" : "") + line;
  size_t written = 0;
  while (written < bytes.size()) {
    const ssize_t now = ::write(descriptor_, bytes.data() + written, bytes.size() - written);
    if (now < 0 && errno == EINTR) continue;
    if (now <= 0) break;
    written += static_cast<size_t>(now);
  }
  const bool good = written == bytes.size() && ::fdatasync(descriptor_) == 0;
  if (written != 0) torn_ = written < bytes.size();
  failure_.reset();
  if (!good)
    failure_ = refusal{path_.string(), "a file that takes what is written",
                       std::string("writing failed: ") + std::strerror(errno), "see that the disk has room"};
}

std::optional<refusal> audit_file::failure() const {
  const std::lock_guard lock(mutex_);
  return failure_;
}

std::filesystem::path state_directory() {
  const char *state = std::getenv("STATE_DIRECTORY");
  if (state == nullptr || *state == '\0') return {};
  const std::string folders(state);  // several are joined by colons
  return folders.substr(0, folders.find(':'));
}

std::filesystem::path default_audit_file() {
  const std::filesystem::path state = state_directory();
  return state.empty() ? state : state / "audit.jsonl";
}

}  // namespace tenon::cli
