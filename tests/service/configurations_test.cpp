// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Configurations that people send in place of a file's: what is in force, and what a reload does to it.
#include "service_case.hpp"

namespace tenon::service::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class Configurations : public service_case {
 protected:
  static std::string with_queue(const std::string &name) {
    return "partitions: [{name: default, queues: [{name: root, submitacl: '*', queues: [{name: " + name + "}]}]}]\n";
  }
  // Active leaves, each with its RM.
  std::vector<std::string> leaves() {
    std::vector<std::string> out;
    service_->call([&](cycle_access &on) {
      for (const auto &partition : on.state().snapshot().partitions)
        for (const auto &queue : partition.queues)
          if (queue.state == object_state::active && queue.leaf) out.push_back(partition.rm + ' ' + queue.path);
    });
    return out;
  }
  // "2 default rm-1 olga instead of 1", of each that is in force.
  std::vector<std::string> in_force() {
    std::vector<std::string> out;
    for (const configuration_revision &one : service_->revisions())
      out.push_back(std::to_string(one.number) + " " + one.policy_group + (one.rm.empty() ? "" : " " + one.rm) +
                    (one.by.empty() ? "" : " " + one.by + " instead of " + std::to_string(one.instead_of)));
    return out;
  }
};

TEST_F(Configurations, WhatIsSentStaysUntilAReloadIsForced) {
  open(manual());
  enter("rm-1");
  const configured sent = service_->configure({"", "default", with_queue("sent"), "olga"});
  ASSERT_FALSE(sent.why) << sent.why->text();
  EXPECT_EQ(sent.revision, 2U);
  EXPECT_THAT(sent.notes, ElementsAre(HasSubstr("leaves out root.default of partition default: what is there goes on"),
                                      HasSubstr("revision 2 is kept in memory alone")));
  EXPECT_THAT(leaves(), ElementsAre("rm-1 root.sent"));
  EXPECT_THAT(in_force(), ElementsAre("2 default olga instead of 1"));
  const configured no = service_->reload_files({});
  ASSERT_TRUE(no.why);
  EXPECT_TRUE(no.is_older);
  EXPECT_THAT(no.why->have, HasSubstr("revision 2, which olga sent at "));
  EXPECT_THAT(no.why->have, HasSubstr("as it was in revision 1"));
  EXPECT_THAT(leaves(), ElementsAre("rm-1 root.sent"));
  const configured forced = service_->reload_files({"", true});
  ASSERT_FALSE(forced.why) << forced.why->text();
  EXPECT_THAT(forced.notes, ElementsAre(HasSubstr("replaced revision 2, which olga sent"),
                                        HasSubstr("leaves out root.sent of partition default")));
  EXPECT_THAT(leaves(), ElementsAre("rm-1 root.default"));
  EXPECT_THAT(in_force(), ElementsAre("3 default"));
  EXPECT_FALSE(service_->reload()) << "a file's own text is no reason";
  EXPECT_THAT(in_force(), ElementsAre("3 default")) << "nor a new revision";
}

TEST_F(Configurations, ASecondOneStandsInPlaceOfTheFileToo) {
  open(manual());
  enter("rm-1");
  EXPECT_FALSE(service_->configure({"", "default", with_queue("first"), "olga"}).why);
  const configured second = service_->configure({"", "default", with_queue("second"), "pat"});
  ASSERT_FALSE(second.why);
  EXPECT_THAT(second.notes, ElementsAre(HasSubstr("replaced revision 2, which olga sent"),
                                        HasSubstr("leaves out root.first"), HasSubstr("in memory alone")));
  EXPECT_THAT(in_force(), ElementsAre("3 default pat instead of 1"));
  EXPECT_THAT(leaves(), ElementsAre("rm-1 root.second"));
}

TEST_F(Configurations, ARefusedOneIsNoRevision) {
  open(manual());
  enter("rm-1");
  EXPECT_TRUE(service_->configure({"", "default", "partitions: nonsense", "olga"}).why);
  EXPECT_THAT(in_force(), ElementsAre("1 default"));
  EXPECT_FALSE(service_->configure({"", "default", with_queue("good"), "olga"}).why);
  EXPECT_THAT(in_force(), ElementsAre("2 default olga instead of 1"));
}

