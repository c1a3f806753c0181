// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "subject.hpp"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <cstring>

#include "configurations.hpp"

namespace tenon::conformance {
namespace {

constexpr tenon_nothing nothing{sizeof(tenon_nothing), 0};
constexpr uint32_t most_implementations = 256, most_columns = 128, most_reasons = 65535;

std::string copied(const tenon_text &text) {
  return text.data == nullptr ? std::string() : std::string(text.data, std::min<uint64_t>(text.length, 4096));
}

std::vector<column_declared> read_columns(uint32_t kind, const tenon_column_use *first, uint32_t count,
                                          uint32_t stride) {
  std::vector<column_declared> out;
  if (count == 0) return out;
  if (first == nullptr || count > most_columns || stride < sizeof(tenon_column_use)) {
    probe::fail("its list of columns is broken: " + number(count) + " columns, stride " + number(stride));
  }
  for (uint32_t i = 0; i < count; ++i) {
    tenon_column_use use{};
    std::memcpy(&use, reinterpret_cast<const char *>(first) + size_t{i} * stride, sizeof use);
    column_declared c{copied(use.id), use.scope, TENON_COLUMN_I64};
    if (const column_entry *known = find_column(kind, c.id)) c.value = known->value;
    out.push_back(std::move(c));
  }
  return out;
}

template <class Table>
Table known_part(const void *given) {
  Table out{};
  uint32_t size = 0;
  if (given == nullptr) return out;
  std::memcpy(&size, given, sizeof size);
  std::memcpy(&out, given, std::min<size_t>(size, sizeof out));
  return out;
}

}  // namespace

std::string number(uint64_t n) { return std::to_string(n); }

std::string status_name(tenon_status status) {
  static constexpr std::array names{"OK",           "DECLINED",  "UNSCHEDULABLE",
                                    "UNRESOLVABLE", "RETRY",     "INVALID_CONFIG",
                                    "UNSUPPORTED",  "EXHAUSTED", "INTERNAL"};
  if (status >= 0 && static_cast<size_t>(status) < names.size()) return names[static_cast<size_t>(status)];
  return "status " + std::to_string(status);
}

std::string shown(const tenon_text &text) {
  std::string out = copied(text).substr(0, 80);
  for (char &c : out) {
    if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) > 0x7E) c = '?';
  }
  return "'" + out + "'";
}

error_buffer::error_buffer(uint32_t capacity) : bytes_(capacity + 16, '\x5A') {
  message_ = {sizeof(tenon_message), capacity, bytes_.data(), 0};
}

std::string error_buffer::text() const {
  if (message_.length == 0 || message_.length > message_.capacity) return {};
  return ": " + std::string(bytes_.data(), message_.length);
}

std::string error_buffer::problem() const {
  if (message_.data != bytes_.data() || message_.size != sizeof(tenon_message))
    return "it changed the size or the room of its error message";
  if (message_.length > message_.capacity)
    return "it says that its words have " + number(message_.length) + " bytes, with room for " +
           number(message_.capacity);
  if (bytes_.find_first_not_of('\x5A', message_.capacity) != std::string::npos)
    return "it wrote its words beyond their room";
  return {};
}

opened_module::opened_module(probe &p, const tenon_module *table, const link_map *linked)
    : probe_(&p), table_(table), linked_(linked), host_(test_host::lasting()) {}

opened_module opened_module::open(probe &p, const std::filesystem::path &library) {
  test_host::be(TENON_THREAD_MAIN);
  const std::filesystem::path path = library.empty() ? p.manifest().library_path() : library;
  void *handle = p.call("opening it (constructors)",
                        [&] { return ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE); });
  if (handle == nullptr) {
    const char *why = ::dlerror();
    probe::fail(std::string("the dynamic linker refuses it: ") + (why == nullptr ? "no reason" : why));
  }
  const auto *table = static_cast<const tenon_module *>(::dlsym(handle, TENON_MODULE_SYMBOL));
  if (table == nullptr) probe::fail("it does not export " TENON_MODULE_SYMBOL);
  if (!TENON_COVERS(table, tenon_module, get_factory))
    probe::fail("its module table has " + number(table->size) + " bytes, want " + number(sizeof(tenon_module)));
  if (table->abi_epoch != TENON_ABI_EPOCH) probe::fail("its module table is of ABI epoch " + number(table->abi_epoch));
  if (table->draft_rev != p.manifest().draft_rev)
    probe::fail("its module table is of draft revision " + number(table->draft_rev) + ", its manifest of " +
                number(p.manifest().draft_rev));
  if (table->init == nullptr || table->deinit == nullptr || table->get_factory == nullptr)
    probe::fail("its module table has an empty slot");
  link_map *linked = nullptr;
  ::dlinfo(handle, RTLD_DI_LINKMAP, &linked);
  return {p, table, linked};
}

