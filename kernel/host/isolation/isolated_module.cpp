// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "isolation/isolated_module.hpp"

#include <algorithm>
#include <cstring>

#include "isolation/isolated_instance.hpp"
#include "isolation/standing_by.hpp"
#include "services/error_text.hpp"

namespace tenon::host::isolation {
namespace {

tenon_status keys(tenon_instance *self, const tenon_batch *in, tenon_keys_out *out) {
  return isolated_instance::of(self).keys(call_kind::keys, in, out);
}
tenon_status score(tenon_instance *self, const tenon_batch *in, tenon_keys_out *out) {
  return isolated_instance::of(self).keys(call_kind::score, in, out);
}
tenon_status prepare(tenon_instance *self, const tenon_prepare_in *in, tenon_prepare_out *out) {
  return isolated_instance::of(self).prepare(in, out);
}
tenon_status filter(tenon_instance *self, const tenon_batch *in, tenon_filter_out *out) {
  return isolated_instance::of(self).filter(in, out);
}
tenon_status signature(tenon_instance *self, const tenon_batch *in, tenon_signature_out *out) {
  return isolated_instance::of(self).signature(in, out);
}
tenon_status filter_prefix(tenon_instance *self, const tenon_filter_prefix_in *in, tenon_filter_prefix_out *out) {
  return isolated_instance::of(self).filter_prefix(in, out);
}

tenon_status place(tenon_instance *self, const tenon_place_in *in, tenon_place_out *out) {
  return isolated_instance::of(self).place(in, out);
}
tenon_status resolve(tenon_instance *self, const tenon_resolve_in *in, tenon_resolve_out *out) {
  return isolated_instance::of(self).resolve(in, out);
}
tenon_status emit(tenon_instance *self, const tenon_event_emit_in *in, tenon_event_emit_out *out) {
  return isolated_instance::of(self).emit(in, out);
}
tenon_status query(tenon_instance *self, const tenon_event_query_in *in, tenon_event_query_out *out) {
  return isolated_instance::of(self).query(in, out);
}

// A table for each set of optional slots that an instance may have.
constexpr tenon_sort_v1 sort_table(bool prepares, bool scores) {
  return {sizeof(tenon_sort_v1), 0, keys, prepares ? prepare : nullptr, scores ? score : nullptr};
}
constexpr tenon_sort_v1 sort_tables[] = {sort_table(false, false), sort_table(true, false), sort_table(false, true),
                                         sort_table(true, true)};
constexpr tenon_predicate_v1 predicate_table(bool signs, bool judges_prefixes) {
  return {sizeof(tenon_predicate_v1), 0, filter, signs ? signature : nullptr,
          judges_prefixes ? filter_prefix : nullptr};
}
constexpr tenon_predicate_v1 predicate_tables[] = {predicate_table(false, false), predicate_table(true, false),
                                                   predicate_table(false, true), predicate_table(true, true)};

constexpr tenon_placement_rule_v1 placement_table{sizeof(tenon_placement_rule_v1), 0, place};
constexpr tenon_identity_v1 identity_table{sizeof(tenon_identity_v1), 0, resolve};
constexpr tenon_event_sink_v1 sink_table{sizeof(tenon_event_sink_v1), 0, emit, nullptr};
constexpr tenon_event_sink_v1 asked_sink_table{sizeof(tenon_event_sink_v1), 0, emit, query};

const void *table_of(uint32_t slots) {
  if ((slots & has_keys) != 0)
    return &sort_tables[((slots & has_prepare) != 0 ? 1 : 0) + ((slots & has_score) != 0 ? 2 : 0)];
  if ((slots & has_filter) != 0)
    return &predicate_tables[((slots & has_signature) != 0 ? 1 : 0) + ((slots & has_filter_prefix) != 0 ? 2 : 0)];
  if ((slots & has_place) != 0) return &placement_table;
  if ((slots & has_resolve) != 0) return &identity_table;
  if ((slots & has_emit) != 0) return (slots & has_query) != 0 ? &asked_sink_table : &sink_table;
  return nullptr;
}

void say(tenon_message *to, std::string_view words) {
  if (to == nullptr) return;
  to->length = std::min<uint64_t>(words.size(), to->capacity);
  words.copy(to->data, to->length);
}

// The process made, started and activated the instance at one go: where it stopped is where the host stops.
tenon_status stage(tenon_instance *self, create_stage which, tenon_message *error) {
  const instance_report &report = isolated_instance::of(self).report();
  if (report.stage != which) return TENON_OK;
  say(error, report.words);
  return report.status;
}
tenon_status init(tenon_instance *self, const tenon_nothing *, tenon_message *error) {
  return stage(self, create_stage::init, error);
}
tenon_status activate(tenon_instance *self, const tenon_nothing *, tenon_message *error) {
  return stage(self, create_stage::activate, error);
}
tenon_status deactivate(tenon_instance *, const tenon_nothing *, tenon_message *) { return TENON_OK; }
tenon_status destroy(tenon_instance *self, const tenon_nothing *, tenon_message *) {
  isolated_instance &instance = isolated_instance::of(self);
  instance.end();
  instance.module().let_go(&instance);
  return TENON_OK;
}
constexpr tenon_lifecycle lifecycle{sizeof(tenon_lifecycle), 0, init, activate, deactivate, destroy};
constexpr tenon_lifecycle no_lifecycle{sizeof(tenon_lifecycle), 0, nullptr, nullptr, nullptr, nullptr};

// "; may read /etc/acme, use the network", or nothing.
std::string permitted(const granted_permissions &granted) {
  std::string out;
  const auto add = [&](const std::string &what) { out += (out.empty() ? "; may " : ", ") + what; };
  for (const std::filesystem::path &each : granted.read) add("read " + each.string());
  for (const std::filesystem::path &each : granted.write) add("write " + each.string());
  if (granted.network) add("use the network");
  if (granted.threads) add("start threads");
  return out;
}

}  // namespace

struct isolated_module::factory : tenon_factory {
  isolated_module *module = nullptr;
  const reported_interface *interface = nullptr;
};

isolated_module::isolated_module(const module_manifest &manifest, const verified_library &library,
                                 const isolation_plan &plan, const host_services &services)
    : shown_as_(library.shown_as.string()), plan_(plan), services_(services) {
  byte_writer opening;
  opening.text(library.open_path.string());
  opening.number(plan.limits.memory);
  opening.number(plan.limits.descriptors);
  opening.number(manifest.services.size());
  for (const std::string &service : manifest.services) opening.text(service);
  for (const auto *paths : {&plan.granted.read, &plan.granted.write}) {
    opening.number(paths->size());
    for (const std::filesystem::path &each : *paths) opening.text(each.string());
  }
  opening.number(plan.granted.network ? 1 : 0);
  opening.number(plan.granted.threads ? 1 : 0);
  opening.number(plan.require_sandbox ? 1 : 0);
  how_ = {plan.program, manifest.id, opening.bytes(), &accounts_};
}

isolated_module::~isolated_module() = default;

refusal isolated_module::no(std::string want, std::string have, std::string fix) const {
  return {shown_as_, std::move(want), std::move(have), std::move(fix)};
}

result<std::unique_ptr<isolated_module>> isolated_module::open(const module_manifest &manifest,
                                                               const verified_library &library,
                                                               const isolation_plan &plan,
                                                               const host_services &services, process_loss *lost) {
  std::unique_ptr<isolated_module> out(new isolated_module(manifest, library, plan, services));
  if (auto why = out->ask_what_it_is(lost)) return *why;
  for (const reported_interface &interface : out->report_.interfaces) {
    if (!interface.has_factory) continue;
    auto made = std::make_unique<factory>();
    static_cast<tenon_factory &>(*made) = {sizeof(tenon_factory), 0, describe, create};
    made->module = out.get();
    made->interface = &interface;
    out->factories_.push_back(std::move(made));
  }
  return out;
}

result<std::unique_ptr<module_process>> isolated_module::start() const {
  auto out =
      module_process::start(how_, [this](uint32_t level, std::string_view line) { services_.write(level, line); });
  if (out) return out;
  refusal why = out.why();
  why.where = shown_as_;
  return why;
}

std::optional<refusal> isolated_module::ask_what_it_is(process_loss *lost) {
  auto process = start();
  if (!process) return process.why();
  const std::string want = "a module that opens in a process of its own";
  switch ((*process)->wait(plan_.limits.start_deadline)) {
    case module_process::outcome::answered:
      report_ = read_module_report((*process)->reply());
      break;
    case module_process::outcome::ended:
      if (lost != nullptr) *lost = (*process)->loss();
      return no(want, (*process)->how_it_ended(), "let constructors, init and describe return");
    case module_process::outcome::late:
      if (lost != nullptr) *lost = {process_loss::how::late};
      return no(
          want,
          "still busy after " + std::to_string(plan_.limits.start_deadline.count()) + " ms" + (*process)->last_words(),
          "do not wait or loop in constructors, init and describe");
  }
  if (auto why = check_sandbox()) return why;
  if (!report_.opened) return no(report_.want, report_.have, report_.fix);
  (*process)->end(plan_.limits.end_deadline());
  return std::nullopt;
}

// The process does not open the library then: no code of the module wrote this report.
std::optional<refusal> isolated_module::check_sandbox() const {
  if (!plan_.require_sandbox || is_whole_sandbox(report_.in_force)) return std::nullopt;
  return no("a process with limits, seccomp and landlock (require_sandbox)", in_force(),
            "run on a kernel that has them (landlock: Linux 5.13 with lsm=landlock), or write require_sandbox: false");
}

std::string isolated_module::in_force() const {
  std::string in, out;
  const auto add = [&](uint32_t bit, const std::string &what) {
    std::string &to = (report_.in_force & bit) != 0 ? in : out;
    to += (to.empty() ? "" : ", ") + what;
  };
  add(in_force_seccomp, "seccomp");
  add(in_force_landlock, "landlock" + (report_.landlock == 0 ? "" : " " + std::to_string(report_.landlock)));
  add(in_force_limits, "limits of files and descriptors");
  add(in_force_memory, "a limit of " + std::to_string(plan_.limits.memory >> 20) + " MiB");
  return "processes of its own with " + (in.empty() ? "nothing" : in) + (out.empty() ? "" : "; not in force: " + out) +
         permitted(plan_.granted);
}

std::vector<std::string> isolated_module::denied(const module_manifest &manifest) const {
  std::vector<std::string> out;
  for (const std::string &each : manifest.permissions) {
    if (plan_.granted.has(each)) continue;
    const bool of_files = each == "read" || each == "write";
    out.push_back("asks for " + each + ", which is denied; to grant it add `permissions: { " + each + ": " +
                  (of_files ? "[PATH]" : "true") + " }` to its entry in the deployment");
  }
  return out;
}

tenon_status isolated_module::get_factory(std::string_view interface, tenon_get_factory_out &out) const {
  out.factory = nullptr;
  for (const auto &one : factories_)
    if (one->interface->id == interface) out.factory = one.get();
  for (const reported_interface &one : report_.interfaces)
    if (one.id == interface) return one.status;
  return TENON_UNSUPPORTED;
}

std::string isolated_module::cause(const tenon_instance *instance) {
  return isolated_instance::of(const_cast<tenon_instance *>(instance)).cause();
}

bool isolated_module::has_lost_call(const tenon_instance *instance) {
  return isolated_instance::of(const_cast<tenon_instance *>(instance)).loss().what != process_loss::how::none;
}

std::string isolated_module::instance_request(std::string_view interface, uint32_t index,
                                              std::string_view configuration, uint32_t max_resource_types) {
  byte_writer out;
  out.text(interface);
  out.number(index);
  out.text(configuration);
  out.number(max_resource_types);
  return out.bytes();
}

tenon_status isolated_module::describe(const tenon_factory *self, const tenon_describe_in *in, tenon_description *out) {
  const reported_interface &about = *static_cast<const factory *>(self)->interface;
  if (in->index >= about.implementations.size()) return about.end;
  *out = about.implementations[in->index]->description();
  return TENON_OK;
}

tenon_status isolated_module::create(const tenon_factory *self, const tenon_create_in *in, tenon_create_out *out) {
  const factory &from = *static_cast<const factory *>(self);
  const isolated_module &module = *from.module;
  std::unique_ptr<isolated_instance> made = module.started(instance_request(
      from.interface->id, in->index, {in->configuration.data, in->configuration.length}, in->max_resource_types));
  const instance_report &report = made->report();
  if (report.stage == create_stage::create && report.status != TENON_OK) {
    say(out->error, report.words);
    return report.status;
  }
  if (!report.has_instance) return TENON_OK;
  out->instance = made->handle();
  out->lifecycle = report.has_lifecycle ? &lifecycle : &no_lifecycle;
  out->interface_table = table_of(report.slots);
  if (report.own_columns) {
    out->columns = report.columns.first();
    out->column_count = report.columns.count();
    out->column_stride = report.columns.stride();
  }
  out->key_words = report.key_words;
  const std::scoped_lock lock(module.mutex_);
  module.instances_.push_back(std::move(made));
  return TENON_OK;
}

std::unique_ptr<isolated_instance> isolated_module::started(const std::string &request) const {
  const std::shared_ptr<standing_by> ready = [this] {
    const std::scoped_lock lock(mutex_);
    return standing_by_.lock();
  }();
  if (ready != nullptr) {
    if (auto one = ready->take(request)) return one;
  }
  auto out = std::make_unique<isolated_instance>(*this, request);
  out->start();
  return out;
}

result<std::shared_ptr<standing_by>> isolated_module::stand_by(std::vector<std::string> requests,
                                                               const std::function<bool()> &gives_up) const {
  constexpr std::chrono::milliseconds between_looks(50);
  const std::string want = "a module that starts again";
  {
    const std::scoped_lock lock(mutex_);
    for (const auto &one : instances_) requests.push_back(one->request());
  }
  std::vector<std::unique_ptr<isolated_instance>> started;
  for (std::string &request : requests)
    started.emplace_back(std::make_unique<isolated_instance>(*this, std::move(request)))->begin();
  auto out = std::make_shared<standing_by>();
  for (auto &one : started) {
    while (one->is_starting(between_looks))
      if (gives_up()) return no(want, "the scheduler stops", "start the scheduler");
    const instance_report &report = one->report();
    if (report.stage != create_stage::active) return no(want, report.words, "mend what these words say");
    out->add(std::move(one));
  }
  const std::scoped_lock lock(mutex_);
  standing_by_ = out;
  return out;
}

void isolated_module::let_go(isolated_instance *instance) const {
  const std::scoped_lock lock(mutex_);
  std::erase_if(instances_, [&](const auto &one) { return one.get() == instance; });
}

}  // namespace tenon::host::isolation
