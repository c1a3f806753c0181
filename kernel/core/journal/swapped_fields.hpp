// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The fields of the command by which another build of a module takes over; journal/fields.hpp says how they are listed.
#pragma once

#include "journal/command_fields.hpp"

namespace tenon::journal {

constexpr command_id id(of<swap_module>) { return {27, "swap_module"}; }
template <>
inline constexpr module_kind last_of<module_kind> = module_kind::transport;

template <class IO>
void fields(IO &io, ref<IO, swapped_policy> f) {
  io(1, "kind", f.kind);
  io(2, "name", f.name);
}
template <class IO>
void fields(IO &io, ref<IO, swap_module> f) {
  io(1, "module", f.module);
  io(2, "digest", f.digest);
  io(3, "before", f.before);
  io.note(4, "version", f.version);
  io.note(5, "text", f.text);
  io(6, "policies", f.policies);
  io(7, "answers", f.answers);
}

}  // namespace tenon::journal
