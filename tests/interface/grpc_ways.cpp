// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Over gRPC: TCP, Unix socket and TLS, each in both dialects.
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "certificates.hpp"
#include "grpc_lines.hpp"
#include "suite.hpp"
#include "tenon/service/scheduler.hpp"

namespace tenon::interface {
namespace {

namespace fs = std::filesystem;

tenon_status status_from(const grpc::Status &status) {
  switch (status.error_code()) {
    case grpc::StatusCode::OK:
      return TENON_OK;
    case grpc::StatusCode::INVALID_ARGUMENT:
      return TENON_INVALID_CONFIG;
    case grpc::StatusCode::RESOURCE_EXHAUSTED:
      return TENON_EXHAUSTED;
    case grpc::StatusCode::UNAVAILABLE:
      return TENON_RETRY;
    case grpc::StatusCode::FAILED_PRECONDITION:
      return TENON_DECLINED;
    default:
      return TENON_INTERNAL;
  }
}

class grpc_client final : public rm_client {
 public:
  grpc_client(bool first, std::string address, std::shared_ptr<grpc::ChannelCredentials> credentials)
      : first_(first), channel_(testing::channel_to(address, std::move(credentials))) {}
  ~grpc_client() override {
    if (lines_) lines_->cut();
  }

  outcome enter(const registration_request &request) override {
    later::RegisterResourceManagerRequest message;
    message.set_rmid(request.rm);
    message.set_version(request.version);
    message.set_policygroup(request.policy_group);
    message.set_config(request.config);
    message.mutable_extraconfig()->insert(request.extra_config.begin(), request.extra_config.end());
    later::RegisterResourceManagerResponse response;
    const std::string service = request.may_run ? "/tenon.v1.Checks/" : "/si.v1.Scheduler/";
    const grpc::Status status = testing::call(channel_, service + "RegisterResourceManager", message, response);
    if (!status.ok()) return {false, status_from(status), status.error_message(), 0};
    rm_ = request.rm;
    may_run_ = request.may_run;
    wants_reports_ = std::any_of(request.extra_config.begin(), request.extra_config.end(),
                                 [](const auto &one) { return one.first.starts_with("reports."); });
    return come_back();
  }

  outcome submit(std::span<const tenon_rm_message *const> messages) override {
    if (!lines_) return {false, TENON_DECLINED, "not registered", 0};
    const auto is_for_checks = [](const tenon_rm_message *one) {
      return one->type == TENON_RM_CHECK_ANSWER || one->type == TENON_RM_CHECK_AGAIN;
    };
    std::vector<const tenon_rm_message *> all(messages.begin(), messages.end());
    const auto configurations = std::stable_partition(
        all.begin(), all.end(), [](const tenon_rm_message *one) { return one->type != TENON_RM_CONFIGURATION; });
    const auto recovery = std::stable_partition(
        all.begin(), configurations, [](const tenon_rm_message *one) { return one->type != TENON_RM_RECOVERY_REPORT; });
    const auto checks = std::stable_partition(all.begin(), recovery, std::not_fn(is_for_checks));
    try {
      if (checks != all.begin()) lines_->send(rm_, {all.begin(), checks});
      if (checks != recovery) checks_->send({checks, recovery});
      if (recovery != configurations) {
        if (!recovery_) recovery_ = std::make_unique<recovery_line>(channel_, in_);
        recovery_->send(rm_, {recovery, configurations});
      }
      if (configurations != all.end()) {
        if (!configuration_) configuration_ = std::make_unique<configuration_line>(channel_, in_);
        configuration_->send(rm_, {configurations, all.end()});
      }
      return {true, TENON_OK, {}, messages.size()};
    } catch (const std::invalid_argument &why) {
      return {false, TENON_INVALID_CONFIG, why.what(), 0};
    }
  }

  std::optional<heard> next(std::chrono::milliseconds within) override {
    std::unique_lock lock(in_->mutex);
    if (!in_->changed.wait_for(lock, within, [&] { return !in_->answers.empty(); })) return std::nullopt;
    heard out = in_->answers.front();
    in_->answers.pop_front();
    return out;
  }

