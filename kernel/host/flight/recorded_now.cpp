// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "flight/recorded_now.hpp"

#include <sys/mman.h>

#include <atomic>
#include <cstring>

#include "flight/call_writer.hpp"
#include "flight/journal_tail.hpp"
#include "flight/page_probe.hpp"

namespace tenon::host {
namespace {

// Made before a handler needs it, and never given back. Memory that is not written takes none.
struct {
  char *room = nullptr;
  page_probe *probe = nullptr;
} ready;
std::atomic_flag is_writing_call = ATOMIC_FLAG_INIT;

// Whoever crashed may have written over what leads there.
call_input read_input(const call_input *from) {
  call_input out;
  ready.probe->forget();
  if (ready.probe->can_read(from, sizeof out))
    std::memcpy(&out, from, sizeof out);
  else
    out.shape = call_shape::unreadable;
  return out;
}

}  // namespace

void prepare_flight_records() {
  if (ready.room != nullptr) return;
  static auto *const probe = new page_probe;  // threads may still crash while the process ends
  void *const memory =
      ::mmap(nullptr, most_record_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED || !probe->open()) return;
  ready.probe = probe;
  ready.room = static_cast<char *>(memory);
}

bool has_flight_record(const call_place::seen_call &call, std::string_view folder) {
  return ready.room != nullptr && call.input != nullptr && !folder.empty();
}

std::optional<call_input> copied_input(const call_place &place, const call_place::seen_call &call) {
  if (ready.room == nullptr || call.input == nullptr || is_writing_call.test_and_set()) return std::nullopt;
  const call_input out = read_input(call.input);
  is_writing_call.clear();
  // Where it lay may be used otherwise once the call has returned.
  const auto still = place.look();
  if (!still || still->number != call.number || out.shape == call_shape::unreadable) return std::nullopt;
  return out;
}

void write_flight_record(std::string_view text, const call_place::seen_call &call, std::string_view folder) {
  if (!has_flight_record(call, folder) || is_writing_call.test_and_set()) return;
  const call_subject &of = *call.subject;
  const call_input input = read_input(call.input);
  const size_t size =
      write_call(ready.room, most_record_bytes, {text, of.manifest, journal_tail(call.role)}, input, ready.probe);
  write_call_file(folder, of.key, {ready.room, size});
  is_writing_call.clear();
}

}  // namespace tenon::host
