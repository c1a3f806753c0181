// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "guards/loaded_module.hpp"

#include <dlfcn.h>

#include <algorithm>

#include "calls/call_page.hpp"
#include "library/linker_remedy.hpp"
#include "library/module_library.hpp"
#include "services/error_text.hpp"
#include "tenon/kernel/module_kinds.hpp"

namespace tenon::host {
namespace {

constexpr char rebuild[] = "install a library and a manifest that belong together (tenon_add_module makes both)";

std::string number(uint64_t n) { return std::to_string(n); }

// A library of a module, unless one of its name is open. Where that fails, the module's own opening says why.
void open_beside(const std::filesystem::path &file) {
  if (void *open = ::dlopen(file.filename().c_str(), RTLD_LAZY | RTLD_NOLOAD); open != nullptr) {
    ::dlclose(open);
    return;
  }
  static_cast<void>(::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE));
}

}  // namespace

std::string_view view(const tenon_text &text) {
  constexpr uint64_t longest = 4096;
  if (text.data == nullptr || text.length > longest) return {};
  return {text.data, text.length};
}

loaded_module::loaded_module(const module_manifest &manifest, const verified_library &library,
                             std::shared_ptr<spdlog::logger> log, std::shared_ptr<const service_registry> offered)
    : manifest_(manifest),
      library_(library),
      services_(manifest.id, manifest.services, std::move(log), std::move(offered)),
      opened_(std::make_unique<module_library>()) {}

loaded_module::~loaded_module() {
  constexpr tenon_nothing nothing{sizeof nothing, 0};
  if (!initialised_) return;
  const published_call published(subject_, "deinit", 0);
  const call_on_page on_page(page_entry_, "deinit", 0);
  table_->deinit(&nothing, nullptr);
}

result<std::unique_ptr<loaded_module>> loaded_module::open(const module_manifest &manifest,
                                                           const verified_library &library, const call_subject *subject,
                                                           std::shared_ptr<spdlog::logger> log,
                                                           std::shared_ptr<const service_registry> offered) {
  std::unique_ptr<loaded_module> out(new loaded_module(manifest, library, std::move(log), std::move(offered)));
  out->subject_ = subject;
  out->page_entry_ = subject->own ? 0 : call_page::entry_of(*subject);
  if (auto why = out->open_library()) return *why;
  if (auto why = out->check_table()) return *why;
  if (auto why = out->initialise()) return *why;
  if (auto why = out->compare()) return *why;
  return out;
}

result<std::unique_ptr<loaded_module>> loaded_module::isolate(const module_manifest &manifest,
                                                              const verified_library &library,
                                                              const isolation::isolation_plan &plan,
                                                              std::shared_ptr<spdlog::logger> log,
                                                              std::shared_ptr<const service_registry> offered) {
  std::unique_ptr<loaded_module> out(new loaded_module(manifest, library, std::move(log), std::move(offered)));
  auto isolated = isolation::isolated_module::open(manifest, library, plan, out->services_);
  if (!isolated) return isolated.why();
  out->isolated_ = std::move(*isolated);
  if (auto why = changed_since(library)) return *why;
  if (auto why = out->check_revision(out->isolated_->report().draft_rev)) return *why;
  if (auto why = out->compare()) return *why;
  out->services_.write(TENON_LOG_INFO, "runs in " + out->isolated_->in_force());
  for (const std::string &denied : out->isolated_->denied(manifest)) out->services_.write(TENON_LOG_WARNING, denied);
  return out;
}

result<std::shared_ptr<void>> loaded_module::stand_by(const std::vector<failed_order> &failed,
                                                      const std::function<bool()> &gives_up) const {
  if (isolated_ == nullptr) return std::shared_ptr<void>{};
  std::vector<std::string> requests;
  for (const failed_order &each : failed) {
    if (const implementation *one = find(each.interface, each.name))
      requests.push_back(isolation::isolated_module::instance_request(
          each.interface, one->index, each.origin.configuration, each.origin.max_resource_types));
  }
  auto out = isolated_->stand_by(std::move(requests), gives_up);
  if (!out) return out.why();
  return std::shared_ptr<void>(std::move(*out));
}

const implementation *loaded_module::find(std::string_view interface, std::string_view name) const {
  for (const implementation &one : implementations_)
    if (one.promised->interface == interface && one.promised->name == name) return &one;
  return nullptr;
}

refusal loaded_module::no(std::string want, std::string have, std::string fix) const {
  return {library_.shown_as.string(), std::move(want), std::move(have), std::move(fix)};
}

std::optional<refusal> loaded_module::open_library() {
  const std::string said = [&] {
    const published_call published(subject_, "its library's constructors", 0);
    const call_on_page on_page(page_entry_, "its library's constructors", 0);
    for (const std::filesystem::path &each : library_.beside) open_beside(each);
    return one_line(opened_->open(library_.open_path), 1024);
  }();
  if (!said.empty()) return no("a library that the dynamic linker opens", said, linker_remedy(said));
  if (auto why = changed_since(library_)) return why;
  table_ = opened_->table();
  if (table_ == nullptr)
    return no("the export " TENON_MODULE_SYMBOL, "a library that does not export it",
              "define it as in tenon/abi/module.h");
  return std::nullopt;
}

