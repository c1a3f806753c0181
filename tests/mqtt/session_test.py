#!/usr/bin/env python3
# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""What an RM says and hears by way of a broker."""

from queue_case import (CORE, Broker, Manager, QueueCase, amounts, configuration, main, paho, reports, si, words)


class Session(QueueCase):
    def test_an_ask_runs(self):
        self.served()
        rm = self.manager()
        rm.hears("entered")
        rm.add_node("node", {"vcore": 4000})
        self.assertEqual(rm.hears("node.accepted").nodeID, "node")
        rm.add_application("app")
        self.assertEqual(rm.hears("application.accepted").applicationID, "app")
        rm.ask("app", "ask", CORE)
        runs = rm.runs("ask")
        self.assertEqual((runs.applicationID, runs.nodeID, runs.queueName), ("app", "node", "root.q0"))
        rm.has_said_all()

    def test_a_thousand_asks_run_in_their_order(self):
        self.served(", ask_again_ms: 3600000")
        rm = self.manager()
        rm.hears("entered")
        rm.add_node("node", {"vcore": 1_000_000})
        rm.add_application("app")
        for number in range(1000):
            rm.ask("app", f"ask-{number:04}", CORE)
        runs = [rm.hears("allocation.new").allocationKey for _ in range(1000)]
        self.assertEqual(runs, sorted(runs))
        rm.has_said_all()
        if rm.greetings == 1:  # on a slow machine it may have asked for what it had not got
            self.assertEqual(rm.repeated, 0)

    def test_a_name_may_have_any_bytes(self):
        self.served()
        name = "cl/us+ter #1 ü%"
        rm = self.manager(name, topic_name="cl%2Fus%2Bter%20%231%20%C3%BC%25")
        rm.hears("entered")
        rm.add_node("node", CORE)
        rm.hears("node.accepted")

    def test_refusals_have_words(self):
        self.served()
        wrong = self.manager("wrong", policyGroup="nothing")
        refused = wrong.hears("refused")
        self.assertIn("nothing", refused.reason)
        self.assertFalse(refused.later)
        other = self.manager("other", registers_as="somebody")
        self.assertIn('want the registration of RM "other"', other.hears("refused").reason)
        rm = self.manager()
        rm.hears("entered")
        rm.request(node=si.NodeRequest(rmID="other"))
        self.assertIn('want requests of RM "rm"', rm.hears("refused", lambda one: one.number == 1).reason)
        rm.add_node("node", CORE)  # a request that is refused ends nothing
        rm.hears("node.accepted")

    def test_an_ignored_value_is_in_the_log(self):
        daemon = self.served()
        rm = self.manager()
        rm.hears("entered")
        one = si.AddApplicationRequest(applicationID="app", queueName="root.q0", partitionName="default", gangSchedulingStyle="Firm",
                                       ugi=si.UserGroupInformation(user="somebody", groups=["people"]))
        rm.request(application=si.ApplicationRequest(new=[one]))
        self.assertEqual(rm.hears("application.accepted").applicationID, "app")
        daemon.wait_for_words('request of RM "rm": application "app": want Soft or Hard as gangSchedulingStyle, have "Firm"')

    def test_a_newer_registration_takes_over(self):
        self.served()
        older = self.manager()
        older.hears("entered")
        newer = self.manager()
        newer.hears("entered")
        self.assertEqual(older.hears("ended").reason, words.Ended.REPLACED)
        newer.add_node("node", CORE)
        newer.hears("node.accepted")
        # What the older one says, and its will, change nothing.
        older.say(words.FromManager(number=1, node=si.NodeRequest().SerializeToString()))
        self.assertEqual(older.hears("ended").reason, words.Ended.UNKNOWN)
        older.break_connection()
        newer.add_application("app")
        newer.ask("app", "ask", CORE)
        newer.runs("ask")

    def test_a_request_that_comes_twice_is_taken_once(self):
        self.served()
        rm = self.manager()
        rm.hears("entered")
        for _ in range(2):
            rm.say(words.FromManager(number=1, node=b"\xff"))
        rm.hears("refused")
        rm.next_number = 2
        rm.add_node("node", CORE)
        rm.hears("node.accepted")
        self.assertEqual([value for kind, value in rm.heard if kind == "refused"], [])

    def test_a_goodbye_ends_what_the_rm_had(self):
        served = self.served()
        rm = self.manager()
        rm.hears("entered")
        rm.add_node("node", CORE)
        rm.hears("node.accepted")
        rm.say(words.FromManager(goodbye=words.Goodbye()))
        self.assertEqual(rm.hears("ended").reason, words.Ended.GOODBYE)
        self.until(lambda: served.json("rms")["rms"] == [])

    def test_what_a_topic_retains_is_left_out(self):
        ghost = si.RegisterResourceManagerRequest(rmID="ghost").SerializeToString()
        one = paho.Client()
        one.connect("127.0.0.1", self.broker.port)
        one.loop_start()
        said = words.FromManager(session=7, registration=ghost).SerializeToString()
        one.publish("tenon/to-scheduler/ghost", said, qos=1, retain=True).wait_for_publish(60)
        one.disconnect()
        one.loop_stop()
        served = self.served()
        self.manager().hears("entered")
        self.assertEqual([rm["id"] for rm in served.json("rms")["rms"]], ["rm"])

    def test_a_placement_is_checked_first(self):
        self.served()
        rm = self.manager(checks=True)
        rm.hears("entered")
        rm.add_node("node", CORE)
        rm.add_application("app")
        rm.ask("app", "ask", CORE)
        check = rm.hears("checks.checks")
        self.assertEqual((check.allocationKey, check.nodeID), ("ask", "node"))
        rm.answer(check, True)
        rm.runs("ask")

    def test_an_rm_hears_reports_and_changes_its_own_configuration(self):
        self.served()
        rm = self.manager(extraConfig={"reports.assumptions": "true", "reports.states": "true"})
        rm.hears("entered")
        rm.add_node("node", CORE)
        rm.add_application("app")
        rm.hears("application.accepted")
        rm.ask("app", "ask", CORE)
        self.assertEqual(rm.hears("reports.assumed").nodeID, "node")
        state = rm.hears("reports.states", lambda one: one.allocationKey == "ask")
        self.assertEqual(state.state, reports.SchedulingState.SCHEDULED)
        one = configuration.OwnConfiguration(config="partitions: nonsense")
        rm.request(configuration=configuration.ConfigurationRequest(configurations=[one]))
        answer = rm.hears("configuration.answers")
        self.assertFalse(answer.success)
        self.assertIn("partitions", answer.reason)

    def test_the_broker_may_want_a_password_and_a_stop_says_so(self):
        folder = self.folder / "secured"
        folder.mkdir()
        users = folder / "users"
        Broker.add_user(users, "tenon", "a long secret")
        Broker.add_user(users, "rm", "another one")
        rights = folder / "rights"
        rights.write_text("user tenon\ntopic read a/b/to-scheduler/+\ntopic write a/b/to-rm/+\ntopic write a/b/scheduler\n"
                          "pattern write a/b/to-scheduler/%u\npattern read a/b/to-rm/%u\npattern read a/b/scheduler\n")
        self.broker.kill()
        self.broker = Broker(folder, f"allow_anonymous false\npassword_file {users}\nacl_file {rights}\n")
        self.addCleanup(self.broker.kill)
        (folder / "word").write_text("wrong\n")
        more = f", topics: a/b, user: tenon, password_file: {folder / 'word'}"
        refused = self.refused_to_serve(more)
        self.assertIn(f"want an MQTT broker at 127.0.0.1:{self.broker.port}", refused)
        self.assertIn("Not authorized", refused.replace("not authorised", "Not authorized"))
        (folder / "word").write_text("a long secret\n")
        served = self.served(more)
        served.wait_for_words("password_file: want a connection that nobody reads")
        rm = Manager(self.broker.port, "rm", "a/b", login=("rm", "another one"))
        self.addCleanup(rm.close)
        rm.hears("entered")
        rm.request(node=si.NodeRequest(nodes=[si.NodeInfo(nodeID="node", action=si.NodeInfo.CREATE,
                                                          schedulableResource=amounts(CORE))]))
        rm.hears("node.accepted")
        self.assertEqual(served.finish(), 0)
        self.assertEqual(rm.hears("ended").reason, words.Ended.STOPPING)
        rm.hears("scheduler", lambda text: text == b"")


if __name__ == "__main__":
    main()
