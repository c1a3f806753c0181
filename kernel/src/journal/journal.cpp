// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Layout. Header: one line "tenon-journal <version> <crc of origin, 8 hex digits> <origin>\n".
// Entry: u32 length of the rest, u32 CRC-32 of length and rest, i64 time, u8 command number, fields.
// Field: numbers little-endian in their own width, doubles as their bits, bool and enum one byte; text and
// list a u32 count and the elements; map a list of pairs with ascending keys; a configuration one byte
// "present" and its fields.
#include "tenon/kernel/journal.hpp"

#include <algorithm>
#include <boost/crc.hpp>
#include <memory_resource>
#include <optional>
#include <stdexcept>

#include "journal/journal_reader.hpp"
#include "journal/journal_writer.hpp"

namespace tenon {
namespace journal {
namespace {

constexpr std::string_view magic = "tenon-journal ";
constexpr std::string_view version = "3 ";
constexpr size_t crc_digits = 8;
constexpr size_t frame_bytes = 8;
constexpr size_t least_payload = 9;

// Of `first` and what follows it.
uint32_t crc_of(std::string_view first, std::string_view rest = {}) {
  boost::crc_32_type crc;
  crc.process_bytes(first.data(), first.size());
  crc.process_bytes(rest.data(), rest.size());
  return static_cast<uint32_t>(crc.checksum());
}

// Calls f(Command{}, with details) for the command with this number; false when there is none.
template <class F, class... Commands>
bool with_command(uint8_t number, F &&f, const std::variant<Commands...> *) {
  static_assert(((number_of<Commands> != 0) && ...), "every command needs a number");
  if (number == 0) return false;
  return ((number_of<Commands> == number && (f(Commands{}, false), true)) || ...) ||
         ((number_with_details<Commands> == number && (f(Commands{}, true), true)) || ...);
}

bool has_details(const register_rm &c) { return c.check_deadline_ms != 0; }
bool has_details(const put_allocation &c) { return !c.allocation.detail.empty(); }
bool has_details(const add_node &c) {
  return std::any_of(c.existing.begin(), c.existing.end(),
                     [](const existing_allocation &e) { return !e.detail.empty(); });
}
template <class Command>
bool has_details(const Command &) {
  return false;
}

// Reads a journal entry by entry, reusing the memory of the last one.
class decoder {
 public:
  decoder(std::string_view bytes, const std::function<void(int64_t, const command &)> &take)
      : bytes_(bytes), take_(take) {}

  // Takes the entry at `at` and moves `at` behind it.
  std::optional<damage> entry(size_t &at) {
    const size_t start = at;
    const size_t left = bytes_.size() - start;
    if (left < frame_bytes) return damage{start, "the journal ends within the frame of an entry"};
    const uint32_t length = number_at(start);
    if (length < least_payload) return damage{start, "an entry of " + std::to_string(length) + " bytes is too short"};
    if (length > left - frame_bytes) return damage{start, "the journal ends within an entry"};

    const uint32_t crc = crc_of(bytes_.substr(start, 4), bytes_.substr(start + frame_bytes, length));
    if (crc != number_at(start + 4)) return damage{start, "the checksum of an entry does not match"};

    at = start + frame_bytes + length;
    return payload(start + frame_bytes, at);
  }

 private:
  [[nodiscard]] uint32_t number_at(size_t at) const {
    uint32_t value = 0;
    for (size_t i = 0; i < 4; ++i) value |= uint32_t{static_cast<unsigned char>(bytes_[at + i])} << 8 * i;
    return value;
  }

  std::optional<damage> payload(size_t begin, size_t end) {
    lists_.release();
    reader in(bytes_, begin, end, lists_, config_);
    int64_t now_ms = 0;
    uint8_t number = 0;
    in(now_ms);
    const size_t number_place = in.at();
    in(number);
    const auto read = [&]<class Command>(Command c, bool details) {
      in.details = details;
      in(c);
      in.finish();
      if (details && !has_details(c)) in.fail(number_place, "an entry for details has none");
      if (!in.damaged()) take_(now_ms, command(c));
    };
    if (!with_command(number, read, static_cast<const command *>(nullptr))) {
      in.fail(number_place, "no command has the number " + std::to_string(number));
    }
    return in.damaged();
  }

