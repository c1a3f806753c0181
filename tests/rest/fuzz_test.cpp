// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Whatever is sent gets an answer of the interface: a good one, or 4xx with the documented body.
#include <cstdlib>
#include <random>

#include "rest_case.hpp"

namespace tenon::rest::testing {
namespace {

class Fuzz : public rest_case {
 protected:
  std::mt19937_64 random_;
  uint64_t below(uint64_t n) { return random_() % n; }

  std::string piece() {
    static const std::vector<std::string> pieces = {
        "ws",           "v1",           "partition", "default", "queue", "root",
        "root.default", "applications", "active",    "nodes",   "node",  "node-1",
        "application",  "app-1",        "usage",     "user",    "group", "alice",
        "events",       "batch",        "%2e",       "%",       "%zz",   "%00",
        "%ff",          "%c3%a9",       "..",        ".",       "",      "*",
        "tenon",        "explain",      "ask-1",     "%252e",   "+",     "a b",
        "scheduler",    "healthcheck",  "whatif"};
    return pieces[below(pieces.size())];
  }
  std::string path() {
    static const std::vector<std::string> starts = {"/ws/v1/partition/default/",
                                                    "/ws/v1/partition/default/queue/",
                                                    "/ws/v1/",
                                                    "/",
                                                    "/tenon/v1/partition/default/",
                                                    "/ws/v1/partition/default/applications/",
                                                    "/ws/v1/partition/default/usage/user/",
                                                    "/ws/v1/events/batch"};
    std::string out = starts[below(starts.size())];
    for (uint64_t i = below(4); i > 0; --i) out += piece() + (i == 1 ? "" : "/");
    if (below(2) == 0) {
      static const std::vector<std::string> keys = {"limit", "cursor", "fields",  "count",
                                                    "start", "status", "subtree", "x"};
      out += "?";
      for (uint64_t i = below(4); i > 0; --i) {
        out += keys[below(keys.size())] + (below(5) == 0 ? "" : "=") +
               (below(3) == 0 ? std::to_string(random_()) : piece()) + "&";
      }
    }
    return out;
  }
  std::string junk(uint64_t most) {
    std::string out;
    for (uint64_t i = below(most); i > 0; --i) out += static_cast<char>(below(256));
    return out;
  }

  // A question, at times with something else in the place of one of its values.
  std::string question() {
    static const std::vector<std::string> values = {
        "null", "-1", "1e300",          "9223372036854775807", "\"\"", "\"1Gi\"",
        "[]",   "{}", "{\"vcore\":-1}", "\"root.small\"",      "true", "[{\"asks\":[{}]}]"};
    const auto one = [&](const std::string &usual) { return below(6) == 0 ? values[below(values.size())] : usual; };
    return "{\"applications\":" +
           one("[{\"queue\":" + one("\"root.default\"") + ",\"gang\":" + one("false") +
               ",\"asks\":[{\"resources\":" + one("{\"vcore\":" + one("1") + "}") + ",\"count\":" + one("2") +
               ",\"required_node\":" + one("\"\"") + ",\"priority\":" + one("3") + "}]}]") +
           ",\"within_ms\":" + one("500") + "}";
  }

  void expect_documented(const reply &r, const std::string &sent) {
    ASSERT_NE(r.status, 0U) << sent;
    ASSERT_LT(r.status, 500U) << sent << "\n" << r.body;
    if (r.status < 400) return;
    if (r.body.starts_with("404 page not found\n")) return;
    const auto body = r.json();
    ASSERT_TRUE(body.is_object()) << sent;
    ASSERT_EQ(body.at("status_code").to_number<unsigned>(), r.status) << sent;
    ASSERT_TRUE(body.at("description").as_string().starts_with(body.at("message").as_string())) << sent;
  }
};

TEST_F(Fuzz, EveryAnswerIsDocumented) {
  const char *told = std::getenv("TENON_SEED");
  const uint64_t seed = told != nullptr ? std::strtoull(told, nullptr, 10) : 1;
  std::printf("TENON_SEED=%llu\n", static_cast<unsigned long long>(seed));
  RecordProperty("seed", std::to_string(seed));
  random_.seed(seed);
  open({"requests_per_second_per_client: 0"});
  small_cluster();
  static const std::vector<std::string> methods = {"GET",  "GET",     "GET",    "POST", "PUT",
                                                   "HEAD", "OPTIONS", "DELETE", "PATCH"};
  for (int i = 0; i < 1500 && !HasFatalFailure(); ++i) {
    const std::string method = methods[below(methods.size())], target = path();
    if (target.find("/stream") != std::string::npos) continue;
    std::map<std::string, std::string> headers;
    if (below(4) == 0)
      headers["Authorization"] = below(2) == 0 ? "Bearer everything-goes-here" : "Bearer " + std::to_string(random_());
    if (below(4) == 0) headers["Accept-Encoding"] = "gzip;q=0";
    const reply r = send(port_, method, target, below(3) == 0 ? junk(400) : std::string{}, headers);
    if (method == "HEAD") {
      ASSERT_LT(r.status, 500U) << target;
    } else {
      expect_documented(r, method + " " + target);
    }
  }
  for (int i = 0; i < 300 && !HasFatalFailure(); ++i) {
    const std::string body = question();
    expect_documented(post("/tenon/v1/partition/default/whatif", body), body);
  }
  for (int i = 0; i < 300 && !HasFatalFailure(); ++i) {
    const reply r = send_raw(port_, (below(2) == 0 ? "GET /" : "") + junk(300) + "\r\n\r\n");
    if (r.status != 0) expect_documented(r, "junk");
  }
  EXPECT_EQ(get("/ws/v1/partitions").status, 200U);
}

}  // namespace
}  // namespace tenon::rest::testing