opened_module opened_module::start(probe &p, const std::filesystem::path &library) {
  opened_module out = open(p, library);
  out.init();
  return out;
}

void opened_module::init() {
  error_buffer said;
  const tenon_module_init_in in{sizeof in, TENON_ABI_EPOCH, host_};
  const tenon_status status = probe_->call("the module's init", [&] { return table_->init(&in, said.message()); });
  if (status != TENON_OK) probe::fail("the module's init gave " + status_name(status) + said.text());
}

void opened_module::deinit() {
  error_buffer said;
  const tenon_status status =
      probe_->call("the module's deinit", [&] { return table_->deinit(&nothing, said.message()); });
  if (status != TENON_OK) probe::fail("the module's deinit gave " + status_name(status) + said.text());
}

tenon_status opened_module::get_factory(std::string_view interface, const tenon_factory *&factory) const {
  guarded_memory memory(true);
  const char *id = memory.copy<char>("an interface id", interface);
  const tenon_get_factory_in in{sizeof in, 0, {id, interface.size()}};
  tenon_get_factory_out out{sizeof out, 0, nullptr};
  const tenon_status status =
      probe_->call("get_factory of '" + std::string(interface) + "'", [&] { return table_->get_factory(&in, &out); });
  factory = out.factory;
  return status;
}

const tenon_factory *opened_module::factory() const {
  const tenon_factory *out = nullptr;
  const std::string &id = probe_->of().interface_id;
  const tenon_status status = get_factory(id, out);
  if (status != TENON_OK || out == nullptr) probe::fail("get_factory gave " + status_name(status) + " for " + id);
  if (!TENON_COVERS(out, tenon_factory, create) || out->describe == nullptr || out->create == nullptr)
    probe::fail("the factory of " + id + " lacks describe or create");
  return out;
}

tenon_description opened_module::raw_description(uint32_t index) const {
  const tenon_factory *from = factory();
  const tenon_describe_in in{sizeof in, index};
  tenon_description out{};
  out.size = sizeof out;
  const tenon_status status = probe_->call("describe", [&] { return from->describe(from, &in, &out); });
  if (status != TENON_OK) out.size = 0;  // none of that number
  if (status != TENON_OK && status != TENON_UNSUPPORTED) probe::fail("describe gave " + status_name(status));
  return out;
}

uint32_t opened_module::index() const {
  for (uint32_t i = 0; i < most_implementations; ++i) {
    const tenon_description d = raw_description(i);
    if (d.size == 0) break;
    if (copied(d.name) == probe_->of().implementation->name) return i;
  }
  probe::fail("it does not describe '" + probe_->of().implementation->name + "' of " + probe_->of().interface_id);
}

described opened_module::description() const {
  const tenon_description d = raw_description(index());
  described out{copied(d.name), copied(d.version), {}, d.key_words, d.order_rev, d.rekey_ms, {}};
  out.columns = read_columns(probe_->of().kind, d.columns, d.column_count, d.column_stride);
  if (d.reason_count > most_reasons || (d.reason_count != 0 && d.reasons == nullptr))
    probe::fail("its list of reasons is broken");
  for (uint32_t i = 0; i < d.reason_count; ++i) out.reasons.push_back(copied(d.reasons[i]));
  return out;
}

tenon_status instance::try_create(const opened_module &module, std::string_view configuration,
                                  test_host::services given, std::unique_ptr<instance> &made, std::string &why) {
  probe &p = module.asker();
  std::unique_ptr<instance> out(new instance(p));
  out->host_ = test_host::lasting(given);
  out->says_ = module.description();
  const tenon_factory *factory = module.factory();
  error_buffer error;
  tenon_create_out said{};
  said.size = sizeof said;
  said.error = error.message();
  const uint32_t index = module.index();
  tenon_status status = TENON_OK;
  {
    guarded_memory memory(true);
    const char *text = memory.copy<char>("the configuration", configuration);
    const tenon_create_in in{sizeof in, index, {text, configuration.size()}, usual_max_types, 0, out->host_};
    memory.freeze();
    status = p.call("create", [&] { return factory->create(factory, &in, &said); });
  }
  why = error.text();
  if (auto problem = error.problem(); !problem.empty()) probe::fail("create: " + problem);
  if (status == TENON_OK) {
    out->take(said);
    made = std::move(out);
  }
  return status;
}

