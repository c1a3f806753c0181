// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "journal/saved_state_entry.hpp"

#include <memory_resource>

#include "journal/byte_reader.hpp"
#include "journal/saved_fields.hpp"
#include "journal/writer.hpp"

namespace tenon::journal {

void write_state(std::string &out, const saved_state &s) {
  writer to(out);
  fields(to, s);
}

std::optional<damage> read_state(std::string_view bytes, size_t at, size_t end, saved_state &out) {
  std::pmr::monotonic_buffer_resource lists;
  std::optional<cluster_config> config;
  reader in(bytes, at, end, lists, config);
  in.content(out);
  return in.damaged();
}

}  // namespace tenon::journal
