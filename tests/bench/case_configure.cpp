// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include <stdexcept>

#include "cases.hpp"
#include "counted.hpp"
#include "tenon/config/queues.hpp"

namespace tenon::bench {
namespace {

constexpr std::string_view partition_name = "[rm]default";

// Each queue has a user, who has a limit.
std::string text_of(int64_t queues) {
  std::string out = "partitions:\n- name: default\n  queues:\n  - name: root\n    submitacl: '*'\n    limits:\n";
  for (int64_t i = 0; i < queues; ++i)
    out += "    - {limit: '', users: [user-" + std::to_string(i) + "], maxapplications: 9}\n";
  out += "    queues:\n";
  for (int64_t i = 0; i < queues; ++i)
    out += "    - {name: queue-" + std::to_string(i) + ", resources: {max: {vcore: 100}}}\n";
  return out;
}

// The same; `max` is that of the queue in the middle.
cluster_config config_of(int64_t queues, int64_t max) {
  cluster_config out;
  queue_config &root = out.partitions.emplace_back().root;
  root.name = "root";
  root.parent = true;
  root.submit_acl = "*";
  for (int64_t i = 0; i < queues; ++i) {
    limit_config &limit = root.limits.emplace_back();
    limit.users.push_back("user-" + std::to_string(i));
    limit.max_applications = 9;
    queue_config &queue = root.queues.emplace_back();
    queue.name = "queue-" + std::to_string(i);
    queue.max["vcore"] = i == queues / 2 ? max : 100'000;
  }
  return out;
}

class configured_kernel {
 public:
  explicit configured_kernel(policy_source &policies) : kernel_(policies) {}

  void register_with(const cluster_config &config) {
    register_rm c;
    c.rm = "rm";
    c.config = &config;
    run(c);
  }
  // An application of its user in each queue.
  void submit(int64_t queues) {
    for (int64_t i = 0; i < queues; ++i) {
      const std::string number = std::to_string(i);
      const std::string id = "application-" + number, queue = "root.queue-" + number, user = "user-" + number;
      add_application c;
      c.partition = partition_name;
      c.application = id;
      c.queue = queue;
      c.user = user;
      run(c);
    }
  }
  void reload(const cluster_config &config) { run(tenon::configure{"rm", &config}); }

 private:
  void run(const command &c) {
    kernel_.apply(1, c);
    kernel_.drain([](const decision_view &d) {
      if (d.kind() == decision_kind::rm_rejected || d.kind() == decision_kind::configuration_rejected ||
          d.kind() == decision_kind::application_rejected)
        throw std::runtime_error(text_of(d));
    });
  }

  kernel kernel_;
};

}  // namespace

figures run_configure(const settings &s) {
  figures out;
  const auto policies = make_policies(s);
  const cluster_config config = config_of(s.queues, 100'000), changed = config_of(s.queues, 50'000);
  const auto stretch = [&](const char *name, const auto &what) {
    counted counts(name);
    const stopwatch watch;
    what();
    out[std::string(name) + "_ms"] = watch.seconds() * 1000;
    counts.done(out, static_cast<double>(s.queues));
  };
  configured_kernel kernel(*policies);
  stretch("register", [&] { kernel.register_with(config); });
  stretch("submit", [&] { kernel.submit(s.queues); });
  stretch("reload", [&] { kernel.reload(changed); });
  return out;
}

figures run_read_config(const settings &s) {
  figures out;
  const std::string text = text_of(s.queues);
  config::parse_options options;
  options.limits.bytes = size_t{64} << 20;
  options.limits.nodes = 4'000'000;
  counted counts("read");
  const stopwatch watch;
  const auto parsed = config::parse_queues_yaml(text, "queues.yaml", options);
  out["read_ms"] = watch.seconds() * 1000;
  counts.done(out, static_cast<double>(s.queues));
  if (!parsed) throw std::runtime_error(parsed.why().text());
  return out;
}

}  // namespace tenon::bench