void instance::take(const tenon_create_out &made) {
  if (made.instance == nullptr) probe::fail("create gave OK and no instance");
  raw_ = made.instance;
  lifecycle_ = known_part<tenon_lifecycle>(made.lifecycle);
  if (lifecycle_.init == nullptr || lifecycle_.activate == nullptr || lifecycle_.deactivate == nullptr ||
      lifecycle_.destroy == nullptr) {
    raw_ = nullptr;
    probe::fail("create gave a lifecycle with an empty slot");
  }
  const uint32_t kind = probe_->of().kind;
  const char *missing = nullptr;
  if ((kind & about::sorts) != 0) {
    sort_ = known_part<tenon_sort_v1>(made.interface_table);
    if (sort_.keys == nullptr) missing = "keys";
  } else if (kind == about::predicate) {
    predicate_ = known_part<tenon_predicate_v1>(made.interface_table);
    if (predicate_.filter == nullptr) missing = "filter";
  } else if (kind == about::placement_rule) {
    placement_ = known_part<tenon_placement_rule_v1>(made.interface_table);
    if (placement_.place == nullptr) missing = "place";
  } else if (kind == about::identity) {
    identity_ = known_part<tenon_identity_v1>(made.interface_table);
    if (identity_.resolve == nullptr) missing = "resolve";
  } else if (kind == about::event_sink) {
    sink_ = known_part<tenon_event_sink_v1>(made.interface_table);
    if (sink_.emit == nullptr) missing = "emit";
  } else if (kind == about::transport) {
    transport_ = known_part<tenon_transport_v1>(made.interface_table);
    missing = transport_.start == nullptr     ? "start"
              : transport_.stop == nullptr    ? "stop"
              : transport_.deliver == nullptr ? "deliver"
                                              : nullptr;
  }
  if (missing != nullptr) probe::fail(std::string("its table has no ") + missing);
  columns_ =
      made.columns == nullptr ? says_.columns : read_columns(kind, made.columns, made.column_count, made.column_stride);
  key_words_ = made.key_words == 0 ? says_.key_words : made.key_words;
  if ((kind & about::sorts) != 0 && (key_words_ == 0 || key_words_ > TENON_MAX_KEY_WORDS))
    probe::fail("its keys have " + number(key_words_) + " words; 1 to " + number(TENON_MAX_KEY_WORDS) +
                " are possible");
}

std::unique_ptr<instance> instance::create(const opened_module &module, std::string_view configuration,
                                           test_host::services given) {
  std::unique_ptr<instance> out;
  std::string why;
  const tenon_status status = try_create(module, configuration, given, out, why);
  if (status != TENON_OK) probe::fail("create gave " + status_name(status) + why);
  return out;
}

std::unique_ptr<instance> instance::active(const opened_module &module, test_host::services given) {
  auto out = create(module, usual_configuration(module.asker().manifest()), given);
  out->init();
  out->activate();
  return out;
}

instance::~instance() {
  if (raw_ == nullptr || std::uncaught_exceptions() != 0) return;
  try {
    if (active_) deactivate();
    destroy();
  } catch (const check_failed &) {  // the check has its verdict; the checks of the lifecycle say this
  }
}

tenon_status instance::lifecycle_call(const char *name, slot into, std::string &why) {
  error_buffer said;
  test_host::be(TENON_THREAD_MAIN);  // whatever was called before
  const tenon_status status = probe_->call(name, [&] { return into(raw_, &nothing, said.message()); });
  why = said.text();
  if (auto problem = said.problem(); !problem.empty()) probe::fail(std::string(name) + ": " + problem);
  return status;
}

void instance::must(const char *name, slot into) {
  std::string why;
  const tenon_status status = lifecycle_call(name, into, why);
  if (status != TENON_OK) probe::fail(std::string(name) + " gave " + status_name(status) + why);
}

tenon_status instance::try_activate(std::string &why) {
  const tenon_status status = lifecycle_call("activate", lifecycle_.activate, why);
  active_ = status == TENON_OK;
  return status;
}

void instance::init() { must("init", lifecycle_.init); }
void instance::activate() {
  must("activate", lifecycle_.activate);
  active_ = true;
}
void instance::deactivate() {
  active_ = false;
  must("deactivate", lifecycle_.deactivate);
}
void instance::destroy() {
  tenon_instance *gone = raw_;
  if (gone == nullptr) return;
  test_host::be(TENON_THREAD_MAIN);
  const tenon_status status = [&] {
    error_buffer said;
    return probe_->call("destroy", [&] { return lifecycle_.destroy(gone, &nothing, said.message()); });
  }();
  raw_ = nullptr;
  host_->retire();
  if (status != TENON_OK) probe::fail("destroy gave " + status_name(status));
}

}  // namespace tenon::conformance
