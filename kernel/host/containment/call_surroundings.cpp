// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "containment/call_surroundings.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "tenon/host/process_state.hpp"

namespace tenon::host {
namespace {

constexpr std::array limited{RLIMIT_AS,    RLIMIT_CORE,  RLIMIT_CPU,    RLIMIT_DATA,
                             RLIMIT_FSIZE, RLIMIT_NPROC, RLIMIT_NOFILE, RLIMIT_STACK};

// Of the process, which is the same for all threads and hosts.
class process_surroundings {
 public:
  static const process_surroundings &first() {
    static const process_surroundings out;
    return out;
  }

  void put_back(std::vector<std::string> &changed) const {
    struct stat now {};
    if (folder_ >= 0 && ::stat(".", &now) == 0 && (now.st_dev != at_.st_dev || now.st_ino != at_.st_ino) &&
        ::fchdir(folder_) == 0)
      changed.emplace_back("the working directory");
    for (size_t i = 0; i < limited.size(); ++i) {
      rlimit limit{};
      // Only what is lower can be raised again: the hard limit stays what somebody made it.
      if (::getrlimit(limited[i], &limit) != 0 || limit.rlim_cur == limits_[i].rlim_cur) continue;
      limit.rlim_cur = std::min(limits_[i].rlim_cur, limit.rlim_max);
      ::setrlimit(limited[i], &limit);
      changed.emplace_back("a limit of the process");
    }
  }

 private:
  process_surroundings() : folder_(::open(".", O_PATH | O_DIRECTORY | O_CLOEXEC)) {
    if (folder_ < 0 || ::fstat(folder_, &at_) != 0) folder_ = -1;
    for (size_t i = 0; i < limited.size(); ++i) ::getrlimit(limited[i], &limits_[i]);
  }

  int folder_;
  struct stat at_ {};
  std::array<rlimit, limited.size()> limits_{};
};

std::string c_locale() {
  const char *name = std::setlocale(LC_ALL, nullptr);
  return name == nullptr ? std::string{} : std::string(name);
}

}  // namespace

call_surroundings::call_surroundings(bool all)
    : all_(all),
      floating_point_(floating_point_control()),
      thread_locale_(::uselocale(static_cast<locale_t>(nullptr))),
      c_locale_(c_locale()),
      mask_{} {
  if (all) static_cast<void>(process_surroundings::first());
  ::pthread_sigmask(SIG_SETMASK, nullptr, &mask_);
}

std::string call_surroundings::put_back() const {
  std::vector<std::string> changed;
  if (floating_point_control() != floating_point_) {
    set_floating_point_control(floating_point_);
    changed.emplace_back("floating-point control");
  }
  if (::uselocale(static_cast<locale_t>(nullptr)) != thread_locale_) {
    ::uselocale(thread_locale_);
    changed.emplace_back("the thread's locale");
  }
  if (const char *name = std::setlocale(LC_ALL, nullptr); name != nullptr && c_locale_ != name) {
    std::setlocale(LC_ALL, c_locale_.c_str());
    changed.emplace_back("the locale");
  }
  sigset_t mask{};
  ::pthread_sigmask(SIG_SETMASK, nullptr, &mask);
  if (std::memcmp(&mask, &mask_, sizeof mask) != 0) {
    ::pthread_sigmask(SIG_SETMASK, &mask_, nullptr);
    changed.emplace_back("the signal mask");
  }
  if (all_) process_surroundings::first().put_back(changed);
  return joined(changed);
}

}  // namespace tenon::host
