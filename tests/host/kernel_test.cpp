// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// A kernel whose policies are modules: it decides as with the copies that are linked in, and survives a bad one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fixture_folder.hpp"
#include "kernel/cluster.hpp"

namespace tenon::host {
namespace {

using tenon::testing::cluster;
using tenon::testing::named_queue;
using ::testing::Contains;
using testing::fixture_folder;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Node orders are those of a host, everything else is linked in.
class node_sort_of_modules : public policy_source {
 public:
  explicit node_sort_of_modules(module_host &host) : host_(host) {}

  result<std::unique_ptr<bound_policy>> bind(module_kind kind, std::string_view name, std::string_view configuration,
                                             uint32_t max_resource_types) override {
    if (kind == module_kind::node_sort) return host_.bind(kind, name, "{}", max_resource_types);
    return linked_.bind(kind, name, configuration, max_resource_types);
  }
  std::unique_ptr<bound_policy> fallback(module_kind kind, uint32_t max_resource_types) override {
    return host_.fallback(kind, max_resource_types);
  }
  result<std::vector<std::unique_ptr<bound_policy>>> predicates(uint32_t max_resource_types) override {
    return host_.predicates(max_resource_types);
  }

 private:
  module_host &host_;
  builtin_policy_source linked_;
};

class HostedKernel : public ::testing::Test {
 protected:
  HostedKernel() {
    modules_.options.check_calls = true;
    modules_.options.on_fault = [this](const module_fault &fault) { faults_.push_back(fault.slot + " " + fault.text); };
  }

  std::unique_ptr<module_host> opened(result<std::unique_ptr<module_host>> host) {
    EXPECT_TRUE(host) << host.why().text();
    return host ? std::move(*host) : nullptr;
  }

  static std::vector<queue_config> two_leaves() {
    queue_config fair = named_queue("fair");
    fair.properties["application.sort.policy"] = "fair";
    return {named_queue("fifo"), fair};
  }

  // Nodes of several sizes, more asks than fit, and room made again.
  static void fill(cluster &c) {
    for (int i = 0; i < 6; ++i)
      c.add_node("node-" + std::to_string(i), {{"vcore", 4000 + 1000 * i}, {"memory", 8 << i}},
                 {{"zone", i % 2 == 0 ? "a" : "b"}});
    for (int app = 0; app < 6; ++app) {
      const std::string id = "app-" + std::to_string(app);
      c.add_app(id, app % 2 == 0 ? "root.fifo" : "root.fair");
      for (int i = 0; i < 8; ++i)
        c.ask(id, "ask-" + std::to_string(i), {{"vcore", 500 + 250 * app}, {"memory", 1 + i}}, i % 3);
    }
    c.settle();
    for (int app = 0; app < 6; app += 2) c.give_back("app-" + std::to_string(app), "ask-1");
    c.settle();
  }

