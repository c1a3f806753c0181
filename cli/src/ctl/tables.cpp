// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "ctl/tables.hpp"

#include <algorithm>
#include <boost/json.hpp>
#include <cctype>
#include <ostream>
#include <set>
#include <string>

#include "report/words.hpp"
#include "run/table.hpp"

namespace tenon::cli {
namespace {

namespace json = boost::json;

std::string text(const json::object &of, std::string_view key) { return std::string(of.at(key).as_string()); }
bool yes(const json::object &of, std::string_view key) { return of.at(key).as_bool(); }
int64_t number(const json::object &of, std::string_view key) { return of.at(key).to_number<int64_t>(); }
std::string count(const json::object &of, std::string_view key) { return std::to_string(number(of, key)); }
std::string size(const json::object &of, std::string_view key) { return std::to_string(of.at(key).as_array().size()); }
std::string or_none(std::string words) { return words.empty() ? "-" : words; }

// Types that any of the items has anything of, under any of the keys.
std::set<std::string> types_of(const json::array &items, std::initializer_list<std::string_view> keys) {
  std::set<std::string> out;
  for (const json::value &item : items)
    for (const std::string_view key : keys)
      if (const json::object *amounts = item.as_object().at(key).if_object())
        for (const auto &one : *amounts) out.insert(std::string(one.key()));
  return out;
}

// "-" where there is nothing of the type.
std::string amount(const json::object &of, std::string_view key, const std::string &type) {
  const json::object *amounts = of.at(key).if_object();
  const json::value *found = amounts == nullptr ? nullptr : amounts->if_contains(type);
  return found == nullptr ? "-" : amount_words(type, found->to_number<int64_t>());
}

std::string amounts(const json::object &of, std::string_view key) {
  std::string out;
  for (const auto &one : of.at(key).as_object()) {
    const std::string type(one.key());
    out += (out.empty() ? "" : ", ") + type + " " + amount_words(type, one.value().to_number<int64_t>());
  }
  return or_none(out);
}

std::string title(std::string type, std::string_view what) {
  std::transform(type.begin(), type.end(), type.begin(), [](unsigned char c) { return std::toupper(c); });
  return type + " " + std::string(what);
}

std::string age(const json::object &of, std::string_view key, int64_t now_ms) {
  const int64_t from = number(of, key);
  return from == 0 ? "-" : duration_words(static_cast<double>(std::max<int64_t>(now_ms - from, 0)) / 1000);
}

// Each partition with its table.
template <class Print>
void in_partitions(const json::object &result, std::string_view key, std::string_view none, std::ostream &out,
                   Print print) {
  const json::array &partitions = result.at("partitions").as_array();
  if (partitions.empty()) out << "no partition: no resource manager has registered\n";
  bool first = true;
  for (const json::value &value : partitions) {
    const json::object &partition = value.as_object();
    out << (first ? "" : "\n") << "partition " << text(partition, "name") << ", " << text(partition, "state")
        << ", used " << amounts(partition, "used") << " of " << amounts(partition, "capacity") << '\n';
    first = false;
    const json::array &items = partition.at(key).as_array();
    if (items.empty())
      out << none << '\n';
    else
      print(items);
  }
  if (yes(result, "more")) out << "... and more: --limit\n";
}

}  // namespace

void print_queues(const json::object &result, std::ostream &out) {
  in_partitions(result, "queues", "no such queue", out, [&](const json::array &items) {
    const auto types = types_of(items, {"allocated", "guaranteed", "max", "pending"});
    std::vector<column> columns{{"QUEUE"}, {"STATE"}, {"APPS", true}};
    for (const std::string &type : types) columns.push_back({title(type, "used/guar/max"), true});
    columns.push_back({"PENDING"});
    table all(std::move(columns));
    for (const json::value &item : items) {
      const json::object &queue = item.as_object();
      const std::string path = text(queue, "path");
      const int64_t most = number(queue, "max_running_apps");
      const auto depth = static_cast<size_t>(std::count(path.begin(), path.end(), '.'));
      std::vector<std::string> row{std::string(2 * depth, ' ') + path.substr(path.rfind('.') + 1), text(queue, "state"),
                                   count(queue, "running_apps") + (most == 0 ? "" : "/" + std::to_string(most))};
      for (const std::string &type : types)
        row.push_back(amount(queue, "allocated", type) + "/" + amount(queue, "guaranteed", type) + "/" +
                      amount(queue, "max", type));
      row.push_back(amounts(queue, "pending"));
      all.add(std::move(row));
    }
    all.print(out);
  });
}

void print_applications(const json::object &result, std::ostream &out) {
  const int64_t now_ms = number(result, "now_ms");
  in_partitions(result, "applications", "no such application", out, [&](const json::array &items) {
    table all({{"APPLICATION"},
               {"QUEUE"},
               {"USER"},
               {"STATE"},
               {"RUN", true},
               {"WAIT", true},
               {"AGE", true},
               {"ALLOCATED"},
               {"PENDING"},
               {"WAITS FOR"}});
    for (const json::value &item : items) {
      const json::object &one = item.as_object();
      int64_t waiting = 0;
      std::string blocker = text(one, "message");
      for (const json::value &value : one.at("asks").as_array()) {
        const json::object &ask = value.as_object();
        waiting += number(ask, "pending");
        if (blocker.empty()) blocker = text(ask, "waits_for");
      }
      all.add({text(one, "id"), text(one, "queue"), text(one, "user"), text(one, "state"), count(one, "allocations"),
               std::to_string(waiting), age(one, "submitted_ms", now_ms), amounts(one, "allocated"),
               amounts(one, "pending"), or_none(blocker)});
    }
    all.print(out);
  });
}

void print_nodes(const json::object &result, std::ostream &out) {
  in_partitions(result, "nodes", "no such node", out, [&](const json::array &items) {
    const auto types = types_of(items, {"capacity"});
    std::vector<column> columns{{"NODE"}, {"STATE"}, {"ALLOCATIONS", true}, {"RESERVED", true}};
    for (const std::string &type : types) columns.push_back({title(type, "free/all"), true});
    table all(std::move(columns));
    for (const json::value &item : items) {
      const json::object &node = item.as_object();
      std::vector<std::string> row{text(node, "id"), yes(node, "schedulable") ? "schedulable" : "draining",
                                   count(node, "allocations"), size(node, "reservations")};
      for (const std::string &type : types)
        row.push_back(amount(node, "available", type) + "/" + amount(node, "capacity", type));
      all.add(std::move(row));
    }
    all.print(out);
  });
}

void print_rms(const json::object &result, std::ostream &out) {
  table all({{"RM"},
             {"STATE"},
             {"TRANSPORT"},
             {"POLICY GROUP"},
             {"VERSION"},
             {"REQUESTS", true},
             {"ANSWERS", true},
             {"PARTITIONS", true}});
  for (const json::value &value : result.at("rms").as_array()) {
    const json::object &one = value.as_object();
    all.add({text(one, "id"),
             text(one, "state") + (yes(one, "connected") ? "" : ", lost") + (yes(one, "held") ? ", held" : "") +
                 (yes(one, "throttled") ? ", throttled" : ""),
             text(one, "transport"), text(one, "policy_group"), text(one, "version"), count(one, "waiting_requests"),
             count(one, "waiting_answers"), size(one, "partitions")});
  }
  if (all.empty())
    out << "no resource manager has registered\n";
  else
    all.print(out);
}

void print_explanations(const json::object &result, std::ostream &out) {
  const json::array &all = result.at("explanations").as_array();
  if (all.empty()) out << "nothing of it waits\n";
  bool first = true;
  for (const json::value &value : all) {
    const std::string words = text(value.as_object(), "text");
    out << (first ? "" : "\n") << words << (words.ends_with('\n') ? "" : "\n");
    first = false;
  }
  if (yes(result, "more")) out << "\n... and more of its asks wait\n";
}

void print_modules(const json::object &result, std::ostream &out) {
  table all({{"MODULE"}, {"VERSION"}, {"STATE"}, {"CALLS", true}, {"FAULTS", true}, {"LATE", true}, {"PROVIDES"}});
  for (const json::value &value : result.at("modules").as_array()) {
    const json::object &one = value.as_object();
    std::string provides;
    for (const json::value &each : one.at("provides").as_array())
      provides += (provides.empty() ? "" : ", ") + std::string(each.as_string());
    all.add({text(one, "id"), text(one, "version"), yes(one, "loaded") ? "loaded" : "not used", count(one, "calls"),
             count(one, "faults"), count(one, "overruns"), provides});
  }
  all.print(out);
  const json::array &transports = result.at("transports").as_array();
  if (transports.empty()) return;
  table ways({{"TRANSPORT"}, {"STATE"}, {"FAULTS", true}, {"RESTARTS", true}, {"LAST FAULT"}});
  for (const json::value &value : transports) {
    const json::object &one = value.as_object();
    ways.add({text(one, "module") + " " + text(one, "name"), yes(one, "running") ? "running" : "stopped",
              count(one, "faults"), count(one, "restarts"), or_none(text(one, "words"))});
  }
  out << '\n';
  ways.print(out);
}

void print_reloaded(const json::object &result, std::ostream &out) {
  out << "reloaded\n";
  const json::value *warnings = result.if_contains("warnings");  // of a daemon that has them
  if (warnings == nullptr) return;
  for (const json::value &one : warnings->as_array()) out << "warning: " << one.as_string() << '\n';
}

void print_health(const json::object &result, std::ostream &out) {
  table all({{"CHECK"}, {"STATE"}, {"WORDS"}});
  for (const json::value &value : result.at("checks").as_array()) {
    const json::object &one = value.as_object();
    all.add({text(one, "name"), yes(one, "healthy") ? "healthy" : "unhealthy", text(one, "words")});
  }
  all.print(out);
}

}  // namespace tenon::cli
