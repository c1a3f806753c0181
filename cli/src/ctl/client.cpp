// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "ctl/client.hpp"

#include <boost/asio/local/stream_protocol.hpp>
#include <boost/json.hpp>
#include <istream>
#include <ostream>
#include <system_error>
#include <vector>

#include "control/protocol.hpp"
#include "tenon/config/problems.hpp"
#include "tenon/host/deployment.hpp"

namespace tenon::cli {
namespace {

namespace json = boost::json;
using local = boost::asio::local::stream_protocol;

constexpr const char *start_it = "start it, tenon serve -c tenon.yaml, or name its socket with --control";

no_answer unreachable(const std::string &where, const std::string &have, const std::string &fix = start_it) {
  return {{where, "a daemon that listens", have, fix}, exit_code::unreachable};
}

// The socket, or why there is none.
std::variant<std::filesystem::path, no_answer> place(const control_choice &choice) {
  if (!choice.control.empty()) return std::filesystem::path(choice.control);
  if (!choice.deployment.empty()) {
    config::problems report(choice.deployment);
    const auto plan = host::read_deployment(choice.deployment, report);
    if (!plan) return no_answer{report.refusals().front(), exit_code::bad_input};
    if (!plan->control_socket.empty()) return plan->control_socket;
  }
  std::string tried;
  for (const auto &path : usual_control_sockets()) {
    std::error_code ignored;
    if (std::filesystem::is_socket(path, ignored)) return path;
    // A folder of others' hides what is in it.
    if (ignored == std::errc::permission_denied) return path;
    tried += (tried.empty() ? "" : " or ") + path.string();
  }
  return unreachable("control socket", "none at " + tried);
}

control_answer read_answer(const std::string &where, const std::string &line) {
  try {
    json::object answer = json::parse(line).as_object();
    if (answer.at("ok").as_bool()) return std::move(answer.at("result").as_object());
    const json::object &why = answer.at("error").as_object();
    const auto text = [&](std::string_view key) { return std::string(why.at(key).as_string()); };
    return no_answer{{text("where"), text("want"), text("have"), text("fix")}, exit_code::failed};
  } catch (const std::exception &wrong) {
    return unreachable(where, std::string("something that speaks otherwise: ") + wrong.what());
  }
}

}  // namespace

control_answer control_client::ask(json::object request) {
  const auto found = place(choice_);
  if (const auto *no = std::get_if<no_answer>(&found)) return *no;
  const std::string where = std::get<std::filesystem::path>(found).string();
  if (where.size() >= 108)
    return no_answer{{where, "a path of at most 107 bytes", "a longer one", ""}, exit_code::bad_input};
  local::iostream stream;
  stream.expires_after(std::chrono::seconds(choice_.timeout_s));
  stream.connect(local::endpoint(where));
  if (!stream) {
    const bool forbidden = stream.error() == boost::asio::error::access_denied;
    return unreachable(where, stream.error().message(), forbidden ? "be the daemon's user, or root" : start_it);
  }
  request["version"] = control_version;
  stream << json::serialize(request) << std::endl;
  std::string line;
  if (!std::getline(stream, line)) {
    if (stream.error() == boost::asio::error::timed_out || stream.error() == boost::asio::error::operation_aborted)
      return unreachable(where, "no answer within " + std::to_string(choice_.timeout_s) + " s",
                         "wait longer, --timeout-s, or look at its log and tenon ctl health");
    return unreachable(where, "the daemon hung up", "ask again, or look at its log");
  }
  return read_answer(where, line);
}

}  // namespace tenon::cli
