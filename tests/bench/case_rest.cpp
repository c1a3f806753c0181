// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// A client that reads everything over HTTP, again and again, beside an RM whose asks are placed: what that costs.
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <boost/asio/connect.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <thread>

#include "cases.hpp"
#include "tenon/rm/tenon.hpp"

namespace tenon::bench {
namespace {

namespace beast = boost::beast;
namespace fs = std::filesystem;
namespace http = beast::http;
using boost::asio::ip::tcp;
using rm::text;

// The deployment of a scheduler that serves HTTP, in a folder of its own.
class deployment {
 public:
  deployment() {
    fs::create_directory(folder_);
    std::ofstream(folder_ / "queues.yaml")
        << "partitions: [ { name: default, queues: [ { name: root, submitacl: '*', queues: [ { name: bench } ] } ] } ]";
    std::ofstream(file()) << "apiVersion: tenon/v1\npolicy_groups: { default: queues.yaml }\ntransports:\n"
                          << "  - use: tenon.rest\n    config: { listen: '127.0.0.1:0', address_file: '"
                          << (folder_ / "address").string() << "' }\n";
  }
  ~deployment() {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }
  deployment(const deployment &) = delete;
  deployment &operator=(const deployment &) = delete;

  [[nodiscard]] std::string file() const { return (folder_ / "tenon.yaml").string(); }
  [[nodiscard]] uint16_t port() const {
    std::ifstream in(folder_ / "address");
    std::string url;
    in >> url;
    return static_cast<uint16_t>(std::stoi(url.substr(url.rfind(':') + 1)));
  }

 private:
  const fs::path folder_ = fs::temp_directory_path() / ("tenon-bench-" + std::to_string(getpid()));
};

// Reads until it goes.
class reader {
 public:
  explicit reader(uint16_t port) : thread_([this, port] { read(port); }) {}
  ~reader() { finish(); }
  reader(const reader &) = delete;
  reader &operator=(const reader &) = delete;

  void finish() {
    over_ = true;
    if (thread_.joinable()) thread_.join();
  }
  uint64_t answers = 0, bytes = 0;  // read after finish()
  std::string failed;               // an answer that is none

 private:
  void read(uint16_t port) {
    // As if it were on another machine: it leaves this one's processors to the scheduler.
    setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), 19);
    boost::asio::io_context io;
    beast::tcp_stream stream(io);
    stream.connect(tcp::endpoint(boost::asio::ip::address_v4::loopback(), port));
    const std::string partition = "/ws/v1/partition/default";
    const std::vector<std::string> everything = {"/ws/v1/clusters",
                                                 "/ws/v1/partitions",
                                                 partition + "/queues",
                                                 partition + "/nodes",
                                                 partition + "/applications/active",
                                                 partition + "/usage/users",
                                                 "/ws/v1/scheduler/healthcheck",
                                                 "/ws/v1/scheduler/node-utilizations",
                                                 "/ws/v1/metrics"};
    while (!over_) {
      for (const std::string &path : everything) {
        if (over_) return;
        http::request<http::empty_body> asked{http::verb::get, path, 11};
        asked.set(http::field::host, "bench");
        http::write(stream, asked);
        beast::flat_buffer buffer;
        http::response_parser<http::string_body> answer;
        answer.body_limit(uint64_t{1} << 32);
        http::read(stream, buffer, answer);
        ++answers;
        bytes += answer.get().body().size();
        if (answer.get().result() != http::status::ok)
          failed = path + ": " + std::to_string(answer.get().result_int()) + " " + answer.get().body();
      }
    }
  }

  std::atomic<bool> over_ = false;
  std::thread thread_;
};

