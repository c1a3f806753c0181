// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// RMs over gRPC that ask and count: `grpc-load ADDRESS --streams M --batch N --asks A [--rate R]`. Each stream is an RM
// of its own with a cluster that holds its asks exactly. Requests are serialised before the clock starts, so that what
// is measured is the scheduler. Prints one line of JSON.
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "rm_connection.hpp"
#include "si/v1/si.pb.h"
#include "tenon/v1/checks.pb.h"

namespace tenon::bench {
namespace {

namespace si_v1 = ::si::v1;

constexpr size_t warm_up = 10;  // one in so many requests, the first ones, has no say in the percentiles
constexpr int64_t tick_ns = 50'000;
constexpr size_t unsent_requests = 4;  // of a stream that asks as fast as it can

struct options {
  std::string address, rm = "load";
  int64_t streams = 1, batch = 100, asks = 200'000, nodes = 1'000;
  double rate = 0;      // asks a second of all streams; 0: as many as are taken
  bool checks = false;  // one RM that checks placements one by one, instead
};

int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

// A varint at `at`, which moves behind it.
uint64_t varint(const char *&at) {
  uint64_t out = 0;
  for (int shift = 0;; shift += 7) {
    const auto byte = static_cast<unsigned char>(*at++);
    out |= uint64_t{byte & 0x7fU} << shift;
    if (byte < 0x80) return out;
  }
}

// One RM: its requests, and when each of its asks was due and answered.
class rm {
 public:
  rm(const options &with, int64_t index)
      : options_(with),
        asks_(with.asks / with.streams),
        connection_(with.address, [this](std::string_view response) { count(response); }) {
    const std::string name = with.rm + "-" + std::to_string(index);
    si_v1::RegisterResourceManagerRequest registration;
    registration.set_rmid(name);
    connection_.call("/si.v1.Scheduler/RegisterResourceManager", registration.SerializeAsString());
    connection_.open("/si.v1.Scheduler/Update");
    report_cluster(name);
    prepare();
  }

  [[nodiscard]] size_t request_count() const { return requests_.size(); }
  [[nodiscard]] bool is_ready() const { return accepted_ == options_.nodes; }
  [[nodiscard]] bool is_done() const { return placed_ == asks_; }
  [[nodiscard]] bool has_more() const { return next_ < requests_.size(); }
  [[nodiscard]] bool has_room() const { return connection_.unsent_bytes() < unsent_requests * requests_[next_].size(); }
  [[nodiscard]] const std::vector<uint32_t> &took_ns() const { return took_; }
  rm_connection &connection() { return connection_; }

  // The next request, which was due at a time: what waits for its RM's turn counts. It goes out with the next flush.
  void put_next(int64_t due_ns) {
    const int64_t from = static_cast<int64_t>(next_) * options_.batch;
    std::fill(due_.begin() + from, due_.begin() + std::min(asks_, from + options_.batch), due_ns);
    connection_.put(requests_[next_++]);
  }

