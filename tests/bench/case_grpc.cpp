// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// RMs over gRPC against a running scheduler in this process; they are the program grpc-load, so that the processor time
// of this process is the scheduler's.
#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <boost/json.hpp>
#include <boost/process.hpp>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <system_error>

#include "cases.hpp"
#include "tenon/service/scheduler.hpp"

namespace tenon::bench {
namespace {

namespace fs = std::filesystem;
namespace process = boost::process;

constexpr double probes = 500;  // single requests a second of the RM that measures

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

// A program grpc-load, ready to begin.
class load {
 public:
  load(const running &scheduler, const std::string &rm, const settings &s, double rate, bool checks = false)
      : child_(fs::read_symlink("/proc/self/exe").parent_path().string() + "/grpc-load", scheduler.address(), "--rm",
               rm, "--streams", std::to_string(s.streams), "--batch", std::to_string(s.batch), "--asks",
               std::to_string(s.asks), "--rate", std::to_string(rate),
               checks ? "--checks" : "--nodes=" + std::to_string(s.nodes),
               process::std_in<in_, process::std_out> out_) {
    if (!std::getline(out_, line_)) throw std::runtime_error("grpc-load ended before it was ready");
  }

  void begin() { in_ << std::endl; }

  result_of_load end() {
    if (!std::getline(out_, line_)) throw std::runtime_error("grpc-load ended without figures");
    const auto said = boost::json::parse(line_).as_object();
    return {said.at("allocations").to_number<double>() / said.at("seconds").to_number<double>(),
            said.at("p50_us").to_number<double>(), said.at("p99_us").to_number<double>(), 0};
  }
  ~load() { child_.wait(); }
  load(const load &) = delete;
  load &operator=(const load &) = delete;

 private:
  process::opstream in_;
  process::ipstream out_;
  std::string line_;
  process::child child_;
};

result_of_load play(bool by_socket, const settings &s, double rate) {
  const running scheduler(by_socket);
  load all(scheduler, "load", s, rate);
  const double before = seconds_of_processor();
  all.begin();
  result_of_load out = all.end();
  out.processor_us = (seconds_of_processor() - before) / static_cast<double>(s.asks) * 1e6;
  return out;
}

// Settings of a load that goes on for some seconds at a rate.
settings lasting(settings s, double rate, double seconds) {
  s.asks = std::max(s.streams * s.batch, static_cast<int64_t>(rate * seconds));
  return s;
}

// How long a single request of another RM takes while the load goes on at a rate.
result_of_load probe(bool by_socket, const settings &s, double rate) {
  const running scheduler(by_socket);
  settings single;
  single.batch = single.streams = 1;
  single.nodes = 10;
  single.asks = static_cast<int64_t>(probes * 3);
  load busy(scheduler, "load", lasting(s, rate, 4), rate);
  load probing(scheduler, "probe", single, probes);
  busy.begin();
  probing.begin();
  const result_of_load out = probing.end();
  busy.end();
  return out;
}

// How long an RM that checks placements one by one waits for each: an ask, its check, the answer, the allocation.
result_of_load check_one_by_one(bool by_socket) {
  const running scheduler(by_socket);
  settings single;
  single.batch = single.streams = 1;
  single.asks = 1'000;
  load checking(scheduler, "checks", single, 0, true);
  checking.begin();
  return checking.end();
}

// Of this process and those that it starts: other work on the machine has to wait.
void take_real_time_priority() {
  sched_param how{};
  how.sched_priority = 10;
  if (sched_setscheduler(0, SCHED_RR, &how) != 0)
    throw std::system_error(errno, std::generic_category(), "--real-time wants the right to real-time priority");
}

figures run(bool by_socket, const settings &s) {
  if (s.real_time) take_real_time_priority();
  figures out;
  const result_of_load most = play(by_socket, s, 0);
  out["allocations_per_second"] = most.rate;
  out["scheduler_cpu_us_per_allocation"] = most.processor_us;
  // At half of that rate, or at the one that was given: how long one of its requests takes to its answer, and a single
  // one of another RM beside it.
  const double rate = s.rate > 0 ? s.rate : most.rate / 2;
  const result_of_load half = play(by_socket, lasting(s, rate, 3), rate);
  out["half_load_p50_us"] = half.p50_us;
  out["half_load_p99_us"] = half.p99_us;
  const result_of_load beside = probe(by_socket, s, rate);
  out["single_p50_us"] = beside.p50_us;
  out["single_p99_us"] = beside.p99_us;
  const result_of_load checked = check_one_by_one(by_socket);
  out["checks_per_second"] = checked.rate;
  out["check_p50_us"] = checked.p50_us;
  return out;
}

}  // namespace

figures run_grpc(const settings &s) { return run(false, s); }
figures run_grpc_uds(const settings &s) { return run(true, s); }

}  // namespace tenon::bench
