// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <boost/json.hpp>
#include <vector>

#include "base/beside_executable.hpp"
#include "base/private_directory.hpp"
#include "flight/recorded_input.hpp"
#include "isolation/isolated_instance.hpp"
#include "isolation/served_kinds.hpp"
#include "services/error_text.hpp"
#include "tenon/config/problems.hpp"
#include "tenon/host/flight_record.hpp"
#include "tenon/host/verified_library.hpp"

namespace tenon::host {
namespace {

using isolation::call_kind;
using isolation::isolated_instance;
using isolation::process_loss;
using outcome = replayed_call::outcome;
using std::chrono::steady_clock;

constexpr size_t name_room = 4096, group_room = 1024, names_room = 64 << 10;

// Whose library it was: that of the record, or the one that is to be tried in its place.
result<module_manifest> manifest_of(const flight_record &record, const replay_options &options) {
  const std::filesystem::path file =
      options.manifest.empty() ? std::filesystem::path(record.manifest()) : options.manifest;
  config::problems report(file.string());
  auto manifest = read_manifest(file, report);
  if (manifest) return std::move(*manifest);
  refusal why = report.refusals().front();
  why.fix += (why.fix.empty() ? "" : "; ") + std::string("or name the module's manifest with --manifest");
  return why;
}

std::optional<refusal> check_module(const flight_record &record, const module_manifest &manifest,
                                    const replay_options &options) {
  const std::string_view module = record.line("module"), id = module.substr(0, module.find(' '));
  if (manifest.id != id)
    return refusal{manifest.file.string(), "the manifest of " + std::string(id), "that of " + manifest.id,
                   "name the module's own with --manifest"};
  if (!options.any_build && manifest.digest != record.line("digest"))
    return refusal{manifest.file.string(), "sha256:" + std::string(record.line("digest")) + ", the build of the record",
                   "sha256:" + manifest.digest,
                   "name the manifest of that build with --manifest, or give --any-build to try this one"};
  return isolation::check_served(manifest, nullptr, manifest.file.string());
}

// What a call needs for its answer, and the answer.
class asked_instance {
 public:
  asked_instance(isolated_instance &instance, const recorded_input &input, replayed_call &out)
      : instance_(instance), input_(input), out_(out) {}

  // False: it is not known how to call that slot on that input.
  bool call(std::string_view slot) {
    const auto is = [&](std::string_view name, call_shape shape) { return slot == name && input_.shape() == shape; };
    if (is("keys", call_shape::batch)) return keys(call_kind::keys);
    if (is("score", call_shape::batch)) return keys(call_kind::score);
    if (is("filter", call_shape::batch)) return filter();
    if (is("signature", call_shape::batch)) return signature();
    if (is("filter_prefix", call_shape::prefix)) return filter_prefix();
    if (is("prepare", call_shape::prepare)) return prepare();
    if (is("place", call_shape::place)) return place();
    if (is("resolve", call_shape::resolve)) return resolve();
    if (is("emit", call_shape::emit)) return emit();
    return false;
  }

 private:
  bool gave(tenon_status status) {
    out_.answer_status = status_text(status);
    if (const std::string words = error_.text(); !words.empty()) out_.answer["words"] = words;
    return true;
  }

  bool keys(call_kind which) {
    const tenon_batch &in = input_.batch();
    const size_t items = in.item_count, words = std::max<uint32_t>(1, input_.key_words());
    std::vector<uint64_t> all(items * words);
    std::vector<int64_t> not_before(items, INT64_MIN), valid_until(items, INT64_MAX);
    tenon_keys_out out{sizeof out, static_cast<uint32_t>(words), all.data(), not_before.data(), valid_until.data()};
    const tenon_status status = instance_.keys(which, &in, &out);
    boost::json::array list;
    for (size_t i = 0; status == TENON_OK && i < items; ++i) {
      boost::json::array key;
      for (size_t w = 0; w < words; ++w) key.push_back(all[i * words + w]);
      boost::json::object one{{"item", in.items[i]}, {"key", std::move(key)}};
      if (not_before[i] != INT64_MIN) one["not_before_ms"] = not_before[i];
      if (valid_until[i] != INT64_MAX) one["valid_until_ms"] = valid_until[i];
      list.push_back(std::move(one));
    }
    out_.answer["keys"] = std::move(list);
    return gave(status);
  }