 private:
  void report_cluster(const std::string &name) {
    si_v1::UpdateRequest first;
    first.set_rmid(name);
    auto &application = *first.add_newapplications();
    application.set_applicationid("application");
    application.set_queuename("root.bench");
    application.set_partitionname("default");
    application.mutable_ugi()->set_user("bench");
    connection_.put(framed(first.SerializeAsString()));
    const int64_t per_node = (asks_ + options_.nodes - 1) / options_.nodes;
    for (int64_t at = 0; at < options_.nodes;) {
      si_v1::UpdateRequest request;
      for (; at < options_.nodes && request.newschedulablenodes_size() < 500; ++at) {
        auto &node = *request.add_newschedulablenodes();
        node.set_nodeid("node-" + std::to_string(at));
        (*node.mutable_schedulableresource()->mutable_resources())["vcore"].set_value(per_node * 1'000);
        (*node.mutable_schedulableresource()->mutable_resources())["memory"].set_value(per_node * 10);
      }
      connection_.put(framed(request.SerializeAsString()));
    }
    connection_.flush();
  }

  void prepare() {
    for (int64_t at = 0; at < asks_; at += options_.batch) {
      si_v1::UpdateRequest request;
      for (int64_t i = at; i < std::min(asks_, at + options_.batch); ++i) {
        si_v1::AllocationAsk &ask = *request.add_asks();
        ask.set_allocationkey(std::to_string(i));
        ask.set_applicationid("application");
        ask.set_partitionname("default");
        ask.set_maxallocations(1);
        (*ask.mutable_resourceask()->mutable_resources())["vcore"].set_value(1'000);
        (*ask.mutable_resourceask()->mutable_resources())["memory"].set_value(10);
      }
      requests_.push_back(framed(request.SerializeAsString()));
    }
    due_.resize(static_cast<size_t>(asks_));
    took_.resize(due_.size());
  }

  // Allocations (2), accepted nodes (10); their first field is the key.
  void count(std::string_view response) {
    const int64_t now = now_ns();
    const char *at = response.data();
    const char *const end = at + response.size();
    while (at < end) {
      const uint64_t tag = varint(at);
      if ((tag & 7) == 0) {
        varint(at);
        continue;
      }
      const uint64_t length = varint(at);
      if (tag == (2 << 3 | 2)) {
        const char *inside = at + 1;
        const uint64_t digits = varint(inside);
        size_t index = 0;
        for (uint64_t i = 0; i < digits; ++i) index = index * 10 + static_cast<size_t>(inside[i] - '0');
        took_[index] = static_cast<uint32_t>(std::min<int64_t>(now - due_[index], UINT32_MAX));
        ++placed_;
      } else if (tag == (10 << 3 | 2)) {
        ++accepted_;
      }
      at += length;
    }
  }

  const options &options_;
  const int64_t asks_;
  int64_t accepted_ = 0;
  int64_t placed_ = 0;
  size_t next_ = 0;
  std::vector<std::string> requests_;
  std::vector<int64_t> due_;
  std::vector<uint32_t> took_;
  rm_connection connection_;
};

using rms = std::vector<std::unique_ptr<rm>>;

// Waits until something can be sent or received, or until a time, and does it.
void go_on(rms &all, int64_t until_ns) {
  std::vector<pollfd> polled;
  for (const auto &each : all) {
    const bool writes = each->connection().wants_to_write();
    polled.push_back({each->connection().descriptor(), static_cast<short>(writes ? POLLIN | POLLOUT : POLLIN), 0});
  }
  const int64_t left = std::max<int64_t>(0, until_ns - now_ns());
  const timespec wait{left / 1'000'000'000, left % 1'000'000'000};
  if (::ppoll(polled.data(), polled.size(), &wait, nullptr) <= 0) return;
  for (size_t i = 0; i < all.size(); ++i)
    if (polled[i].revents != 0) all[i]->connection().go_on();
}

template <typename Condition>
void wait(rms &all, Condition until) {
  constexpr int64_t most_ns = 300'000'000'000;
  const int64_t deadline = now_ns() + most_ns;
  while (!std::all_of(all.begin(), all.end(), [&](const auto &each) { return until(*each); })) {
    if (now_ns() >= deadline) throw std::runtime_error("answers stay away");
    go_on(all, deadline);
  }
}

// Each request at its time, whatever is answered meanwhile. Those of one tick go out together: a sleep that is shorter
// takes more of the processor than what is measured.
void send_at_rate(rms &all, const options &with) {
  const double between_ns = static_cast<double>(with.batch) / with.rate * 1e9;
  const int64_t start = now_ns();
  const auto due = [&](size_t request) {
    return start + static_cast<int64_t>(between_ns * static_cast<double>(request));
  };
  const size_t count = all.size() * all.front()->request_count();
  int64_t tick = start;
  for (size_t sent = 0; sent < count;) {
    tick = std::max(due(sent), tick + tick_ns);
    do go_on(all, tick);
    while (now_ns() < tick);
    for (; sent < count && due(sent) <= tick; ++sent) all[sent % all.size()]->put_next(due(sent));
    for (const auto &each : all) each->connection().flush();
  }
}

// Each as soon as those before it are taken.
void send_all(rms &all) {
  const auto has_more = [](const auto &each) { return each->has_more(); };
  while (std::any_of(all.begin(), all.end(), has_more)) {
    bool sent = false;
    for (const auto &each : all) {
      for (; each->has_more() && each->has_room(); sent = true) {
        each->put_next(now_ns());
        each->connection().flush();
      }
    }
    go_on(all, sent ? 0 : now_ns() + 1'000'000'000);
  }
}

double seconds_of_processor() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  const auto seconds = [](const timeval &t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) / 1e6;
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

double percentile_us(std::vector<uint32_t> &samples, double percent) {
  if (samples.empty()) return 0;
  const auto at = static_cast<size_t>(percent / 100 * static_cast<double>(samples.size() - 1));
  std::nth_element(samples.begin(), samples.begin() + static_cast<ptrdiff_t>(at), samples.end());
  return samples[at] / 1e3;
}

void run(const options &with) {
  prctl(PR_SET_TIMERSLACK, 1);
  rms all;
  for (int64_t i = 0; i < with.streams; ++i) all.push_back(std::make_unique<rm>(with, i));
  wait(all, [](const rm &each) { return each.is_ready(); });
  std::puts("ready");
  std::fflush(stdout);
  if (std::getchar() == EOF) throw std::runtime_error("want a line to begin");
  const int64_t start = now_ns();
  const double used = seconds_of_processor();
  if (with.rate > 0) {
    send_at_rate(all, with);
  } else {
    send_all(all);
  }
  wait(all, [](const rm &each) { return each.is_done(); });
  const double seconds = static_cast<double>(now_ns() - start) / 1e9;
  const double processor = seconds_of_processor() - used;
  std::vector<uint32_t> latencies;
  for (const auto &each : all) {
    const auto &took = each->took_ns();
    latencies.insert(latencies.end(), took.begin() + static_cast<ptrdiff_t>(took.size() / warm_up), took.end());
  }
  std::printf(R"({"allocations": %ld, "seconds": %.6f, "p50_us": %.1f, "p99_us": %.1f, "processor": %.6f})"
              "\n",
              static_cast<long>(with.asks), seconds, percentile_us(latencies, 50), percentile_us(latencies, 99),
              processor);
  std::fflush(stdout);
  for (const auto &each : all) each->connection().close();
}

// One ask, its check, the answer and the allocation after another: small messages that wait for each other.
void run_checks(const options &with) {
  prctl(PR_SET_TIMERSLACK, 1);
  bool ready = false, asked = false, placed = false;
  v1::Check check;
  rm_connection connection(with.address, [&](std::string_view bytes) {
    si_v1::UpdateResponse response;
    response.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
    ready |= response.acceptednodes_size() != 0;
    placed |= response.newallocations_size() != 0;
  });
  si_v1::RegisterResourceManagerRequest registration;
  registration.set_rmid(with.rm);
  connection.call("/tenon.v1.Checks/RegisterResourceManager", registration.SerializeAsString());
  connection.open("/si.v1.Scheduler/Update");
  connection.open_beside("/tenon.v1.Checks/CheckPlacements", [&](std::string_view bytes) {
    v1::CheckPlacementsResponse response;
    response.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
    if (response.checks_size() == 0) return;
    check = response.checks(0);
    asked = true;
  });
  v1::CheckPlacementsRequest hello;
  hello.set_rmid(with.rm);
  connection.put_beside(framed(hello.SerializeAsString()));
  si_v1::UpdateRequest first;
  first.set_rmid(with.rm);
  auto &application = *first.add_newapplications();
  application.set_applicationid("application");
  application.set_queuename("root.bench");
  application.set_partitionname("default");
  application.mutable_ugi()->set_user("bench");
  auto &node = *first.add_newschedulablenodes();
  node.set_nodeid("node");
  (*node.mutable_schedulableresource()->mutable_resources())["vcore"].set_value(with.asks);
  connection.put(framed(first.SerializeAsString()));
  connection.wait(ready);
  std::puts("ready");
  std::fflush(stdout);
  if (std::getchar() == EOF) throw std::runtime_error("want a line to begin");
  std::vector<uint32_t> took;
  const int64_t start = now_ns();
  for (int64_t i = 0; i < with.asks; ++i) {
    const int64_t begun = now_ns();
    asked = placed = false;
    si_v1::UpdateRequest request;
    si_v1::AllocationAsk &ask = *request.add_asks();
    ask.set_allocationkey(std::to_string(i));
    ask.set_applicationid("application");
    ask.set_partitionname("default");
    ask.set_maxallocations(1);
    (*ask.mutable_resourceask()->mutable_resources())["vcore"].set_value(1);
    connection.put(framed(request.SerializeAsString()));
    connection.wait(asked);
    v1::CheckPlacementsRequest answer;
    auto &said = *answer.add_answers();
    said.set_partitionname(check.partitionname());
    said.set_number(check.number());
    said.set_accepted(true);
    connection.put_beside(framed(answer.SerializeAsString()));
    connection.wait(placed);
    took.push_back(static_cast<uint32_t>(now_ns() - begun));
  }
  std::printf(R"({"allocations": %ld, "seconds": %.6f, "p50_us": %.1f, "p99_us": %.1f, "processor": 0})"
              "\n",
              static_cast<long>(with.asks), static_cast<double>(now_ns() - start) / 1e9, percentile_us(took, 50),
              percentile_us(took, 99));
  std::fflush(stdout);
}

}  // namespace
}  // namespace tenon::bench

int main(int argc, char **argv) {
  tenon::bench::options with;
  CLI::App app{"RMs over gRPC that ask and count.", "grpc-load"};
  app.add_option("address", with.address)->required();
  app.add_option("--streams", with.streams);
  app.add_option("--batch", with.batch);
  app.add_option("--asks", with.asks, "of all streams");
  app.add_option("--nodes", with.nodes, "of each stream");
  app.add_option("--rate", with.rate);
  app.add_option("--rm", with.rm, "what the RMs' names begin with");
  app.add_flag("--checks", with.checks, "one RM that checks placements one by one, instead");
  CLI11_PARSE(app, argc, argv);
  with.asks -= with.asks % with.streams;
  try {
    with.checks ? tenon::bench::run_checks(with) : tenon::bench::run(with);
  } catch (const std::exception &e) {
    std::fprintf(stderr, "grpc-load: %s\n", e.what());
    return 1;
  }
  return 0;
}
