// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// RMs over gRPC against a running scheduler in this process; they are the program grpc-load, so that the processor time
// of this process is the scheduler's.
#include <sys/resource.h>
#include <unistd.h>

#include <boost/json.hpp>
#include <boost/process.hpp>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "cases.hpp"
#include "tenon/service/scheduler.hpp"

namespace tenon::bench {
namespace {

namespace fs = std::filesystem;
namespace process = boost::process;

// Requests are kept up with when nearly all of them are answered at the rate at which they come, 99 of 100 in this
// time.
constexpr double kKeepsUp = 0.98, kLateUs = 10'000;
constexpr double kStep = 0.8, kSlowest = 1'000;  // of the rates that are tried, the greatest first

constexpr const char *queues =
    "partitions: [ { name: default, queues: [ { name: root, submitacl: '*', queues: [ { name: bench } ] } ] } ]";

double seconds_of_processor() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  const auto seconds = [](const timeval &t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) / 1e6;
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

class running {
 public:
  explicit running(bool by_socket) {
    const std::string stem = "tenon-bench-" + std::to_string(getpid());
    folder_ = fs::temp_directory_path() / stem;
    fs::create_directory(folder_);
    address_ =
        by_socket ? "unix:" + (folder_ / "s").string() : "127.0.0.1:" + std::to_string(30'000 + getpid() % 20'000);
    std::ofstream(folder_ / "queues.yaml") << queues;
    std::ofstream(folder_ / "tenon.yaml")
        << "apiVersion: tenon/v1\npolicy_groups: { default: queues.yaml }\n"
        << "transports: [ { use: tenon.grpc, config: { listen: '" << address_ << "' } } ]\n";
    auto host = host::open_deployment(folder_ / "tenon.yaml");
    if (!host) throw std::runtime_error(host.why().text());
    auto made = service::scheduler::open(std::move(*host));
    if (!made) throw std::runtime_error(made.why().text());
    service_ = std::move(*made);
    if (const auto why = service_->start()) throw std::runtime_error(why->text());
  }
  ~running() {
    service_->stop();
    service_.reset();
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }
  running(const running &) = delete;
  running &operator=(const running &) = delete;

  [[nodiscard]] const std::string &address() const { return address_; }

 private:
  fs::path folder_;
  std::string address_;
  std::unique_ptr<service::scheduler> service_;
};

struct result_of_load {
  double rate, p50_us, p99_us, processor_us;  // processor time of the scheduler for an allocation
};

result_of_load play(bool by_socket, int64_t streams, int64_t batch, int64_t asks, int64_t nodes, double rate) {
  const running scheduler(by_socket);
  process::opstream in;
  process::ipstream out;
  process::child load(fs::read_symlink("/proc/self/exe").parent_path().string() + "/grpc-load", scheduler.address(),
                      "--streams", std::to_string(streams), "--batch", std::to_string(batch), "--asks",
                      std::to_string(asks), "--nodes", std::to_string(nodes), "--rate", std::to_string(rate),
                      process::std_in<in, process::std_out> out);
  std::string line;
  if (!std::getline(out, line)) throw std::runtime_error("grpc-load ended before it was ready");
  const double before = seconds_of_processor();
  in << std::endl;
  if (!std::getline(out, line)) throw std::runtime_error("grpc-load ended without figures");
  const double used = seconds_of_processor() - before;
  load.wait();
  const auto said = boost::json::parse(line).as_object();
  const double allocations = said.at("allocations").to_number<double>();
  return {allocations / said.at("seconds").to_number<double>(), said.at("p50_us").to_number<double>(),
          said.at("p99_us").to_number<double>(), used / allocations * 1e6};
}

figures run(bool by_socket, const settings &s) {
  figures out;
  const result_of_load most = play(by_socket, s.streams, s.batch, s.asks, s.nodes, 0);
  out["allocations_per_second"] = most.rate;
  out["scheduler_cpu_us_per_allocation"] = most.processor_us;
  // How long one request takes to its answer, for two seconds each: at half of that rate, which comes from many
  // requests in one packet, and at half of the greatest rate of requests that are sent one by one and are kept up with.
  const auto paced = [&](double rate) {
    return play(by_socket, s.streams, s.batch, std::max(s.streams, static_cast<int64_t>(2 * rate)), s.nodes, rate);
  };
  const result_of_load half = paced(most.rate / 2);
  out["half_rate_p50_us"] = half.p50_us;
  out["half_rate_p99_us"] = half.p99_us;
  double full = most.rate;
  for (;; full *= kStep) {
    const result_of_load said = paced(full);
    if ((said.rate >= kKeepsUp * full && said.p99_us <= kLateUs) || full < kSlowest) break;
  }
  const result_of_load light = paced(full / 2);
  out["paced_allocations_per_second"] = full;
  out["half_load_p50_us"] = light.p50_us;
  out["half_load_p99_us"] = light.p99_us;
  return out;
}

}  // namespace

figures run_grpc(const settings &s) { return run(false, s); }
figures run_grpc_uds(const settings &s) { return run(true, s); }

}  // namespace tenon::bench
