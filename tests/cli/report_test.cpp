// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What a report draws: fair shares, fragmentation, curves of a run, and the page itself.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <cmath>
#include <random>
#include <regex>
#include <set>

#include "report/fair_share.hpp"
#include "report/fragmentation.hpp"
#include "report/report_page.hpp"
#include "report/series.hpp"
#include "run/formats.hpp"
#include "simulate/tally.hpp"
#include "testing.hpp"

namespace tenon::cli {
namespace {

namespace json = boost::json;
using testing::DoubleNear;
using testing::ElementsAre;

// Divides among queues of two resources; amounts are given and wanted as (cpu, memory) by queue.
class Shares : public testing::Test {
 protected:
  struct pair {
    double cpu, memory;
  };

  // What each queue would be satisfied with where it uses nothing but 1% of what it wants: the inverse of its part.
  std::vector<double> parts(const std::vector<std::string> &queues, pair capacity, const std::vector<pair> &wanted) {
    name_list names, types;
    for (const std::string &queue : queues) names.index_of(queue);
    types.index_of("cpu");
    types.index_of("memory");
    share_tree tree(names, config_.partitions.empty() ? nullptr : &config_, types, 1);
    std::vector<double> all, used, satisfied(queues.size());
    for (const pair &p : wanted) all.insert(all.end(), {p.cpu, p.memory});
    for (const double amount : all) used.push_back(amount / 100);
    tree.divide(std::vector{capacity.cpu, capacity.memory}, used, all, satisfied);
    for (double &part : satisfied) part = std::isnan(part) ? 0 : 1 / (100 * part);
    return satisfied;
  }

  queue_config &add(queue_config &parent, const std::string &name, const amount_map &guaranteed,
                    const amount_map &max = {}) {
    queue_config &queue = parent.queues.emplace_back();
    queue.name = name;
    queue.guaranteed = guaranteed;
    queue.max = max;
    return queue;
  }
  queue_config &root() {
    if (config_.partitions.empty()) config_.partitions.emplace_back();
    return config_.partitions[0].root;
  }

  static auto near(double value) { return DoubleNear(value, 1e-9); }