  std::string_view bytes_;
  const std::function<void(int64_t, const command &)> &take_;
  std::pmr::monotonic_buffer_resource lists_;
  std::optional<cluster_config> config_;
};

void append(std::string &out, int64_t now_ms, const command &c) {
  const size_t start = out.size();
  out.append(frame_bytes, '\0');
  writer payload(out);
  payload(now_ms);
  const auto write = [&]<class Command>(const Command &x) {
    payload.details = has_details(x);
    payload(payload.details ? number_with_details<Command> : number_of<Command>, x);
  };
  std::visit(write, c);

  const size_t length = out.size() - start - frame_bytes;
  if (length > UINT32_MAX) throw std::length_error("a journal entry holds less than 4 GiB");
  std::string frame;
  writer head(frame);
  head(static_cast<uint32_t>(length));
  head(crc_of(frame, std::string_view(out).substr(start + frame_bytes)));
  out.replace(start, frame_bytes, frame);
}

std::string hex(uint32_t value) {
  std::string out;
  for (int shift = 28; shift >= 0; shift -= 4) out += "0123456789abcdef"[value >> shift & 0xf];
  return out;
}

// The bytes of the header line; nothing when it is not one.
std::optional<damage> check_header(std::string_view bytes, size_t &at) {
  if (bytes.substr(0, magic.size()) != magic) return damage{0, "this is no journal"};
  const size_t line_end = bytes.find('\n');
  if (line_end == std::string_view::npos) return damage{bytes.size(), "the journal ends within its header"};
  std::string_view line = bytes.substr(magic.size(), line_end - magic.size());
  if (line.substr(0, version.size()) != version) {
    return damage{magic.size(), "journal format " + std::string(line.substr(0, std::min<size_t>(line.find(' '), 20))) +
                                    " is not known"};
  }
  line.remove_prefix(version.size());
  if (line.size() <= crc_digits || line[crc_digits] != ' ' ||
      line.substr(0, crc_digits) != hex(crc_of(line.substr(crc_digits + 1)))) {
    return damage{magic.size() + version.size(), "the checksum of the header does not match"};
  }
  at = line_end + 1;
  return std::nullopt;
}

refusal refuse(const damage &d, uint64_t entry, size_t intact) {
  refusal out;
  out.where =
      "journal byte " + std::to_string(d.offset) + (entry == 0 ? ", header" : ", entry " + std::to_string(entry));
  out.have = d.what;
  if (entry == 0) {
    out.want = "a journal of format " + std::string(version.substr(0, version.size() - 1));
    out.fix = "give a file that --record of this or an older release wrote";
  } else {
    out.want = "an undamaged entry";
    out.fix = "cut the journal to its first " + std::to_string(intact) + " bytes to replay what is before";
  }
  return out;
}

}  // namespace
}  // namespace journal

std::string journal_header(std::string_view origin) {
  std::string line(origin.substr(0, origin.find('\n')));
  return std::string(journal::magic).append(journal::version) + journal::hex(journal::crc_of(line)) + " " + line + "\n";
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

result<uint64_t> read_journal(std::string_view bytes,
                              const std::function<void(int64_t now_ms, const command &c)> &take) {
  size_t at = 0;
  if (const auto bad = journal::check_header(bytes, at)) return journal::refuse(*bad, 0, 0);
  uint64_t entries = 0;
  for (journal::decoder decode(bytes, take); at < bytes.size(); ++entries) {
    const size_t intact = at;
    if (const auto bad = decode.entry(at)) return journal::refuse(*bad, entries + 1, intact);
  }
  return entries;
}

}  // namespace tenon
