// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "tenon/host/process_state.hpp"

#include <cfenv>
#include <clocale>
#include <cstring>

#if defined(__x86_64__) || defined(__i386__)
#include <xmmintrin.h>
#endif

namespace tenon::host {
namespace {

#if defined(__x86_64__) || defined(__i386__)
constexpr uint32_t sse_status_flags = 0x3f;

uint16_t x87_control() {
  uint16_t word = 0;
  __asm__ volatile("fnstcw %0" : "=m"(word));
  return word;
}
#endif

std::string c_locale_name() {
  const char *name = std::setlocale(LC_ALL, nullptr);
  return name == nullptr ? std::string{} : std::string(name);
}

bool same_handler(const struct sigaction &a, const struct sigaction &b) {
  // The two handler members share their storage.
  return a.sa_flags == b.sa_flags && std::memcmp(&a.sa_handler, &b.sa_handler, sizeof a.sa_handler) == 0;
}

bool same_mask(const sigset_t &a, const sigset_t &b) {
  for (int s = 1; s < NSIG; ++s)
    if (sigismember(&a, s) != sigismember(&b, s)) return false;
  return true;
}

std::string signal_name(int number) {
  const char *name = sigabbrev_np(number);
  return name == nullptr ? "signal " + std::to_string(number) : std::string("SIG") + name;
}

// How this thread rounds, flushes and traps; status flags left out.
uint64_t floating_point_control() {
#if defined(__x86_64__) || defined(__i386__)
  return (uint64_t{x87_control()} << 32) | (_mm_getcsr() & ~sse_status_flags);
#elif defined(__aarch64__)
  uint64_t control = 0;
  __asm__ volatile("mrs %0, fpcr" : "=r"(control));
  return control;
#else
  return static_cast<uint64_t>(std::fegetround());
#endif
}

}  // namespace

process_state::process_state()
    : floating_point_(floating_point_control()),
      c_locale_(c_locale_name()),
      thread_locale_(uselocale(static_cast<locale_t>(nullptr))),
      mask_{},
      handlers_{} {
  pthread_sigmask(SIG_SETMASK, nullptr, &mask_);
  for (int s = 1; s < NSIG; ++s) sigaction(s, nullptr, &handlers_[static_cast<size_t>(s)]);
}

std::vector<std::string> process_state::changes() const {
  std::vector<std::string> changed;
  if (floating_point_control() != floating_point_) changed.emplace_back("floating-point control");
  if (std::locale() != cpp_locale_) changed.emplace_back("the C++ locale");
  if (c_locale_name() != c_locale_) changed.emplace_back("the locale");
  if (uselocale(static_cast<locale_t>(nullptr)) != thread_locale_) changed.emplace_back("the thread's locale");
  for (int s = 1; s < NSIG; ++s) {
    struct sigaction now {};
    if (sigaction(s, nullptr, &now) == 0 && !same_handler(now, handlers_[static_cast<size_t>(s)]))
      changed.push_back("the handler of " + signal_name(s));
  }
  sigset_t mask{};
  pthread_sigmask(SIG_SETMASK, nullptr, &mask);
  if (!same_mask(mask, mask_)) changed.emplace_back("the signal mask");
  return changed;
}

std::string joined(const std::vector<std::string> &parts) {
  std::string out;
  for (size_t i = 0; i < parts.size(); ++i) {
    if (i != 0) out += i + 1 == parts.size() ? " and " : ", ";
    out += parts[i];
  }
  return out;
}

}  // namespace tenon::host
