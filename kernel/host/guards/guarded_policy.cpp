// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "guards/guarded_policy.hpp"

#include <array>

#include "services/error_text.hpp"

namespace tenon::host {
namespace {

constexpr tenon_nothing nothing{sizeof(tenon_nothing), 0};
constexpr uint32_t max_columns = 128;

// In the order of the kinds.
constexpr std::array<const kind_guard *, module_kinds.size()> guards{
    &sort_guard,      &sort_guard,     &sort_guard, &predicate_guard,
    &placement_guard, &identity_guard, &sink_guard, &transport_guard};

class guarded_policy : public bound_module {
 public:
  guarded_policy(std::shared_ptr<loaded_module> module, std::unique_ptr<guarded_instance> guarded,
                 const implementation &one, module_kind kind, std::shared_ptr<module_tally> tally, std::string where)
      : module_(std::move(module)),
        guarded_(std::move(guarded)),
        one_(one),
        kind_(kind),
        tally_(std::move(tally)),
        where_(std::move(where)) {}

  ~guarded_policy() override {
    const role_guard role(loading_role());
    if (active_) lifecycle_call("deactivate", guarded_->lifecycle.deactivate);
    lifecycle_call("destroy", guarded_->lifecycle.destroy);
  }

  [[nodiscard]] result<std::unique_ptr<bound_policy>> another() const override {
    auto made = make_policy(module_, one_, kind_, tally_,
                            {guarded_->origin.configuration, guarded_->origin.max_resource_types, where_});
    if (!made) return made.why();
    return std::unique_ptr<bound_policy>(std::move(*made));
  }

  // init, then activate; the module's words where one refuses.
  std::optional<std::string> start() {
    if (auto why = lifecycle_call("init", guarded_->lifecycle.init)) return why;
    if (auto why = lifecycle_call("activate", guarded_->lifecycle.activate)) return why;
    active_ = true;
    return std::nullopt;
  }

  void take_tables(module_kind kind) {
    instance = guarded_->handle();
    guard_of(kind).guard(*guarded_, own_, *this);
  }

  // For records of its calls.
  void name_columns() {
    for (const column_request &one : columns) guarded_->origin.columns += one.id + '\n';
  }

  // [main] is also the writer between two steps; a thread that nobody gave a role is the loader here.
  static thread_role loading_role() {
    return current_role() == thread_role::other ? thread_role::main : current_role();
  }

 private:
  using lifecycle_slot = tenon_status (*)(tenon_instance *, const tenon_nothing *, tenon_message *);

  std::optional<std::string> lifecycle_call(const char *slot_name, lifecycle_slot slot) {
    error_text words;
    const tenon_status status = guarded_->guard.call(
        slot_name, slot_tag::main, 1, [&] { return slot(guarded_->real, &nothing, words.message()); },
        // A refusal is no fault: it is said to whoever asked for the policy.
        [](tenon_status) { return true; });
    if (status == TENON_OK) return std::nullopt;
    return std::string(slot_name) + " gave " + status_text(status) + words.after(": ");
  }

