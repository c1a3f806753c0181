// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Layout. Header: one line "tenon-journal <format> <crc of origin, 8 hex digits> <origin>\n".
// Entry: its size from the checksum on as a varint, u32 CRC-32 of that size and of what follows the checksum, head,
// time, fields. Head: a varint, number of the command * 2, and 1 more where a build that does not know it skips it.
// Time: a zigzag varint. Values are written as writer.hpp says.
#include "tenon/kernel/journal.hpp"

#include <algorithm>
#include <memory_resource>
#include <optional>
#include <stdexcept>

#include "journal/reader.hpp"
#include "journal/version3.hpp"
#include "journal/writer.hpp"

namespace tenon {
namespace journal {
namespace {

constexpr std::string_view magic = "tenon-journal ";
constexpr size_t crc_digits = 8;
constexpr size_t crc_bytes = 4;
constexpr int newest_format = 4, oldest_format = 3;

// Calls f(Command{}, its name) for the command with this number; false when there is none.
template <class F, class... Commands>
bool with_command(uint64_t number, F &&f, const std::variant<Commands...> *) {
  static_assert(((id_of<Commands>.number != 0) && ...), "every command needs a number");
  return ((id_of<Commands>.number == number && (f(Commands{}, id_of<Commands>.name), true)) || ...);
}

// Reads entries of the newest format one by one, reusing the memory of the last one.
class decoder {
 public:
  decoder(std::string_view bytes, const std::function<void(int64_t, const command &)> &take)
      : bytes_(bytes), take_(take) {}

  // Takes the entry at `at` and moves `at` behind it.
  std::optional<damage> entry(size_t &at) {
    const size_t start = at;
    reader frame(bytes_, start, bytes_.size(), lists_, config_);
    const uint64_t size = frame.varint();
    if (frame.damaged()) {
      const std::string_view rest = bytes_.substr(start, max_varint_bytes);
      const bool cut = std::all_of(rest.begin(), rest.end(), [](char c) { return (c & 0x80) != 0; });
      return damage{start, {}, cut ? "the journal ends within the size of an entry" : frame.damaged()->what};
    }
    const size_t crc_at = frame.at();
    if (size > bytes_.size() - crc_at) return damage{start, {}, "the journal ends within an entry"};
    if (size < crc_bytes + 2) return damage{start, {}, "an entry of " + std::to_string(size) + " bytes is too short"};

    const size_t begin = crc_at + crc_bytes, end = crc_at + size;
    uint32_t said = 0;
    for (size_t i = 0; i < crc_bytes; ++i) said |= uint32_t{static_cast<unsigned char>(bytes_[crc_at + i])} << 8 * i;
    if (said != crc_of(bytes_.substr(start, crc_at - start), bytes_.substr(begin, end - begin))) {
      return damage{start, {}, "the checksum of an entry does not match"};
    }
    at = end;
    return payload(begin, end);
  }

 private:
  std::optional<damage> payload(size_t begin, size_t end) {
    lists_.release();
    reader in(bytes_, begin, end, lists_, config_);
    const uint64_t head = in.varint();
    if ((head & 1) != 0) return in.damaged();  // may be skipped, and this build knows no such command
    int64_t now_ms = 0;
    in.value(now_ms);
    if (in.damaged()) return in.damaged();
    std::optional<damage> bad;
    const auto read = [&]<class Command>(Command c, std::string_view name) {
      in.content(c);
      bad = in.damaged();
      if (bad) return bad->within(name);
      take_(now_ms, command(c));
    };
    if (!with_command(head >> 1, read, static_cast<const command *>(nullptr))) {
      return damage{begin, {}, "command " + std::to_string(head >> 1) + " is not known and must be understood", true};
    }
    return bad;
  }

