// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Each field of the interface does something, or stands among those that do not. The histories are played; then each
// again without one of its fields. Where decisions, outcomes or answers differ, the field is shown; a field of an
// answer is shown where an answer has it.
#include <google/protobuf/descriptor.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <span>

#include "../documents/written_pages.hpp"
#include "history.hpp"
#include "si/v1/si.pb.h"
#include "tenon/si/v1later/si.pb.h"
#include "tenon/v1/checks.pb.h"
#include "tenon/v1/configuration.pb.h"
#include "tenon/v1/recovery.pb.h"
#include "tenon/v1/reports.pb.h"

namespace tenon::fuzz {
namespace {

namespace pb = google::protobuf;

struct unshown {
  const char *field;  // its full name
  const char *why;
};

// These fields of requests change no decision and no answer. docs/interface.md lists them.
constexpr const char *people = "for people";
constexpr const char *one_way = "an ask ends in one way";
constexpr const char *operators = "shown to operators";
constexpr const char *of_application = "the application has its queue already";
constexpr const char *of_node = "it comes with the node, which says where";
constexpr const char *of_answers = "the scheduler fills it in answers";
constexpr unshown inert[] = {
    {"si.v1.Allocation.nodeID", of_node},
    {"si.v1.Allocation.partitionName", of_node},
    {"si.v1.Allocation.queueName", of_application},
    {"si.v1.AllocationAskRelease.message", people},
    {"si.v1.AllocationAskRelease.terminationType", one_way},
    {"si.v1.AllocationRelease.message", people},
    {"tenon.si.v1later.Allocation.queueName", of_application},
    {"tenon.si.v1later.AllocationAskRelease.message", people},
    {"tenon.si.v1later.AllocationAskRelease.terminationType", one_way},
    {"tenon.si.v1later.AllocationRelease.message", people},
    {"tenon.si.v1later.AllocationRelease.preemptorKey", of_answers},
    {"tenon.si.v1later.RegisterResourceManagerRequest.buildInfo", operators},
    {"tenon.si.v1later.RegisterResourceManagerRequest.version", operators},
};

// These are the transport's, which says whose a stream is, and that an RM is to register again; tests/grpc shows them.
constexpr const char *of_transport[] = {
    "si.v1.UpdateRequest.rmID",
    "si.v1.UpdateResponse.action",
    "tenon.si.v1later.AllocationRequest.rmID",
    "tenon.si.v1later.ApplicationRequest.rmID",
    "tenon.si.v1later.NodeRequest.rmID",
    "tenon.v1.CheckPlacementsRequest.rmID",
    "tenon.v1.ConfigurationRequest.rmID",
    "tenon.v1.RecoveryRequest.rmID",
    "tenon.v1.ReportRequest.rmID",
};

using fields = std::set<std::string>;

void add_reachable(const pb::Descriptor *of, fields &into, std::set<const pb::Descriptor *> &seen) {
  if (!seen.insert(of).second) return;
  for (int i = 0; i < of->field_count(); ++i) {
    const pb::FieldDescriptor *field = of->field(i);
    if (!of->options().map_entry()) into.insert(field->full_name());
    if (field->message_type() != nullptr) add_reachable(field->message_type(), into, seen);
  }
}

fields reachable(std::initializer_list<const pb::Descriptor *> from) {
  fields out;
  std::set<const pb::Descriptor *> seen;
  for (const pb::Descriptor *each : from) add_reachable(each, out, seen);
  return out;
}

// Calls for each field that is set, at any depth, with what takes it away.
void each_set_field(pb::Message &message, const std::function<void(const pb::FieldDescriptor *, pb::Message &)> &call) {
  const pb::Reflection &look = *message.GetReflection();
  std::vector<const pb::FieldDescriptor *> set;
  look.ListFields(message, &set);
  for (const pb::FieldDescriptor *field : set) {
    if (!message.GetDescriptor()->options().map_entry()) call(field, message);
    if (field->message_type() == nullptr) continue;
    if (!field->is_repeated()) each_set_field(*look.MutableMessage(&message, field), call);
    for (int i = 0; field->is_repeated() && i < look.FieldSize(message, field); ++i)
      each_set_field(*look.MutableRepeatedMessage(&message, field, i), call);
  }
}

struct shown {
  std::map<std::string, std::string> requests;  // field -> history that shows it
  fields answers;
};

bool same(const observed &one, const observed &other) { return one.text == other.text && one.answers == other.answers; }

void show(const std::filesystem::path &file, shown &out) {
  history steps = read_history(file);
  observed plain;
  play(bytes_of(steps), &plain);
  for (const pb::FieldDescriptor *each : plain.told) out.answers.insert(each->full_name());
  observed twice;
  play(bytes_of(steps), &twice);
  ASSERT_TRUE(same(plain, twice)) << file << " is not the same twice";
  for (history_step &step : steps) {
    if (!step.message) continue;
    const std::unique_ptr<pb::Message> whole(step.message->New());
    whole->CopyFrom(*step.message);
    each_set_field(*step.message, [&](const pb::FieldDescriptor *field, pb::Message &of) {
      if (out.requests.contains(field->full_name())) return;
      const std::unique_ptr<pb::Message> kept(of.New());
      kept->CopyFrom(of);
      of.GetReflection()->ClearField(&of, field);
      observed without;
      play(bytes_of(steps), &without);
      of.CopyFrom(*kept);
      if (!same(without, plain)) out.requests[field->full_name()] = file.filename().string();
    });
  }
}

const shown &all_shown() {
  static const shown once = [] {
    shown out;
    const std::filesystem::path folder = std::filesystem::path(TENON_SOURCE_DIR) / "tests/fuzz/seeds";
    std::set<std::filesystem::path> files(std::filesystem::directory_iterator(folder), {});
    for (const auto &each : files) show(each, out);
    return out;
  }();
  return once;
}

bool is_among(std::span<const unshown> list, const std::string &field) {
  return std::any_of(list.begin(), list.end(), [&](const unshown &each) { return each.field == field; });
}

bool is_of_transport(const std::string &field) {
  return std::find(std::begin(of_transport), std::end(of_transport), field) != std::end(of_transport);
}

TEST(FieldsShown, EachOfARequestDoesSomethingOrIsInert) {
  const fields all = reachable({si::v1later::RegisterResourceManagerRequest::descriptor(),
                                ::si::v1::UpdateRequest::descriptor(), si::v1later::AllocationRequest::descriptor(),
                                si::v1later::ApplicationRequest::descriptor(), si::v1later::NodeRequest::descriptor(),
                                v1::CheckPlacementsRequest::descriptor(), v1::RecoveryRequest::descriptor(),
                                v1::ReportRequest::descriptor(), v1::ConfigurationRequest::descriptor()});
  EXPECT_GT(all.size(), 100U);
  for (const std::string &field : all) {
    if (is_of_transport(field)) continue;
    const auto at = all_shown().requests.find(field);
    const bool does = at != all_shown().requests.end();
    EXPECT_NE(does, is_among(inert, field)) << field << (does ? " is no inert one: " + at->second : " is not shown");
  }
}

// Events come on a thread of their own, at another time in each run: the interface suite hears them.
TEST(FieldsShown, EachOfAnAnswerIsToldOrStandsAmongThoseThatNeverAre) {
  const fields all = reachable({::si::v1::UpdateResponse::descriptor(), si::v1later::AllocationResponse::descriptor(),
                                si::v1later::ApplicationResponse::descriptor(), si::v1later::NodeResponse::descriptor(),
                                v1::CheckPlacementsResponse::descriptor(), v1::RecoveryResponse::descriptor(),
                                v1::AssumedAllocation::descriptor(), v1::ForgottenAllocation::descriptor(),
                                v1::SchedulingState::descriptor(), v1::ConfigurationResponse::descriptor()});
  EXPECT_GT(all.size(), 60U);
  for (const std::string &field : all) {
    if (is_of_transport(field)) continue;
    EXPECT_TRUE(all_shown().answers.contains(field)) << field;
  }
}

TEST(FieldsShown, TheDocumentHasTheInertOnes) {
  std::string wanted = "| field | why it is there |\n|---|---|\n";
  for (const unshown &each : inert) wanted += "| `" + std::string(each.field) + "` | " + each.why + " |\n";
  EXPECT_TRUE(tenon::pages::has_part("docs/interface.md", "inert fields", wanted));
}

}  // namespace
}  // namespace tenon::fuzz
