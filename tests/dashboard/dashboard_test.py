#!/usr/bin/env python3
# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""The dashboard in a real browser, before a server that can be made to fail.

Ends with 77, skipped, where there is no Chromium or no Playwright.
"""

import argparse
import pathlib
import re
import sys
import unittest
import unittest.mock

import browser
import browser_case
import fake_cluster
import fake_server

SKIPPED = 77
VIEWS = browser_case.VIEWS


class DashboardTest(browser_case.BrowserCase):
    nodes = 200
    applications = 90

    def setUp(self):
        self.server = self.enterContext(fake_server.Server(fake_cluster.Cluster(self.nodes, self.applications)))
        self.url = self.server.url

    def shown(self, page, view: str):
        """Waits until a view has what it is about."""
        mark = {"overview": ".problems li >> nth=0", "queues": "button:has-text('team-0')",
                "devices": ".boxes button >> nth=0", "people": "button:has-text('user-3') >> nth=0", "reservations": "button:has-text('node-00031')",
                "preemptions": "text=pod-2", "managers": "button:has-text('rm-2')", "applications": "button:has-text('app-0000')", "nodes": "canvas#heat",
                "events": "tbody tr >> nth=0", "modules": "text=vendor.slow"}[view]
        page.wait_for_selector(mark)


class Views(DashboardTest):
    def test_all_show_what_the_server_tells_without_an_error(self):
        page = self.page()
        for view in VIEWS:
            self.open(page, view)
        self.assertEqual(self.wrong, [])
        page.click("nav a[href='#/queues']")
        row = page.locator("li[data-key='root.team-0'] > .queue")
        self.assertIn("120 of 400 cores · guaranteed 100 cores", row.inner_text())
        self.assertIn("0.39 of 1.56 TiB", row.inner_text())

    def test_axe_finds_nothing_in_light_and_in_dark(self):
        for scheme in ("light", "dark"):
            page = self.page(color_scheme=scheme)
            for view in VIEWS:
                with self.subTest(scheme=scheme, view=view):
                    self.open(page, view)
                    self.assertEqual(self.violations(page), [])
            for view, name in (("queues", "team-0"), ("applications", "app-0000"), ("nodes", "node-00000")):
                with self.subTest(scheme=scheme, details=name):
                    self.open(page, view)
                    if view == "nodes":
                        page.fill("#nodes-search", name)
                    page.click(f"main button.link:has-text('{name}')")
                    page.wait_for_selector("#detail h3")
                    self.assertEqual(self.violations(page), [])
                    page.keyboard.press("Escape")
                    page.wait_for_selector("#detail", state="hidden")

    def test_a_narrow_window_does_not_scroll_sideways(self):
        page = self.page(viewport={"width": 390, "height": 800})
        for view in VIEWS:
            self.open(page, view)
            wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
            self.assertLessEqual(wide, 0, view)
        self.open(page, "applications")
        page.click("main button.link:has-text('app-0000')")
        page.wait_for_selector("#detail h3")
        self.assertLessEqual(page.evaluate("(d => d.scrollWidth - d.clientWidth)(document.getElementById('detail'))"), 0)

    def test_the_header_of_a_phone_leaves_room(self):
        page = self.page("overview", viewport={"width": 390, "height": 844})
        for view in VIEWS:
            self.open(page, view)
            self.assertLessEqual(self.header_share(page), 0.2, view)

    def test_problems_come_first_and_lead_to_their_views(self):
        page = self.page("overview")
        problems = page.locator(".problems li")
        self.expect(problems.first).to_contain_text("rm-2 is away since")
        starved = problems.filter(has_text="root.team-1.jobs")
        self.expect(starved).to_contain_text("root.team-1.jobs is below its guarantee with 8 cores and 32 GiB of memory waiting")
        self.expect(starved).to_contain_text("CPU: 50 of 100 cores")
        self.expect(problems.filter(has_text="vendor.slow")).to_contain_text("had 3 faults (took 20 ms, 10 ms allowed)")
        starved.locator("a").click()
        self.shown(page, "queues")
        page.go_back()
        problems.first.locator("button").click()
        self.expect(page.locator("#detail")).to_contain_text("Away since")

    def test_where_nothing_is_wrong_it_says_so(self):
        page = self.page("overview")
        page.select_option("#partition", "gpu")
        self.expect(page.locator(".problems li")).to_have_count(2)  # a resource manager and a module
        for name, well in (("rms", fake_cluster.RMS[:1]), ("modules", fake_cluster.MODULES[:1])):
            page.route(f"**/tenon/v1/{name}", lambda route, _, well=well: route.fulfill(json=well))
        page.reload()
        page.select_option("#partition", "gpu")
        self.expect(page.locator(".problems .good")).to_contain_text("There is no problem that the scheduler knows of.")

    def test_where_asks_wait_for_more_than_there_is_it_says_so_and_is_not_green(self):
        page = self.page("overview")
        page.select_option("#partition", "gpu")
        for name, well in (("rms", fake_cluster.RMS[:1]), ("modules", fake_cluster.MODULES[:1])):
            page.route(f"**/tenon/v1/{name}", lambda route, _, well=well: route.fulfill(json=well))
        partitions = [one | ({"capacity": {"capacity": {"gpu": 8000}, "usedCapacity": {}}, "totalNodes": 2} if one["name"] == "gpu" else {})
                      for one in self.server.cluster.partitions()]
        page.route("**/ws/v1/partitions", lambda route: route.fulfill(json=partitions))
        page.route("**/partition/gpu/queues", lambda route: route.fulfill(json={
            "queuename": "root", "status": "Active", "pendingResource": {"gpu": 34400}}))
        page.route("**/partition/gpu/devices*", lambda route: route.fulfill(json=fake_cluster.devices()[:1]))
        page.reload()
        page.select_option("#partition", "gpu")
        self.expect(page.locator(".problems .notice")).to_contain_text("Asks wait for 34.4 of gpu (430 % of the partition)")
        self.expect(page.locator(".problems .good")).to_have_count(0)

    def test_columns_sort_by_click_and_by_keys(self):
        page = self.page("applications")
        self.shown(page, "applications")
        ages = page.locator("th:has-text('Age')")
        self.expect(ages).to_have_attribute("aria-sort", "ascending")
        has = page.locator("th:has-text('Has')")
        self.expect(has).to_have_attribute("aria-sort", "none")
        has.locator("button").click()
        self.expect(has).to_have_attribute("aria-sort", "ascending")
        self.assertEqual(self.column(page, "applications", 5)[:2], ["1 core, 1 GiB", "1 core, 1 GiB"])
        has.locator("button").focus()
        page.keyboard.press("Enter")
        self.expect(has).to_have_attribute("aria-sort", "descending")
        self.expect(has.locator("button")).to_be_focused()
        self.assertEqual(self.column(page, "applications", 5)[0], "40 cores, 79 GiB")
        self.expect(ages).to_have_attribute("aria-sort", "none")
        page.locator("th:has-text('Waits for') button").click()
        self.assertNotIn("—", self.column(page, "applications", 6)[:5], "what has none comes last")

    def test_amounts_in_texts_are_in_units_and_names_do_not_break(self):
        page = self.page("preemptions", viewport={"width": 780, "height": 900})
        self.expect(page.locator("tbody tr").first).to_contain_text("preempted for 1.5 cores, 1 GiB")
        self.assertNotIn("map[", page.inner_text("main"))
        self.open(page, "applications")
        lines = """() => [...document.querySelectorAll('main tbody button.link')].map((one) => {
            const range = document.createRange(), tops = [];
            for (const text of one.childNodes) {
              if (text.nodeType !== Node.TEXT_NODE) continue;
              range.selectNodeContents(text);
              tops.push(new Set([...range.getClientRects()].map((box) => Math.round(box.top))).size);
            }
            return Math.max(...tops);
        })"""
        self.assertEqual(set(page.evaluate(lines)), {1}, "a part of a name is on two lines")
        self.assertLessEqual(self.too_wide(page), 0)

    def test_the_time_line_has_a_curve_of_each_and_ranges(self):
        page = self.page("overview")
        charts = page.locator(".chart svg[role=img]")
        self.expect(charts).to_have_count(6)
        self.expect(charts.nth(0)).to_have_attribute("aria-label", "In use, % of the capacity: CPU 36 %, 360 cores, at most 36 %; Memory 36 %, 1.41 TiB, at most 36 %")
        self.expect(charts.nth(1)).to_have_attribute("aria-label", re.compile("^Pending.*CPU 36 %, 360 cores, at most 42 %"))
        self.expect(charts.nth(2)).to_have_attribute("aria-label", re.compile("^Waiting.*at most 8$"))
        self.expect(charts.nth(4)).to_have_attribute("aria-label", re.compile("^Decisions, a minute: All 410, at most 410; Placed 40"))
        self.expect(charts.nth(5)).to_have_attribute("aria-label", re.compile("^Waiting for.*queue root.team-0 9, at most 9; node 3"))
        points = "document.querySelector('.chart path.curve').getAttribute('d').split(/[ML]/).length"
        hour = page.evaluate(points)
        page.select_option("#timeline-range", "360")
        self.assertGreater(page.evaluate(points), 5 * hour)

    def test_a_queue_has_curves_of_its_use_and_of_what_waits_by_reason(self):
        page = self.page("queues")
        page.click("button:has-text('team-0')")
        charts = page.locator("#detail .chart svg[role=img]")
        self.expect(charts).to_have_count(5)
        self.expect(charts.nth(0)).to_have_attribute("aria-label", re.compile("^In use, % of what the queue may have: CPU 90 %, 360 cores"))
        self.expect(charts.nth(2)).to_have_attribute("aria-label", "Waiting for, allocations, by what they wait for: "
                                                     "queue root.team-0 9, at most 9; node 3, at most 3; user user-3 2, at most 2; Other reasons 3, at most 3")
        self.expect(charts.nth(3)).to_have_attribute("aria-label", re.compile("^Longest wait.*: Longest 6 h, at most 6 h$"))
        points = "document.querySelector('#detail .chart path.curve').getAttribute('d').split(/[ML]/).length"
        hour = page.evaluate(points)
        page.select_option("#queue-range", "360")
        self.assertGreater(page.evaluate(points), 5 * hour)
        self.assertEqual(self.violations(page), [])

    def test_asks_that_can_never_run_are_a_problem_in_units_beside_all_that_waits(self):
        checks = [one for one in fake_cluster.HEALTH["HealthChecks"] if one["Name"] != "Asks"]
        checks.append({"Name": "Asks", "Succeeded": False, "Description": "", "DiagnosisMessage": "warning: Asks that can never run as "
                       "the cluster is: app-1/a (asks 96 of vcore, the largest node has 64), app-1/b (asks 1.5Ti of memory, the max of "
                       "queue root.a is 512Gi), app-1/c (asks 16000 of gpu, no node has any)"})
        self.enterContext(unittest.mock.patch.dict(fake_cluster.HEALTH, HealthChecks=checks))
        page = self.page("overview")
        problem = page.locator(".problems li", has_text="can never run")
        self.expect(problem).to_contain_text("app-1/a (asks 96 cores, the largest node has 64 cores)")
        self.expect(problem).to_contain_text("app-1/b (asks 1.5 TiB of memory, the max of queue root.a is 512 GiB)")
        self.expect(problem).to_contain_text("app-1/c (asks 16 of gpu, no node has any)")
        page.route("**/partition/default/queues", lambda route: route.fulfill(json=fake_cluster.queues() | {"pendingResource": {"vcore": 25600000}}))
        page.reload()
        self.expect(page.locator(".problems .notice")).to_contain_text("Asks wait for 25,600 cores (200 % of the partition)")
        self.expect(page.locator(".problems li").first).to_be_visible()

    def test_the_map_of_devices_says_what_is_free_and_who_has_the_rest(self):
        page = self.page("devices")
        self.expect(page.locator("main p[role=status]")).to_have_text("480 devices of gpu · 120 free · 120 partly in use · 240 all in use")
        self.expect(page.locator(".devices > li")).to_have_count(100)
        page.click("[data-do=more-devices]")
        self.expect(page.locator(".devices > li")).to_have_count(120)
        page.fill("#devices-search", "app-0003")
        self.expect(page.locator(".devices > li")).to_have_count(24)
        self.expect(page.locator(".device.found")).to_have_count(48)
        page.fill("#devices-search", "node-00001")
        page.locator("button.device").nth(2).click()
        row = page.locator("#detail tbody tr").nth(2)
        self.expect(row).to_contain_text("0.75 of 1")
        self.expect(row).to_contain_text("app-0007 pod-1-1: 0.25 gpu")
        self.assertEqual(self.violations(page), [])

    def test_a_queue_may_have_what_those_above_it_leave(self):
        page = self.page("queues")
        page.click("button:has-text('team-0')")
        self.expect(page.locator("#detail")).to_contain_text("For the max of")
        page.keyboard.press("Escape")
        page.fill("#queues-search", "team-0.jobs")
        row = page.locator("li[data-key='root.team-0.jobs'] > .queue")
        self.expect(row).to_contain_text("50 of 200 cores · guaranteed 100 cores")

    def test_an_ask_that_waits_is_explained_with_its_position(self):
        page = self.page("applications")
        page.click("main button.link:has-text('app-0000')")
        page.locator("#detail button:has-text('Why does it wait?')").first.click()
        text = page.locator(".explanation")
        for words in ("the largest node has 64 cores. To let it run, ask for at most 64 cores, or add a node that has 96 cores.", "It waits for 31 allocations; 4 allocations of others are tried before it.",
                      "leaves too little vcore: asked 96 cores, free 2 cores of 400 cores, short 94 cores",
                      "leaves too little gpu: asked 16, free 8 of 8, short 8", "from 400 cores to 494 cores",
                      "free or add 16 GiB memory on node node-4 (capacity from 32 GiB to 48 GiB)",
                      "that the predicates accept, with 96 cores, 64 GiB"):
            self.expect(text).to_contain_text(words)

    def test_details_have_an_address(self):
        page = self.page("applications")
        page.click("main button.link:has-text('app-0000')")
        self.expect(page.locator("#detail h2")).to_contain_text("app-0000")
        self.assertTrue(page.url.endswith("#/applications/application/app-0000"), page.url)
        page.reload()
        self.expect(page.locator("#detail h2")).to_contain_text("app-0000")
        self.expect(page.locator("#detail h3").first).to_be_visible()
        page.keyboard.press("Escape")
        page.wait_for_selector("#detail", state="hidden")
        self.assertTrue(page.url.endswith("#/applications"), page.url)
        page.go_back()
        self.expect(page.locator("#detail h2")).to_contain_text("app-0000")
        page.go_back()
        page.wait_for_selector("#detail", state="hidden")

    def test_who_has_no_limit_is_no_full_bar(self):
        page = self.page("people")
        row = page.locator("tr[data-key='user-3 root']")
        self.expect(row).to_contain_text("4 cores · no limit")
        self.assertLess(float(row.locator("rect.fill").first.get_attribute("width")), 5)
        self.expect(page.locator("tr[data-key='user-3 root.team-0']")).to_contain_text("4 of 10 cores")

    def test_a_pod_has_its_namespace_and_name(self):
        page = self.page("applications")
        self.shown(page, "applications")
        page.click("button:has-text('app-0000')")
        asks = page.locator("ul.asks")
        self.expect(asks.locator("strong").nth(0)).to_have_text("ask-0-0")
        self.expect(asks.locator("strong").nth(1)).to_have_text("team-b/waits-1")
        self.expect(asks.locator("[title='ask-0-1']")).to_have_count(1)
        self.expect(page.locator("tr[data-key='run-0'] th").nth(0)).to_have_text("team-a/worker-0")
        page.keyboard.press("Escape")
        self.open(page, "nodes")
        page.fill("#nodes-search", "node-00000")
        page.click("main button.link:has-text('node-00000')")
        self.expect(page.locator("tr[data-key='pod-0-0'] th").nth(0)).to_have_text("team-a/train-0-00")
        self.expect(page.locator("tr[data-key='pod-0-1'] th").nth(0)).to_have_text("pod-0-1")

    def test_applications_are_searched_by_state_and_say_why(self):
        page = self.page("applications")
        page.select_option("#application-kind", "rejected")
        self.expect(page.locator("tbody tr")).to_have_count(3)
        self.expect(page.locator("tbody tr").first).to_contain_text("queue root.nowhere does not exist")
        page.select_option("#application-kind", "active")
        page.fill("#applications-search", "app-0003")
        self.expect(page.locator("tbody tr")).to_have_count(1)
        self.expect(page.locator("tbody tr")).to_contain_text("Not enough queue quota")
        page.fill("#applications-search", "no such thing")
        self.expect(page.locator("main .empty")).to_be_visible()

    def test_events_come_live_and_can_be_paused(self):
        page = self.page("events")
        first = page.locator("tbody tr").first
        before = first.get_attribute("data-key")
        page.wait_for_function("key => document.querySelector('tbody tr').dataset.key !== key", arg=before)
        page.click("button:has-text('Pause')")
        paused = first.get_attribute("data-key")
        page.wait_for_timeout(1000)
        self.assertEqual(first.get_attribute("data-key"), paused)

    def test_another_partition_shows_its_own(self):
        page = self.page("nodes")
        self.shown(page, "nodes")
        page.select_option("#partition", "gpu")
        self.expect(page.locator("main .empty")).to_contain_text("No node is registered")

    def test_the_switch_overrides_the_system_and_is_remembered(self):
        page = self.page(color_scheme="light")
        self.shown(page, "queues")
        ink = "getComputedStyle(document.body).color"
        light = page.evaluate(ink)
        page.click("[data-do=theme]")
        self.assertNotEqual(page.evaluate(ink), light)
        page.reload()
        self.shown(page, "queues")
        self.assertNotEqual(page.evaluate(ink), light)


def application_with_token(case):
    page = case.page("applications")
    page.evaluate(f"sessionStorage.setItem('tenon-token', '{fake_server.TOKEN}')")
    page.reload()
    page.click("main button.link:has-text('app-0000')")
    return page


class Keyboard(DashboardTest):
    def reach(self, page, selector: str, key: str = "Tab"):
        """Presses a key until the focus is at an element."""
        for _ in range(300):
            if page.evaluate("s => document.activeElement?.matches(s) ?? false", selector):
                return
            page.keyboard.press(key)
        self.fail(f"{key} does not reach {selector}")

    def test_every_view_and_its_details_are_reached(self):
        page = self.page()
        self.shown(page, "queues")
        self.reach(page, "nav a[href='#/applications']")
        page.keyboard.press("Enter")
        self.shown(page, "applications")
        self.reach(page, "[data-kind=application]")
        page.keyboard.press("Enter")
        self.reach(page, "#detail [data-do=explain]")
        page.keyboard.press("Enter")
        page.wait_for_selector(".explanation h4")
        page.keyboard.press("Escape")
        page.wait_for_selector("#detail", state="hidden")
        self.assertTrue(page.evaluate("document.activeElement.matches('[data-kind=application]')"), "the focus is lost")

    def test_the_heat_map_goes_by_arrows_and_opens(self):
        page = self.page("nodes")
        self.shown(page, "nodes")
        self.reach(page, "canvas#heat")
        page.keyboard.press("ArrowRight")
        page.keyboard.press("ArrowDown")
        self.expect(page.locator("#heat-tip")).to_contain_text("node-")
        page.keyboard.press("Enter")
        page.wait_for_selector("#detail[open] h3")
        self.assertEqual(self.wrong, [])

    def test_an_application_is_moved_by_keyboard(self):
        page = application_with_token(self)
        self.expect(page.locator("#detail [data-do=act]")).to_have_count(2)
        self.reach(page, "#detail [data-do=act]")
        page.keyboard.press("Enter")
        self.expect(page.locator("#act-queue")).to_be_focused()
        page.keyboard.type("root.other")
        page.keyboard.press("Enter")
        self.expect(page.locator(".outcome")).to_have_text("Done.")
        self.assertEqual(len(self.server.actions), 1)
        self.assertRegex(self.server.actions[0], r'^/tenon/v1/partition/default/application/app-0000\d*/move {"queue":"root.other"}$')

    def test_the_focus_stays_while_the_page_is_read_again(self):
        page = self.page("events")
        self.shown(page, "events")
        page.focus("#events-search")
        page.keyboard.type("pod")
        page.wait_for_timeout(1500)
        self.assertEqual(page.evaluate("document.activeElement.value"), "pod")


class Actions(DashboardTest):
    def test_want_a_token_and_a_second_yes(self):
        page = self.page("nodes")
        self.shown(page, "nodes")
        page.fill("#nodes-search", "node-00001")
        page.click("main button.link:has-text('node-00001')")
        page.click("#detail [data-do=token]")
        page.fill("#token-text", fake_server.TOKEN)
        page.keyboard.press("Enter")
        page.click("#detail button:has-text('Drain node')")
        self.assertEqual(self.server.actions, [])
        page.fill("#act-reason", "a broken fan")
        page.keyboard.press("Enter")
        self.expect(page.locator(".outcome")).to_have_text("Done.")
        self.assertEqual(self.server.actions, ["/tenon/v1/partition/default/node/node-00001/drain?reason=a+broken+fan"])

    def test_only_what_the_server_offers_is_offered(self):
        page = application_with_token(self)
        self.expect(page.locator("#detail [data-do=act]")).to_have_text(["Move…", "Kill…"])
        page.click("#detail [data-kind=queue]")
        self.expect(page.locator("#detail h2")).to_contain_text("queue root.")
        self.expect(page.locator("#detail [data-do=act]")).to_have_count(0)

    def test_shadows_show_what_they_say_differently(self):
        page = self.page("modules")
        self.shown(page, "modules")
        shadows = page.locator("section[aria-labelledby=shadows-title]")
        self.expect(shadows.locator("tbody tr")).to_contain_text("vendor.spread")
        self.expect(shadows).to_contain_text("node-7, then node-3")
        self.expect(shadows).to_contain_text("In force: keys 1 and 2. The shadow: keys 9 and 5.")
        self.expect(shadows).to_contain_text("The shadow of fair is off: 3 faults")

    def test_a_shadow_of_the_deployment_is_shown_side_by_side(self):
        page = self.page("modules")
        self.shown(page, "modules")
        shadow = page.locator("section[aria-labelledby=world-title]")
        for words in ("follows", "Other node order binpacking", "412 decisions: 398 same, 14 other, 0 refused, 3 passed over",
                      "12 commands", "Other, before decision 8,001", "Faults 2 of modules in its process",
                      "Fault of vendor.spread 2.1.0 in the comparison, after decision 7,000: spread: keys gave no answer"):
            self.expect(shadow).to_contain_text(words)
        sides = shadow.locator(".sides > div")
        self.expect(sides).to_have_count(2)
        self.expect(sides.nth(0)).to_contain_text("node-5")
        self.expect(sides.nth(0)).to_contain_text("node order: fair")
        self.expect(sides.nth(1)).to_contain_text("node-2")
        self.expect(sides.nth(1)).to_contain_text("node order: binpacking")

    def test_without_a_shadow_of_the_deployment_nothing_is_said_of_it(self):
        checks = [one for one in fake_cluster.HEALTH["HealthChecks"] if one["Name"] != "Shadow"]
        self.enterContext(unittest.mock.patch.dict(fake_cluster.HEALTH, HealthChecks=checks))
        page = self.page("modules")
        self.shown(page, "modules")
        self.expect(page.locator("section[aria-labelledby=health-title]")).to_have_count(1)
        self.expect(page.locator("section[aria-labelledby=world-title]")).to_have_count(0)

    def test_a_token_that_nobody_has_is_said_to_be_so(self):
        self.trouble = True
        page = self.page("modules")
        self.shown(page, "modules")
        page.click("header [data-do=token]")
        page.fill("#token-text", "wrong")
        page.keyboard.press("Enter")
        page.click("button:has-text('Reload configuration')")
        page.click(".ask-again button[type=submit]")
        self.expect(page.locator(".outcome")).to_contain_text("the token is not known")


class Windows(DashboardTest):
    def live(self, page):
        return page.locator(".chips .chip:text-is('live')")

    def see(self, page, hidden: bool):
        page.evaluate("""hidden => {
            Object.defineProperty(document, "hidden", { configurable: true, get: () => hidden });
            document.dispatchEvent(new Event("visibilitychange"));
        }""", hidden)

    def test_eight_of_one_browser_all_work(self):
        pages = [self.page()]
        for _ in range(7):
            pages.append(pages[0].context.new_page())
            pages[-1].goto(f"{self.url}/", timeout=browser_case.PATIENCE_MS)
        for page in pages:
            self.shown(page, "queues")
            self.expect(page.locator(".chips .chip:text-matches('^(live|not live)$')")).to_be_visible()
        live = [page for page in pages if self.live(page).count() == 1]
        self.assertEqual(len(live), 3)
        for page in live:
            page.close()
        rest = [page for page in pages if page not in live]
        for page in rest[:2]:
            page.close()
        for page in rest[2:]:
            self.expect(self.live(page)).to_be_visible()

    def test_one_that_nobody_looks_at_has_no_stream(self):
        page = self.page("events")
        self.expect(self.live(page)).to_be_visible()
        self.see(page, hidden=True)
        for _ in range(300):
            if not self.server.streams:
                break
            page.wait_for_timeout(100)
        self.assertEqual(len(self.server.streams), 0)
        last = page.locator("tbody tr").first.get_attribute("data-key")
        self.see(page, hidden=False)
        self.expect(self.live(page)).to_be_visible()
        page.wait_for_function("key => document.querySelector('tbody tr').dataset.key !== key", arg=last)


class Trouble(DashboardTest):
    trouble = True

    def test_a_server_that_is_gone_is_said_so_and_found_again(self):
        page = self.page("queues")
        self.shown(page, "queues")
        self.server.trouble = "silent"
        self.expect(page.locator("#notice")).to_contain_text("The scheduler does not answer.")
        self.expect(page.locator("#notice")).to_contain_text("What is shown is from")
        self.assertTrue(page.is_visible("button:has-text('team-0')"), "what was known is gone")
        self.assertEqual(self.violations(page), [])
        self.server.trouble = ""
        page.click("#notice button")
        self.expect(page.locator("#notice .notice")).to_have_count(0)

    def test_a_refusal_is_shown_in_its_words(self):
        self.server.trouble = "refuse"
        page = self.page("queues")
        self.expect(page.locator("#notice")).to_contain_text("The scheduler refuses: internal error.")

    def test_a_server_that_wants_a_token_to_read_gets_one(self):
        self.server.trouble = "token"
        page = self.page("queues")
        page.fill("#token-text", "wrong")
        page.keyboard.press("Enter")
        self.expect(page.locator("#notice")).to_contain_text("The server refuses the token: the token is not known.")
        page.click("#notice button")
        page.fill("#token-text", fake_server.TOKEN)
        page.keyboard.press("Enter")
        self.shown(page, "queues")


class Large(DashboardTest):
    nodes = 10_000
    applications = 5_000

    def test_ten_thousand_nodes_are_drawn_and_paged(self):
        page = self.page("nodes")
        self.shown(page, "nodes")
        self.expect(page.locator(".pager")).to_contain_text("1–25 of 10,000 nodes")
        page.click("button[aria-label='Next page']")
        self.expect(page.locator(".pager")).to_contain_text("26–50 of 10,000 nodes")
        page.click(".bucket >> nth=9")
        self.expect(page.locator(".pager")).to_contain_text(" of ")
        page.fill("#nodes-search", "node-09999")
        page.click("nav a[href='#/applications']")
        self.expect(page.locator(".pager")).to_contain_text("1–25 of 5,000 applications")
        self.assertEqual(self.wrong, [])


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tools", required=True, type=pathlib.Path, help="the folder that Playwright and axe-core are in, or go to")
    arguments, rest = parser.parse_known_args()
    if why := browser.missing(arguments.tools):
        print(f"skipped: {why}")
        sys.exit(SKIPPED)
    browser_case.BrowserCase.tools = arguments.tools
    unittest.main(argv=[sys.argv[0], *rest])
