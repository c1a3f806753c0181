// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "tenon/host/library_lint.hpp"

#include <elf.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "base/descriptor.hpp"
#include "library/elf_image.hpp"
#include "tenon/abi/module.h"
#include "tenon/host/process_state.hpp"

namespace tenon::host {
namespace {

struct machine_kind {
  unsigned char elf_class = ELFCLASSNONE;
  unsigned char byte_order = ELFDATANONE;
  uint16_t machine = EM_NONE;
  friend bool operator==(const machine_kind &, const machine_kind &) = default;
};

std::string text(const machine_kind &kind) {
  const std::string bits = kind.elf_class == ELFCLASS64 ? "64-bit" : "32-bit";
  const std::string order = kind.byte_order == ELFDATA2LSB ? "little-endian" : "big-endian";
  std::string machine = "machine " + std::to_string(kind.machine);
  if (kind.machine == EM_X86_64) machine = "x86-64";
  if (kind.machine == EM_AARCH64) machine = "aarch64";
  if (kind.machine == EM_RISCV) machine = "riscv";
  if (kind.machine == EM_386) machine = "i386";
  return bits + " " + order + " " + machine;
}

// That of the running program: what dlopen will accept.
machine_kind own_machine() {
  const descriptor self(::open("/proc/self/exe", O_RDONLY | O_CLOEXEC));
  Elf64_Ehdr header{};  // the fields used here have the same place in a 32-bit header
  if (!self || ::read(self.get(), &header, sizeof header) < static_cast<ssize_t>(sizeof(Elf32_Ehdr))) return {};
  return {header.e_ident[EI_CLASS], header.e_ident[EI_DATA], header.e_machine};
}

class linter {
 public:
  linter(const library_file &file, const elf_image &image, lint_report &report)
      : file_(file), image_(image), report_(report) {}

  void check_kind() {
    const machine_kind have{image_.elf_class, image_.byte_order, image_.machine};
    const machine_kind want = own_machine();
    if (have != want) find(text(want), text(have), "install the module's build for this machine");
    if (image_.type != ET_DYN) find("a shared library", "an ELF file of another type", "link it with -shared");
    if ((flag(DT_FLAGS_1) & DF_1_PIE) != 0)
      find("a shared library", "a position-independent executable", "link it with -shared");
    if ((flag(DT_FLAGS_1) & DF_1_NOOPEN) != 0)
      find("a library that may be opened", "one linked with -z nodlopen", "link it without -z nodlopen");
  }

  void check_exports() {
    bool entry = false;
    std::vector<std::string> others;
    for (const elf_symbol &symbol : image_.exports) {
      report_.traits.exports.push_back(symbol.name);
      if (symbol.name != TENON_MODULE_SYMBOL) {
        others.push_back(symbol.name);
      } else if (entry = true; symbol.type != STT_OBJECT) {
        find("a constant object " TENON_MODULE_SYMBOL, "a " TENON_MODULE_SYMBOL " that is no object",
             "define it as in tenon/abi/module.h, or with the SDK's macro");
      }
    }
    if (!entry)
      find("the export " TENON_MODULE_SYMBOL, "a library that does not export it",
           "define it as in tenon/abi/module.h, or with the SDK's macro");
    if (!others.empty()) {
      const size_t count = others.size();
      if (count > 5) others.resize(5);
      find("no export but " TENON_MODULE_SYMBOL, std::to_string(count) + " more, for one " + joined(others),
           "build it with tenon_add_module, or link with a version script that makes all else local");
    }
  }

  void check_needed(const lint_options &options) {
    const auto named = [](std::string_view name, std::string_view stem) { return name.substr(0, stem.size()) == stem; };
    constexpr std::array<std::string_view, 5> kept_out = {"libprotobuf", "libprotoc", "libgrpc", "libgpr.so", "libupb"};
    std::vector<std::string> bad;
    bool through_tenon = false;
    for (const std::string &name : image_.needed) {
      report_.traits.needed.push_back(name);
      if (named(name, "libtenon_proto.so")) through_tenon = true;
      if (std::any_of(kept_out.begin(), kept_out.end(), [&](auto stem) { return named(name, stem); }))
        bad.push_back(name);
    }
    if (bad.empty() || (options.may_link_grpc && through_tenon)) return;
    find("a module without protobuf and gRPC (a transport that links libtenon_proto.so may have them)",
         "one that needs " + joined(bad),
         "two copies of one .proto abort the process: link libtenon_proto.so, or keep protobuf out of the module");
  }

  void check_memory() {
    bool stack = false;
    for (const GElf_Phdr &segment : image_.segments) {
      if (segment.p_type == PT_GNU_STACK) {
        stack = true;
        if ((segment.p_flags & PF_X) != 0)
          find("a stack that is not executable", "an executable stack",
               "link with -z noexecstack; an assembler file needs a .note.GNU-stack section");
      }
      if (segment.p_type == PT_LOAD && (segment.p_flags & (PF_W | PF_X)) == (PF_W | PF_X))
        find("code that is not writable", "a segment that is writable and executable", "link without -N or -z rwx");
    }
    if (!stack)
      find("a stack that is not executable", "no PT_GNU_STACK header, which asks for an executable stack",
           "link with -z noexecstack");
    if (has(DT_TEXTREL) || (flag(DT_FLAGS) & DF_TEXTREL) != 0)
      find("position-independent code", "text relocations", "compile with -fPIC and link with -z text");
  }

  void note_origin() {
    report_.traits.uses_origin =
        std::any_of(image_.run_paths.begin(), image_.run_paths.end(), [](const std::string &path) {
          return path.find("$ORIGIN") != std::string::npos || path.find("${ORIGIN}") != std::string::npos;
        });
    for (std::string_view path : image_.run_paths) {
      while (!path.empty()) {
        const size_t end = std::min(path.find(':'), path.size());
        if (end != 0) report_.traits.folders.emplace_back(path.substr(0, end));
        path.remove_prefix(std::min(end + 1, path.size()));
      }
    }
  }

 private:
  [[nodiscard]] bool has(int64_t tag) const {
    return std::any_of(image_.dynamic.begin(), image_.dynamic.end(), [&](const GElf_Dyn &d) { return d.d_tag == tag; });
  }
  [[nodiscard]] uint64_t flag(int64_t tag) const {
    for (const GElf_Dyn &entry : image_.dynamic)
      if (entry.d_tag == tag) return entry.d_un.d_val;
    return 0;
  }
  void find(std::string want, std::string have, std::string fix) {
    report_.findings.push_back({file_.path.string(), std::move(want), std::move(have), std::move(fix)});
  }

  const library_file &file_;
  const elf_image &image_;
  lint_report &report_;
};

}  // namespace

lint_report lint_library(const library_file &file, const lint_options &options) {
  lint_report report;
  const elf_reading reading = read_elf(file.bytes);
  if (!reading.image) {
    report.findings.push_back(
        {file.path.string(), "a shared library", reading.problem, "build or copy the library again"});
    return report;
  }
  report.traits.build_id = reading.image->build_id;
  linter lint(file, *reading.image, report);
  lint.check_kind();
  lint.check_exports();
  lint.check_needed(options);
  lint.check_memory();
  lint.note_origin();
  return report;
}

}  // namespace tenon::host