TEST_F(Configurations, OneThatIsTriedIsAnsweredAsIfItWereSentAndChangesNothing) {
  open(manual());
  const uint64_t session = enter("rm-1");
  submit(session, cluster(1, 0));
  requests more;
  more.application("in-default", "root.default");
  submit(session, more);
  settle();
  const std::string parent =
      "partitions: [{name: default, queues: [{name: root, submitacl: '*', queues: [{name: default, queues: [{name: "
      "child}]}]}]}]\n";
  for (const std::string rm : {"", "rm-1"}) {
    const configured tried = service_->configure({rm, "default", parent, "olga", true});
    ASSERT_TRUE(tried.why) << "the leaf has an application";
    EXPECT_EQ(tried.why->text(), service_->configure({rm, "default", parent, "olga"}).why->text());
  }
  EXPECT_THAT(in_force(), ElementsAre("1 default"));
  const configured good = service_->configure({"", "default", with_queue("new"), "olga", true});
  EXPECT_FALSE(good.why);
  EXPECT_EQ(good.revision, 0U);
  EXPECT_THAT(leaves(), ElementsAre("rm-1 root.default"));
  EXPECT_THAT(in_force(), ElementsAre("1 default"));
  const configured sent = service_->configure({"", "default", with_queue("new"), "olga"});
  EXPECT_EQ(sent.checksum, good.checksum);
  EXPECT_TRUE(service_->reload_files({"", false, true}).is_older) << "a reload is tried, too";
  EXPECT_FALSE(service_->reload_files({"", true, true}).why);
  EXPECT_THAT(in_force(), ElementsAre("2 default olga instead of 1"));
}

TEST_F(Configurations, OfOneRmStaysWithItAcrossRegistrations) {
  open(manual());
  enter("rm-1");
  enter("rm-2");
  ASSERT_FALSE(service_->configure({"rm-2", "default", with_queue("two"), "olga"}).why);
  EXPECT_THAT(in_force(), ElementsAre("1 default", "2 default rm-2 olga instead of 1"));
  EXPECT_THAT(leaves(), ElementsAre("rm-1 root.default", "rm-2 root.two"));
  EXPECT_THAT(*status("rm-2").configuration, HasSubstr("two"));
  enter("rm-2");
  EXPECT_THAT(leaves(), ElementsAre("rm-1 root.default", "rm-2 root.two"));
  ASSERT_FALSE(service_->configure({"", "default", with_queue("all"), "olga"}).why);
  EXPECT_THAT(leaves(), ElementsAre("rm-1 root.all", "rm-2 root.two")) << "its own goes before the group's";
  EXPECT_TRUE(service_->reload_files({}).is_older);
  ASSERT_FALSE(service_->reload_files({"default", true}).why);
  EXPECT_THAT(leaves(), ElementsAre("rm-1 root.default", "rm-2 root.default"));
}

TEST_F(Configurations, WhatAnRmSaysOfItselfGoesBefore) {
  open(manual());
  const uint64_t session = enter("rm-1");
  ASSERT_FALSE(service_->configure({"rm-1", "default", with_queue("sent"), "olga"}).why);
  submit(session, requests().configuration("rm-1", with_queue("own")));
  settle();
  EXPECT_THAT(leaves(), ElementsAre("rm-1 root.own"));
  EXPECT_THAT(in_force(), ElementsAre("1 default"));
}

TEST_F(Configurations, WhatAnAdministratorDrainedStaysSoWhateverIsLoaded) {
  open(manual());
  enter("rm-1");
  const auto state = [&] {
    object_state out{};
    service_->call(
        [&](cycle_access &on) { out = *on.state().state_of_partition(on.state().find_partition("[rm-1]default")); });
    return out;
  };
  const auto turn = [&](object_event event) {
    service_->call([&](cycle_access &on) { on.apply(change_partition{"[rm-1]default", static_cast<uint8_t>(event)}); });
  };
  turn(object_event::remove);
  EXPECT_FALSE(service_->reload());
  EXPECT_EQ(state(), object_state::draining);
  EXPECT_TRUE(service_->reload({{"default", "partitions: [ { nam: x } ]"}}));
  EXPECT_EQ(state(), object_state::draining);
  EXPECT_FALSE(service_->configure({"", "default", with_queue("new"), "olga"}).why);
  EXPECT_EQ(state(), object_state::draining);
  enter("rm-1");
  EXPECT_EQ(state(), object_state::draining);
  turn(object_event::start);
  EXPECT_EQ(state(), object_state::active);
  enter("rm-1");
  EXPECT_EQ(state(), object_state::active);
}

TEST_F(Configurations, AResolverThatNobodyProvidesIsRefused) {
  open(manual());
  enter("rm-1");
  std::string text = with_queue("new");
  text.insert(text.find("queues:"), "usergroupresolver: {type: nis}, ");
  const configured sent = service_->configure({"", "default", text, "olga"});
  ASSERT_TRUE(sent.why);
  EXPECT_THAT(sent.why->text(), HasSubstr("user group resolver 'nis' is not provided"));
  EXPECT_THAT(leaves(), ElementsAre("rm-1 root.default"));
}

}  // namespace
}  // namespace tenon::service::testing