  std::string_view bytes_;
  const std::function<void(int64_t, const command &)> &take_;
  std::pmr::monotonic_buffer_resource lists_;
  std::optional<cluster_config> config_;
};

void append(std::string &out, int64_t now_ms, const command &c) {
  const size_t start = out.size();
  out.append(1 + crc_bytes, '\0');
  writer to(out);
  const auto write = [&]<class Command>(const Command &x) {
    to.varint(uint64_t{id_of<Command>.number} << 1);
    to.value(now_ms);
    fields(to, x);
  };
  std::visit(write, c);

  const size_t size = out.size() - start - 1;
  if (size > UINT32_MAX) throw std::length_error("an entry of a journal holds less than 4 GiB");
  char bytes[max_varint_bytes];
  const size_t size_bytes = put_varint(bytes, size);
  const uint32_t crc = crc_of({bytes, size_bytes}, std::string_view(out).substr(start + 1 + crc_bytes));
  out[start] = bytes[0];
  if (size_bytes > 1) out.insert(start + 1, bytes + 1, size_bytes - 1);
  for (size_t i = 0; i < crc_bytes; ++i) out[start + size_bytes + i] = static_cast<char>(crc >> 8 * i);
}

std::string hex(uint32_t value) {
  std::string out;
  for (int shift = 28; shift >= 0; shift -= 4) out += "0123456789abcdef"[value >> shift & 0xf];
  return out;
}

struct header {
  int format = 0;
  std::string_view origin;
  size_t end = 0;  // of the line
};

// Reads the first line; what is wrong with it, if anything.
std::optional<damage> read_header(std::string_view bytes, header &out) {
  if (bytes.substr(0, magic.size()) != magic) return damage{0, {}, "this is no journal"};
  const size_t line_end = bytes.find('\n');
  if (line_end == std::string_view::npos) return damage{bytes.size(), {}, "the journal ends within its header"};
  std::string_view line = bytes.substr(magic.size(), line_end - magic.size());
  const std::string_view format = line.substr(0, line.find(' '));
  for (int known = oldest_format; known <= newest_format; ++known) {
    if (format == std::to_string(known)) out.format = known;
  }
  if (out.format == 0) {
    return damage{magic.size(), {}, "journal format " + std::string(format.substr(0, 20)) + " is not known"};
  }
  const size_t crc_at = format.size() + 1;
  line.remove_prefix(std::min(crc_at, line.size()));
  if (line.size() <= crc_digits || line[crc_digits] != ' ' ||
      line.substr(0, crc_digits) != hex(crc_of(line.substr(crc_digits + 1)))) {
    return damage{magic.size() + crc_at, {}, "the checksum of the header does not match"};
  }
  out.origin = line.substr(crc_digits + 1);
  out.end = line_end + 1;
  return std::nullopt;
}

refusal refuse_header(const damage &d) {
  return {"journal byte " + std::to_string(d.offset) + ", header",
          "a journal of format " + std::to_string(oldest_format) + " or " + std::to_string(newest_format), d.what,
          "give a file that --record of this or an older release wrote"};
}

// `intact`: bytes before the entry.
refusal refuse(const damage &d, uint64_t entry, size_t intact, const header &of) {
  refusal out;
  out.where = "journal byte " + std::to_string(d.offset) + ", entry " + std::to_string(entry);
  out.have = (d.field.empty() ? "" : d.field + ": ") + d.what;
  if (d.later) {
    out.want = "commands, fields and choices that this build knows";
    out.fix = "replay it with the build that wrote it (" + std::string(of.origin) + ") or a later one";
  } else {
    out.want = "an undamaged entry";
    out.fix = "cut the journal to its first " + std::to_string(intact) + " bytes to replay what is before";
  }
  return out;
}

template <class Decoder>
result<uint64_t> read_entries(std::string_view bytes, const header &head,
                              const std::function<void(int64_t now_ms, const command &c)> &take) {
  uint64_t taken = 0, entries = 0;
  const std::function count = [&](int64_t now_ms, const command &c) {
    ++taken;
    take(now_ms, c);
  };
  Decoder decode(bytes, count);
  for (size_t at = head.end; at < bytes.size(); ++entries) {
    const size_t intact = at;
    if (const auto bad = decode.entry(at)) return refuse(*bad, entries + 1, intact, head);
  }
  return taken;
}

}  // namespace
}  // namespace journal

std::string journal_header(std::string_view origin) {
  const std::string line(origin.substr(0, origin.find('\n')));
  return std::string(journal::magic) + std::to_string(journal::newest_format) + ' ' +
         journal::hex(journal::crc_of(line)) + ' ' + line + '\n';
}

void append_entry(std::string &out, int64_t now_ms, const command &c) {
  const size_t start = out.size();
  try {
    journal::append(out, now_ms, c);
  } catch (...) {
    out.resize(start);
    throw;
  }
}

void append_entry(std::string &out, int64_t now_ms, const command &c, std::span<const step_answer> answers) {
  const auto append = [&](const auto &one) {
    if constexpr (requires { one.answers; }) {
      auto answered = one;
      answered.answers = answers;
      append_entry(out, now_ms, answered);
    } else {
      append_entry(out, now_ms, c);
    }
  };
  std::visit(append, c);
}

result<uint64_t> read_journal(std::string_view bytes,
                              const std::function<void(int64_t now_ms, const command &c)> &take) {
  journal::header head;
  if (const auto bad = journal::read_header(bytes, head)) return journal::refuse_header(*bad);
  return head.format == 3 ? journal::read_entries<journal::version3::decoder>(bytes, head, take)
                          : journal::read_entries<journal::decoder>(bytes, head, take);
}

}  // namespace tenon
