// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Streams of an RM over gRPC, of either dialect and of tenon.v1.Checks: structs in, what was heard out.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "client.hpp"
#include "rm_client.hpp"
#include "si/v1/si.pb.h"
#include "tenon/si/v1later/si.pb.h"
#include "tenon/v1/checks.pb.h"
#include "tenon/v1/configuration.pb.h"
#include "tenon/v1/recovery.pb.h"
#include "tenon/v1/reports.pb.h"
#include "through_codec.hpp"

namespace tenon::interface {

namespace later = tenon::si::v1later;

// What all streams of a client hear.
struct inbox {
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<heard> answers;

  std::vector<heard> add(const google::protobuf::Message &response) {
    wire::arena arena;
    wire::batch batch;
    std::string bytes, refusal;
    testing::read(response, bytes, arena, batch, refusal);
    std::vector<heard> out;
    for (const tenon_rm_message *each : batch.messages) out.push_back(copy_of(*each));
    const std::lock_guard lock(mutex);
    answers.insert(answers.end(), out.begin(), out.end());
    changed.notify_all();
    return out;
  }
};

// Messages of one request of the type, as one.
template <class Request>
Request request_of(const std::string &rm, std::span<const tenon_rm_message *const> messages) {
  wire::batch batch;
  batch.messages.assign(messages.begin(), messages.end());
  Request out;
  std::string refusal;
  if (!testing::write(batch, out, refusal)) throw std::invalid_argument(refusal);
  out.set_rmid(rm);
  return out;
}

class lines {
 public:
  virtual ~lines() = default;
  virtual void send(const std::string &rm, std::span<const tenon_rm_message *const> messages) = 0;
  virtual void cut() = 0;
  virtual void leave() = 0;
};

template <class Request, class Response>
class line {
 public:
  // `answer`: to what is heard, on the thread that hears it.
  line(const std::shared_ptr<grpc::Channel> &channel, const std::string &path, std::shared_ptr<inbox> in,
       std::function<void(const heard &)> answer = {})
      : stream_(channel, path), thread_([this, in = std::move(in), answer = std::move(answer)] {
          for (Response response; stream_.receive(response);) {
            for (const heard &each : in->add(response)) {
              if (answer) answer(each);
            }
          }
        }) {}
  ~line() {
    stream_.cancel();
    if (thread_.joinable()) thread_.join();
  }
  line(const line &) = delete;
  line &operator=(const line &) = delete;

  void send(const std::string &rm, std::span<const tenon_rm_message *const> messages) {
    const std::lock_guard lock(sending_);
    stream_.send(request_of<Request>(rm, messages));
  }
  void leave() {
    stream_.half_close();
    thread_.join();
  }

 private:
  testing::open_stream<Request, Response> stream_;
  std::mutex sending_;
  std::thread thread_;
};

class first_lines final : public lines {
 public:
  first_lines(const std::shared_ptr<grpc::Channel> &channel, const std::shared_ptr<inbox> &in)
      : update_(std::make_unique<line<::si::v1::UpdateRequest, ::si::v1::UpdateResponse>>(
            channel, "/si.v1.Scheduler/Update", in)) {}
  void send(const std::string &rm, std::span<const tenon_rm_message *const> messages) override {
    update_->send(rm, messages);
  }
  void cut() override { update_.reset(); }
  void leave() override { update_->leave(); }

 private:
  std::unique_ptr<line<::si::v1::UpdateRequest, ::si::v1::UpdateResponse>> update_;
};

class later_lines final : public lines {
 public:
  later_lines(const std::shared_ptr<grpc::Channel> &channel, const std::shared_ptr<inbox> &in)
      : applications_(
            std::make_unique<decltype(applications_)::element_type>(channel, "/si.v1.Scheduler/UpdateApplication", in)),
        nodes_(std::make_unique<decltype(nodes_)::element_type>(channel, "/si.v1.Scheduler/UpdateNode", in)),
        allocations_(
            std::make_unique<decltype(allocations_)::element_type>(channel, "/si.v1.Scheduler/UpdateAllocation", in)) {}

  void send(const std::string &rm, std::span<const tenon_rm_message *const> messages) override {
    std::vector<const tenon_rm_message *> applications, nodes, allocations;
    for (const tenon_rm_message *each : messages) {
      const bool node = each->type == TENON_RM_NODE;
      const bool application = each->type == TENON_RM_APPLICATION || each->type == TENON_RM_APPLICATION_REMOVAL;
      (node ? nodes : application ? applications : allocations).push_back(each);
    }
    const bool hello = messages.empty();
    if (hello || !applications.empty()) applications_->send(rm, applications);
    if (hello || !nodes.empty()) nodes_->send(rm, nodes);
    if (hello || !allocations.empty()) allocations_->send(rm, allocations);
  }
  void cut() override {
    applications_.reset();
    nodes_.reset();
    allocations_.reset();
  }
  void leave() override {
    applications_->leave();
    nodes_->leave();
    allocations_->leave();
  }

 private:
  std::unique_ptr<line<later::ApplicationRequest, later::ApplicationResponse>> applications_;
  std::unique_ptr<line<later::NodeRequest, later::NodeResponse>> nodes_;
  std::unique_ptr<line<later::AllocationRequest, later::AllocationResponse>> allocations_;
};

// The streams of an RM beside the others: how far its recovery is, what it wants to hear, and its own configuration.
struct recovery_line : line<v1::RecoveryRequest, v1::RecoveryResponse> {
  recovery_line(const std::shared_ptr<grpc::Channel> &channel, const std::shared_ptr<inbox> &in)
      : line(channel, "/tenon.v1.Recovery/UpdateRecovery", in) {}
};
struct reports_line : line<v1::ReportRequest, v1::ReportResponse> {
  reports_line(const std::shared_ptr<grpc::Channel> &channel, const std::shared_ptr<inbox> &in)
      : line(channel, "/tenon.v1.Reports/UpdateReports", in) {}
};
struct configuration_line : line<v1::ConfigurationRequest, v1::ConfigurationResponse> {
  configuration_line(const std::shared_ptr<grpc::Channel> &channel, const std::shared_ptr<inbox> &in)
      : line(channel, "/tenon.v1.Configuration/UpdateConfiguration", in) {}
};

// The stream of an RM that checks placements, beside the others.
class check_line {
 public:
  check_line(const std::shared_ptr<grpc::Channel> &channel, std::string rm, const std::shared_ptr<inbox> &in,
             std::function<std::optional<bool>(const heard &)> may_run)
      : rm_(std::move(rm)),
        may_run_(std::move(may_run)),
        line_(channel, "/tenon.v1.Checks/CheckPlacements", in, [this](const heard &one) { answer(one); }) {
    line_.send(rm_, {});
  }

  void send(std::span<const tenon_rm_message *const> messages) { line_.send(rm_, messages); }
  void leave() { line_.leave(); }

 private:
  void answer(const heard &check) {
    if (check.type != TENON_RM_CHECK) return;
    const std::optional<bool> said = may_run_(check);
    if (!said) return;
    tenon_rm_check_answer out{};
    out.size = sizeof out;
    out.type = TENON_RM_CHECK_ANSWER;
    out.partition = {check.partition.data(), check.partition.size()};
    out.number = check.number;
    out.accepted = *said ? 1 : 0;
    const auto *message = reinterpret_cast<const tenon_rm_message *>(&out);
    send({&message, 1});
  }

  const std::string rm_;
  const std::function<std::optional<bool>(const heard &)> may_run_;
  line<v1::CheckPlacementsRequest, v1::CheckPlacementsResponse> line_;  // last: its thread uses the others
};

}  // namespace tenon::interface
