// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The C library's functions that end a process, or that run another program in its place. Modules find these first.
// They tell the daemon, then do what they are for.
#include <alloca.h>
#include <dlfcn.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <cstdlib>

#include "serve/unasked_exit.hpp"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define TENON_LEAVES_THEM_TO_A_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define TENON_LEAVES_THEM_TO_A_SANITIZER 1
#endif
#endif

#ifndef TENON_LEAVES_THEM_TO_A_SANITIZER
namespace {

using tenon::cli::ends_process;
using words = char *const *;

// Looked for before there are threads: between fork and exec nothing may allocate.
template <class Function>
Function *behind(const char *name) {
  return reinterpret_cast<Function *>(::dlsym(RTLD_NEXT, name));
}
auto *const real_execve = behind<int(const char *, words, words)>("execve");
auto *const real_execvpe = behind<int(const char *, words, words)>("execvpe");
auto *const real_fexecve = behind<int(int, words, words)>("fexecve");
auto *const real_execveat = behind<int(int, const char *, words, words, int)>("execveat");

auto *const real_exit = behind<void(int)>("exit");
auto *const real_kill = behind<int(pid_t, int)>("kill");

bool ends_this_process(pid_t process, int number) {
  const bool ends =
      number == SIGKILL || number == SIGTERM || number == SIGINT || number == SIGQUIT || number == SIGABRT;
  return ends && (process == ::getpid() || process == 0 || process == -1 || process == -::getpgrp());
}

int run(const char *how, int (*real)(const char *, words, words), const char *file, words arguments,
        words environment) {
  ends_process(how);
  return real(file, arguments, environment);
}

[[noreturn]] void end(const char *how, int status) {
  ends_process(how);
  for (;;) ::syscall(SYS_exit_group, status);
}

}  // namespace

#define TENON_FOUND_FIRST __attribute__((visibility("default")))

// The rest of a function that is given the words of the program one by one.
#define TENON_LISTED(NAME, REAL, FILE, FIRST, ENVIRONMENT)                               \
  std::va_list rest;                                                                     \
  size_t count = 1;                                                                      \
  va_start(rest, FIRST);                                                                 \
  while (va_arg(rest, const char *) != nullptr) ++count;                                 \
  va_end(rest);                                                                          \
  auto **const arguments = static_cast<char **>(::alloca((count + 1) * sizeof(char *))); \
  arguments[0] = const_cast<char *>(FIRST);                                              \
  va_start(rest, FIRST);                                                                 \
  for (size_t i = 1; i <= count; ++i) arguments[i] = va_arg(rest, char *);               \
  words environment = ENVIRONMENT;                                                       \
  va_end(rest);                                                                          \
  return run(NAME "() was called", REAL, FILE, arguments, environment)

extern "C" {

// The C library's would run the destructors of libraries that other threads still use before it ran what std::atexit
// was given; the first of those threads that crashed would then be taken for the cause.
TENON_FOUND_FIRST void exit(int status) noexcept {
  ends_process("exit() was called");
  for (;;) real_exit(status);
}
TENON_FOUND_FIRST void _exit(int status) { end("_exit() was called", status); }
TENON_FOUND_FIRST void _Exit(int status) noexcept { end("_Exit() was called", status); }

TENON_FOUND_FIRST int kill(pid_t process, int number) noexcept {
  if (ends_this_process(process, number)) ends_process("kill() was called for the process itself");
  return real_kill(process, number);
}

TENON_FOUND_FIRST int execve(const char *path, words arguments, words environment) noexcept {
  return run("execve() was called", real_execve, path, arguments, environment);
}
TENON_FOUND_FIRST int execv(const char *path, words arguments) noexcept {
  return run("execv() was called", real_execve, path, arguments, environ);
}
TENON_FOUND_FIRST int execvp(const char *file, words arguments) noexcept {
  return run("execvp() was called", real_execvpe, file, arguments, environ);
}
TENON_FOUND_FIRST int execvpe(const char *file, words arguments, words environment) noexcept {
  return run("execvpe() was called", real_execvpe, file, arguments, environment);
}
TENON_FOUND_FIRST int fexecve(int file, words arguments, words environment) noexcept {
  ends_process("fexecve() was called");
  return real_fexecve(file, arguments, environment);
}
TENON_FOUND_FIRST int execveat(int folder, const char *path, words arguments, words environment, int flags) noexcept {
  ends_process("execveat() was called");
  return real_execveat(folder, path, arguments, environment, flags);
}
TENON_FOUND_FIRST int execl(const char *path, const char *first, ...) noexcept {
  TENON_LISTED("execl", real_execve, path, first, environ);
}
TENON_FOUND_FIRST int execlp(const char *file, const char *first, ...) noexcept {
  TENON_LISTED("execlp", real_execvpe, file, first, environ);
}
TENON_FOUND_FIRST int execle(const char *path, const char *first, ...) noexcept {
  TENON_LISTED("execle", real_execve, path, first, va_arg(rest, char **));
}
}
#endif