  bool filter() {
    const tenon_batch &in = input_.batch();
    std::vector<uint8_t> verdicts(in.item_count);
    std::vector<uint16_t> reasons(in.item_count);
    tenon_filter_out out{sizeof out, 0, verdicts.data(), reasons.data()};
    const tenon_status status = instance_.filter(&in, &out);
    boost::json::array list;
    for (uint32_t i = 0; status == TENON_OK && i < in.item_count; ++i)
      list.push_back(boost::json::object{{"item", in.items[i]}, {"verdict", verdicts[i]}, {"reason", reasons[i]}});
    out_.answer["verdicts"] = std::move(list);
    return gave(status);
  }

  bool signature() {
    tenon_signature_out out{sizeof out, 0, {}};
    const tenon_status status = instance_.signature(&input_.batch(), &out);
    out_.answer["words"] = boost::json::array{out.words[0], out.words[1]};
    out_.answer_status = status_text(status);
    return true;
  }

  bool filter_prefix() {
    tenon_filter_prefix_out out{sizeof out, 0};
    const tenon_status status = instance_.filter_prefix(&input_.prefix(), &out);
    out_.answer["index"] = out.index;
    return gave(status);
  }

  bool prepare() {
    tenon_prepare_out out{sizeof out, 0, {}, error_.message()};
    const tenon_status status = instance_.prepare(&input_.prepare(), &out);
    out_.answer["prepared"] = boost::json::array(std::begin(out.words), std::end(out.words));
    return gave(status);
  }

  // Which queues there were is not recorded.
  bool place() {
    const tenon_queue_tree no_queues{sizeof no_queues, 0,
                                     [](const tenon_queue_tree *, const tenon_find_queue_in *,
                                        tenon_find_queue_out *) -> tenon_status { return TENON_UNSUPPORTED; }};
    tenon_place_in in = input_.place();
    in.queues = &no_queues;
    size_t longest = std::max({in.application.length, in.queue.length, in.user.length});
    for (uint32_t i = 0; i < in.group_count; ++i) longest = std::max<size_t>(longest, in.groups[i].length);
    for (uint64_t i = 0; i < in.tag_count; ++i)
      longest = std::max<size_t>({longest, in.tag_names[i].length, in.tag_values[i].length});
    std::string name(std::max(name_room, 5 * longest), '\0');
    tenon_place_out out{sizeof out, 0, name.data(), name.size(), 0, error_.message()};
    const tenon_status status = instance_.place(&in, &out);
    out_.answer["queue"] = name.substr(0, out.name_length);
    out_.answer["qualified"] = out.qualified != 0;
    return gave(status);
  }

  bool resolve() {
    std::vector<tenon_text> groups(group_room);
    std::string room(names_room, '\0');
    tenon_resolve_out out{
        sizeof out,      static_cast<uint32_t>(groups.size()), groups.data(), 0, room.data(), room.size(), 0,
        error_.message()};
    const tenon_status status = instance_.resolve(&input_.resolve(), &out);
    boost::json::array names;
    for (uint64_t i = 0; status == TENON_OK && i < std::min<uint64_t>(out.group_count, groups.size()); ++i)
      names.push_back(boost::json::value(std::string_view(groups[i].data, groups[i].data ? groups[i].length : 0)));
    out_.answer["groups"] = std::move(names);
    return gave(status);
  }

  bool emit() {
    tenon_event_emit_out out{sizeof out, 0, error_.message()};
    return gave(instance_.emit(&input_.emit(), &out));
  }

