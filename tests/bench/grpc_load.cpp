// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// RMs over gRPC that ask and count: `grpc-load ADDRESS --streams M --batch N --asks A [--rate R]`. Each stream is an RM
// of its own with a cluster that holds its asks exactly. Requests are serialised before the clock starts, so that what
// is measured is the scheduler. Prints one line of JSON.
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>
#include <sys/resource.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "si/v1/si.pb.h"

namespace {

using clock_type = std::chrono::steady_clock;
namespace si_v1 = ::si::v1;

struct options {
  std::string address, rm = "load";
  int64_t streams = 1, batch = 100, asks = 200'000, nodes = 1'000;
  double rate = 0;  // asks a second of all streams; 0: as many as are taken
};

grpc::ByteBuffer buffer_of(const google::protobuf::Message &message) {
  const grpc::Slice slice(message.SerializeAsString());
  return {&slice, 1};
}

int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(clock_type::now().time_since_epoch()).count();
}

class gate {
 public:
  void add(int64_t count) {
    const std::lock_guard lock(mutex_);
    count_ += count;
    changed_.notify_all();
  }
  void wait(int64_t count) {
    std::unique_lock lock(mutex_);
    if (!changed_.wait_for(lock, std::chrono::minutes(5), [&] { return count_ >= count || broken_; }) || broken_) {
      std::fprintf(stderr, "grpc-load: a stream ended, or answers stay away: %ld of %ld came\n",
                   static_cast<long>(count_), static_cast<long>(count));
      std::_Exit(1);
    }
  }
  void fail() {
    const std::lock_guard lock(mutex_);
    broken_ = true;
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int64_t count_ = 0;
  bool broken_ = false;
};

// A varint at `at`, which moves behind it.
uint64_t varint(const char *&at) {
  uint64_t out = 0;
  for (int shift = 0;; shift += 7) {
    const auto byte = static_cast<unsigned char>(*at++);
    out |= uint64_t{byte & 0x7fU} << shift;
    if (byte < 0x80) return out;
  }
}

class flow final : public grpc::ClientBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer> {
 public:
  flow(const options &with, int64_t index, gate &ready, gate &placed)
      : options_(with), rm_(with.rm + "-" + std::to_string(index)), ready_(ready), placed_(placed) {
    grpc::ChannelArguments arguments;
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    arguments.SetMaxReceiveMessageSize(-1);
    stub_ = std::make_unique<grpc::GenericStub>(
        grpc::CreateCustomChannel(with.address, grpc::InsecureChannelCredentials(), arguments));
    asks_ = with.asks / with.streams;
    sent_.resize(static_cast<size_t>(asks_));
    took_.resize(sent_.size());
  }

  void open() {
    register_rm();
    stub_->PrepareBidiStreamingCall(&context_, "/si.v1.Scheduler/Update", {}, this);
    AddHold();
    StartRead(&in_);
    StartCall();
    for (auto &each : cluster()) send(std::move(each), 0);
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
      requests_.push_back(buffer_of(request));
    }
  }
  [[nodiscard]] size_t request_count() const { return requests_.size(); }

  // Hands request `i` over; those before it may still be on their way.
  void send_request(size_t i) {
    const int64_t now = now_ns();
    const int64_t from = static_cast<int64_t>(i) * options_.batch;
    for (int64_t n = from; n < std::min(asks_, from + options_.batch); ++n) sent_[static_cast<size_t>(n)] = now;
    send(std::move(requests_[i]), 0);
  }

  // All of them, each as soon as the one before it is taken.
  void send_all() {
    for (size_t i = 0; i < requests_.size(); ++i) {
      {
        std::unique_lock lock(mutex_);
        room_.wait(lock, [this] { return waiting_.size() < 4; });
      }
      send_request(i);
    }
  }

  void add_latencies(std::vector<uint32_t> &to) const { to.insert(to.end(), took_.begin(), took_.end()); }

  void close() {
    StartWritesDone();
    RemoveHold();
    std::unique_lock lock(mutex_);
    room_.wait(lock, [this] { return done_; });
  }

  void OnWriteDone(bool ok) override {
    if (!ok) return;
    std::unique_lock lock(mutex_);
    writing_ = false;
    room_.notify_one();
    write_next(lock);
  }

  void OnReadDone(bool ok) override {
    if (!ok) return;
    grpc::Slice bytes;
    if (!in_.TrySingleSlice(&bytes).ok()) in_.DumpToSingleSlice(&bytes);
    count(reinterpret_cast<const char *>(bytes.begin()), reinterpret_cast<const char *>(bytes.end()));
    in_.Clear();
    StartRead(&in_);
  }

  void OnDone(const grpc::Status &status) override {
    if (!status.ok()) {
      std::fprintf(stderr, "grpc-load: %s\n", status.error_message().c_str());
      placed_.fail();
      ready_.fail();
    }
    const std::lock_guard lock(mutex_);
    done_ = true;
    room_.notify_all();
  }

 private:
  void register_rm() {
    si_v1::RegisterResourceManagerRequest request;
    request.set_rmid(rm_);
    const grpc::ByteBuffer bytes = buffer_of(request);
    grpc::ClientContext context;
    context.set_wait_for_ready(true);
    grpc::ByteBuffer answer;
    std::mutex mutex;
    std::condition_variable answered;
    bool done = false;
    stub_->UnaryCall(&context, "/si.v1.Scheduler/RegisterResourceManager", {}, &bytes, &answer,
                     [&](grpc::Status status) {
                       if (!status.ok()) {
                         std::fprintf(stderr, "grpc-load: %s\n", status.error_message().c_str());
                         std::_Exit(1);
                       }
                       const std::lock_guard lock(mutex);
                       done = true;
                       answered.notify_one();
                     });
    std::unique_lock lock(mutex);
    answered.wait(lock, [&] { return done; });
  }

