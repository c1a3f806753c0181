// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "flight/recorded_now.hpp"

#include <sys/mman.h>

#include <atomic>

#include "flight/call_writer.hpp"
#include "tenon/host/journal_tail.hpp"

namespace tenon::host {
namespace {

// Made before a handler needs it, and never given back. Memory that is not written takes none.
char *record_room = nullptr;
std::atomic_flag is_writing_call = ATOMIC_FLAG_INIT;

}  // namespace

void prepare_flight_records() {
  if (record_room != nullptr) return;
  void *const memory =
      ::mmap(nullptr, most_record_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory != MAP_FAILED) record_room = static_cast<char *>(memory);
}

bool has_flight_record(const call_place::seen_call &call, std::string_view folder) {
  return record_room != nullptr && call.input != nullptr && !folder.empty();
}

std::optional<call_input> copied_input(const call_place &place, const call_place::seen_call &call) {
  if (call.input == nullptr) return std::nullopt;
  const call_input out = *call.input;
  // Where it lay may be used otherwise once the call has returned.
  const auto still = place.look();
  return still && still->number == call.number ? std::optional(out) : std::nullopt;
}

void write_flight_record(std::string_view text, const call_place::seen_call &call, std::string_view folder) {
  if (!has_flight_record(call, folder) || is_writing_call.test_and_set()) return;
  const call_subject &of = *call.subject;
  const size_t size =
      write_call(record_room, most_record_bytes, {text, of.manifest, journal_tail(call.role)}, *call.input);
  write_call_file(folder, of.key, {record_room, size});
  is_writing_call.clear();
}

}  // namespace tenon::host
