// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "imports.hpp"

#include <elf.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <new>
#include <span>
#include <string_view>

namespace tenon::conformance {
namespace {

struct replacement {
  std::string_view name;
  void *by;
};

// Is this relocation one that holds the address of a symbol?
bool holds_symbol(uint64_t info) {
  const uint64_t type = ELF64_R_TYPE(info);
#if defined(__x86_64__)
  return type == R_X86_64_GLOB_DAT || type == R_X86_64_JUMP_SLOT || type == R_X86_64_64;
#elif defined(__aarch64__)
  return type == R_AARCH64_GLOB_DAT || type == R_AARCH64_JUMP_SLOT || type == R_AARCH64_ABS64;
#else
  return false;
#endif
}

struct dynamic_table {
  const ElfW(Sym) *symbols = nullptr;
  const char *names = nullptr;
  std::span<const ElfW(Rela)> jumps, others;

  explicit dynamic_table(const link_map &map) {
    const ElfW(Rela) *jump = nullptr, *rela = nullptr;
    size_t jump_bytes = 0, rela_bytes = 0;
    for (const ElfW(Dyn) *d = map.l_ld; d->d_tag != DT_NULL; ++d) {
      // glibc has made addresses of these already.
      if (d->d_tag == DT_SYMTAB) symbols = reinterpret_cast<const ElfW(Sym) *>(d->d_un.d_ptr);
      if (d->d_tag == DT_STRTAB) names = reinterpret_cast<const char *>(d->d_un.d_ptr);
      if (d->d_tag == DT_JMPREL) jump = reinterpret_cast<const ElfW(Rela) *>(d->d_un.d_ptr);
      if (d->d_tag == DT_PLTRELSZ) jump_bytes = d->d_un.d_val;
      if (d->d_tag == DT_RELA) rela = reinterpret_cast<const ElfW(Rela) *>(d->d_un.d_ptr);
      if (d->d_tag == DT_RELASZ) rela_bytes = d->d_un.d_val;
    }
    if (jump != nullptr) jumps = {jump, jump_bytes / sizeof *jump};
    if (rela != nullptr) others = {rela, rela_bytes / sizeof *rela};
  }
};

size_t replace(const opened_module &module, std::span<const replacement> these) {
  const link_map *map = module.linked();
  if (map == nullptr) return 0;
  const dynamic_table table(*map);
  if (table.symbols == nullptr || table.names == nullptr) return 0;
  const auto page = static_cast<uintptr_t>(::sysconf(_SC_PAGESIZE));
  size_t count = 0;
  for (const auto list : {table.jumps, table.others}) {
    for (const ElfW(Rela) & r : list) {
      if (!holds_symbol(r.r_info)) continue;
      const std::string_view name = table.names + table.symbols[ELF64_R_SYM(r.r_info)].st_name;
      for (const replacement &one : these) {
        if (one.name != name) continue;
        const uintptr_t at = map->l_addr + r.r_offset;
        auto *first = reinterpret_cast<void *>(at / page * page);
        if (::mprotect(first, page * 2, PROT_READ | PROT_WRITE) != 0) ::mprotect(first, page, PROT_READ | PROT_WRITE);
        std::memcpy(reinterpret_cast<void *>(at), &one.by, sizeof one.by);
        ++count;
      }
    }
  }
  return count;
}

std::atomic<int64_t> later{0};
std::atomic<uint64_t> drawn{0};

time_t other_time(time_t *to) {
  const time_t now = ::time(nullptr) + later;
  if (to != nullptr) *to = now;
  return now;
}
int other_clock_gettime(clockid_t id, timespec *to) {
  const int status = ::clock_gettime(id, to);
  to->tv_sec += later;
  return status;
}
int other_gettimeofday(timeval *to, void *) {
  const int status = ::gettimeofday(to, nullptr);
  to->tv_sec += later;
  return status;
}
int64_t other_now() {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  return (now.tv_sec + later) * 1'000'000'000 + now.tv_nsec;
}
clock_t other_clock() { return ::clock() + later * 1000; }
int other_rand() { return static_cast<int>((++drawn * 0x9E3779B97F4A7C15) >> 33); }
long other_random() { return other_rand(); }
int other_rand_r(unsigned *) { return other_rand(); }
double other_drand() { return static_cast<double>(other_rand()) / 2147483648.0; }
pid_t other_pid() { return static_cast<pid_t>(1000 + later % 1000); }
ssize_t other_getrandom(void *to, size_t bytes, unsigned) {
  for (size_t i = 0; i < bytes; ++i) static_cast<unsigned char *>(to)[i] = static_cast<unsigned char>(other_rand());
  return static_cast<ssize_t>(bytes);
}
char *other_getenv(const char *) {
  static std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%lld", static_cast<long long>(later.load()));
  return text.data();
}
int other_hostname(char *to, size_t bytes) {
  std::snprintf(to, bytes, "host-%lld", static_cast<long long>(later.load()));
  return 0;
}

template <class F>
void *address(F *function) {
  return reinterpret_cast<void *>(function);
}

std::atomic<uint64_t> asked{0}, failing_from{0};

void *other_new(size_t bytes) {
  const uint64_t n = ++asked;
  if (failing_from != 0 && n >= failing_from) throw std::bad_alloc();
  return ::operator new(bytes);
}
void *other_new_aligned(size_t bytes, std::align_val_t alignment) {
  const uint64_t n = ++asked;
  if (failing_from != 0 && n >= failing_from) throw std::bad_alloc();
  return ::operator new(bytes, alignment);
}

}  // namespace

size_t replace_clocks(const opened_module &module) {
  const std::array these{
      replacement{"time", address(other_time)},
      replacement{"clock_gettime", address(other_clock_gettime)},
      replacement{"gettimeofday", address(other_gettimeofday)},
      replacement{"clock", address(other_clock)},
      replacement{"rand", address(other_rand)},
      replacement{"rand_r", address(other_rand_r)},
      replacement{"random", address(other_random)},
      replacement{"lrand48", address(other_random)},
      replacement{"mrand48", address(other_random)},
      replacement{"drand48", address(other_drand)},
      replacement{"getrandom", address(other_getrandom)},
      replacement{"getpid", address(other_pid)},
      replacement{"gettid", address(other_pid)},
      replacement{"getppid", address(other_pid)},
      replacement{"getenv", address(other_getenv)},
      replacement{"secure_getenv", address(other_getenv)},
      replacement{"gethostname", address(other_hostname)},
      replacement{"_ZNSt6chrono3_V212system_clock3nowEv", address(other_now)},
      replacement{"_ZNSt6chrono3_V212steady_clock3nowEv", address(other_now)},
  };
  return replace(module, these);
}

void set_clocks(int64_t later_s) { later = later_s; }

size_t replace_new(const opened_module &module) {
  const std::array these{
      replacement{"_Znwm", address(other_new)},
      replacement{"_Znam", address(other_new)},
      replacement{"_ZnwmSt11align_val_t", address(other_new_aligned)},
      replacement{"_ZnamSt11align_val_t", address(other_new_aligned)},
  };
  return replace(module, these);
}

void fail_new_from(uint64_t fail_from) {
  asked = 0;
  failing_from = fail_from;
}

uint64_t new_calls() { return asked; }

}  // namespace tenon::conformance
