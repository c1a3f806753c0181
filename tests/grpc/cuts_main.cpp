// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Connections that are cut at any byte: `grpc-cuts --cuts 5000 --seed 1`. A whole session of an RM is recorded once;
// then its bytes are played again and again, under many names, up to a random place where the connection is closed or
// reset. Meanwhile another RM works, and must not notice. Afterwards there are as many file descriptors, threads and
// sessions as before, and hardly more memory.
#include <malloc.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <random>
#include <thread>

#include "client.hpp"
#include "si/v1/si.pb.h"
#include "tenon/service/scheduler.hpp"

namespace {

namespace fs = std::filesystem;
namespace first = ::si::v1;
using namespace tenon;
using update_stream = testing::open_stream<first::UpdateRequest, first::UpdateResponse>;

constexpr const char *queues_yaml =
    "partitions: [ { name: default, queues: [ { name: root, submitacl: '*', queues: [ { name: work } ] } ] } ]";
constexpr std::string_view rm_name = "cut-0000";  // of the recorded RM
constexpr int names = 40;
constexpr int few_cuts = 1'000;

[[noreturn]] void fail(const std::string &what) {
  std::cerr << "grpc-cuts: " << what << std::endl;
  std::_Exit(1);
}

int socket_at(const std::string &path, bool listening) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.data(), path.size());
  const int out = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const auto *where = reinterpret_cast<const sockaddr *>(&address);
  const int done = listening ? bind(out, where, sizeof address) : connect(out, where, sizeof address);
  if (out < 0 || done != 0 || (listening && listen(out, 1) != 0)) fail(path + ": " + std::strerror(errno));
  return out;
}

