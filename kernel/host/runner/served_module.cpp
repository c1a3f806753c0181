// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "runner/served_module.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "base/status_text.hpp"
#include "isolation/byte_stream.hpp"
#include "isolation/event_bytes.hpp"
#include "library/linker_remedy.hpp"
#include "tenon/host/process_state.hpp"
#include "tenon/kernel/module_kinds.hpp"

namespace tenon::host::runner {
namespace {

using namespace isolation;

constexpr uint64_t longest_text = 4096;
constexpr uint32_t most_columns = 129;  // one more than the host takes
constexpr tenon_nothing nothing{sizeof(tenon_nothing), 0};

// A text of the module; empty where it breaks the rules of tenon_text.
std::string_view view(const tenon_text &text) {
  if (text.data == nullptr || text.length > longest_text) return {};
  return {text.data, text.length};
}

// Room for the words of a status.
class words {
 public:
  tenon_message *message() { return &message_; }
  [[nodiscard]] std::string_view text() const {
    return {room_.data(), std::min<size_t>(message_.length, room_.size())};
  }

 private:
  std::array<char, 1024> room_{};
  tenon_message message_{sizeof(tenon_message), sizeof room_, room_.data(), 0};
};

template <class Table>
Table known_part(const void *given) {
  Table out{};
  const auto *table = static_cast<const Table *>(given);
  if (table != nullptr) std::memcpy(&out, table, std::min<size_t>(table->size, sizeof out));
  return out;
}

void put_columns(byte_writer &to, const tenon_column_use *first, uint32_t count, uint32_t stride) {
  const bool broken = count != 0 && (first == nullptr || count >= most_columns || stride < sizeof(tenon_column_use));
  to.number(broken ? 1 : 0);
  if (broken) count = 0;
  to.number(count);
  for (uint32_t i = 0; i < count; ++i) {
    const auto &use =
        *reinterpret_cast<const tenon_column_use *>(reinterpret_cast<const char *>(first) + size_t{i} * stride);
    to.text(view(use.id));
    to.number(use.scope);
  }
}

void put_description(byte_writer &to, const tenon_description &d) {
  to.text(view(d.name));
  to.text(view(d.version));
  put_columns(to, d.columns, d.column_count, d.column_stride);
  to.number(d.key_words);
  to.number(d.order_rev);
  to.number(d.rekey_ms);
  const uint32_t reasons = d.reasons == nullptr ? 0 : std::min<uint32_t>(d.reason_count, UINT16_MAX);
  to.number(reasons);
  for (uint32_t i = 0; i < reasons; ++i) to.text(view(d.reasons[i]));
}

const tenon_factory *find_factory(const tenon_module &module, std::string_view interface, tenon_status &status) {
  const tenon_get_factory_in in{sizeof in, 0, {interface.data(), interface.size()}};
  tenon_get_factory_out out{sizeof out, 0, nullptr};
  status = module.get_factory(&in, &out);
  const tenon_factory *found = out.factory;
  const bool whole = status == TENON_OK && found != nullptr && TENON_COVERS(found, tenon_factory, create) &&
                     found->describe != nullptr && found->create != nullptr;
  return whole ? found : nullptr;
}

void put_interface(byte_writer &to, const tenon_module &module, std::string_view interface) {
  tenon_status status = TENON_OK;
  const tenon_factory *factory = find_factory(module, interface, status);
  to.text(interface);
  to.number(static_cast<uint32_t>(status));
  to.number(factory == nullptr ? 0 : 1);
  byte_writer all;
  uint64_t count = 0;
  tenon_status end = TENON_UNSUPPORTED;
  while (factory != nullptr && count < max_implementations) {
    const tenon_describe_in in{sizeof in, static_cast<uint32_t>(count)};
    tenon_description description{};
    description.size = sizeof description;
    end = factory->describe(factory, &in, &description);
    if (end != TENON_OK) break;
    put_description(all, description);
    ++count;
  }
  to.number(count);
  to.append(all);
  to.number(static_cast<uint32_t>(end == TENON_OK ? TENON_UNSUPPORTED : end));
}

}  // namespace

void served_module::open_library(const std::string &library) {
  const process_state before;
  const std::string said = opened_.open(library);
  const auto changed = before.changes();
  if (!said.empty()) throw refused{"a library that the dynamic linker opens", said, linker_remedy(said)};
  if (!changed.empty())
    throw refused{"a library that leaves process-wide state alone", "opening it changed " + joined(changed),
                  "link without -ffast-math; leave locale and signals to the host"};
  table_ = opened_.table();
  if (table_ == nullptr)
    throw refused{"the export " TENON_MODULE_SYMBOL, "a library that does not export it",
                  "define it as in tenon/abi/module.h"};
}

// Whether it can be called; the host compares the rest with its manifest.
void served_module::check_table() const {
  if (!TENON_COVERS(table_, tenon_module, get_factory) || table_->abi_epoch != TENON_ABI_EPOCH)
    throw refused{"a module table of ABI epoch " + std::to_string(TENON_ABI_EPOCH) + " and at least " +
                      std::to_string(sizeof(tenon_module)) + " bytes",
                  "another one", "build the module against this release's headers"};
  if (table_->init == nullptr || table_->deinit == nullptr || table_->get_factory == nullptr)
    throw refused{"init, deinit and get_factory", "a module table with an empty slot", "fill in all slots"};
}

void served_module::initialise() {
  const process_state before;
  words error;
  const tenon_module_init_in in{sizeof in, TENON_ABI_EPOCH, &host_};
  const tenon_status status = table_->init(&in, error.message());
  const auto changed = before.changes();
  if (status != TENON_OK)
    throw refused{
        "a module that starts",
        "its init gave " + status_text(status) + (error.text().empty() ? "" : ": " + std::string(error.text())),
        "see the module's documentation"};
  if (!changed.empty())
    throw refused{"a module that leaves process-wide state alone", "its init changed " + joined(changed),
                  "leave floating-point control, locale and signals to the host"};
}

std::string served_module::open(const std::string &library, const confinement &confined) {
  byte_writer interfaces;
  refused no;
  try {
    open_library(library);
    check_table();
    initialise();
    for (const kind_entry &kind : module_kinds) put_interface(interfaces, *table_, kind.interface);
  } catch (const refused &why) {
    no = why;
  }
  return report(no, confined, interfaces);
}

std::string served_module::leave_closed(const confinement &confined) const {
  return report({"a process that is confined", "one that is not, or not enough", "see require_sandbox"}, confined, {});
}

std::string served_module::report(const refused &no, const confinement &confined, const byte_writer &interfaces) const {
  const bool opened = no.want.empty();
  byte_writer out;
  out.number(opened ? 1 : 0);
  out.text(no.want);
  out.text(no.have);
  out.text(no.fix);
  out.number(opened ? table_->abi_epoch : 0);
  out.number(opened ? table_->draft_rev : 0);
  out.number(confined.in_force);
  out.number(confined.landlock);
  out.number(opened ? module_kinds.size() : 0);
  if (opened) out.append(interfaces);
  return out.bytes();
}

uint32_t served_module::take_table(std::string_view interface, const void *given) {
  uint32_t slots = 0;
  const auto note = [&](bool there, uint32_t bit) { slots |= there ? bit : 0; };
  if (interface == TENON_PREDICATE) {
    predicate_ = known_part<tenon_predicate_v1>(given);
    note(predicate_.filter != nullptr, has_filter);
    note(predicate_.signature != nullptr, has_signature);
    note(predicate_.filter_prefix != nullptr, has_filter_prefix);
  } else if (interface == TENON_PLACEMENT_RULE) {
    placement_ = known_part<tenon_placement_rule_v1>(given);
    note(placement_.place != nullptr, has_place);
  } else if (interface == TENON_IDENTITY) {
    identity_ = known_part<tenon_identity_v1>(given);
    note(identity_.resolve != nullptr, has_resolve);
  } else if (interface == TENON_EVENT_SINK) {
    sink_ = known_part<tenon_event_sink_v1>(given);
    note(sink_.emit != nullptr, has_emit);
    note(sink_.query != nullptr, has_query);
  } else {
    sort_ = known_part<tenon_sort_v1>(given);
    note(sort_.keys != nullptr, has_keys);
    note(sort_.prepare != nullptr, has_prepare);
    note(sort_.score != nullptr, has_score);
  }
  return slots;
}

std::string served_module::create(std::string_view request) {
  byte_reader from(request);
  const std::string interface(from.text());
  const auto index = static_cast<uint32_t>(from.number());
  const std::string configuration(from.text());
  const auto max_types = static_cast<uint32_t>(from.number());

  words error;
  tenon_create_out made{};
  made.size = sizeof made;
  made.error = error.message();
  const tenon_create_in in{sizeof in, index, {configuration.data(), configuration.size()}, max_types, 0, &host_};
  tenon_status status = TENON_OK;
  const tenon_factory *factory = find_factory(*table_, interface, status);
  status = factory == nullptr ? TENON_UNSUPPORTED : factory->create(factory, &in, &made);
  create_stage stage = create_stage::create;

  uint32_t slots = 0;
  bool has_lifecycle = false;
  if (status == TENON_OK) {
    instance_ = made.instance;
    lifecycle_ = known_part<tenon_lifecycle>(made.lifecycle);
    has_lifecycle = lifecycle_.init != nullptr && lifecycle_.activate != nullptr && lifecycle_.deactivate != nullptr &&
                    lifecycle_.destroy != nullptr;
    slots = take_table(interface, made.interface_table);
  }
  constexpr uint32_t required = has_keys | has_filter | has_place | has_resolve | has_emit;
  if (status == TENON_OK && instance_ != nullptr && has_lifecycle && (slots & required) != 0) {
    stage = create_stage::init;
    status = lifecycle_.init(instance_, &nothing, error.message());
    if (status == TENON_OK) {
      stage = create_stage::activate;
      status = lifecycle_.activate(instance_, &nothing, error.message());
    }
    active_ = status == TENON_OK;
    if (active_) stage = create_stage::active;
  }

  byte_writer out;
  out.number(static_cast<uint32_t>(stage));
  out.number(static_cast<uint32_t>(status));
  out.text(status == TENON_OK ? std::string_view{} : error.text());
  out.number(instance_ != nullptr ? 1 : 0);
  out.number(has_lifecycle ? 1 : 0);
  out.number(slots);
  const bool own_columns = made.columns != nullptr;
  out.number(own_columns ? 1 : 0);
  put_columns(out, own_columns ? made.columns : nullptr, own_columns ? made.column_count : 0, made.column_stride);
  out.number(made.key_words);
  return out.bytes();
}

tenon_status served_module::place(const tenon_place_in &in, tenon_place_out *out) {
  struct asking_tree : tenon_queue_tree {
    channel *calls;
  } tree{};
  static_cast<tenon_queue_tree &>(tree) = {
      sizeof(tenon_queue_tree), 0,
      [](const tenon_queue_tree *self, const tenon_find_queue_in *wanted, tenon_find_queue_out *found) -> tenon_status {
        if (self == nullptr || wanted == nullptr || found == nullptr ||
            !TENON_COVERS(wanted, tenon_find_queue_in, world) || !TENON_COVERS(found, tenon_find_queue_out, state))
          return TENON_UNSUPPORTED;
        const queue_answer answer =
            static_cast<const asking_tree *>(self)->calls->ask(wanted->world, {wanted->path.data, wanted->path.length});
        found->exists = answer.exists;
        found->leaf = answer.leaf;
        found->state = answer.state;
        return answer.status;
      }};
  tree.calls = &calls_;
  tenon_place_in given = in;
  given.queues = &tree;
  return placement_.place(instance_, &given, out);
}

tenon_status served_module::query(const tenon_event_query_in *in, tenon_event_query_out *out) {
  struct collector {
    char *to;
    size_t room, used;
  } records{static_cast<char *>(out->taker), query_bytes, 0};
  tenon_event_query_out given = *out;
  given.taker = &records;
  given.take = [](void *taker, const tenon_event_record *record) -> tenon_status {
    collector &all = *static_cast<collector *>(taker);
    if (record == nullptr) return TENON_UNSUPPORTED;
    byte_writer bytes;
    put_record(bytes, known_part<tenon_event_record>(record));
    if (bytes.bytes().size() > all.room - all.used) return TENON_EXHAUSTED;
    bytes.bytes().copy(all.to + all.used, bytes.bytes().size());
    all.used += bytes.bytes().size();
    return TENON_OK;
  };
  const tenon_status status = sink_.query(instance_, in, &given);
  out->next = given.next;
  calls_.has_written(records.used);
  return status;
}

tenon_status served_module::call(call_kind what, uint64_t input, uint64_t output) {
  const auto *in = reinterpret_cast<const void *>(static_cast<uintptr_t>(input));
  auto *out = reinterpret_cast<void *>(static_cast<uintptr_t>(output));
  const auto *batch = static_cast<const tenon_batch *>(in);
  switch (what) {
    case call_kind::keys:
      return sort_.keys(instance_, batch, static_cast<tenon_keys_out *>(out));
    case call_kind::score:
      return sort_.score(instance_, batch, static_cast<tenon_keys_out *>(out));
    case call_kind::prepare:
      return sort_.prepare(instance_, static_cast<const tenon_prepare_in *>(in), static_cast<tenon_prepare_out *>(out));
    case call_kind::filter:
      return predicate_.filter(instance_, batch, static_cast<tenon_filter_out *>(out));
    case call_kind::signature:
      return predicate_.signature(instance_, batch, static_cast<tenon_signature_out *>(out));
    case call_kind::filter_prefix:
      return predicate_.filter_prefix(instance_, static_cast<const tenon_filter_prefix_in *>(in),
                                      static_cast<tenon_filter_prefix_out *>(out));
    case call_kind::place:
      return place(*static_cast<const tenon_place_in *>(in), static_cast<tenon_place_out *>(out));
    case call_kind::resolve:
      return identity_.resolve(instance_, static_cast<const tenon_resolve_in *>(in),
                               static_cast<tenon_resolve_out *>(out));
    case call_kind::emit:
      return sink_.emit(instance_, static_cast<const tenon_event_emit_in *>(in),
                        static_cast<tenon_event_emit_out *>(out));
    case call_kind::query:
      return query(static_cast<const tenon_event_query_in *>(in), static_cast<tenon_event_query_out *>(out));
    default:
      return TENON_UNSUPPORTED;
  }
}

void served_module::end() {
  words error;
  if (instance_ != nullptr && lifecycle_.destroy != nullptr) {
    if (active_) lifecycle_.deactivate(instance_, &nothing, error.message());
    lifecycle_.destroy(instance_, &nothing, error.message());
  }
  if (table_ != nullptr) table_->deinit(&nothing, error.message());
}

}  // namespace tenon::host::runner