  std::vector<grpc::ByteBuffer> cluster() const {
    std::vector<grpc::ByteBuffer> out;
    si_v1::UpdateRequest first;
    first.set_rmid(rm_);
    auto &application = *first.add_newapplications();
    application.set_applicationid("application");
    application.set_queuename("root.bench");
    application.set_partitionname("default");
    application.mutable_ugi()->set_user("bench");
    out.push_back(buffer_of(first));
    const int64_t nodes = options_.nodes;
    const int64_t per_node = (asks_ + nodes - 1) / nodes;
    for (int64_t at = 0; at < nodes;) {
      si_v1::UpdateRequest request;
      for (; at < nodes && request.newschedulablenodes_size() < 500; ++at) {
        auto &node = *request.add_newschedulablenodes();
        node.set_nodeid("node-" + std::to_string(at));
        (*node.mutable_schedulableresource()->mutable_resources())["vcore"].set_value(per_node * 1'000);
        (*node.mutable_schedulableresource()->mutable_resources())["memory"].set_value(per_node * 10);
      }
      out.push_back(buffer_of(request));
    }
    return out;
  }

  void send(grpc::ByteBuffer bytes, int64_t) {
    std::unique_lock lock(mutex_);
    waiting_.push_back(std::move(bytes));
    write_next(lock);
  }

  void write_next(std::unique_lock<std::mutex> &lock) {
    if (writing_ || waiting_.empty()) return;
    out_ = std::move(waiting_.front());
    waiting_.pop_front();
    writing_ = true;
    lock.unlock();
    StartWrite(&out_);
  }

  // Allocations (2), accepted nodes (10); their first field is the key.
  void count(const char *at, const char *end) {
    const int64_t now = now_ns();
    int64_t placed = 0;
    int64_t nodes = 0;
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
        took_[index] = static_cast<uint32_t>(std::min<int64_t>(now - sent_[index], UINT32_MAX));
        ++placed;
      } else if (tag == (10 << 3 | 2)) {
        ++nodes;
      }
      at += length;
    }
    if (placed) placed_.add(placed);
    if (nodes) ready_.add(nodes);
  }

  const options &options_;
  const std::string rm_;
  gate &ready_;
  gate &placed_;
  int64_t asks_ = 0;
  std::unique_ptr<grpc::GenericStub> stub_;
  grpc::ClientContext context_;
  std::vector<grpc::ByteBuffer> requests_;
  std::vector<int64_t> sent_;
  std::vector<uint32_t> took_;
  grpc::ByteBuffer in_;

  std::mutex mutex_;
  std::condition_variable room_;
  std::deque<grpc::ByteBuffer> waiting_;
  grpc::ByteBuffer out_;
  bool writing_ = false;
  bool done_ = false;
};

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

}  // namespace

int main(int argc, char **argv) {
  options with;
  CLI::App app{"RMs over gRPC that ask and count.", "grpc-load"};
  app.add_option("address", with.address)->required();
  app.add_option("--streams", with.streams);
  app.add_option("--batch", with.batch);
  app.add_option("--asks", with.asks, "of all streams");
  app.add_option("--nodes", with.nodes, "of each stream");
  app.add_option("--rate", with.rate);
  app.add_option("--rm", with.rm, "what the RMs' names begin with");
  CLI11_PARSE(app, argc, argv);
  with.asks -= with.asks % with.streams;
  gate ready;
  gate placed;
  std::vector<std::unique_ptr<flow>> flows;
  for (int64_t i = 0; i < with.streams; ++i) {
    flows.push_back(std::make_unique<flow>(with, i, ready, placed));
    flows.back()->open();
    flows.back()->prepare();
  }
  ready.wait(with.streams * with.nodes);
  std::puts("ready");
  std::fflush(stdout);
  if (std::getchar() == EOF) return 1;
  const auto start = clock_type::now();
  const double used = seconds_of_processor();
  if (with.rate > 0) {
    const std::chrono::duration<double> between(static_cast<double>(with.batch) / with.rate);
    size_t sent = 0;
    for (size_t i = 0; i < flows.front()->request_count(); ++i) {
      for (const auto &each : flows) {
        std::this_thread::sleep_until(start + std::chrono::duration_cast<clock_type::duration>(between * sent++));
        if (i < each->request_count()) each->send_request(i);
      }
    }
  } else {
    std::vector<std::thread> threads;
    for (const auto &each : flows) threads.emplace_back([&] { each->send_all(); });
    for (std::thread &each : threads) each.join();
  }
  placed.wait(with.asks);
  const double seconds = std::chrono::duration<double>(clock_type::now() - start).count();
  const double processor = seconds_of_processor() - used;
  std::vector<uint32_t> latencies;
  for (const auto &each : flows) each->add_latencies(latencies);
  std::printf(R"({"allocations": %ld, "seconds": %.6f, "p50_us": %.1f, "p99_us": %.1f, "processor": %.6f})"
              "\n",
              static_cast<long>(with.asks), seconds, percentile_us(latencies, 50), percentile_us(latencies, 99),
              processor);
  std::fflush(stdout);
  for (const auto &each : flows) each->close();
  return 0;
}
