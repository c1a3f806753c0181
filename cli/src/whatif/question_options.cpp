// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "whatif/question_options.hpp"

#include <boost/json.hpp>
#include <istream>
#include <iterator>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

#include "run/output_file.hpp"
#include "tenon/config/amounts.hpp"
#include "tenon/config/problems.hpp"
#include "tenon/observe/what_if_json.hpp"

namespace tenon::cli {
namespace {

namespace json = boost::json;
using config::in_quotes;

// "NAME=VALUE" texts as an object.
result<json::object> pairs_of(const std::vector<std::string> &texts, const char *option, const char *shape) {
  json::object out;
  for (const std::string &text : texts) {
    const size_t sign = text.find('=');
    if (sign == 0 || sign == std::string::npos)
      return refusal{option, shape, in_quotes(text), "write it with a name before the ="};
    out[text.substr(0, sign)] = text.substr(sign + 1);
  }
  return out;
}

// Refuses an amount that cannot be read, with the option as its place.
std::optional<refusal> unreadable_amount(const json::object &amounts) {
  for (const auto &[type, text] : amounts) {
    const auto read = config::read_quantity(type, std::string_view(text.as_string()));
    if (read) continue;
    refusal why = read.why();
    why.where = "--resource " + std::string(type);
    return why;
  }
  return std::nullopt;
}

result<json::object> read_file_of(const std::string &file, std::istream &in) {
  std::string text;
  if (file == "-") {
    text.assign(std::istreambuf_iterator<char>(in), {});
  } else {
    auto bytes = read_file(file);
    if (!bytes) return bytes.why();
    text = std::move(*bytes);
  }
  return observe::parse_question(text, file == "-" ? "standard input" : file);
}

void put_text(json::object &into, std::string_view key, const std::string &text) {
  if (!text.empty()) into[key] = text;
}

}  // namespace

void question_options::add_to(CLI::App &command) {
  command.add_option("--asks", file, "The whole question in JSON, with several asks; - is the standard input")
      ->type_name("FILE");
  command.add_option("--queue", queue, "Queue of a new application, as it would be submitted")->type_name("PATH");
  command.add_option("--application", application, "Application that is there, or id of the new one")->type_name("ID");
  command.add_option("--resource", resources, "What each allocation takes, as vcore=4 memory=8Gi")
      ->type_name("TYPE=QUANTITY");
  command.add_option("--count", count, "So many allocations")
      ->check(CLI::Range(int64_t{1}, int64_t{1'000'000}).description(""))
      ->type_name("N")
      ->capture_default_str();
  command.add_option("--priority", priority, "Priority of the ask")
      ->check(CLI::Range(int64_t{std::numeric_limits<int32_t>::min()}, int64_t{std::numeric_limits<int32_t>::max()})
                  .description(""))
      ->type_name("N")
      ->capture_default_str();
  command.add_option("--priority-class", priority_class, "Priority class in place of a priority")->type_name("NAME");
  command.add_flag("--preempt", preempts, "Others may give way to it");
  command.add_flag("--protect", protect, "It gives way to nobody");
  command.add_flag("--gang", gang, "As placeholders of a gang, which starts when all are placed");
  command.add_option("--required-node", required_node, "Only on this node")->type_name("NODE");
  command.add_option("--tag", tags, "Tag of the ask, which predicates read")->type_name("NAME=VALUE");
  command.add_option("--key", key, "Key of the ask; one is made up unless told")->type_name("KEY");
  command.add_option("--user", user, "User of a new application")->type_name("NAME");
  command.add_option("--group", groups, "Group of the user")->type_name("NAME");
  command.add_option("--application-tag", application_tags, "Tag of a new application")->type_name("NAME=VALUE");
  command.add_option("--partition", partition, "Partition, [RM]NAME or NAME, where there are several")
      ->type_name("NAME");
  command.add_option("--within-s", within_s, "How long it may take: time goes on so far in the trial")
      ->check(CLI::Range(int64_t{0}, int64_t{86'400}).description(""))
      ->type_name("SECONDS")
      ->capture_default_str();
}

result<json::object> question_options::make(std::istream &in) const {
  if (!file.empty()) {
    if (resources.empty() && queue.empty() && application.empty()) return read_file_of(file, in);
    return refusal{"--asks", "a file, or an ask by options", "both", "put all asks into the file"};
  }
  if (queue.empty() && application.empty())
    return refusal{"--queue", "the queue of a new application, or --application", "neither", "give one"};
  auto amounts = pairs_of(resources, "--resource", "TYPE=QUANTITY, as vcore=4");
  if (!amounts) return amounts.why();
  if (amounts->empty())
    return refusal{"--resource", "TYPE=QUANTITY, as vcore=4", "none", "add an amount, as --resource vcore=4"};
  if (auto no = unreadable_amount(*amounts)) return *no;
  auto ask_tags = pairs_of(tags, "--tag", "NAME=VALUE");
  if (!ask_tags) return ask_tags.why();
  auto app_tags = pairs_of(application_tags, "--application-tag", "NAME=VALUE");
  if (!app_tags) return app_tags.why();
  json::object ask{{"resources", std::move(*amounts)},
                   {"count", count},
                   {"priority", priority},
                   {"tags", std::move(*ask_tags)},
                   {"allow_preempt_other", preempts},
                   {"allow_preempt_self", !protect}};
  put_text(ask, "key", key);
  put_text(ask, "priority_class", priority_class);
  put_text(ask, "required_node", required_node);
  json::object app{{"asks", json::array{std::move(ask)}}, {"tags", std::move(*app_tags)}, {"gang", gang}};
  put_text(app, "application", application);
  put_text(app, "queue", queue);
  put_text(app, "user", user);
  if (!groups.empty()) app["groups"] = json::array(groups.begin(), groups.end());
  json::object out{{"applications", json::array{std::move(app)}}, {"within_ms", within_s * 1'000}};
  put_text(out, "partition", partition);
  return out;
}

}  // namespace tenon::cli
