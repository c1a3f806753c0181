// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "library/elf_image.hpp"

#include <libelf.h>

#include <boost/algorithm/hex.hpp>
#include <iterator>
#include <string_view>

namespace tenon::host {
namespace {

struct elf_closer {
  void operator()(Elf *elf) const { elf_end(elf); }
};
using elf_handle = std::unique_ptr<Elf, elf_closer>;

std::string text_at(Elf *elf, size_t table, size_t offset) {
  const char *text = elf_strptr(elf, table, offset);
  return text == nullptr ? std::string{} : std::string(text);
}

void read_dynamic(Elf *elf, Elf_Scn *section, const GElf_Shdr &header, elf_image &out) {
  Elf_Data *content = elf_getdata(section, nullptr);
  if (content == nullptr || header.sh_entsize == 0) return;
  const auto count = static_cast<int>(content->d_size / header.sh_entsize);
  for (int i = 0; i < count; ++i) {
    GElf_Dyn entry{};
    if (gelf_getdyn(content, i, &entry) == nullptr || entry.d_tag == DT_NULL) break;
    out.dynamic.push_back(entry);
    if (entry.d_tag == DT_NEEDED) out.needed.push_back(text_at(elf, header.sh_link, entry.d_un.d_val));
    if (entry.d_tag == DT_RPATH || entry.d_tag == DT_RUNPATH)
      out.run_paths.push_back(text_at(elf, header.sh_link, entry.d_un.d_val));
  }
}

bool is_export(const GElf_Sym &symbol) {
  const auto binding = GELF_ST_BIND(symbol.st_info);
  const auto visibility = GELF_ST_VISIBILITY(symbol.st_other);
  if (symbol.st_shndx == SHN_UNDEF || binding == STB_LOCAL) return false;
  if (visibility == STV_HIDDEN || visibility == STV_INTERNAL) return false;
  // The name of a symbol version is listed as an absolute symbol without a size.
  return symbol.st_shndx != SHN_ABS || symbol.st_size != 0;
}

void read_exports(Elf *elf, Elf_Scn *section, const GElf_Shdr &header, elf_image &out) {
  Elf_Data *content = elf_getdata(section, nullptr);
  if (content == nullptr || header.sh_entsize == 0) return;
  const auto count = static_cast<int>(content->d_size / header.sh_entsize);
  for (int i = 0; i < count; ++i) {
    GElf_Sym symbol{};
    if (gelf_getsym(content, i, &symbol) == nullptr) break;
    if (is_export(symbol))
      out.exports.push_back(
          {text_at(elf, header.sh_link, symbol.st_name), static_cast<unsigned char>(GELF_ST_TYPE(symbol.st_info))});
  }
}

void read_build_id(Elf *elf, const GElf_Phdr &segment, elf_image &out) {
  Elf_Data *notes = elf_getdata_rawchunk(elf, static_cast<int64_t>(segment.p_offset), segment.p_filesz,
                                         segment.p_align == 8 ? ELF_T_NHDR8 : ELF_T_NHDR);
  if (notes == nullptr) return;
  GElf_Nhdr note{};
  size_t name_at = 0, id_at = 0;
  for (size_t at = 0; (at = gelf_getnote(notes, at, &note, &name_at, &id_at)) > 0;) {
    const std::string_view bytes(static_cast<const char *>(notes->d_buf), notes->d_size);
    if (note.n_type != NT_GNU_BUILD_ID || bytes.substr(name_at, note.n_namesz) != std::string_view("GNU\0", 4))
      continue;
    const std::string_view id = bytes.substr(id_at, note.n_descsz);
    boost::algorithm::hex_lower(id.begin(), id.end(), std::back_inserter(out.build_id));
    return;
  }
}

std::string elf_problem(const char *what) {
  const char *why = elf_errmsg(-1);
  return std::string(what) + (why == nullptr ? "" : std::string(": ") + why);
}

}  // namespace

elf_reading read_elf(std::span<const std::byte> bytes) {
  if (elf_version(EV_CURRENT) == EV_NONE) return {{}, elf_problem("libelf is too old")};
  // libelf never writes to an image that is opened for reading; its parameter only lacks the const.
  const elf_handle elf(elf_memory(reinterpret_cast<char *>(const_cast<std::byte *>(bytes.data())), bytes.size()));
  if (!elf || elf_kind(elf.get()) != ELF_K_ELF) return {{}, "not an ELF file"};

  GElf_Ehdr header{};
  if (gelf_getehdr(elf.get(), &header) == nullptr) return {{}, elf_problem("no readable ELF header")};
  elf_image out;
  out.elf_class = header.e_ident[EI_CLASS];
  out.byte_order = header.e_ident[EI_DATA];
  out.machine = header.e_machine;
  out.type = header.e_type;

  size_t segment_count = 0;
  if (elf_getphdrnum(elf.get(), &segment_count) != 0) return {{}, elf_problem("no readable program headers")};
  for (size_t i = 0; i < segment_count; ++i) {
    GElf_Phdr segment{};
    if (gelf_getphdr(elf.get(), static_cast<int>(i), &segment) == nullptr)
      return {{}, elf_problem("a damaged program header")};
    if (segment.p_filesz != 0 &&
        (segment.p_offset > bytes.size() || segment.p_filesz > bytes.size() - segment.p_offset))
      return {{}, "a truncated ELF file: a segment reaches beyond its end"};
    out.segments.push_back(segment);
    if (segment.p_type == PT_NOTE && out.build_id.empty()) read_build_id(elf.get(), segment, out);
  }

  bool has_symbols = false;
  for (Elf_Scn *section = elf_nextscn(elf.get(), nullptr); section != nullptr;
       section = elf_nextscn(elf.get(), section)) {
    GElf_Shdr about{};
    if (gelf_getshdr(section, &about) == nullptr) return {{}, elf_problem("a damaged section header")};
    if (about.sh_type == SHT_DYNAMIC) read_dynamic(elf.get(), section, about, out);
    if (about.sh_type == SHT_DYNSYM) {
      read_exports(elf.get(), section, about, out);
      has_symbols = true;
    }
  }
  if (!has_symbols || out.dynamic.empty())
    return {{},
            "an ELF file without a dynamic symbol table in its section headers (truncated, or not a shared library)"};
  return {std::move(out), {}};
}

}  // namespace tenon::host
