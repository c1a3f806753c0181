// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "made_rm.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <thread>

#include "configurations.hpp"
#include "listening.hpp"

namespace tenon::conformance {
namespace {

using namespace std::chrono_literals;

// By a port in one process an RM is told what has a callback, and checks placements in another way.
const std::vector<std::string> &local_lacks() {
  static const std::vector<std::string> names{"tenon_rm_check", "tenon_rm_check_over", "tenon_rm_recovery_state"};
  return names;
}

std::vector<const tenon_rm_message *> pointers_to(const std::vector<made_message> &messages) {
  std::vector<const tenon_rm_message *> out;
  out.reserve(messages.size());
  for (const made_message &one : messages) out.push_back(one.get());
  return out;
}

const tenon_conformance_client &open_client(const std::filesystem::path &library) {
  void *handle = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  const char *why = handle == nullptr ? ::dlerror() : nullptr;
  if (why != nullptr) probe::fail("the client cannot be opened: " + std::string(why));
  const auto *client = static_cast<const tenon_conformance_client *>(::dlsym(handle, TENON_CONFORMANCE_CLIENT_SYMBOL));
  if (client == nullptr) probe::fail("the client does not export " TENON_CONFORMANCE_CLIENT_SYMBOL);
  if (!TENON_COVERS(client, tenon_conformance_client, close) || client->connect == nullptr || client->close == nullptr)
    probe::fail("the client's table lacks connect or close");
  return *client;
}

}  // namespace

client_side::client_side(probe &p) : probe_(p) {
  const auto &services = p.manifest().services;
  if (!p.of().client.empty()) {
    library_ = &open_client(p.of().client);
    lacks_ = member_list({library_->lacks, library_->lacks + library_->lack_count});
    if (library_->detail != nullptr) detail_.assign(library_->detail, library_->detail_length);
  } else if (std::find(services.begin(), services.end(), TENON_HOST_LOCAL) != services.end()) {
    lacks_ = member_list(local_lacks());
    detail_ = std::string("any\0bytes \xFF\x01", 12);
  } else {
    probe::skip("it says nothing without an RM that speaks its protocol; name one with --client");
  }
}

const tenon_local_port *client_side::connect(transport_at_work &to) const {
  if (library_ == nullptr) {
    const tenon_local_port *port = to.scheduler().port();
    if (port == nullptr) probe::skip("it opened no port of " TENON_HOST_LOCAL);
    return port;
  }
  const std::string configuration = usual_configuration(probe_.manifest());
  std::vector<std::string> names;
  std::vector<tenon_text> addresses;
  for (const listening_socket &socket : listening_socket::all()) names.push_back(socket.address());
  addresses.reserve(names.size());
  for (const std::string &name : names) addresses.push_back({name.data(), name.size()});
  const tenon_conformance_connect_in in{
      sizeof in, 0, {configuration.data(), configuration.size()}, addresses.data(), addresses.size()};
  const tenon_local_port *port = nullptr;
  error_buffer said;
  const tenon_status status =
      probe_.call("the client's connect", [&] { return library_->connect(&in, &port, said.message()); });
  if (status != TENON_OK || port == nullptr)
    probe::fail("the client's connect gave " + status_name(status) + said.text());
  return port;
}

void client_side::close(const tenon_local_port *port) const {
  if (library_ != nullptr) library_->close(port);
}

// One callback at a time.
class made_rm::in_callback {
 public:
  explicit in_callback(made_rm &of) : of_(of) {
    std::unique_lock lock(of_.mutex_);
    of_.overlapped_ |= of_.inside_++ != 0;
    of_.changed_.wait(lock, [this] { return !of_.held_; });
  }
  ~in_callback() {
    {
      const std::scoped_lock lock(of_.mutex_);
      --of_.inside_;
    }
    of_.changed_.notify_all();
  }
  in_callback(const in_callback &) = delete;
  in_callback &operator=(const in_callback &) = delete;

