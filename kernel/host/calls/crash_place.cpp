// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "calls/crash_place.hpp"

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <link.h>
#include <ucontext.h>
#include <unistd.h>
#include <unwind.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace tenon::host {
namespace {

// Small enough that a record with all of it is whole.
constexpr size_t most_frames = 24, longest_name = 48;
constexpr size_t most_handler_frames = 16, header_bytes = 4096;

uintptr_t program_counter(const void *context) {
  const auto &machine = static_cast<const ucontext_t *>(context)->uc_mcontext;
#if defined(__x86_64__)
  return static_cast<uintptr_t>(machine.gregs[REG_RIP]);
#elif defined(__aarch64__)
  return static_cast<uintptr_t>(machine.pc);
#else
  (void)machine;
  return 0;
#endif
}

// Returns the caller of a function that did not begin, as where a null pointer was called.
uintptr_t caller(const void *context) {
  const auto &machine = static_cast<const ucontext_t *>(context)->uc_mcontext;
#if defined(__x86_64__)
  dl_find_object found{};
  return _dl_find_object(reinterpret_cast<void *>(program_counter(context)), &found) == 0
             ? 0
             : *reinterpret_cast<const uintptr_t *>(machine.gregs[REG_RSP]);
#elif defined(__aarch64__)
  return static_cast<uintptr_t>(machine.regs[30]);
#else
  (void)machine;
  return 0;
#endif
}

std::string_view name_of(const link_map &library, std::string_view module) {
  const std::string_view path(library.l_name);
  if (path.empty()) return program_invocation_short_name;
  if (path.starts_with("/proc/self/fd/")) return module;
  return path.substr(path.rfind('/') + 1).substr(0, longest_name);
}

void add_address(uintptr_t address, std::string_view module, fault_text &to) {
  dl_find_object found{};
  if (_dl_find_object(reinterpret_cast<void *>(address), &found) == 0) {
    to.add(name_of(*found.dlfo_link_map, module)).add("+");
    address -= found.dlfo_link_map->l_addr;
  }
  to.add("0x").add(address, 16);
}

void add_bytes(const unsigned char *bytes, size_t count, fault_text &to) {
  for (size_t i = 0; i < count; ++i) to.add(bytes[i] >> 4U, 16).add(bytes[i] & 15U, 16);
}

// Notes are four-byte words: sizes of name and content, the type, then both, each padded.
void add_build_id_of(const unsigned char *note, const unsigned char *end, fault_text &to) {
  const auto padded = [](size_t size) { return (size + 3) & ~size_t{3}; };
  while (static_cast<size_t>(end - note) >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) about{};
    std::memcpy(&about, note, sizeof about);
    const unsigned char *name = note + sizeof about, *content = name + padded(about.n_namesz);
    if (static_cast<size_t>(end - name) < padded(about.n_namesz) + about.n_descsz) return;
    if (about.n_type == NT_GNU_BUILD_ID && about.n_namesz == 4 && std::memcmp(name, "GNU", 4) == 0) {
      to.add("=");
      return add_bytes(content, about.n_descsz, to);
    }
    note = content + padded(about.n_descsz);
  }
}

void add_build_id(const dl_find_object &found, fault_text &to) {
  const auto *start = static_cast<const unsigned char *>(found.dlfo_map_start);
  const auto *end = static_cast<const unsigned char *>(found.dlfo_map_end);
  ElfW(Ehdr) header{};
  std::memcpy(&header, start, sizeof header);
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
      header.e_phoff + header.e_phnum * sizeof(ElfW(Phdr)) > header_bytes)
    return;
  for (size_t i = 0; i < header.e_phnum; ++i) {
    ElfW(Phdr) segment{};
    std::memcpy(&segment, start + header.e_phoff + i * sizeof segment, sizeof segment);
    const auto *note = reinterpret_cast<const unsigned char *>(found.dlfo_link_map->l_addr + segment.p_vaddr);
    if (segment.p_type == PT_NOTE && note >= start && note < end && segment.p_memsz <= static_cast<size_t>(end - note))
      add_build_id_of(note, note + segment.p_memsz, to);
  }
}

struct frames {
  uintptr_t from = 0;  // what is above it are the handler's own
  size_t count = 0, seen = 0;
  std::array<uintptr_t, most_frames> at{};
};

_Unwind_Reason_Code add_frame(_Unwind_Context *context, void *to) {
  frames &out = *static_cast<frames *>(to);
  const uintptr_t address = _Unwind_GetIP(context);
  if (out.count == 0 && address != out.from)
    return ++out.seen == most_handler_frames ? _URC_END_OF_STACK : _URC_NO_REASON;
  out.at[out.count++] = address;
  return out.count == most_frames ? _URC_END_OF_STACK : _URC_NO_REASON;
}

// NAME=ID of each library in which a frame is, once.
void add_build_ids(const frames &of, std::string_view module, fault_text &to) {
  std::array<const link_map *, most_frames> seen{};
  size_t count = 0;
  for (size_t i = 0; i < of.count; ++i) {
    dl_find_object found{};
    if (_dl_find_object(reinterpret_cast<void *>(of.at[i]), &found) != 0) continue;
    if (std::find(seen.begin(), seen.begin() + count, found.dlfo_link_map) != seen.begin() + count) continue;
    seen[count++] = found.dlfo_link_map;
    add_build_id(found, to.add(" ").add(name_of(*found.dlfo_link_map, module)));
  }
}

}  // namespace

void add_program_counter(const void *context, std::string_view module, fault_text &to) {
  add_address(program_counter(context), module, to.add("pc: "));
  to.add("\n");
}

void add_backtrace(const void *context, std::string_view module, fault_text &to) {
  frames found;
  found.from = program_counter(context);
  _Unwind_Backtrace(add_frame, &found);
  if (found.count == 0) found.at[found.count++] = found.from;
  if (found.count == 1)
    if (const uintptr_t above = caller(context); above != 0) found.at[found.count++] = above;
  add_build_ids(found, module, to.add("build_ids:"));
  to.add("\nbacktrace:");
  for (size_t i = 0; i < found.count; ++i) add_address(found.at[i], module, to.add(" "));
  to.add("\n");
}

void let_it_be(int number, const siginfo_t &what) {
  ::signal(number, SIG_DFL);
  if (what.si_code <= 0) ::raise(number);
}

}  // namespace tenon::host
