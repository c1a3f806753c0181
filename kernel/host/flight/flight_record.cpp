// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "tenon/host/flight_record.hpp"

#include <boost/json.hpp>

#include "flight/call_writer.hpp"
#include "flight/record_reader.hpp"
#include "flight/recorded_input.hpp"
#include "tenon/host/text_file.hpp"

namespace tenon::host {
namespace {

constexpr std::string_view head_without_version = "tenon-call ";

refusal broken(const std::filesystem::path &file, std::string have) {
  return {file.string(), "the record of a call, whole", std::move(have),
          "take the file as it was written; the process may have been killed while it wrote it"};
}

// "name: words", each on a line.
std::map<std::string, std::string, std::less<>> lines_of(std::string_view text) {
  std::map<std::string, std::string, std::less<>> out;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    if (const size_t colon = line.find(": "); colon != std::string_view::npos)
      out[std::string(line.substr(0, colon))] = line.substr(colon + 2);
  }
  return out;
}

struct read_section {
  char letter;
  std::string_view bytes;
};
// Empty letter: there is none any more, or what comes is cut off.
read_section next_section(record_reader &from) {
  const std::string_view head = from.raw(5);
  if (head.empty()) return {'\0', {}};
  uint64_t length = 0;
  for (size_t i = 0; i < 4; ++i) length |= uint64_t{static_cast<unsigned char>(head[1 + i])} << (8 * i);
  const std::string_view bytes = from.raw(length);
  return {from.is_broken() ? '\0' : head[0], bytes};
}

// Of what its first line does not call a call: that for people names the other one in its last entry.
result<std::filesystem::path> call_named_in(std::string_view text, const std::filesystem::path &file) {
  const auto lines = lines_of(text);
  const auto named = lines.find("call");
  if (lines.contains("fault") && named == lines.end())
    return refusal{file.string(), "the record of a call, which ends with .call",
                   "a record without one: what ended the process there left no time to write it",
                   "there is nothing to play again"};
  const std::filesystem::path other =
      named == lines.end() ? std::filesystem::path() : std::filesystem::path(named->second).filename();
  if (other.extension() != call_file_ending)
    return refusal{file.string(), "the record of a call", "another file",
                   "name a file of containment.records that ends with .call"};
  return file.parent_path() / other;
}

}  // namespace

flight_record::flight_record() = default;
flight_record::~flight_record() = default;
flight_record::flight_record(flight_record &&) noexcept = default;

std::string_view flight_record::line(std::string_view name) const {
  const auto found = lines_.find(name);
  return found == lines_.end() ? std::string_view{} : std::string_view(found->second);
}

std::string flight_record::cut() const {
  if (input_->kept() == input_->given()) return {};
  return "the first " + std::to_string(input_->kept()) + " of " + std::to_string(input_->given()) + " items alone";
}

boost::json::object flight_record::input_json() const {
  boost::json::object out = input_->as_json(columns_);
  if (const std::string left_out = cut(); !left_out.empty()) out["cut"] = left_out;
  return out;
}

result<flight_record> read_flight_record(const std::filesystem::path &named) {
  flight_record out;
  std::filesystem::path file = named;
  auto bytes = read_text_file(file);
  if (!bytes) return bytes.why();
  if (!bytes->starts_with(head_without_version)) {
    auto call = call_named_in(*bytes, file);
    if (!call) return call.why();
    file = std::move(*call);
    bytes = read_text_file(file);
    if (!bytes) return bytes.why();
  }
  if (!bytes->starts_with(head_without_version))
    return refusal{file.string(), "the record of a call", "another file, which the record " + named.string() + " names",
                   "name a file of containment.records that ends with .call"};
  if (!bytes->starts_with(call_file_head))
    return refusal{file.string(), std::string(call_file_head.substr(0, call_file_head.size() - 1)),
                   bytes->substr(0, bytes->find('\n')).substr(0, 80), "play it with the release that wrote it"};
  out.file_ = file;
  out.bytes_ = std::move(*bytes);
  record_reader from(std::string_view(out.bytes_).substr(call_file_head.size()));
  std::string_view input;
  for (bool ends = false; !ends;) {
    const read_section one = next_section(from);
    switch (one.letter) {
      case '\0':
        return broken(file, "a file that is cut off, or not as it was written");
      case 'r':
        out.text_ = one.bytes;
        break;
      case 'm':
        out.manifest_ = one.bytes;
        break;
      case 'c':
        out.configuration_ = one.bytes;
        break;
      case 'k':
        out.columns_ = one.bytes;
        break;
      case 't':
        out.max_resource_types_ = record_reader(one.bytes).small_number(UINT32_MAX);
        break;
      case 'j':
        out.journal_ = one.bytes;
        break;
      case 'i':
        input = one.bytes;
        break;
      case 'e':
        ends = true;
        break;
      default:  // of a later release, which may be left out
        break;
    }
  }
  out.lines_ = lines_of(out.text_);
  out.input_ = recorded_input::read(input);
  if (out.input_ == nullptr || !from.is_at_end())
    return broken(file, "what the slot was given is not as it was written");
  return out;
}

}  // namespace tenon::host
