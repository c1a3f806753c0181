// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "plugin/tar_archive.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <optional>

#include "tenon/config/problems.hpp"

namespace tenon::cli {
namespace {

constexpr size_t block_bytes = 512, most_members = 16;

// POSIX.1-1988. Numbers are octal digits, texts end where a zero or the field does.
struct tar_header {
  char name[100], mode[8], owner[8], group[8], size[12], time[12], sum[8], type, link[100], magic[6], version[2];
  char owner_name[32], group_name[32], major[8], minor[8], folders[155], unused[12];
};
static_assert(sizeof(tar_header) == block_bytes);

template <size_t Size>
std::string_view field_text(const char (&field)[Size]) {
  return {field, ::strnlen(field, Size)};
}

template <size_t Size>
void put_number(char (&field)[Size], uint64_t number) {
  std::snprintf(field, Size, "%0*llo", static_cast<int>(Size - 1), static_cast<unsigned long long>(number));
}

template <size_t Size>
std::optional<uint64_t> number_in(const char (&field)[Size]) {
  const auto is_octal = [](char c) { return c >= '0' && c <= '7'; };
  const char *at = std::find_if_not(std::begin(field), std::end(field), [](char c) { return c == ' '; });
  const char *end = std::find_if_not(at, std::end(field), is_octal);
  if (at == end || std::any_of(end, std::end(field), [](char c) { return c != ' ' && c != '\0'; })) return std::nullopt;
  uint64_t out = 0;
  for (; at != end; ++at) out = out * 8 + static_cast<uint64_t>(*at - '0');
  return out;
}

// The sum of all bytes, with blanks where the sum itself stands.
uint64_t sum_of(tar_header header) {
  std::fill(std::begin(header.sum), std::end(header.sum), ' ');
  const auto *bytes = reinterpret_cast<const unsigned char *>(&header);
  uint64_t out = 0;
  for (size_t i = 0; i < sizeof header; ++i) out += bytes[i];
  return out;
}

size_t padded_size(size_t size) { return (size + block_bytes - 1) / block_bytes * block_bytes; }

bool is_all_zero(std::string_view bytes) { return bytes.find_first_not_of('\0') == std::string_view::npos; }

std::string type_words(char type) {
  switch (type) {
    case '1':
      return "a hard link";
    case '2':
      return "a symbolic link";
    case '3':
    case '4':
      return "a device";
    case '5':
      return "a folder";
    case '6':
      return "a named pipe";
    case 'x':
    case 'g':
      return "an extended header (pax)";
    case 'K':
    case 'L':
      return "a long name (GNU tar)";
    default:
      return "a member of type " + config::in_quotes({&type, 1});
  }
}

class tar_reader {
 public:
  tar_reader(std::string_view archive, const std::string &where) : rest_(archive), where_(where) {}

  result<std::vector<tar_member>> read() {
    std::vector<tar_member> out;
    while (true) {
      if (rest_.size() < block_bytes)
        return out.empty() ? no_archive() : refuse(where_, "a file that ends before the archive does");
      if (is_all_zero(rest_.substr(0, block_bytes))) break;
      if (out.size() == most_members) return refuse(where_, "more than " + std::to_string(most_members) + " members");
      auto member = next(out.empty());
      if (!member) return member.why();
      out.push_back(std::move(*member));
    }
    if (out.empty()) return refuse(where_, "an archive without members");
    if (rest_.size() < 2 * block_bytes) return refuse(where_, "a file that ends before the archive does");
    if (!is_all_zero(rest_)) return refuse(where_, "bytes behind the end of the archive");
    return out;
  }

 private:
  static refusal refuse(std::string where, std::string have) {
    return {std::move(where), "a tar archive of whole regular files, as `tenon plugin pack MANIFEST` writes it",
            std::move(have),
            "take the pack again from whoever built the module, and compare its size and digest with theirs"};
  }
  [[nodiscard]] refusal no_archive() const { return refuse(where_, "a file that is no tar archive"); }

  result<tar_member> next(bool first) {
    tar_header header{};
    std::memcpy(&header, rest_.data(), sizeof header);
    if (std::string_view(header.magic, 5) != "ustar") return no_archive();
    if (number_in(header.sum) != sum_of(header))
      return first ? no_archive() : refuse(where_, "a member whose header has another checksum");
    tar_member out{std::string(field_text(header.folders)), {}};
    out.name += (out.name.empty() ? "" : "/") + std::string(field_text(header.name));
    const std::string member = where_ + ": " + config::in_quotes(out.name);
    if (header.type != '0' && header.type != '\0') return refuse(member, type_words(header.type));
    const auto size = number_in(header.size);
    if (!size) return refuse(member, "a size that is no octal number");
    rest_.remove_prefix(block_bytes);
    if (*size > rest_.size() || padded_size(*size) > rest_.size())
      return refuse(member, "a size of " + std::to_string(*size) + " bytes, of which the file has " +
                                std::to_string(rest_.size()));
    out.bytes = rest_.substr(0, *size);
    rest_.remove_prefix(padded_size(*size));
    return out;
  }

  std::string_view rest_;
  const std::string &where_;
};

}  // namespace

std::string write_tar(std::span<const tar_member> members) {
  std::string out;
  for (const tar_member &member : members) {
    tar_header header{};
    const size_t slash = member.name.rfind('/');
    const size_t name_at = slash == std::string::npos ? 0 : slash + 1;
    member.name.copy(header.name, sizeof header.name, name_at);
    if (name_at != 0) member.name.copy(header.folders, std::min(slash, sizeof header.folders));
    put_number(header.mode, 0644);
    put_number(header.owner, 0);
    put_number(header.group, 0);
    put_number(header.size, member.bytes.size());
    put_number(header.time, 0);
    header.type = '0';
    std::memcpy(header.magic, "ustar", sizeof header.magic);
    std::memcpy(header.version, "00", sizeof header.version);
    put_number(header.sum, sum_of(header));
    out.append(reinterpret_cast<const char *>(&header), sizeof header);
    out += member.bytes;
    out.resize(padded_size(out.size()));
  }
  return out.append(2 * block_bytes, '\0');
}

result<std::vector<tar_member>> read_tar(std::string_view archive, const std::string &where) {
  return tar_reader(archive, where).read();
}

}  // namespace tenon::cli
