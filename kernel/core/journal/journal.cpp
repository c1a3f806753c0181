// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Layout. Header: one line "tenon-journal <format> <crc of origin, 8 hex digits> <origin>\n".
// Entry: its size from the checksum on as a varint, u32 CRC-32 of that size and of what follows the checksum, head,
// time, fields. Head: a varint, number of the command * 2, and 1 more where a build that does not know it skips it.
// Time: a zigzag varint. Values are written as writer.hpp says.
#include "tenon/kernel/journal.hpp"

#include <algorithm>
#include <iterator>
#include <memory_resource>
#include <optional>
#include <stdexcept>

#include "journal/byte_reader.hpp"
#include "journal/saved_state_entry.hpp"
#include "journal/version3.hpp"
#include "journal/writer.hpp"
#include "tenon/kernel/saved_state.hpp"

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
  // `begin`: where the first entry is a state; null: there is nobody who takes it.
  decoder(std::string_view bytes, const std::function<void(int64_t, const command &)> &take, const take_state *begin)
      : bytes_(bytes), take_(take), begin_(begin) {}

  // Why the state was not taken.
  [[nodiscard]] const std::optional<refusal> &refused() const { return refused_; }

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
    const auto bad = payload(begin, end);
    is_first_ = false;
    return bad;
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
    if (head >> 1 == state_number) return state(now_ms, in.at(), end);
    std::optional<damage> bad;
    const auto read = [&]<class Command>(Command c, std::string_view name) {
      in.content(c);
      bad = in.damaged();
      if constexpr (requires { c.config; }) {
        if (!bad && c.config == nullptr) bad = damage{begin, {}, "there is no configuration"};
      }
      if (bad) return bad->within(name);
      take_(now_ms, command(c));
    };
    if (!with_command(head >> 1, read, static_cast<const command *>(nullptr))) {
      return damage{begin, {}, "command " + std::to_string(head >> 1) + " is not known and must be understood", true};
    }
    return bad;
  }

  std::optional<damage> state(int64_t now_ms, size_t at, size_t end) {
    if (!is_first_) return damage{at, {}, "a state stands behind other entries"};
    if (begin_ == nullptr) {
      refused_ = refusal{"journal byte " + std::to_string(at) + ", entry 1", "a journal from its beginning",
                         "this one begins with a state", "give it to tenon whatif, which goes on from there"};
      return std::nullopt;
    }
    saved_state s;
    if (auto bad = read_state(bytes_, at, end, s)) {
      bad->within("state");
      return bad;
    }
    refused_ = (*begin_)(now_ms, s);
    return std::nullopt;
  }

  std::string_view bytes_;
  const std::function<void(int64_t, const command &)> &take_;
  const take_state *begin_;
  bool is_first_ = true;
  std::optional<refusal> refused_;
  std::pmr::monotonic_buffer_resource lists_;
  std::optional<cluster_config> config_;
};

// `write`: the fields.
template <class F>
void append(std::string &out, uint32_t number, int64_t now_ms, const F &write) {
  const size_t start = out.size();
  out.append(1 + crc_bytes, '\0');
  writer to(out);
  to.varint(uint64_t{number} << 1);
  to.value(now_ms);
  write(to);

  const size_t size = out.size() - start - 1;
  if (size > UINT32_MAX) throw std::length_error("an entry of a journal holds less than 4 GiB");
  char bytes[max_varint_bytes];
  const size_t size_bytes = put_varint(bytes, size);
  const uint32_t crc = crc_of({bytes, size_bytes}, std::string_view(out).substr(start + 1 + crc_bytes));
  out[start] = bytes[0];
  if (size_bytes > 1) out.insert(start + 1, bytes + 1, size_bytes - 1);
  for (size_t i = 0; i < crc_bytes; ++i) out[start + size_bytes + i] = static_cast<char>(crc >> 8 * i);
}

void append(std::string &out, int64_t now_ms, const command &c) {
  std::visit([&]<class Command>(
                 const Command &x) { append(out, id_of<Command>.number, now_ms, [&](writer &to) { fields(to, x); }); },
             c);
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
    const std::string_view build = of.origin.substr(0, of.origin.find(" {"));  // the modules are behind it
    out.fix = "replay it with the build that wrote it (" + std::string(build) + ") or a later one";
  } else {
    out.want = "an undamaged entry";
    out.fix = "cut the journal to its first " + std::to_string(intact) + " bytes to replay what is before";
  }
  return out;
}

