// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// exit() as modules find it first. The C library's runs destructors of what other threads still use before it asks
// anybody: a daemon whose module calls it would answer its resource managers from what is destroyed.
#include <dlfcn.h>
#include <unistd.h>

#include <cstdlib>

#include "run/exit_code.hpp"
#include "tenon/host/unasked_end.hpp"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define TENON_LEAVES_IT_TO_A_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define TENON_LEAVES_IT_TO_A_SANITIZER 1
#endif
#endif

#ifndef TENON_LEAVES_IT_TO_A_SANITIZER
extern "C" __attribute__((visibility("default"))) void exit(int status) noexcept {
  using namespace tenon;
  // The daemon itself says why it ends before it leaves main().
  if (host::record_unasked_end("exit() was called", host::unasked_by::this_thread))
    ::_exit(static_cast<int>(cli::exit_code::unasked));
  auto *const real = reinterpret_cast<void (*)(int)>(::dlsym(RTLD_NEXT, "exit"));
  for (;;) real(status);
}
#endif