std::optional<refusal> loaded_module::check_table() const {
  if (!TENON_COVERS(table_, tenon_module, abi_epoch) || table_->abi_epoch != TENON_ABI_EPOCH)
    return no("ABI epoch " + number(TENON_ABI_EPOCH) + ", that of this host and of the manifest",
              TENON_COVERS(table_, tenon_module, abi_epoch) ? "built for ABI epoch " + number(table_->abi_epoch)
                                                            : "a module table of " + number(table_->size) + " bytes",
              "build the module against this release's headers");
  if (!TENON_COVERS(table_, tenon_module, get_factory))
    return no("a module table of at least " + number(sizeof(tenon_module)) + " bytes", number(table_->size) + " bytes",
              "fill in size as in tenon/abi/module.h");
  if (table_->init == nullptr || table_->deinit == nullptr || table_->get_factory == nullptr)
    return no("init, deinit and get_factory", "a module table with an empty slot", "fill in all slots");
  return check_revision(table_->draft_rev);
}

std::optional<refusal> loaded_module::check_revision(uint32_t draft_rev) const {
  if (draft_rev == manifest_.draft_rev) return std::nullopt;
  return no("draft revision " + number(manifest_.draft_rev) + ", as the manifest says",
            "built for draft revision " + number(draft_rev), rebuild);
}

std::optional<refusal> loaded_module::initialise() {
  error_text words;
  const tenon_module_init_in in{sizeof in, TENON_ABI_EPOCH, &services_};
  tenon_status status = TENON_OK;
  {
    const published_call published(subject_, "init", 0);
    const call_on_page on_page(page_entry_, "init", 0);
    status = table_->init(&in, words.message());
  }
  if (status != TENON_OK)
    return no("a module that starts", "its init gave " + status_text(status) + words.after(": "),
              "see the module's documentation");
  initialised_ = true;
  return std::nullopt;
}

std::optional<refusal> loaded_module::compare() {
  const published_call published(subject_, "get_factory and describe", 0);
  const call_on_page on_page(page_entry_, "get_factory and describe", 0);
  for (const kind_entry &known : module_kinds)
    if (auto why = compare_interface(known.interface)) return why;
  return std::nullopt;
}

tenon_status loaded_module::get_factory(std::string_view interface, tenon_get_factory_out &out) const {
  if (isolated_ != nullptr) return isolated_->get_factory(interface, out);
  const tenon_get_factory_in in{sizeof in, 0, {interface.data(), interface.size()}};
  return table_->get_factory(&in, &out);
}

std::optional<refusal> loaded_module::compare_interface(std::string_view interface) {
  const auto promised = std::count_if(manifest_.provides.begin(), manifest_.provides.end(),
                                      [&](const provided_interface &one) { return one.interface == interface; });
  tenon_get_factory_out out{sizeof out, 0, nullptr};
  const tenon_status status = get_factory(interface, out);
  if (status == TENON_UNSUPPORTED && promised == 0) return std::nullopt;
  if (status != TENON_OK)
    return no(std::string(interface) + ", as the manifest says", "get_factory gave " + status_text(status), rebuild);
  if (out.factory == nullptr || !TENON_COVERS(out.factory, tenon_factory, create) || out.factory->describe == nullptr ||
      out.factory->create == nullptr)
    return no("a factory with describe and create for " + std::string(interface), "none", "fill in all slots");

  size_t found = 0;
  for (uint32_t index = 0; index < max_implementations; ++index) {
    implementation one{nullptr, out.factory, index, {}};
    one.description.size = sizeof one.description;
    const tenon_describe_in which{sizeof which, index};
    const tenon_status described = out.factory->describe(out.factory, &which, &one.description);
    if (described == TENON_UNSUPPORTED) break;
    if (described != TENON_OK)
      return no("a description of implementation " + number(index) + " of " + std::string(interface),
                "describe gave " + status_text(described), "describe must succeed up to the last implementation");
    const auto match =
        std::find_if(manifest_.provides.begin(), manifest_.provides.end(), [&](const provided_interface &promise) {
          return promise.interface == interface && promise.name == view(one.description.name);
        });
    one.promised = match == manifest_.provides.end() ? nullptr : &*match;
    if (auto why = compare_one(one, interface)) return why;
    implementations_.push_back(one);
    ++found;
  }
  if (found == static_cast<size_t>(promised)) return std::nullopt;
  for (const provided_interface &promise : manifest_.provides)
    if (promise.interface == interface && find(interface, promise.name) == nullptr)
      return no(std::string(interface) + " '" + promise.name + "', as the manifest says",
                "a module that does not describe it", rebuild);
  return no("each implementation of " + std::string(interface) + " once", "one that is described twice", rebuild);
}

std::optional<refusal> loaded_module::compare_one(const implementation &one, std::string_view interface) const {
  const std::string what = std::string(interface) + " '" + one_line(view(one.description.name), 80) + "'";
  if (one.promised == nullptr)
    return no("nothing that the manifest does not list", "a module that provides " + what, rebuild);
  if (view(one.description.version) != manifest_.version)
    return no("version " + manifest_.version + ", as the manifest says",
              what + " of version '" + one_line(view(one.description.version), 80) + "'", rebuild);
  if (one.description.order_rev != one.promised->order_rev)
    return no("order_rev " + number(one.promised->order_rev) + " for " + what + ", as the manifest says",
              "order_rev " + number(one.description.order_rev), rebuild);
  return std::nullopt;
}

}  // namespace tenon::host