template <class Decoder, class... More>
result<uint64_t> read_entries(std::string_view bytes, const header &head,
                              const std::function<void(int64_t now_ms, const command &c)> &take, More... more) {
  uint64_t taken = 0, entries = 0;
  const std::function count = [&](int64_t now_ms, const command &c) {
    ++taken;
    take(now_ms, c);
  };
  Decoder decode(bytes, count, more...);
  for (size_t at = head.end; at < bytes.size(); ++entries) {
    const size_t intact = at;
    if (const auto bad = decode.entry(at)) return refuse(*bad, entries + 1, intact, head);
    if constexpr (requires { decode.refused(); }) {
      if (decode.refused()) return *decode.refused();
    }
  }
  return taken;
}

result<uint64_t> read(std::string_view bytes, const take_state *begin,
                      const std::function<void(int64_t now_ms, const command &c)> &take) {
  header head;
  if (const auto bad = read_header(bytes, head)) return refuse_header(*bad);
  return head.format == 3 ? read_entries<version3::decoder>(bytes, head, take)
                          : read_entries<decoder>(bytes, head, take, begin);
}

// An entry, or `out` as it was.
template <class F>
void append_whole(std::string &out, const F &append_it) {
  const size_t start = out.size();
  try {
    append_it();
  } catch (...) {
    out.resize(start);
    throw;
  }
}

}  // namespace
}  // namespace journal

std::string journal_header(std::string_view origin) {
  const std::string line(origin.substr(0, origin.find('\n')));
  return std::string(journal::magic) + std::to_string(journal::newest_format) + ' ' +
         journal::hex(journal::crc_of(line)) + ' ' + line + '\n';
}

void append_entry(std::string &out, int64_t now_ms, const command &c) {
  journal::append_whole(out, [&] { journal::append(out, now_ms, c); });
}

void append_state(std::string &out, int64_t now_ms, const saved_state &s) {
  journal::append_whole(out, [&] {
    journal::append(out, journal::state_number, now_ms, [&](const journal::writer &) { journal::write_state(out, s); });
  });
}

void append_entry(std::string &out, int64_t now_ms, const command &c, std::span<const step_answer> answers) {
  if (answers.empty() && answers_of(c).empty()) return append_entry(out, now_ms, c);
  const bool all = std::holds_alternative<step>(c) || std::holds_alternative<inspect>(c) ||
                   std::holds_alternative<add_application>(c) || std::holds_alternative<configure>(c) ||
                   std::holds_alternative<register_rm>(c);
  if (all) return append_entry(out, now_ms, with_answers(c, answers));
  // Of the others only what failed; where they make queues, their rules are asked again.
  std::vector<step_answer> faults;
  std::copy_if(answers.begin(), answers.end(), std::back_inserter(faults),
               [](const step_answer &a) { return a.what == step_answer::kind::policy_fault; });
  append_entry(out, now_ms, with_answers(c, faults));
}

size_t whole_entries(std::string_view bytes) {
  size_t whole = 0;
  while (whole < bytes.size()) {
    uint64_t size = 0;
    size_t at = whole, digits = 0;
    bool goes_on = true;
    for (; goes_on && at < bytes.size() && digits < journal::max_varint_bytes; ++at, ++digits) {
      const auto byte = static_cast<unsigned char>(bytes[at]);
      size |= uint64_t{byte & 0x7fU} << (7 * digits);
      goes_on = (byte & 0x80U) != 0;
    }
    if (goes_on) return digits == journal::max_varint_bytes ? bytes.size() : whole;
    if (size > UINT32_MAX) return bytes.size();
    if (size > bytes.size() - at) return whole;
    whole = at + size;
  }
  return whole;
}

result<uint64_t> read_journal(std::string_view bytes,
                              const std::function<void(int64_t now_ms, const command &c)> &take) {
  return journal::read(bytes, nullptr, take);
}

result<uint64_t> read_journal(std::string_view bytes, const take_state &begin,
                              const std::function<void(int64_t now_ms, const command &c)> &take) {
  return journal::read(bytes, &begin, take);
}

}  // namespace tenon
