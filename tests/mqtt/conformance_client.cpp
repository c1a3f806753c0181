// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The client side of tenon.mqtt for `tenon plugin verify`: an RM that speaks to the broker of the configuration.
#include <mosquitto.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <deque>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "tenon/abi/rm_answers.h"
#include "tenon/conformance/client.h"
#include "tenon/sdk/config.hpp"
#include "tenon/sdk/error.hpp"
#include "tenon/v1/broker.pb.h"
#include "tenon/wire/codec.hpp"

namespace {

using namespace tenon;
using namespace std::chrono_literals;

constexpr size_t most_untaken = 100;

const wire::schema &later(const char *message) { return wire::schema_of(wire::dialect::later, message); }

uint64_t by_chance() {
  static std::random_device device;
  return (uint64_t{device()} << 32U) | device() | 1U;
}

struct kind {
  const char *request;
  void (v1::FromManager::*set)(std::string &&);
};
const std::array<kind, 5> kinds{{
    {"AllocationRequest", &v1::FromManager::set_allocation<std::string>},
    {"ApplicationRequest", &v1::FromManager::set_application<std::string>},
    {"NodeRequest", &v1::FromManager::set_node<std::string>},
    {"CheckPlacementsRequest", &v1::FromManager::set_checks<std::string>},
    {"RecoveryRequest", &v1::FromManager::set_recovery<std::string>},
}};

// The response in a message; null: it has none.
const char *response_in(const v1::ToManager &message, const std::string *&bytes) {
  switch (message.says_case()) {
    case v1::ToManager::kAllocation:
      bytes = &message.allocation();
      return "AllocationResponse";
    case v1::ToManager::kApplication:
      bytes = &message.application();
      return "ApplicationResponse";
    case v1::ToManager::kNode:
      bytes = &message.node();
      return "NodeResponse";
    case v1::ToManager::kChecks:
      bytes = &message.checks();
      return "CheckPlacementsResponse";
    case v1::ToManager::kRecovery:
      bytes = &message.recovery();
      return "RecoveryResponse";
    default:
      return nullptr;
  }
}

uint32_t reason_of(v1::Ended::Reason why) {
  switch (why) {
    case v1::Ended::REPLACED:
      return TENON_RM_ENDED_REPLACED;
    case v1::Ended::OVERFLOW:
      return TENON_RM_ENDED_OVERFLOW;
    case v1::Ended::GOODBYE:
      return TENON_RM_ENDED_SHUTDOWN;
    case v1::Ended::STOPPING:
      return TENON_RM_ENDED_STOPPING;
    default:
      return TENON_RM_ENDED_TIMEOUT;
  }
}

// One RM: its connection to the broker, and a thread that reads it.
class connection {
 public:
  connection(std::string host, int port, std::string topics)
      : host_(std::move(host)), broker_port_(port), topics_(std::move(topics)), client_(nullptr, mosquitto_destroy) {
    port_ = {sizeof port_, 0, this, enter, submit, leave, dump};
  }

  // Without a goodbye, so that the broker publishes the will.
  ~connection() {
    ends_ = true;
    if (client_) ::shutdown(mosquitto_socket(client_.get()), SHUT_RDWR);
    if (reader_.joinable()) reader_.join();
  }
  connection(const connection &) = delete;
  connection &operator=(const connection &) = delete;

  [[nodiscard]] const tenon_local_port &port() const { return port_; }

 private:
  static connection &of(void *context) { return *static_cast<connection *>(context); }

  static tenon_status enter(void *context, const tenon_local_enter_in *in, tenon_local_enter_out *out) {
    return of(context).do_enter(*in, *out);
  }