  fixture_folder modules_;
  std::vector<std::string> faults_;
  role_guard cycle_{thread_role::cycle};
};

TEST_F(HostedKernel, DecidesAsWithTheCopiesThatAreLinkedIn) {
  cluster linked(two_leaves());
  fill(linked);

  host_options options = modules_.options;
  options.built_in_modules.clear();  // those of the build
  const auto host = opened(open_deployment({}, options));
  ASSERT_TRUE(host);
  cluster hosted(*host, two_leaves());
  fill(hosted);

  EXPECT_EQ(hosted.decisions(), linked.decisions());
  EXPECT_THAT(hosted.decisions(), Contains(HasSubstr("allocated")));
  EXPECT_THAT(faults_, IsEmpty());
  uint64_t calls = 0;
  for (const module_counters &module : host->counters()) calls += module.calls;
  EXPECT_GT(calls, 10);
}

TEST_F(HostedKernel, ModuleAtFaultIsReplacedByTheKernelsOwnCopyAndTheDecisionsAreThose) {
  modules_.install("keys_fail");
  const auto host = opened(modules_.open({"keys_fail"}));
  ASSERT_TRUE(host);
  node_sort_of_modules policies(*host);
  cluster faulty(policies, two_leaves(), "fixture");
  fill(faulty);

  builtin_policy_source built_in;
  cluster sound(built_in, two_leaves());
  fill(sound);
  EXPECT_EQ(faulty.decisions(), sound.decisions());
  EXPECT_EQ(faulty->counters().policy_faults, 1);
  EXPECT_THAT(faults_, ::testing::ElementsAre("keys gave INTERNAL"));
}

// Every built-in policy in processes of its own; the file is without those of the deployment default.
std::string isolated_deployment() {
  std::string out = "apiVersion: tenon/v1\nmodules:\n";
  for (const char *id : {"app-fair", "app-fifo", "device-packing", "gpu-pack", "node-attributes", "node-binpacking",
                         "node-fair", "queue-fair", "queue-priority"})
    out += std::string("  - { id: tenon.") + id + ", isolation: process, process: { call_deadline: 20s } }\n";
  return out + "predicates: [ { use: tenon.node-attributes } ]\n";
}

TEST_F(HostedKernel, DecidesAsMuchWithItsPoliciesInProcessesOfTheirOwn) {
  host_options options = modules_.options;
  options.built_in_modules.clear();
  const auto inside = opened(open_deployment({}, options));
  const auto outside = opened(open_deployment(modules_.folder.write("isolated.yaml", isolated_deployment()), options));
  ASSERT_TRUE(inside && outside);
  for (const char *order : {"fair", "binpacking", "device-packing", "gpu-pack"}) {
    cluster one(*inside, two_leaves(), order), other(*outside, two_leaves(), order);
    for (cluster *c : {&one, &other}) {
      fill(*c);
      c->add_node("with-gpus", {{"vcore", 9000}, {"gpu", 4000}}, {{"zone", "c"}, {"tenon/devices/gpu", "4x1000"}});
      c->add_app("picky", "root.fair");
      c->ask("picky", "gpu", {{"vcore", 100}, {"gpu", 1500}}, 5, {{"si/zone", "c"}});
      c->ask("picky", "nowhere", {{"vcore", 100}}, 0, {{"si/zone", "d"}});
      c->settle();
    }
    EXPECT_EQ(other.decisions(), one.decisions()) << order;
    EXPECT_EQ(other.journal(), one.journal()) << order;
    EXPECT_THAT(other.decisions(), Contains(HasSubstr("allocated")));
  }
  EXPECT_THAT(faults_, IsEmpty());
  EXPECT_THAT(modules_.log(), HasSubstr("tenon.node-attributes: runs in processes of its own"));
}

TEST_F(HostedKernel, LostProcessIsAFaultAsAnyOtherAndTheFallbackDecides) {
  for (const char *fixture : {"keys_spin", "keys_abort", "keys_exit", "keys_write_input"}) {
    faults_.clear();
    modules_.install(fixture);
    const auto host = opened(modules_.open({fixture}, "isolation: process, process: { call_deadline: 200ms }"));
    ASSERT_TRUE(host);
    node_sort_of_modules policies(*host);
    cluster faulty(policies, two_leaves(), "fixture");
    fill(faulty);

    modules_.install("keys_fail");
    const auto failing = opened(modules_.open({"keys_fail"}));
    ASSERT_TRUE(failing);
    node_sort_of_modules those(*failing);
    cluster in_process(those, two_leaves(), "fixture");
    fill(in_process);

    EXPECT_EQ(faulty.decisions(), in_process.decisions()) << fixture;
    EXPECT_EQ(faulty->counters().policy_faults, 1) << fixture;
    EXPECT_THAT(modules_.log(), HasSubstr(testing::id_of(fixture)));
  }
}

TEST_F(HostedKernel, PolicyThatNobodyProvidesRefusesTheRegistrationInTheHostsWords) {
  host_options options = modules_.options;
  options.built_in_modules.clear();
  const auto host = opened(open_deployment({}, options));
  ASSERT_TRUE(host);
  cluster c(*host, two_leaves(), "binpackin");
  EXPECT_THAT(c.decisions(), Contains(HasSubstr("no module of the deployment provides node-sort 'binpackin'")));
}

}  // namespace
}  // namespace tenon::host
