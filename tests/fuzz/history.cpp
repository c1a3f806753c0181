// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "history.hpp"

#include <google/protobuf/text_format.h>

#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "si/v1/si.pb.h"
#include "tenon/si/v1later/si.pb.h"
#include "tenon/v1/checks.pb.h"
#include "tenon/v1/configuration.pb.h"
#include "tenon/v1/recovery.pb.h"
#include "tenon/v1/reports.pb.h"

namespace tenon::fuzz {
namespace {

namespace pb = google::protobuf;
namespace later = tenon::si::v1later;

struct written_as {
  frame_kind kind;
  const pb::Message *prototype;
};

const std::map<std::string, written_as> &messages() {
  static const std::map<std::string, written_as> all{
      {"register", {frame_kind::registration, &later::RegisterResourceManagerRequest::default_instance()}},
      {"update", {frame_kind::update, &::si::v1::UpdateRequest::default_instance()}},
      {"allocation", {frame_kind::allocation, &later::AllocationRequest::default_instance()}},
      {"application", {frame_kind::application, &later::ApplicationRequest::default_instance()}},
      {"node", {frame_kind::node, &later::NodeRequest::default_instance()}},
      {"checks", {frame_kind::checks, &tenon::v1::CheckPlacementsRequest::default_instance()}},
      {"recovery", {frame_kind::recovery, &tenon::v1::RecoveryRequest::default_instance()}},
      {"reports", {frame_kind::reports, &tenon::v1::ReportRequest::default_instance()}},
      {"configuration", {frame_kind::configuration, &tenon::v1::ConfigurationRequest::default_instance()}},
  };
  return all;
}

std::string number_bytes(uint32_t number) {
  std::string out;
  for (; number != 0; number >>= 8) out.push_back(static_cast<char>(number & 255));
  return out;
}

history_step step_of(const std::string &line) {
  std::istringstream in(line);
  std::string word;
  in >> word;
  if (word == "hang_up") return {frame_kind::hang_up, {}, {}};
  if (word == "wait") {
    uint32_t ms = 0;
    if (!(in >> ms)) throw std::runtime_error("want milliseconds: " + line);
    return {frame_kind::wait, number_bytes(ms), {}};
  }
  const auto at = messages().find(word);
  if (at == messages().end()) throw std::runtime_error("want update, wait and so on, have: " + line);
  std::string bytes;
  if (at->second.kind == frame_kind::registration) {
    int wants = 0;
    if (!(in >> wants)) {
      in.clear();
      wants = 0;
    }
    bytes.push_back(static_cast<char>(wants));
  }
  const size_t open = line.find('{');
  const size_t close = line.rfind('}');
  std::unique_ptr<pb::Message> message(at->second.prototype->New());
  if (open == std::string::npos || close == std::string::npos ||
      !pb::TextFormat::ParseFromString(line.substr(open + 1, close - open - 1), message.get()))
    throw std::runtime_error("want { a message }: " + line);
  return {at->second.kind, bytes, std::move(message)};
}

}  // namespace

history read_history(const std::filesystem::path &file) {
  std::ifstream in(file);
  std::vector<std::string> frames;
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line.front() == '#') continue;
    if (line.front() == ' ' && !frames.empty()) {
      frames.back() += line;
    } else {
      frames.push_back(line);
    }
  }
  history out;
  for (const std::string &each : frames) out.push_back(step_of(each));
  return out;
}

std::string bytes_of(const history &steps) {
  std::string out;
  for (const history_step &each : steps)
    out += frame_of(each.kind, each.before + (each.message ? each.message->SerializeAsString() : ""));
  return out;
}

}  // namespace tenon::fuzz