  tenon_status do_enter(const tenon_local_enter_in &in, tenon_local_enter_out &out) {
    const auto *message = reinterpret_cast<const tenon_rm_message *>(in.registration);
    v1::FromManager registration;
    std::string refusal;
    if (!wire::write(later("RegisterResourceManagerRequest"), {{}, {message}, {}}, *registration.mutable_registration(),
                     refusal)) {
      sdk::explain(out.error, refusal);
      return TENON_INVALID_CONFIG;
    }
    rm_ = sdk::view(in.registration->rm);
    if (!client_ && !connect()) {
      sdk::explain(out.error, "the broker does not answer");
      return TENON_RETRY;
    }
    std::unique_lock lock(mutex_);
    callbacks_ = *in.callbacks;
    session_ = by_chance();
    refused_.reset();
    is_entered_ = false;
    registration.set_connection(connection_);
    registration.set_checksplacements(true);
    say(registration);
    if (!changed_.wait_for(lock, 5s, [this] { return is_entered_ || refused_; })) {
      sdk::explain(out.error, "no answer to the registration within five seconds");
      return TENON_RETRY;
    }
    if (refused_) {
      sdk::explain(out.error, refused_->reason());
      return refused_->later() ? TENON_RETRY : TENON_INVALID_CONFIG;
    }
    out.session = 1;
    return TENON_OK;
  }

  bool connect() {
    connection_ = by_chance();
    client_.reset(mosquitto_new(("rm-" + std::to_string(connection_)).c_str(), true, this));
    mosquitto_threaded_set(client_.get(), true);
    mosquitto_int_option(client_.get(), MOSQ_OPT_TCP_NODELAY, 1);
    v1::FromManager lost;
    lost.set_connection(connection_);
    lost.mutable_lost();
    const std::string will = lost.SerializeAsString();
    mosquitto_will_set(client_.get(), to_scheduler().c_str(), static_cast<int>(will.size()), will.data(), 1, false);
    mosquitto_subscribe_callback_set(client_.get(), [](mosquitto *, void *self, int, int, const int *) {
      const std::scoped_lock lock(of(self).mutex_);
      of(self).is_subscribed_ = true;
      of(self).changed_.notify_all();
    });
    mosquitto_message_callback_set(client_.get(), [](mosquitto *, void *self, const mosquitto_message *message) {
      v1::ToManager said;
      if (said.ParseFromArray(message->payload, message->payloadlen)) of(self).hear(said);
    });
    if (mosquitto_connect(client_.get(), host_.c_str(), broker_port_, 30) != MOSQ_ERR_SUCCESS) return false;
    mosquitto_subscribe(client_.get(), nullptr, (topics_ + "/to-rm/" + rm_).c_str(), 1);
    reader_ = std::thread([this] {
      while (!ends_ && mosquitto_loop(client_.get(), 50, 1) == MOSQ_ERR_SUCCESS) {
      }
    });
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, 5s, [this] { return is_subscribed_; });
  }

  [[nodiscard]] std::string to_scheduler() const { return topics_ + "/to-scheduler/" + rm_; }

  void say(v1::FromManager &message) {
    message.set_session(session_);
    const std::string bytes = message.SerializeAsString();
    mosquitto_publish(client_.get(), nullptr, to_scheduler().c_str(), static_cast<int>(bytes.size()), bytes.data(), 1,
                      false);
  }

  void hear(const v1::ToManager &message) {
    std::unique_lock lock(mutex_);
    if (message.session() != session_) return;
    switch (message.says_case()) {
      case v1::ToManager::kEntered:
        is_entered_ = true;
        break;
      case v1::ToManager::kRefused:
        if (message.refused().number() == 0) refused_ = message.refused();
        break;
      case v1::ToManager::kTaken:
        hear_taken(message.taken());
        break;
      case v1::ToManager::kEnded: {
        if (!is_entered_ || std::exchange(is_over_, true)) break;
        const tenon_rm_ended_in in{sizeof in, reason_of(message.ended().reason())};
        lock.unlock();
        callbacks_.ended(callbacks_.context, &in);
        return;
      }
      default:
        break;
    }
    changed_.notify_all();
    if (message.lastnumber() == 0) return;
    int64_t &had = had_[message.partitionname()];
    const bool is_new = message.firstnumber() == had + 1;
    if (is_new) had = message.lastnumber();
    lock.unlock();
    if (is_new) tell(message);
    v1::FromManager confirms;
    v1::Arrived &arrived = *confirms.add_arrived();
    arrived.set_partitionname(message.partitionname());
    arrived.set_number(message.lastnumber());
    lock.lock();
    say(confirms);
  }

  void tell(const v1::ToManager &message) {
    const std::string *bytes = nullptr;
    const char *response = response_in(message, bytes);
    wire::arena arena;
    wire::batch batch;
    std::string refusal;
    if (response == nullptr || !wire::read(later(response), *bytes, arena, batch, refusal) || batch.messages.empty())
      return;
    const tenon_rm_answers_in in{sizeof in, 0, batch.messages.data(), batch.messages.size()};
    callbacks_.answers(callbacks_.context, &in);
  }

