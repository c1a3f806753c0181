// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What lint needs to know of an ELF file, read with libelf from bytes in memory.
#pragma once

#include <gelf.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tenon::host {

struct elf_symbol {
  std::string name;
  unsigned char type = STT_NOTYPE;
};

struct elf_image {
  unsigned char elf_class = ELFCLASSNONE;
  unsigned char byte_order = ELFDATANONE;
  uint16_t machine = EM_NONE;
  uint16_t type = ET_NONE;
  std::vector<GElf_Phdr> segments;
  std::vector<GElf_Dyn> dynamic;
  std::vector<std::string> needed;
  std::vector<std::string> run_paths;  // DT_RPATH and DT_RUNPATH
  std::vector<elf_symbol> exports;     // defined, global or weak, not hidden
  std::string build_id;                // hexadecimal digits; empty: there is none
};

// The reason where the bytes are no ELF file that libelf can read whole.
struct elf_reading {
  std::optional<elf_image> image;
  std::string problem;
};

[[nodiscard]] elf_reading read_elf(std::span<const std::byte> bytes);

}  // namespace tenon::host