  cluster_config config_;
};

TEST_F(Shares, WhoWantsLessLeavesTheRestToTheOthers) {
  EXPECT_THAT(parts({"root.a", "root.b", "root.c"}, {90, 0}, {{10, 0}, {100, 0}, {80, 0}}),
              ElementsAre(near(1), near(0.4), near(0.5)));
}

TEST_F(Shares, TheLargestPartOfAnyResourceCounts) {
  // The example of Ghodsi et al.: asks of <1, 4> and of <3, 1> on <9, 18> get three and two, two thirds each.
  EXPECT_THAT(parts({"root.a", "root.b"}, {9, 18}, {{100, 400}, {300, 100}}), ElementsAre(near(0.03), near(0.02)));
}

TEST_F(Shares, WhatIsUsedUpStopsOnlyThoseThatWantIt) {
  EXPECT_THAT(parts({"root.a", "root.b", "root.c"}, {10, 100}, {{10, 0}, {10, 0}, {0, 90}}),
              ElementsAre(near(0.5), near(0.5), near(1)));
  EXPECT_THAT(parts({"root.a", "root.b.x", "root.b.y"}, {10, 100}, {{10, 0}, {10, 0}, {0, 90}}),
              ElementsAre(near(0.5), near(0.5), near(1)));
}

TEST_F(Shares, AQueueHasAUseForWhatSomeOfItsAsksNeed) {
  // Ten of the cpu for two queues; the second asks for memory alone as well.
  name_list names, types;
  for (const char *queue : {"root.a", "root.b"}) names.index_of(queue);
  for (const char *type : {"cpu", "memory"}) types.index_of(type);
  share_tree tree(names, nullptr, types, 2);
  const std::vector<double> capacity{10, 100}, used{5, 0, 5, 45}, wanted{10, 0, 0, 0, 10, 0, 0, 90};
  std::vector<double> satisfied(2);
  tree.divide(capacity, used, wanted, satisfied);
  EXPECT_THAT(satisfied, ElementsAre(near(1), near(0.5 / 0.9)));
}

TEST_F(Shares, GuaranteesAreTheRatio) {
  add(root(), "a", {{"cpu", 30}});
  add(root(), "b", {{"cpu", 10}});
  EXPECT_THAT(parts({"root.a", "root.b"}, {40, 0}, {{100, 0}, {100, 0}}), ElementsAre(near(0.3), near(0.1)));
}

TEST_F(Shares, NobodyHasMoreThanTheMaximum) {
  add(root(), "a", {{"cpu", 1}}, {{"cpu", 5}});
  add(root(), "b", {{"cpu", 1}});
  EXPECT_THAT(parts({"root.a", "root.b"}, {40, 0}, {{100, 0}, {100, 0}}), ElementsAre(near(0.05), near(0.35)));
}

TEST_F(Shares, AParentDividesWhatItHas) {
  EXPECT_THAT(parts({"root.a.x", "root.a.y", "root.b"}, {40, 0}, {{100, 0}, {100, 0}, {100, 0}}),
              ElementsAre(near(0.1), near(0.1), near(0.2)));
}

TEST_F(Shares, NothingIsDividedBeyondWhatThereIs) {
  // Any division: no resource is given twice, and whoever lacks something lacks a resource that is used up.
  std::mt19937_64 random(1);
  const auto amount = [&] { return static_cast<double>(random() % 60); };
  for (int round = 0; round < 300; ++round) {
    std::vector<std::string> queues;
    std::vector<pair> wanted;
    for (int i = 0; i < 6; ++i) {
      queues.push_back("root." + std::string(i % 2 == 0 ? "even.q" : "odd.q") + std::to_string(i));
      const double cpu = amount();
      wanted.push_back({cpu, amount()});
    }
    const auto got = parts(queues, {100, 80}, wanted);
    double cpu = 0, memory = 0;
    for (size_t i = 0; i < got.size(); ++i) {
      EXPECT_LE(got[i], 1 + 1e-9);
      cpu += got[i] * wanted[i].cpu;
      memory += got[i] * wanted[i].memory;
    }
    EXPECT_LE(cpu, 100 + 1e-6);
    EXPECT_LE(memory, 80 + 1e-6);
  }
}

TEST(Jain, IsOneWhereAllAreEqualAndOneOfManyWhereOneHasAll) {
  EXPECT_DOUBLE_EQ(jain_index(std::vector{0.5, 0.5, std::nan("")}), 1);
  EXPECT_DOUBLE_EQ(jain_index(std::vector{1.0, 0.0, 0.0, 0.0}), 0.25);
  EXPECT_DOUBLE_EQ(jain_index(std::vector{0.0, 0.0}), 1);
}

TEST(FreeRoom, ScatteredIsOnUsedNodesAndStrandedIsOfNoUse) {
  const indexed_amounts node{{0, 8}, {1, 16}};
  free_capacity free(2, 0);
  EXPECT_TRUE(std::isnan(free.scattered()));
  for (const uint32_t n : {0U, 1U, 2U}) free.change_capacity(n, node, 1);
  EXPECT_DOUBLE_EQ(free.scattered(), 0);
  free.change_use(1, {{0, 6}, {1, 4}}, 1);
  free.change_use(2, {{0, 2}, {1, 15}}, 1);
  // Free of the first resource: 8, 2 and 6.
  EXPECT_DOUBLE_EQ(free.scattered(), 0.5);
  const std::vector<typical_ask> asks{{{{0, 4}, {1, 2}}, 0.75}, {{{0, 1}}, 0.25}};
  EXPECT_DOUBLE_EQ(free.stranded(asks), 0.75 * 8 / 16);
  free.change_use(2, {{0, 2}, {1, 15}}, -1);
  free.change_capacity(1, node, -1);
  free.change_use(1, {{0, 6}, {1, 4}}, -1);
  EXPECT_DOUBLE_EQ(free.scattered(), 0);
}

TEST(Words, DurationsHaveThreeDigitsAndAUnit) {
  EXPECT_EQ(duration_text(0), "0 s");
  EXPECT_EQ(duration_text(0.0625), "62.5 ms");
  EXPECT_EQ(duration_text(42), "42 s");
  EXPECT_EQ(duration_text(99.4), "99.4 s");
  EXPECT_EQ(duration_text(90 * 60), "90 min");
  EXPECT_EQ(duration_text(100 * 60), "1.67 h");
  EXPECT_EQ(duration_text(12.9 * 86'400), "12.9 days");
}

TEST(Words, MarkupIsEscapedAndDigitsAreGrouped) {
  EXPECT_EQ(escaped("<a href=\"x\">&'\x01"), "&lt;a href=&quot;x&quot;&gt;&amp;&#39;?");
  EXPECT_EQ(grouped(1'234'567), "1\u202F234\u202F567");
}

TEST(Words, DatesAreInUtc) {
  constexpr int64_t october = 1'506'988'800'000;  // 2017-10-03
  EXPECT_EQ(date_text(october + 61'000), "3 Oct 2017, 00:01");
}

TEST(Spread, WhatIsNotOverMakesWhatIsBehindItALowerBound) {
  std::vector<measured> values;
  for (int i = 1; i <= 10; ++i) values.push_back({static_cast<double>(i), i != 8});
  const spread of = spread_of(values);
  EXPECT_EQ(of.over, 9U);
  EXPECT_EQ(of.open, 1U);
  EXPECT_EQ(of.p50.value, 5);
  EXPECT_FALSE(of.p50.at_least);
  EXPECT_EQ(of.p90.value, 9);
  EXPECT_TRUE(of.p90.at_least);
  EXPECT_TRUE(of.mean.at_least);
  EXPECT_EQ(spread_of({}).count(), 0U);
}

// A run kept by hand: one node of 4, queue a takes 3 of it from 0 s to 10 s, b wants 2 from 5 s on.
class Curves : public testing::Test {
 protected:
  Curves() : counted_(&kept_) {
    const named_amount capacity[]{{"vcore", 4000}}, three[]{{"vcore", 3000}}, two[]{{"vcore", 2000}};
    sees(0, register_rm{"rm", "1", "default", &config_});
    sees(0, add_node{"[rm]p", "n", capacity, {}, {}, true, {}});
    hears(0, decided::node_accepted{}, "", "", "");
    ask(0, "app-a", "root.a", three);
    hears(0, decided::allocated{}, "app-a", "k", "root.a");
    ask(5000, "app-b", "root.b", two);
    hears(10'000, decided::released{}, "app-a", "k", "root.a");
    hears(10'000, decided::allocated{}, "app-b", "k", "root.b");
    sees(20'000, advance{});
    counted_.ends();
  }

  void sees(int64_t at, const command &c) { counted_.sees(at, c); }
  void ask(int64_t at, std::string_view app, std::string_view queue, amounts resources) {
    sees(at, add_application{"[rm]p", app, queue, "u", {}, {}, 0, {}, false});
    hears(at, decided::application_accepted{}, app, "", queue);
    put_ask put;
    put.partition = "[rm]p";
    put.application = app;
    put.key = "k";
    put.resources = resources;
    sees(at, put);
    sees(at, step{"", 1, {}});
  }
  void hears(int64_t at, const decided_what &what, std::string_view app, std::string_view key, std::string_view queue) {
    decision_view d;
    d.now_ms = at;
    d.what = what;
    d.partition = "[rm]p";
    d.application = app;
    d.key = key;
    d.queue = queue;
    d.node = "n";
    d.allocation_sequence = 1;
    counted_.hears(d);
  }

  cluster_config config_;
  timeline kept_;
  tally counted_;
};

TEST_F(Curves, AreAveragesOfTheirIntervals) {
  const run_curves curves = make_curves(kept_, 4);
  EXPECT_TRUE(curves.by_time);
  EXPECT_DOUBLE_EQ(curves.span, 20);
  EXPECT_EQ(curves.main_type, "vcore");
  ASSERT_EQ(curves.use.size(), 1U);
  EXPECT_THAT(curves.use[0].values, ElementsAre(0.75, 0.75, 0.5, 0.5));
  EXPECT_THAT(curves.waiting, ElementsAre(0, 1, 0, 0));
  ASSERT_EQ(curves.queues.size(), 2U);
  EXPECT_EQ(curves.queues[0].name, "root.a");
  EXPECT_THAT(curves.queues[1].used, ElementsAre(0, 0, 0.5, 0.5));
  EXPECT_THAT(make_curves(kept_, 1).use[0].values, ElementsAre(DoubleNear(0.625, 1e-12)));
}

TEST_F(Curves, FairnessIsAboutTheTimeWhenSomebodyWaits) {
  const run_curves curves = make_curves(kept_, 4);
  EXPECT_TRUE(std::isnan(curves.fairness[0]));
  EXPECT_DOUBLE_EQ(curves.fairness[1], 0.5);  // a has more than its half, b nothing
  EXPECT_TRUE(std::isnan(curves.fairness[2]));
  EXPECT_DOUBLE_EQ(curves.average_fairness, 0.5);
  EXPECT_DOUBLE_EQ(curves.queues[0].satisfied[1], 1.5);
  EXPECT_DOUBLE_EQ(curves.queues[1].satisfied[1], 0);
  EXPECT_TRUE(std::isnan(curves.queues[0].satisfied[3]));
}

TEST_F(Curves, PreemptionsAddUp) {
  EXPECT_THAT(make_curves(kept_, 4).preempted, ElementsAre(0, 0, 0, 0));
  hears(20'000, decided::released{termination::preempted_by_scheduler, {}, {}}, "app-b", "k", "root.b");
  sees(40'000, advance{});
  counted_.ends();
  const run_curves curves = make_curves(kept_, 4);
  EXPECT_THAT(curves.preempted, ElementsAre(0, 0, 1, 1));
  EXPECT_EQ(curves.queues[0].preempted, 0U);
  EXPECT_EQ(curves.queues[1].name, "root.b");
  EXPECT_EQ(curves.queues[1].preempted, 1U);
}

TEST_F(Curves, QueuesBeyondTheLimitAreOneCurve) {
  const run_curves curves = make_curves(kept_, 4, 1);
  ASSERT_EQ(curves.queues.size(), 1U);
  EXPECT_EQ(curves.others, 1U);
  EXPECT_THAT(curves.used_by_others, ElementsAre(0, 0, 0.5, 0.5));
}

// Text of an element by the pattern of its start tag; tags must be balanced, ids unique.
void expect_well_formed(const std::string &page) {
  const std::set<std::string> empty_tags{"meta", "!DOCTYPE"};
  std::vector<std::string> open;
  std::set<std::string> ids;
  for (size_t at = page.find('<'); at != std::string::npos; at = page.find('<', at + 1)) {
    const size_t end = page.find('>', at);
    ASSERT_NE(end, std::string::npos);
    const std::string tag = page.substr(at + 1, end - at - 1);
    std::smatch id;
    if (std::regex_search(tag, id, std::regex("\\bid=\"([^\"]*)\""))) {
      EXPECT_TRUE(ids.insert(id[1]).second) << id[1];
    }
    const std::string name = tag.substr(0, tag.find_first_of(" /", 1));
    if (tag[0] == '/') {
      ASSERT_FALSE(open.empty()) << tag;
      ASSERT_EQ("/" + open.back(), tag);
      open.pop_back();
    } else if (tag.back() != '/' && !empty_tags.contains(name)) {
      open.push_back(name);
      if (name == "script" || name == "style") at = page.find("</" + name, at) - 1;  // their text is no markup
    }
  }
  EXPECT_TRUE(open.empty()) << open.back();
}

// Says which part is missing, not the whole page.
void expect_has(const std::string &page, const std::string &part) {
  EXPECT_TRUE(page.find(part) != std::string::npos) << "no " << part;
}
void expect_has_not(const std::string &page, const std::string &part) {
  EXPECT_TRUE(page.find(part) == std::string::npos) << part;
}

class Page : public testing::Test {
 protected:
  // Two queues that share one GPU; a queue's name cannot hold markup, the name of a file can.
  std::string trace() {
    const std::string nodes = folder_.file("nodes.csv", "sn,cpu_milli,memory_mib,gpu,model\nn1,4000,4096,1,T4\n");
    const std::string pods =
        folder_.file("p<b>&'.csv",
                     "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,creation_time,"
                     "deletion_time\np1,1000,1024,1,1000,,LS,0,3600\np2,1000,1024,1,1000,,BE,60,660\n"
                     "p3,1000,1024,1,1000,,LS,60,120\n");
    return "openb:" + nodes + "," + pods;
  }
  std::string page(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"simulate", "--no-progress", "--json", "--report", folder_.file("r.html")});
    const command_result run = run_tenon(arguments);
    EXPECT_EQ(run.code, 0) << run.err;
    summary_ = json::parse(run.out);
    return folder_.text("r.html");
  }

  temporary_folder folder_;
  json::value summary_;
};

TEST_F(Page, NeedsNothingElse) {
  std::string html = page({"--trace", trace()});
  const std::string name_of_svg = "\"http://www.w3.org/2000/svg\"";  // a name, which nothing is loaded from
  html.erase(html.find(name_of_svg), name_of_svg.size());
  for (const char *outside : {"http:", "https:", "src=", "@import", "url(", "<link"}) expect_has_not(html, outside);
  expect_well_formed(html);
}

TEST_F(Page, NamesAreNoMarkup) {
  const std::string html = page({"--trace", trace()});
  expect_has_not(html, "p<b>");
  expect_has(html, "p&lt;b&gt;&amp;&#39;.csv");
}

TEST_F(Page, JobsAreFollowedToTheirEnd) {
  // The GPU is p1's for an hour. The node is reserved for p2, which came first: it has the GPU for ten minutes, then p3
  // for one.
  const std::string html = page({"--trace", trace()});
  const auto &slowdown = summary_.at("slowdown_of_jobs");
  EXPECT_EQ(slowdown.at("started"), 3);
  EXPECT_EQ(slowdown.at("p50").to_number<double>(), (3540.0 + 600) / 600);
  EXPECT_EQ(slowdown.at("max").to_number<double>(), (4140.0 + 60) / 60);
  EXPECT_EQ(summary_.at("completion_seconds_of_jobs").at("max").to_number<double>(), 4200.0);
  expect_has(html, "<th scope=\"row\">Bounded slowdown</th>");
  expect_has(html, "<caption>Waiting by queue</caption>");
}

TEST_F(Page, WhatNeverStartedHasAsLongAWaitAsThereIs) {
  const std::string text =
      "; MaxProcs: 2\n1 0 0 100 2 -1 -1 -1 -1 -1 1 1 1 -1 0 -1 -1 -1\n"
      "2 10 0 40 2 -1 -1 -1 -1 -1 1 2 1 -1 0 -1 -1 -1\n";
  const std::string held = folder_.file("held.yaml", R"(partitions:
  - name: default
    queues:
      - name: root
        submitacl: "*"
        queues: [{name: q0, maxapplications: 1, limits: [{limit: none, users: [user2], maxresources: {vcore: 1}}]}]
)");
  const std::string html = page({"--trace", "swf:" + folder_.file("t.swf", text), "--config", held, "--gangs", "none"});
  const auto &slowdown = summary_.at("slowdown_of_jobs");
  EXPECT_EQ(slowdown.at("never_started"), 1);
  // It runs 40 s, and waited to the end so far.
  const double waited = summary_.at("makespan_seconds").to_number<double>() - 10;
  EXPECT_EQ(slowdown.at("max").to_number<double>(), (waited + 40) / 40);
  EXPECT_EQ(json::serialize(slowdown.at("at_least")), R"(["mean","p90","p95","p99","max"])");
  expect_has(html, "<td>&gt; ");
  expect_has(html, "<dd>2, 1 never started</dd>");
}

TEST_F(Page, DrawsTwoRunsSideBySide) {
  const std::vector<std::string> load{"--nodes", "20", "--pods", "600", "--queues", "4"};
  (void)page(load);
  std::filesystem::rename(folder_.file("r.html"), folder_.file("fair.html"));
  auto again = load;
  again.insert(again.end(), {"--node-sort", "binpacking", "--beside", folder_.file("fair.html")});
  const std::string html = page(again);
  expect_well_formed(html);
  expect_has(html, "<h1>Two runs side by side</h1>");
  expect_has(html, "<h2>Figures of r</h2>");
  expect_has(html, "<h2>Figures of fair</h2>");
  // The page of two runs is the report of the first.
  EXPECT_EQ(run_tenon({"simulate", "--no-progress", "--nodes", "3", "--pods", "9", "--report",
                       folder_.file("third.html"), "--beside", folder_.file("r.html")})
                .code,
            0);
  expect_has(folder_.text("third.html"), "<h2>Figures of r</h2>");
}

TEST_F(Page, HoldsTheRunThatItShows) {
  const std::string html = page({"--nodes", "20", "--pods", "600", "--queues", "4"});
  const auto read = read_report(html, "r.html");
  ASSERT_TRUE(static_cast<bool>(read));
  EXPECT_EQ(read->counted.placed, 600U);
  EXPECT_EQ(read->curves.waiting.size(), read->curves.intervals);
  EXPECT_TRUE(html.find(to_json(*read)) != std::string::npos);
}

TEST_F(Page, IsNotDrawnBesideWhatIsNoReport) {
  for (const std::string text : {"", "<html></html>", "<script type=\"application/json\" id=\"run\">{}</script>"}) {
    const std::string file = folder_.file("no.html", text);
    const command_result run =
        run_tenon({"simulate", "--no-progress", "--nodes", "3", "--report", folder_.file("r.html"), "--beside", file});
    EXPECT_EQ(run.code, 2);
    EXPECT_THAT(run.err, testing::AllOf(testing::HasSubstr(file), testing::HasSubstr("--report")));
  }
}

TEST_F(Page, ShowsTheDatesOfTracesThatHaveThem) {
  // 2017-10-03 00:00:00 UTC, and two jobs within four days.
  const std::string text =
      "; MaxProcs: 2\n; UnixStartTime: 1506988800\n"
      "1 0 0 100 1 -1 -1 -1 -1 -1 1 1 1 -1 0 -1 -1 -1\n"
      "2 345600 0 100 1 -1 -1 -1 -1 -1 1 2 1 -1 0 -1 -1 -1\n";
  const std::string html = page({"--trace", "swf:" + folder_.file("t.swf", text)});
  expect_has(html, "From 3 Oct 2017, 00:00 to 7 Oct 2017, 00:01, UTC");
  expect_has_not(page({"--trace", trace()}), ", UTC</p>");
}

TEST_F(Page, TablesSayWhatTheSummarySays) {
  const std::string html = page({"--trace", trace()});
  const auto &be = summary_.at("waiting_seconds").at("root.be");
  const std::string longest = duration_text(be.at("max").to_number<double>());
  EXPECT_EQ(longest, "59 min");
  expect_has(html, "<th scope=\"row\">root.be</th>\n<td>1</td>\n<td>0</td>\n<td>" + longest + "</td>");
  expect_has(html, "<th scope=\"row\">gpu</th>\n<td>" +
                       percent(summary_.at("utilisation").at("gpu").at("average").to_number<double>()));
}

TEST_F(Page, SummaryHasFairnessAndFragmentationOfARunThatIsDrawn) {
  (void)page({"--trace", trace()});
  EXPECT_GT(summary_.at("fairness").to_number<double>(), 0.0);
  EXPECT_LE(summary_.at("fairness").to_number<double>(), 1.0);
  EXPECT_TRUE(summary_.as_object().contains("scattered"));
  const command_result without = run_tenon({"simulate", "--no-progress", "--json", "--trace", trace()});
  EXPECT_FALSE(json::parse(without.out).as_object().contains("fairness"));
}

TEST_F(Page, SameRunGivesTheSamePageAndSoDoesItsJournal) {
  const std::vector<std::string> load{"--nodes", "20", "--pods", "600", "--queues", "30"};
  auto recorded = load;
  recorded.insert(recorded.end(), {"--record", folder_.file("journal")});
  const std::string first = page(recorded);
  EXPECT_EQ(page(load), first);
  // The replayed run differs in how it was played alone.
  const std::string again = page({"--replay", folder_.file("journal")});
  const auto tables = [](const std::string &html) {
    return html.substr(html.find("<section"), html.find("<h3>The run") - html.find("<section"));
  };
  EXPECT_EQ(tables(again), tables(first));
  const auto drawn = [](const std::string &html) {
    run_record run = *read_report(html, "r.html");
    run.origin.clear();
    run.settings.clear();
    return to_json(run);
  };
  EXPECT_EQ(drawn(again), drawn(first));
}

TEST_F(Page, FillCountsPlacementsInsteadOfWaits) {
  const std::string html = page({"--mode", "fill", "--nodes", "10", "--pods", "300"});
  expect_has(html, "<caption>Placed by queue</caption>");
  expect_has_not(html, "<caption>Jobs</caption>");
  expect_well_formed(html);
}

TEST_F(Page, RunWithoutPodsIsAPageAsWell) {
  const std::string html = page({"--nodes", "3", "--pods", "0"});
  expect_has(html, "Nothing to draw");
  expect_well_formed(html);
}

}  // namespace
}  // namespace tenon::cli