 private:
  made_rm &of_;
};

made_rm::made_rm(const client_side &by, transport_at_work &to)
    : by_(by), probe_(to.of().asker()), port_(by.connect(to)) {
  callbacks_.size = sizeof callbacks_;
  callbacks_.context = this;
  callbacks_.answers = take_answers;
  callbacks_.assumed = take_one<tenon_rm_assumption>;
  callbacks_.forgotten = take_one<tenon_rm_assumption>;
  callbacks_.scheduling_state = take_one<tenon_rm_scheduling_state>;
  callbacks_.event = take_one<tenon_rm_event>;
  callbacks_.configuration = take_one<tenon_rm_configuration_answer>;
  callbacks_.ended = take_ended;
}

made_rm::~made_rm() {
  hold(false);
  by_.close(port_);
}

void made_rm::hold(bool held) {
  {
    const std::scoped_lock lock(mutex_);
    held_ = held;
  }
  changed_.notify_all();
}

void made_rm::take(const tenon_rm_message *message) {
  read_message read = read_values(message);
  const std::scoped_lock lock(mutex_);
  told_.push_back(std::move(read));
}

template <class Message>
tenon_status made_rm::take_one(void *context, const Message *one) {
  auto &self = *static_cast<made_rm *>(context);
  const in_callback now(self);
  self.take(reinterpret_cast<const tenon_rm_message *>(one));
  return TENON_OK;
}

tenon_status made_rm::take_answers(void *context, const tenon_rm_answers_in *in) {
  auto &self = *static_cast<made_rm *>(context);
  const in_callback now(self);
  for (uint64_t i = 0; i < in->message_count; ++i) self.take(in->messages[i]);
  return TENON_OK;
}

tenon_status made_rm::take_ended(void *context, const tenon_rm_ended_in *in) {
  auto &self = *static_cast<made_rm *>(context);
  const in_callback now(self);
  const std::scoped_lock lock(self.mutex_);
  self.ended_ = in->why;
  return TENON_OK;
}

tenon_status made_rm::try_enter(const made_message &registration, std::string &why) {
  error_buffer said;
  const tenon_local_enter_in in{sizeof in, 0, reinterpret_cast<const tenon_rm_registration *>(registration.get()),
                                &callbacks_};
  tenon_local_enter_out out{sizeof out, 0, 0, said.message()};
  const tenon_status status = probe_.call("enter by the RM", [&] { return port_->enter(port_->context, &in, &out); });
  session_ = out.session;
  why = said.text();
  return status;
}

void made_rm::enter(const made_message &registration) {
  std::string why;
  const tenon_status status = try_enter(registration, why);
  if (status != TENON_OK) probe::fail("an RM that enters gets " + status_name(status) + why);
}

void made_rm::submit(const std::vector<made_message> &messages) {
  const auto all = pointers_to(messages);
  const auto until = std::chrono::steady_clock::now() + 5s;
  size_t done = 0;
  while (done < all.size()) {
    error_buffer said;
    const tenon_rm_submit_in in{sizeof in, 0, session_, all.data() + done, all.size() - done};
    tenon_rm_submit_out out{sizeof out, 0, 0, said.message()};
    const tenon_status status =
        probe_.call("submit by the RM", [&] { return port_->submit(port_->context, &in, &out); });
    if (status != TENON_OK && status != TENON_RETRY)
      probe::fail("an RM that submits gets " + status_name(status) + said.text());
    if (out.accepted > all.size() - done) probe::fail("more requests were accepted than were sent");
    done = status == TENON_OK ? all.size() : done + out.accepted;
    if (std::chrono::steady_clock::now() > until) probe::fail("requests were not taken for five seconds");
    if (status == TENON_RETRY && out.accepted == 0) std::this_thread::sleep_for(1ms);
  }
}

tenon_status made_rm::try_submit(const std::vector<made_message> &messages) {
  const auto all = pointers_to(messages);
  error_buffer said;
  const tenon_rm_submit_in in{sizeof in, 0, session_, all.data(), all.size()};
  tenon_rm_submit_out out{sizeof out, 0, 0, said.message()};
  return port_->submit(port_->context, &in, &out);
}

tenon_status made_rm::leave() {
  const tenon_local_leave_in in{sizeof in, 0, session_};
  return probe_.call("leave by the RM", [&] { return port_->leave(port_->context, &in); });
}

std::vector<read_message> made_rm::told(size_t at_least, std::chrono::milliseconds within) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, within, [&] { return told_.size() >= at_least && inside_ == 0; });
  return told_;
}

size_t made_rm::told_count() {
  const std::scoped_lock lock(mutex_);
  return told_.size();
}

std::optional<uint32_t> made_rm::ended(std::chrono::milliseconds within) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, within, [&] { return ended_.has_value(); });
  return ended_;
}

bool made_rm::overlapped() {
  const std::scoped_lock lock(mutex_);
  return overlapped_;
}

}  // namespace tenon::conformance
