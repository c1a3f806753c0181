// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What slots do to memory: bounds of inputs and outputs, inputs that stay, structs of other hosts' sizes.
#include <algorithm>
#include <array>

#include "asked_slot.hpp"
#include "configurations.hpp"

namespace tenon::conformance {
namespace {

using manners = void (*)(manner &);

// Every slot, asked in this manner, answers as it does in the ordinary one.
void same_in(probe &p, const opened_module &module, manners how, const char *why, size_t count = 4) {
  const auto one = instance::active(module);
  for (const question &q : usual_questions(*one, count, p.seed())) {
    const answer want = ask(*one, q);
    manner m;
    how(m);
    if (!(ask(*one, q, m) == want)) probe::fail(std::string(slot_name(q.of)) + " answers otherwise " + why);
  }
}

void inputs_bounds(probe &p) {
  same_in(
      p, opened_module::start(p), [](manner &m) { m.in.guarded = true; }, "when its inputs end where it may not read",
      6);
}

void output_bounds(probe &p) {
  same_in(
      p, opened_module::start(p), [](manner &m) { m.guard_outputs = true; },
      "when its outputs end where it may not write", 6);
}

// The rows of nobody hold other values each time: an answer that changes with them was read from them.
void items_alone(probe &p) {
  const opened_module module = opened_module::start(p);
  const auto one = instance::active(module);
  for (const question &q : usual_questions(*one, 4, p.seed())) {
    if (q.of == slot::prepare || q.of == slot::place) continue;
    const answer want = ask(*one, q);
    for (const uint32_t gap : {0U, 1U, 3U}) {
      for (const uint64_t others : {1U, 2U}) {
        manner m;
        m.in.gap = gap;
        m.in.others_seed = mixed(p.seed(), others);
        if (!(ask(*one, q, m) == want))
          probe::fail(std::string(slot_name(q.of)) +
                      " answers otherwise when rows that are not in the batch, or amounts that are undefined, "
                      "hold something else");
      }
    }
  }
}

void structs_larger(probe &p) {
  const opened_module module = opened_module::start(p);
  same_in(
      p, module,
      [](manner &m) {
        m.in.larger = true;
        m.larger_out = true;
        m.guard_outputs = true;
      },
      "for a host whose structs and strides are larger");
  guarded_memory memory(true);
  const tenon_factory *factory = module.factory();
  tenon_description d{};
  d.size = sizeof d + 24;
  auto *out = memory.structure("a description", d, d.size, false, 0x5A);
  const tenon_describe_in in{sizeof in, module.index()};
  const tenon_status status = p.call("describe", [&] { return factory->describe(factory, &in, out); });
  probe::want(status == TENON_OK, "describe gave " + status_name(status) + " for a larger description");
  probe::want(out->size == d.size, "describe changed the size of its output");
  for (size_t i = sizeof d; i < sizeof d + 24; ++i) {
    if (reinterpret_cast<unsigned char *>(out)[i] != 0x5A)
      probe::fail("describe wrote to fields of its output that it does not know");
  }
}

void describe_smaller(probe &p, const opened_module &module) {
  const tenon_factory *factory = module.factory();
  const tenon_describe_in in{sizeof in, module.index()};
  for (const size_t bytes : {offsetof(tenon_description, columns), offsetof(tenon_description, key_words),
                             offsetof(tenon_description, reasons)}) {
    guarded_memory memory(true);
    tenon_description d{};
    d.size = static_cast<uint32_t>(bytes);
    auto *out = memory.structure("a description of an earlier host", d, bytes, false, 0);
    const tenon_status status = p.call("describe", [&] { return factory->describe(factory, &in, out); });
    probe::want(status == TENON_OK || status == TENON_UNSUPPORTED,
                "describe gave " + status_name(status) + " for a description of " + number(bytes) + " bytes");
    probe::want(out->size == bytes, "describe changed the size of its output");
  }
}

void create_smaller(probe &p, const opened_module &module) {
  const tenon_factory *factory = module.factory();
  const std::string text = usual_configuration(p.manifest());
  const tenon_create_in in{sizeof in, module.index(),      {text.data(), text.size()}, usual_max_types,
                           0,         test_host::lasting()};
  for (const size_t bytes : {offsetof(tenon_create_out, error), offsetof(tenon_create_out, columns)}) {
    guarded_memory memory(true);
    tenon_create_out given{};
    given.size = static_cast<uint32_t>(bytes);
    auto *out = memory.structure("the output of create of an earlier host", given, bytes, false, 0);
    const tenon_status status = p.call("create", [&] { return factory->create(factory, &in, out); });
    probe::want(status == TENON_OK || status == TENON_UNSUPPORTED,
                "create gave " + status_name(status) + " for an output of " + number(bytes) + " bytes");
    probe::want(out->size == bytes, "create changed the size of its output");
  }
}

void structs_smaller(probe &p) {
  const opened_module module = opened_module::start(p);
  describe_smaller(p, module);
  create_smaller(p, module);
  const auto one = instance::active(module);
  for (const question &q : usual_questions(*one, 1, p.seed())) {
    const bool batch =
        q.of != slot::prepare && q.of != slot::place && q.of != slot::filter_prefix && q.of != slot::resolve;
    std::vector<uint32_t> sizes;
    switch (q.of) {
      case slot::keys:
      case slot::score:
        sizes = {offsetof(tenon_keys_out, not_before_ms), offsetof(tenon_keys_out, valid_until_ms)};
        break;
      case slot::filter:
        sizes = {offsetof(tenon_filter_out, reasons)};
        break;
      case slot::prepare:
        sizes = {offsetof(tenon_prepare_out, error)};
        break;
      case slot::place:
        sizes = {offsetof(tenon_place_out, error)};
        break;
      case slot::resolve:
        sizes = {offsetof(tenon_resolve_out, room), offsetof(tenon_resolve_out, error)};
        break;
      default:
        break;
    }
    for (const uint32_t bytes : sizes) {
      manner m;
      m.out_bytes = bytes;
      m.guard_outputs = true;
      const answer a = ask(*one, q, m);
      if (!may_give(q.of, a.status) && a.status != TENON_UNSUPPORTED)
        probe::fail(std::string(slot_name(q.of)) + " gave " + status_name(a.status) + " for an output of " +
                    number(bytes) + " bytes, want UNSUPPORTED or an answer");
    }
    if (!batch) continue;
    manner m;
    m.in.guarded = true;
    m.in.guard_only = "the batch";
    m.in.batch_bytes = offsetof(tenon_batch, now_ms);
    const answer a = ask(*one, q, m);
    if (!may_give(q.of, a.status) && a.status != TENON_UNSUPPORTED)
      probe::fail(std::string(slot_name(q.of)) + " gave " + status_name(a.status) + " for a batch of an earlier host");
  }
}

void empty_batches(probe &p) {
  const opened_module module = opened_module::start(p);
  const auto one = instance::active(module);
  for (const slot s : slots_of(*one)) {
    if (s != slot::keys && s != slot::score && s != slot::filter) continue;
    for (const uint32_t types : {0U, 1U, usual_max_types}) {
      world_style style;
      style.types = types;
      question q = usual_question(*one, s, p.seed(), style);
      const answer full = ask(*one, q);
      if (!may_give(s, full.status))
        probe::fail(std::string(slot_name(s)) + " gave " + status_name(full.status) + " with " + number(types) +
                    " resource types");
      q.items.clear();
      const answer a = ask(*one, q);
      if (!may_give(s, a.status))
        probe::fail(std::string(slot_name(s)) + " gave " + status_name(a.status) + " for a batch of no items");
    }
  }
}

void extreme_values(probe &p) {
  const opened_module module = opened_module::start(p);
  const auto one = instance::active(module);
  for (const slot s : slots_of(*one)) {
    if (s == slot::prepare || s == slot::place) continue;
    for (uint64_t i = 0; i < 40; ++i) {
      world_style style;
      style.extreme = true;
      style.types = 1 + static_cast<uint32_t>(i % 5);
      const question q = usual_question(*one, s, mixed(p.seed(), i), style);
      const answer a = ask(*one, q);
      if (!may_give(s, a.status))
        probe::fail(std::string(slot_name(s)) + " gave " + status_name(a.status) +
                    " for amounts of nothing and of the most there is, odd texts and undefined types");
    }
  }
}

constexpr std::array buffers_list{
    check{"inputs-bounds", "buffers", about::asked, "answers-repeat",
          "A slot reads no further than what it was given, writes to no input, and keeps no pointer to one.",
          inputs_bounds},
    check{"output-bounds", "buffers", about::asked, "answers-repeat",
          "A slot writes its results and nothing else: not beyond them, not the size or the pointers of its output.",
          output_bounds},
    check{"items-alone", "columns", about::columns, "answers-repeat",
          "A slot reads the rows that the batch names, and no amount that is undefined.", items_alone},
    check{"structs-larger", "sizes", about::asked, "answers-repeat",
          "A later host's larger structs, tables and strides are read and filled as far as both know them.",
          structs_larger},
    check{"structs-smaller", "sizes", about::asked, "answers-repeat",
          "Of an earlier host's smaller structs nothing is read or written that they do not have.", structs_smaller},
    check{"empty-batches", "buffers", about::columns, "answers-repeat",
          "A batch may have no items, no resource types, or as many as there can be.", empty_batches},
    check{"extreme-values", "exceptions", about::columns, "answers-repeat",
          "Zeros, the largest amounts, undefined types and odd texts are answered like others.", extreme_values},
};

}  // namespace

checks buffer_checks() { return buffers_list; }

}  // namespace tenon::conformance
