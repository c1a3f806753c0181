// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "rest_case.hpp"

#include <unistd.h>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <fstream>
#include <thread>

#include "service_case.hpp"

namespace tenon::rest::testing {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;

boost::json::value reply::json() const {
  boost::json::error_code problem;
  auto out = boost::json::parse(body, problem);
  EXPECT_FALSE(problem) << body.substr(0, 500);
  return out;
}

namespace {

reply read_reply(beast::tcp_stream &stream, bool head) {
  beast::flat_buffer buffer;
  http::response_parser<http::string_body> parser;
  parser.body_limit(uint64_t{1} << 30);
  parser.skip(head);
  beast::error_code problem;
  http::read(stream, buffer, parser, problem);
  reply out;
  if (problem) return out;
  out.status = parser.get().result_int();
  out.body = parser.get().body();
  for (const auto &field : parser.get()) {
    std::string name(field.name_string());
    for (char &c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    out.headers[name] = std::string(field.value());
  }
  return out;
}

beast::tcp_stream connect(asio::io_context &io, uint16_t port) {
  beast::tcp_stream stream(io);
  stream.connect(asio::ip::tcp::endpoint(asio::ip::address_v4::loopback(), port));
  return stream;
}

}  // namespace

reply send(uint16_t port, const std::string &method, const std::string &target, const std::string &body,
           const std::map<std::string, std::string> &headers) {
  asio::io_context io;
  beast::tcp_stream stream = connect(io, port);
  http::request<http::string_body> message;
  message.method_string(method);
  message.target(target);
  message.set(http::field::host, "localhost");
  message.set(http::field::connection, "close");
  for (const auto &[name, value] : headers) message.set(name, value);
  message.body() = body;
  message.prepare_payload();
  beast::error_code problem;
  http::write(stream, message, problem);
  return read_reply(stream, method == "HEAD");
}

reply send_raw(uint16_t port, const std::string &bytes) {
  asio::io_context io;
  beast::tcp_stream stream = connect(io, port);
  beast::error_code problem;
  asio::write(stream.socket(), asio::buffer(bytes), problem);
  stream.socket().shutdown(asio::ip::tcp::socket::shutdown_send, problem);
  return read_reply(stream, false);
}

void rest_case::open(const std::vector<std::string> &config, service::scheduler_options options) {
  folder_ = std::filesystem::temp_directory_path() / ("tenon-rest-" + std::to_string(::getpid()) + "-" +
                                                      ::testing::UnitTest::GetInstance()->current_test_info()->name());
  std::filesystem::create_directories(folder_);
  std::ofstream(folder_ / "queues.yaml") << (queues_yaml_.empty() ? queues : queues_yaml_);
  std::ofstream(folder_ / "tokens.yaml") << "- {token: everything-goes-here, user: root, all: true}\n"
                                            "- {token: queues-of-olga-only, user: olga}\n"
                                            "- {token: root-of-rita-and-below, user: rita}\n"
                                            "- {token: may-look-and-no-more, user: pat}\n";
  std::ofstream plan(folder_ / "tenon.yaml");
  plan << "apiVersion: tenon/v1\npolicy_groups: {default: queues.yaml}\nevents: " << events_
       << "\ntransports:\n"
          "  - use: tenon.rest\n    config:\n      listen: \"127.0.0.1:0\"\n      address_file: "
       << (folder_ / "address").string() << "\n      tokens: " << (folder_ / "tokens.yaml").string() << "\n";
  for (const std::string &line : config) plan << "      " << line << "\n";
  plan.close();
  host::host_options how;
  how.preflight = false;
  auto host = host::open_deployment(folder_ / "tenon.yaml", how);
  ASSERT_TRUE(host) << host.why().text();
  host::module_host &modules = **host;
  auto made = service::scheduler::open(std::move(*host), std::move(options));
  ASSERT_TRUE(made) << made.why().text();
  service_ = std::move(*made);
  rm_.attach_to(*service_);
  observe::people_options with;
  with.audit = [this](const observe::audited &what) {
    const std::lock_guard lock(mutex_);
    audited_.push_back(what.caller + ": " + what.action + " " + what.object + " of " + what.partition + ", " +
                       what.message + (what.done ? ": done" : ": refused"));
  };
  with.log_level = [](std::string_view level) { return level == "debug" || level == "info"; };
  with.health_memory = health_memory_;
  with.most_copied = most_copied_;
  people_ = observe::open_to_people(*service_, std::move(with));
  before_start(modules);
  const auto why = service_->start();
  ASSERT_FALSE(why) << why->text();
  std::ifstream address(folder_ / "address");
  std::string url;
  address >> url;
  port_ = static_cast<uint16_t>(std::stoi(url.substr(url.rfind(':') + 1)));
}

void rest_case::TearDown() {
  if (service_ != nullptr) service_->stop();
  service_.reset();
  people_.reset();
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

uint64_t rest_case::enter(const std::string &rm) {
  uint64_t session = 0;
  interface::registration_request request;
  request.rm = rm;
  request.policy_group = "default";
  const auto out = rm_.enter(request, 0, session);
  EXPECT_TRUE(out.good) << out.words;
  return session;
}

void rest_case::submit(uint64_t session, const interface::requests &batch) {
  const auto out = rm_.submit(session, batch.messages());
  ASSERT_EQ(out.status, TENON_OK) << out.words;
}

uint64_t rest_case::small_cluster() {
  const uint64_t session = enter();
  interface::requests batch;
  batch.node("node-1", {{"vcore", 4000}, {"memory", 1000}}, {{"si.io/hostname", "host-1"}, {"si.io/rackname", "rack"}});
  batch.node("node-2", {{"vcore", 2000}, {"memory", 1000}});
  batch.application("app-1", "root.default").application("app-2", "root.small");
  batch.application("nowhere", "root.default", {}, "no good");
  for (int i = 0; i < 3; ++i)
    batch.ask({.application = "app-1", .key = "ask-" + std::to_string(i), .tags = {{"a", "b"}}});
  batch.ask({.application = "app-2", .key = "large", .resources = {{"vcore", 3000}}});
  submit(session, batch);
  until("/ws/v1/partition/default/application/app-1", [](const reply &r) {
    return r.status == 200 && r.json().as_object().contains("allocations") &&
           r.json().at("allocations").as_array().size() == 3;
  });
  return session;
}

reply rest_case::post(const std::string &target, const std::string &body, const std::string &token) {
  std::map<std::string, std::string> headers;
  if (!token.empty()) headers["Authorization"] = "Bearer " + token;
  return send(port_, "POST", target, body, headers);
}

reply rest_case::until(const std::string &target, const std::function<bool(const reply &)> &good) {
  reply last;
  for (int i = 0; i < 3000; ++i) {
    last = get(target);
    if (good(last)) return last;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  ADD_FAILURE() << target << " did not become so; the last answer: " << last.status << " " << last.body.substr(0, 2000);
  return last;
}

std::vector<std::string> rest_case::audited() {
  const std::lock_guard lock(mutex_);
  return audited_;
}

}  // namespace tenon::rest::testing