  void hear_taken(const v1::Taken &taken) {
    while (!untaken_.empty() && untaken_.front().number() <= taken.number()) untaken_.pop_front();
    if (!taken.again()) return;
    for (v1::FromManager &each : untaken_) say(each);
  }

  static tenon_status submit(void *context, const tenon_rm_submit_in *in, tenon_rm_submit_out *out) {
    connection &self = of(context);
    const std::scoped_lock lock(self.mutex_);
    for (uint64_t i = 0; i < in->message_count; ++i) {
      if (self.untaken_.size() >= most_untaken) return TENON_RETRY;
      const auto of_it = std::find_if(kinds.begin(), kinds.end(), [&](const kind &each) {
        return wire::rank_of(later(each.request), in->messages[i]->type) >= 0;
      });
      std::string bytes, refusal;
      if (of_it == kinds.end() ||
          !wire::write(later(of_it->request), {sdk::text(self.rm_), {in->messages[i]}, {}}, bytes, refusal)) {
        sdk::explain(out->error, "a message of type " + std::to_string(in->messages[i]->type) + " cannot be sent");
        return TENON_INVALID_CONFIG;
      }
      v1::FromManager &one = self.untaken_.emplace_back();
      one.set_number(++self.last_number_);
      (one.*of_it->set)(std::move(bytes));
      self.say(one);
      ++out->accepted;
    }
    return TENON_OK;
  }

  static tenon_status leave(void *context, const tenon_local_leave_in *) {
    connection &self = of(context);
    const std::scoped_lock lock(self.mutex_);
    v1::FromManager goodbye;
    goodbye.mutable_goodbye();
    self.say(goodbye);
    self.is_over_ = true;
    return TENON_OK;
  }

  static tenon_status dump(void *, void (*)(void *, tenon_rm_session, tenon_text), void *) { return TENON_OK; }

  const std::string host_;
  const int broker_port_;
  const std::string topics_;
  std::unique_ptr<mosquitto, void (*)(mosquitto *)> client_;
  std::thread reader_;
  std::atomic<bool> ends_ = false;
  tenon_local_port port_{};
  tenon_rm_callbacks callbacks_{};
  std::string rm_;

  std::mutex mutex_;
  std::condition_variable changed_;
  uint64_t session_ = 0, connection_ = 0;
  bool is_subscribed_ = false, is_entered_ = false, is_over_ = false;
  std::optional<v1::Refused> refused_;
  int64_t last_number_ = 0;
  std::deque<v1::FromManager> untaken_;
  std::map<std::string, int64_t> had_;  // by partition: the last answer
};

tenon_status connect(const tenon_conformance_connect_in *in, const tenon_local_port **port, tenon_message *error) {
  try {
    const sdk::config from(sdk::view(in->configuration));
    const std::string broker = from.text("broker", "127.0.0.1:1883");
    const size_t colon = broker.rfind(':');
    const int number = std::atoi(broker.c_str() + colon + 1);
    *port = &(new connection(broker.substr(0, colon), number, from.text("topics", "tenon")))->port();
    return TENON_OK;
  } catch (const sdk::invalid_config &e) {
    sdk::explain(error, e.what());
    return TENON_INVALID_CONFIG;
  }
}

void close(const tenon_local_port *port) { delete static_cast<connection *>(port->context); }

// The dialect has no place for these.
constexpr const char *lacks[] = {"tenon_rm_configuration",
                                 "tenon_rm_configuration_answer",
                                 "tenon_rm_assumption",
                                 "tenon_rm_scheduling_state",
                                 "tenon_rm_event",
                                 "tenon_rm_release.what",
                                 "tenon_rm_allocation.recovered",
                                 "tenon_rm_allocation.priority.name",
                                 "tenon_rm_ask.priority.name"};
// Field 950 of protobuf, which no schema has: four bytes of text.
constexpr char detail[] = "\xB2\x3B\x04more";

}  // namespace

const tenon_conformance_client tenon_conformance_client_v1 = {
    sizeof(tenon_conformance_client), 0, lacks, std::size(lacks), detail, sizeof detail - 1, connect, close};