  void cut() override {
    configuration_.reset();
    reports_.reset();
    recovery_.reset();
    checks_.reset();
    lines_->cut();
  }
  outcome come_back() override {
    if (wants_reports_) {
      reports_ = std::make_unique<reports_line>(channel_, in_);
      reports_->send(rm_, {});
    }
    if (first_) {
      lines_ = std::make_unique<first_lines>(channel_, in_);
    } else {
      lines_ = std::make_unique<later_lines>(channel_, in_);
    }
    lines_->send(rm_, {});
    if (may_run_) checks_ = std::make_unique<check_line>(channel_, rm_, in_, may_run_);
    return {};
  }
  void leave() override {
    if (configuration_) configuration_->leave();
    if (reports_) reports_->leave();
    if (recovery_) recovery_->leave();
    if (checks_) checks_->leave();
    lines_->leave();
  }

 private:
  const bool first_;
  std::shared_ptr<grpc::Channel> channel_;
  std::string rm_;
  std::shared_ptr<inbox> in_ = std::make_shared<inbox>();
  std::unique_ptr<lines> lines_;
  std::function<std::optional<bool>(const heard &)> may_run_;
  std::unique_ptr<check_line> checks_;
  std::unique_ptr<recovery_line> recovery_;
  bool wants_reports_ = false;
  std::unique_ptr<reports_line> reports_;
  std::unique_ptr<configuration_line> configuration_;
};

enum class carrier : uint8_t { tcp, unix_socket, tls };

class grpc_world final : public world {
 public:
  grpc_world(carrier by, bool first, const std::string &queues, bool manual) : first_(first), by_(by), manual_(manual) {
    static int count = 0;
    folder_ = fs::temp_directory_path() / ("tenon-ways-" + std::to_string(getpid()) + "-" + std::to_string(++count));
    fs::create_directory(folder_);
    address_ = by == carrier::unix_socket ? "unix:" + (folder_ / "s").string()
                                          : "127.0.0.1:" + std::to_string(testing::free_port());
    std::string more;
    if (by == carrier::tls) {
      ca_ = testing::make_certificates(folder_, {{"localhost", {}}, {"rms", {"rm-1", "rm-2"}}});
      for (const auto &[key, file] :
           {std::pair{"tls_certificate", "localhost.pem"}, {"tls_key", "localhost.key"}, {"tls_client_ca", "ca.pem"}}) {
        more += std::string(", ") + key + ": '" + (folder_ / file).string() + "'";
      }
    }
    std::ofstream(folder_ / "queues.yaml") << queues;
    std::ofstream(folder_ / "tenon.yaml")
        << "apiVersion: tenon/v1\npolicy_groups: { default: queues.yaml }\n"
        << "transports: [ { use: tenon.grpc, config: { listen: '" << address_ << "'" << more << " } } ]\n";
    host::host_options how;
    how.preflight = false;
    auto host = host::open_deployment(folder_ / "tenon.yaml", how);
    if (!host) throw std::runtime_error(host.why().text());
    service::scheduler_options options;
    options.manual = manual;
    auto made = service::scheduler::open(std::move(*host), options);
    if (!made) throw std::runtime_error(made.why().text());
    service_ = std::move(*made);
    if (const auto why = service_->start()) throw std::runtime_error(why->text());
  }
  ~grpc_world() override {
    service_->stop();
    service_.reset();
    fs::remove_all(folder_);
  }

  std::unique_ptr<rm_client> client() override {
    std::shared_ptr<grpc::ChannelCredentials> credentials;
    if (by_ == carrier::tls) {
      const auto text = [&](const std::string &name) { return testing::text_of(folder_ / name); };
      credentials = grpc::SslCredentials({ca_, text("rms.key"), text("rms.pem")});
    }
    const std::string name = by_ == carrier::tls ? "localhost" + address_.substr(address_.rfind(':')) : address_;
    return std::make_unique<grpc_client>(first_, name, credentials);
  }
  void settle() override {
    while (manual_ && service_->step(1, ++now_ms_) != 0) {
    }
  }

 private:
  const bool first_;
  const carrier by_;
  const bool manual_;
  fs::path folder_;
  std::string address_;
  std::string ca_;
  std::unique_ptr<service::scheduler> service_;
  int64_t now_ms_ = 1;
};

}  // namespace

std::vector<way> ways() {
  std::vector<way> out;
  for (const auto &[name, by] :
       {std::pair{"tcp", carrier::tcp}, {"uds", carrier::unix_socket}, {"tls", carrier::tls}}) {
    for (const bool first : {true, false}) {
      way one;
      one.about.name = std::string("grpc_") + name + (first ? "_first" : "_later");
      one.about.first_dialect = first;
      one.open = [by = by, first](const std::string &queues, bool manual) {
        return std::make_unique<grpc_world>(by, first, queues, manual);
      };
      out.push_back(std::move(one));
    }
  }
  return out;
}

}  // namespace tenon::interface
