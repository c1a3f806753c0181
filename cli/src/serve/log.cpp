// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "serve/log.hpp"

#include <spdlog/formatter.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <boost/json.hpp>

namespace tenon::cli {
namespace {

constexpr const char *time_pattern = "%Y-%m-%dT%H:%M:%S.%eZ";

class json_lines final : public spdlog::formatter {
 public:
  void format(const spdlog::details::log_msg &line, spdlog::memory_buf_t &to) override {
    spdlog::memory_buf_t time;
    times_.format(line, time);
    const auto level = spdlog::level::to_string_view(line.level);
    const std::string text = boost::json::serialize(
        boost::json::object{{"time", boost::json::string_view(time.data(), time.size())},
                            {"level", boost::json::string_view(level.data(), level.size())},
                            {"message", boost::json::string_view(line.payload.data(), line.payload.size())}});
    to.append(text.data(), text.data() + text.size());
    to.push_back('\n');
  }
  [[nodiscard]] std::unique_ptr<spdlog::formatter> clone() const override { return std::make_unique<json_lines>(); }

 private:
  spdlog::pattern_formatter times_{time_pattern, spdlog::pattern_time_type::utc, ""};
};

}  // namespace

std::shared_ptr<spdlog::logger> daemon_log(bool json, const std::string &level) {
  auto log = std::make_shared<spdlog::logger>("tenon", std::make_shared<spdlog::sinks::stderr_sink_mt>());
  if (json)
    log->set_formatter(std::make_unique<json_lines>());
  else
    log->set_formatter(std::make_unique<spdlog::pattern_formatter>(std::string(time_pattern) + " %-7l %v",
                                                                   spdlog::pattern_time_type::utc));
  log->set_level(spdlog::level::from_str(level));
  return log;
}

}  // namespace tenon::cli