first::UpdateRequest session_of(const std::string &rm, int asks) {
  first::UpdateRequest request;
  request.set_rmid(rm);
  auto &application = *request.add_newapplications();
  application.set_applicationid("app");
  application.set_queuename("root.work");
  application.set_partitionname("default");
  application.mutable_ugi()->set_user("cut");
  auto &node = *request.add_newschedulablenodes();
  node.set_nodeid("node");
  (*node.mutable_schedulableresource()->mutable_resources())["vcore"].set_value(1'000'000'000);
  for (int i = 0; i < asks; ++i) {
    auto &ask = *request.add_asks();
    ask.set_allocationkey("ask-" + std::to_string(i));
    ask.set_applicationid("app");
    ask.set_partitionname("default");
    ask.set_maxallocations(1);
    (*ask.mutable_resourceask()->mutable_resources())["vcore"].set_value(1);
  }
  return request;
}

void enter(const std::shared_ptr<grpc::Channel> &channel, const std::string &rm) {
  first::RegisterResourceManagerRequest request;
  request.set_rmid(rm);
  first::RegisterResourceManagerResponse response;
  const grpc::Status status = testing::call(channel, "/si.v1.Scheduler/RegisterResourceManager", request, response);
  if (!status.ok()) fail("registration: " + status.error_message());
}

// Plays a whole session through a socket in between; what the client sent, piece by piece.
std::vector<std::string> record(const std::string &server, const std::string &between) {
  const int listening = socket_at(between, true);
  std::vector<std::string> pieces;
  std::thread proxy([&] {
    const int client = accept(listening, nullptr, nullptr);
    const int onward = socket_at(server, false);
    std::array<char, 65'536> bytes{};
    for (;;) {
      std::array<pollfd, 2> both{{{client, POLLIN, 0}, {onward, POLLIN, 0}}};
      poll(both.data(), both.size(), -1);
      const bool up = both[0].revents != 0;
      const ssize_t got = read(up ? client : onward, bytes.data(), bytes.size());
      if (got <= 0) break;
      if (up) pieces.emplace_back(bytes.data(), static_cast<size_t>(got));
      if (write(up ? onward : client, bytes.data(), static_cast<size_t>(got)) != got) break;
    }
    close(client);
    close(onward);
  });
  {
    const auto channel = testing::channel_to("unix:" + between);
    enter(channel, std::string(rm_name));
    update_stream stream(channel, "/si.v1.Scheduler/Update");
    stream.send(session_of(std::string(rm_name), 200));
    int placed = 0;
    for (first::UpdateResponse response; placed < 200 && stream.receive(response);) {
      placed += response.newallocations_size();
    }
    if (placed != 200) fail("the session that is to be recorded did not go through");
    stream.half_close();
    stream.finish();
  }
  proxy.join();
  close(listening);
  return pieces;
}

// Plays the pieces under another name up to `bytes`, hearing a little in between; then closes or resets.
void play(const std::string &server, std::vector<std::string> pieces, int name, size_t bytes, bool listen) {
  std::string as = std::to_string(name);
  as = "cut-" + std::string(4 - as.size(), '0') + as;
  const int to = socket_at(server, false);
  std::array<char, 65'536> heard{};
  for (std::string &piece : pieces) {
    for (size_t at = 0; (at = piece.find(rm_name, at)) != std::string::npos; at += rm_name.size()) {
      piece.replace(at, rm_name.size(), as);
    }
    const size_t part = std::min(bytes, piece.size());
    if (send(to, piece.data(), part, MSG_NOSIGNAL) != static_cast<ssize_t>(part)) break;
    bytes -= part;
    if (bytes == 0) break;
    pollfd answer{to, POLLIN, 0};
    if (poll(&answer, 1, 5) > 0 && listen) static_cast<void>(read(to, heard.data(), heard.size()));
  }
  close(to);  // with answers unread, the other side sees a reset
}

struct state {
  size_t descriptors = 0, threads = 0, pooled = 0, sessions = 0;
  double memory_mib = 0, in_use_mib = 0;

  [[nodiscard]] std::string text() const {
    return std::to_string(descriptors) + " file descriptors, " + std::to_string(threads) + " threads and " +
           std::to_string(pooled) + " of gRPC's pools, " + std::to_string(sessions) + " sessions, " +
           std::to_string(memory_mib) + " MiB, of which given out " + std::to_string(in_use_mib);
  }
};

size_t entries(const char *folder) {
  size_t count = 0;
  for ([[maybe_unused]] const auto &each : fs::directory_iterator(folder)) ++count;
  return count;
}

// Threads of this process: those of gRPC's pools, or all others. gRPC adds a thread to a pool when work waits in it,
// which is a matter of what else the machine does, and never takes it back; each pool has a most by the count of cores.
size_t threads(bool of_pools) {
  constexpr std::array<std::string_view, 5> pools = {"default-executor", "resolver-executor", "grpc_global_timer",
                                                     "event_engine", "timer_manager"};
  constexpr size_t longest_name = 15;
  size_t count = 0;
  for (const auto &each : fs::directory_iterator("/proc/self/task")) {
    std::ifstream comm(each.path() / "comm");
    std::string name;
    if (!std::getline(comm, name)) continue;  // it has just ended
    const bool pooled = std::any_of(pools.begin(), pools.end(),
                                    [&](std::string_view pool) { return pool.substr(0, longest_name) == name; });
    count += pooled == of_pools ? 1 : 0;
  }
  return count;
}

size_t most_pooled() { return 8 + 4 * static_cast<size_t>(std::max(1U, std::thread::hardware_concurrency())); }

state now(const service::scheduler &of) {
  malloc_trim(0);
  std::ifstream statm("/proc/self/statm");
  size_t total = 0;
  size_t resident = 0;
  statm >> total >> resident;
  return {entries("/proc/self/fd"),
          threads(false),
          threads(true),
          of.rms().size(),
          static_cast<double>(resident) * static_cast<double>(sysconf(_SC_PAGESIZE)) / (1 << 20),
          static_cast<double>(mallinfo2().uordblks) / (1 << 20)};
}

// Once sessions without an RM have been given up, and nothing has been opened or closed for a second.
state settled(const service::scheduler &of, size_t descriptors) {
  size_t last = 0;
  for (int looks = 0, same = 0; looks < 600 && same < 10; ++looks) {
    const size_t open = entries("/proc/self/fd");
    same = of.rms().size() <= 1 && open <= descriptors && open == last ? same + 1 : 0;
    last = open;
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  return now(of);
}

// An RM that works on while others break: an ask, its allocation, its release.
class steady {
 public:
  explicit steady(const std::string &address) : channel_(testing::channel_to(address)) {
    enter(channel_, "steady");
    stream_ = std::make_unique<update_stream>(channel_, "/si.v1.Scheduler/Update", std::chrono::hours(2));
    stream_->send(session_of("steady", 0));
    thread_ = std::thread([this] { work(); });
  }
  uint64_t stop() {
    ends_ = true;
    thread_.join();
    stream_->half_close();
    if (!stream_->finish().ok()) fail("the steady RM's stream did not end well");
    return rounds_;
  }
  [[nodiscard]] uint64_t rounds() const { return rounds_; }
  // Returns once it has made another round. Ends the program if it makes none within a minute.
  void wait_for_a_round() const {
    const uint64_t before = rounds_;
    const auto latest = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    while (rounds_ == before) {
      if (std::chrono::steady_clock::now() > latest) fail("the steady RM stands still");
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  }

 private:
  void work() {
    while (!ends_) {
      first::UpdateRequest ask;
      *ask.add_asks() = session_of("steady", 1).asks(0);
      ask.mutable_asks(0)->set_allocationkey("round-" + std::to_string(rounds_));
      stream_->send(ask);
      first::UpdateResponse response;
      do {
        if (!stream_->receive(response)) fail("the steady RM noticed: " + stream_->finish().error_message());
      } while (response.newallocations_size() == 0);
      first::UpdateRequest done;
      auto &release = *done.mutable_releases()->add_allocationstorelease();
      release.set_partitionname("default");
      release.set_applicationid("app");
      release.set_uuid(response.newallocations(0).uuid());
      stream_->send(done);
      ++rounds_;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  }

  std::shared_ptr<grpc::Channel> channel_;
  std::unique_ptr<update_stream> stream_;
  std::atomic<bool> ends_ = false;
  std::atomic<uint64_t> rounds_ = 0;
  std::thread thread_;
};

void cut(const std::string &server, const std::vector<std::string> &pieces, int count, std::mt19937_64 &random) {
  size_t whole = 0;
  for (const std::string &each : pieces) whole += each.size();
  for (int i = 0; i < count; ++i) {
    play(server, pieces, static_cast<int>(random() % names), 1 + random() % whole, random() % 2 == 0);
  }
}

}  // namespace

int main(int argc, char **argv) {
  int cuts = 5'000;
  uint64_t seed = std::random_device()();
  CLI::App app{"Cuts connections at random places.", "grpc-cuts"};
  app.add_option("--cuts", cuts)->check(CLI::PositiveNumber);
  app.add_option("--seed", seed);
  CLI11_PARSE(app, argc, argv);
  std::cout << "seed " << seed << ", " << cuts << " cuts" << std::endl;
  std::mt19937_64 random(seed);

  const fs::path folder = fs::temp_directory_path() / ("tenon-cuts-" + std::to_string(getpid()));
  fs::create_directory(folder);
  const std::string server = (folder / "s").string();
  std::ofstream(folder / "queues.yaml") << queues_yaml;
  std::ofstream(folder / "tenon.yaml")
      << "apiVersion: tenon/v1\npolicy_groups: { default: queues.yaml }\ntransports: [ { "
         "use: tenon.grpc, config: { listen: 'unix:"
      << server << "', settle_bytes: 4096, connect_timeout_ms: 300 } } ]\n";
  auto host = host::open_deployment(folder / "tenon.yaml");
  if (!host) fail(host.why().text());
  service::scheduler_options options;
  options.limits.emplace();
  options.limits->pause_timeout_ms = 300;
  auto made = service::scheduler::open(std::move(*host), std::move(options));
  if (!made) fail(made.why().text());
  service::scheduler &scheduler = **made;
  if (const auto why = scheduler.start()) fail(why->text());

  const std::vector<std::string> pieces = record(server, (folder / "between").string());
  steady other("unix:" + server);
  cut(server, pieces, 1'500, random);  // whatever is made once is made now
  const state before = settled(scheduler, 1'000);
  std::cout << "before: " << before.text() << std::endl;
  const uint64_t rounds = other.rounds();
  cut(server, pieces, cuts, random);
  const uint64_t meanwhile = other.rounds() - rounds;
  other.wait_for_a_round();
  const state after = settled(scheduler, before.descriptors);
  std::cout << "after:  " << after.text() << "; the steady RM made " << meanwhile << " rounds" << std::endl;
  if (after.descriptors != before.descriptors) fail("file descriptors differ");
  if (after.threads != before.threads) fail("threads differ");
  if (after.pooled > most_pooled()) fail("gRPC's pools have more threads than " + std::to_string(most_pooled()));
  if (after.sessions != before.sessions) fail("sessions differ");
#ifdef __SANITIZE_ADDRESS__
  std::cout << "memory is not compared: AddressSanitizer keeps what was freed" << std::endl;
#else
  if (cuts < few_cuts)
    std::cout << "memory is not compared: fewer than " << few_cuts << " cuts show no growth" << std::endl;
  else if (after.memory_mib > before.memory_mib * 1.05)
    fail("there is more memory than 5 %");
#endif
  other.stop();
  scheduler.stop();
  fs::remove_all(folder);
  std::cout << "the same as before" << std::endl;
  return 0;
}