class placing {
 public:
  placing(const settings &s, const std::string &file) : settings_(s), scheduler_({.deployment = file}) {
    rm::handlers on;
    on.allocated = [this](const tenon_rm_allocation &) { placed_.fetch_add(1, std::memory_order_release); };
    on.answered = [](const tenon_rm_message &) {};
    manager_ = std::make_unique<rm::resource_manager>(scheduler_, rm::identity{.name = "bench"}, std::move(on));
    for (int64_t i = 0; i < settings_.applications; ++i) {
      const std::string name = "app-" + std::to_string(i);
      auto application = rm::message<tenon_rm_application>(TENON_RM_APPLICATION);
      application.application = text(name);
      application.queue = text("root.bench");
      application.user = text("bench");
      application.user_present = 1;
      send_all(std::vector{rm::header(application)});
    }
    const int64_t per_node = 10 + (settings_.asks + settings_.nodes - 1) / settings_.nodes;
    const rm::amounts capacity{{"memory", 10 * per_node}, {"vcore", 1'000 * per_node}};
    for (int64_t i = 0; i < settings_.nodes; ++i) {
      const std::string name = "node-" + std::to_string(i);
      auto node = rm::message<tenon_rm_node>(TENON_RM_NODE);
      node.node = text(name);
      node.action = TENON_NODE_CREATE;
      node.schedulable = capacity.get();
      send_all(std::vector{rm::header(node)});
    }
  }

  // So many more asks, placed when it returns.
  void place(int64_t count) {
    const int64_t to = next_ + count;
    const rm::amounts one_ask{{"memory", 10}, {"vcore", 1'000}};
    send(next_, count, rm::message<tenon_rm_ask>(TENON_RM_ASK), [&](tenon_rm_ask &ask) {
      ask.resources = one_ask.get();
      ask.max_allocations = 1;
    });
    next_ = to;
    while (placed_.load(std::memory_order_acquire) < to) std::this_thread::sleep_for(std::chrono::microseconds(200));
  }

  // Places and releases for so long; how many were placed a second.
  double churn(int64_t seconds) {
    constexpr int64_t at_once = 20'000;
    const stopwatch watch;
    int64_t placed = 0;
    for (; watch.seconds() < static_cast<double>(seconds); placed += at_once) {
      place(at_once);
      send(next_ - at_once, at_once, rm::message<tenon_rm_release>(TENON_RM_RELEASE),
           [](tenon_rm_release &release) { release.termination = TENON_TERMINATION_STOPPED_BY_RM; });
    }
    return static_cast<double>(placed) / watch.seconds();
  }

 private:
  // A message of the kind for each of the keys.
  template <class Message, class Fill>
  void send(int64_t from, int64_t count, Message empty, Fill &&fill) {
    const auto most = static_cast<size_t>(settings_.batch);
    std::vector<std::string> keys(most), apps(most);
    std::vector<Message> messages(most, empty);
    std::vector<const tenon_rm_message *> batch(most);
    for (int64_t at = from; at < from + count;) {
      const auto some = static_cast<size_t>(std::min<int64_t>(settings_.batch, from + count - at));
      for (size_t i = 0; i < some; ++i, ++at) {
        keys[i] = std::to_string(at);
        apps[i] = "app-" + std::to_string(at % settings_.applications);
        messages[i].application = text(apps[i]);
        messages[i].key = text(keys[i]);
        fill(messages[i]);
        batch[i] = rm::header(messages[i]);
      }
      send_all(std::span(batch).first(some));
    }
  }

  void send_all(std::span<const tenon_rm_message *const> left) {
    while (!left.empty()) {
      left = left.subspan(manager_->submit(left));
      if (!left.empty()) std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
  }

  const settings settings_;
  rm::scheduler scheduler_;
  std::atomic<int64_t> placed_{0};
  std::unique_ptr<rm::resource_manager> manager_;
  int64_t next_ = 0;
};

}  // namespace

figures run_rest(const settings &s) {
  const deployment plan;
  placing all(s, plan.file());
  all.place(s.asks);  // what is there to read
  // In turns, so that other work of the machine counts for both.
  constexpr int64_t turns = 2;
  double alone = 0, beside = 0;
  figures out;
  for (int64_t i = 0; i < turns; ++i) {
    alone += all.churn(s.seconds) / turns;
    reader client(plan.port());
    beside += all.churn(s.seconds) / turns;
    client.finish();
    if (!client.failed.empty()) throw std::runtime_error(client.failed);
    out["megabytes_read"] += static_cast<double>(client.bytes) / 1e6;
    out["answers_read"] += static_cast<double>(client.answers);
  }
  out["allocations_per_second_alone"] = alone;
  out["allocations_per_second_while_read"] = beside;
  out["slower_percent"] = 100 * (1 - beside / alone);
  return out;
}

}  // namespace tenon::bench