  std::shared_ptr<loaded_module> module_;
  std::unique_ptr<guarded_instance> guarded_;
  const implementation &one_;  // the module's
  const module_kind kind_;
  const std::shared_ptr<module_tally> tally_;
  const std::string where_;  // as policy_request has it
  kind_tables own_;
  bool active_ = false;
};

// What is wrong with what create gave, if anything.
std::string shape_problem(const tenon_create_out &made, const guarded_instance &instance, module_kind kind) {
  if (made.instance == nullptr) return "create gave no instance";
  const tenon_lifecycle &life = instance.lifecycle;
  if (life.init == nullptr || life.activate == nullptr || life.deactivate == nullptr || life.destroy == nullptr)
    return "create gave a lifecycle with an empty slot";
  const std::string_view missing = guard_of(kind).missing(instance);
  return missing.empty() ? std::string{} : "its table has no " + std::string(missing);
}

struct declared_columns {
  std::vector<column_request> columns;
  std::string problem;
};

declared_columns read_columns(const tenon_column_use *first, uint32_t count, uint32_t stride) {
  declared_columns out;
  if (count == 0) return out;
  if (first == nullptr || count > max_columns || stride < sizeof(tenon_column_use)) {
    out.problem = "its list of columns is broken";
    return out;
  }
  for (uint32_t i = 0; i < count; ++i) {
    const auto &use =
        *reinterpret_cast<const tenon_column_use *>(reinterpret_cast<const char *>(first) + size_t{i} * stride);
    const std::string_view id = view(use.id);
    if (id.empty() || use.scope < TENON_SCOPE_ITEM || use.scope > TENON_SCOPE_CONTEXT) {
      out.problem = "column " + std::to_string(i) + " has no id or an unknown scope";
      return out;
    }
    out.columns.push_back({std::string(id), use.scope});
  }
  return out;
}

// Fills what the kernel reads of a policy; what is wrong with it, if anything.
std::string describe(bound_policy &policy, const implementation &one, const tenon_create_out &made, module_kind kind) {
  const tenon_description &d = one.description;
  auto columns = made.columns == nullptr ? read_columns(d.columns, d.column_count, d.column_stride)
                                         : read_columns(made.columns, made.column_count, made.column_stride);
  if (!columns.problem.empty()) return columns.problem;
  policy.columns = std::move(columns.columns);
  if (is_sort(kind)) {
    policy.key_words = made.key_words == 0 ? d.key_words : made.key_words;
    policy.rekey_ms = d.rekey_ms;
    if (policy.key_words == 0 || policy.key_words > TENON_MAX_KEY_WORDS)
      return "its keys have " + std::to_string(policy.key_words) + " words, 1 to " +
             std::to_string(TENON_MAX_KEY_WORDS) + " are possible";
    return {};
  }
  if (d.reason_count > UINT16_MAX || (d.reason_count != 0 && d.reasons == nullptr))
    return "its list of reasons is broken";
  for (uint32_t i = 0; i < d.reason_count; ++i) policy.reasons.push_back(one_line(view(d.reasons[i]), 200));
  return {};
}

}  // namespace

const kind_guard &guard_of(module_kind kind) { return *guards[static_cast<size_t>(kind)]; }

result<std::unique_ptr<bound_module>> make_policy(std::shared_ptr<loaded_module> module, const implementation &one,
                                                  module_kind kind, std::shared_ptr<module_tally> tally,
                                                  const policy_request &request) {
  const role_guard role(guarded_policy::loading_role());
  const std::string id = module->manifest().id;
  const std::string provider = id + " " + module->manifest().version;
  const auto refuse = [&](std::string have) {
    return refusal{request.where, "an instance of " + provider, std::move(have),
                   "correct its configuration as that says; `tenon plugin describe " + id + "` lists its options"};
  };

  auto guarded = std::make_unique<guarded_instance>(tally, one.promised->interface, one.promised->name);
  guarded->origin.configuration = request.configuration;
  guarded->origin.max_resource_types = request.max_resource_types;
  guarded->tags = module->manifest().tags;
  error_text words;
  const tenon_create_in in{sizeof in,
                           one.index,
                           {request.configuration.data(), request.configuration.size()},
                           request.max_resource_types,
                           0,
                           module->host()};
  tenon_create_out made{};
  made.size = sizeof made;
  made.error = words.message();
  const tenon_status status = guarded->guard.call(
      "create", slot_tag::main, 1, [&] { return one.factory->create(one.factory, &in, &made); },
      [](tenon_status) { return true; });
  if (status != TENON_OK) return refuse("create gave " + status_text(status) + words.after(": "));

  guarded->real = made.instance;
  if (module->is_isolated() && made.instance != nullptr)
    guarded->guard.explain_by([real = made.instance] { return isolation::isolated_module::cause(real); },
                              [real = made.instance] { return isolation::isolated_module::has_lost_call(real); });
  guarded->reason_count = one.description.reason_count;
  guarded->lifecycle = known_part<tenon_lifecycle>(made.lifecycle);
  guard_of(kind).take(*guarded, made.interface_table);
  // Such an instance cannot even be destroyed.
  if (auto problem = shape_problem(made, *guarded, kind); !problem.empty()) return refuse(std::move(problem));

  auto policy = std::make_unique<guarded_policy>(std::move(module), std::move(guarded), one, kind, std::move(tally),
                                                 request.where);
  policy->name = one.promised->name;
  policy->provider = provider;
  if (auto problem = describe(*policy, one, made, kind); !problem.empty()) return refuse(std::move(problem));
  policy->name_columns();
  policy->take_tables(kind);
  if (auto why = policy->start()) return refuse(std::move(*why));
  return std::unique_ptr<bound_module>(std::move(policy));
}

}  // namespace tenon::host