  isolated_instance &instance_;
  const recorded_input &input_;
  replayed_call &out_;
  error_text error_;
};

// True: it was lost, and how is in `out`.
bool was_lost(const process_loss &loss, std::string words, replayed_call &out) {
  if (loss.what == process_loss::how::none) return false;
  out.how = loss.what == process_loss::how::ended       ? outcome::crashed
            : loss.what == process_loss::how::late      ? outcome::hung
            : loss.what == process_loss::how::overwrote ? outcome::overwrote
                                                        : outcome::refused;
  out.signal = loss.signal;
  out.status = loss.status;
  out.words = std::move(words);
  return true;
}

bool is_before_instances(std::string_view slot, const flight_record &record) {
  return record.line("policy").empty() || slot == "create" || slot == "init" || slot == "activate";
}

const isolation::reported_interface *find_interface(const isolation::module_report &report, std::string_view id) {
  const auto found =
      std::find_if(report.interfaces.begin(), report.interfaces.end(), [&](const auto &one) { return one.id == id; });
  return found == report.interfaces.end() ? nullptr : &*found;
}

// Its number among those of the interface; nothing: there is none of that name.
std::optional<uint32_t> index_of(const isolation::reported_interface &of, std::string_view name) {
  for (uint32_t i = 0; i < of.implementations.size(); ++i) {
    const tenon_text called = of.implementations[i]->description().name;
    if (std::string_view(called.data, called.length) == name) return i;
  }
  return std::nullopt;
}

}  // namespace

result<replayed_call> replay_call(const flight_record &record, const replay_options &options) {
  const std::string_view slot = record.line("slot"), policy = record.line("policy"),
                         id = policy.substr(0, policy.find(' '));
  if (id.size() + 1 >= policy.size() && !policy.empty())
    return refusal{record.file().string(), "a policy with its interface and its name", "'" + std::string(policy) + "'",
                   "take the file as it was written"};
  const auto manifest = manifest_of(record, options);
  if (!manifest) return manifest.why();
  if (auto no = check_module(record, *manifest, options)) return *no;
  auto library = verify_library(*manifest, std::nullopt, default_cache_directory(), opened_by::another);
  if (!library) return library.why();

  isolation::isolation_plan plan{options.module_runner, options.limits, options.granted, options.require_sandbox};
  if (plan.program.empty()) plan.program = beside_executable("tenon-module-runner");
  plan.limits.answer_within(options.timeout);
  plan.limits.io_deadline = options.timeout;
  auto log = options.log
                 ? options.log
                 : std::make_shared<spdlog::logger>("tenon", std::make_shared<spdlog::sinks::stderr_color_sink_mt>());
  const host_services services(manifest->id, manifest->services, std::move(log), std::make_shared<service_registry>());

  replayed_call out;
  out.digest = library->digest;
  out.where = "open";
  process_loss lost;
  const auto begun = steady_clock::now();
  const auto took = [&] {
    out.took_ms = std::chrono::duration<double, std::milli>(steady_clock::now() - begun).count();
    return out;
  };
  const auto module = isolation::isolated_module::open(*manifest, *library, plan, services, &lost);
  if (!module) {
    if (was_lost(lost, module.why().have, out)) return took();
    return module.why();
  }
  if (policy.empty()) return took();

  const std::string_view name = policy.substr(id.size() + 1);
  const auto *interface = find_interface((*module)->report(), id);
  const auto index = interface == nullptr ? std::nullopt : index_of(*interface, name);
  if (!index)
    return refusal{manifest->file.string(), "a module that provides " + std::string(policy), "one that does not",
                   "name the module's manifest with --manifest"};
  out.where = "create";
  isolated_instance instance(**module, isolation::isolated_module::instance_request(id, *index, record.configuration(),
                                                                                    record.max_resource_types()));
  const isolation::instance_report &made = instance.start();
  if (was_lost(instance.loss(), instance.cause(), out)) return took();
  if (made.stage != isolation::create_stage::active) {
    out.how = outcome::refused;
    out.where = made.stage == isolation::create_stage::create ? "create"
                : made.stage == isolation::create_stage::init ? "init"
                                                              : "activate";
    out.answer_status = status_text(made.status);
    out.words = made.words;
    return took();
  }
  if (!is_before_instances(slot, record)) {
    out.where = slot;
    const auto called = steady_clock::now();
    const bool ends = slot == "deactivate" || slot == "destroy";
    if (ends)
      instance.end_and_look(options.timeout);
    else if (!asked_instance(instance, record.input(), out).call(slot))
      return refusal{record.file().string(), "a call with what its slot was given",
                     "a call of " + std::string(slot) + " without it" +
                         (record.input().shape() == call_shape::too_large ? ", since there was no room for it" : ""),
                     "there is nothing to play again"};
    out.took_ms = std::chrono::duration<double, std::milli>(steady_clock::now() - called).count();
    if (was_lost(instance.loss(), instance.cause(), out)) return out;
    if (!ends) instance.end();
    return out;
  }
  instance.end();
  return took();
}

}  // namespace tenon::host
