// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "ctl/tables.hpp"

#include <algorithm>
#include <boost/json.hpp>
#include <ostream>
#include <string>

#include "ctl/answer_fields.hpp"
#include "ctl/details.hpp"
#include "run/shadow_words.hpp"
#include "run/text_table.hpp"

namespace tenon::cli {
namespace {

namespace json = boost::json;
using namespace answer_fields;

// Null: there is none.
const json::object *canary_of(const json::object &partition) {
  const json::value *found = partition.if_contains("canary");
  return found == nullptr ? nullptr : found->if_object();
}

// In a line: a canary, and how it stands; nothing where there is none.
void put_canary(const json::object &partition, std::ostream &out) {
  const json::object *found = canary_of(partition);
  if (found == nullptr) return;
  const json::object &canary = *found;
  out << "canary " << (text(canary, "kind") == "predicate" ? "predicate " : "") << text(canary, "policy");
  for (const json::value &path : canary.at("queues").as_array()) out << ", " << path.as_string().c_str();
  out << ", " << count(canary, "share") << " of 1000"
      << (yes(canary, "active") ? std::string() : ", went back: " + text(canary, "why")) << '\n';
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
        << ", used " << amounts_text(partition, "used") << " of " << amounts_text(partition, "capacity") << '\n';
    first = false;
    put_canary(partition, out);
    const json::array &items = partition.at(key).as_array();
    if (items.empty())
      out << none << '\n';
    else
      print(partition, items);
  }
  if (yes(result, "more")) out << "... and more: --limit\n";
}

// Of the bounds on what an RM keeps, those that are in its way.
std::string beyond(const json::object &bounds) {
  std::string out;
  for (const auto &[what, one] : bounds)
    if (yes(one.as_object(), "reached")) out += ", no more " + std::string(what);
  return out;
}

int64_t refused(const json::object &bounds) {
  int64_t out = 0;
  for (const auto &[what, one] : bounds) out += number(one.as_object(), "refused");
  return out;
}

}  // namespace

void print_queues(const json::object &result, std::ostream &out) {
  in_partitions(result, "queues", "no queue", out, [&](const json::object &, const json::array &items) {
    const auto types = types_of(items, {"allocated", "guaranteed", "max", "pending"});
    std::vector<column> columns{{"QUEUE"}, {"STATE"}, {"APPS", true}};
    for (const std::string &type : types) columns.push_back({title(type, "used/guar/max"), true});
    columns.push_back({"PENDING"});
    table all(std::move(columns));
    for (const json::value &item : items) {
      const json::object &queue = item.as_object();
      const std::string path = text(queue, "path");
      const int64_t most = number(queue, "max_running_apps");
      std::vector<std::string> row{
          std::string(2 * static_cast<size_t>(std::count(path.begin(), path.end(), '.')), ' ') + path,
          text(queue, "state"), count(queue, "running_apps") + (most == 0 ? "" : "/" + std::to_string(most))};
      for (const std::string &type : types)
        row.push_back(used(queue, "allocated", type) + "/" + set(queue, "guaranteed", type) + "/" +
                      set(queue, "max", type));
      row.push_back(amounts_text(queue, "pending"));
      all.add(std::move(row));
    }
    all.print(out);
    out << "APPS counts applications that are Starting or Running, or hold placeholders; behind / the most that may\n";
  });
}

// Who is of the canary, and who is not.
static void print_sides(const json::object &canary, std::ostream &out) {
  const bool of_predicate = text(canary, "kind") == "predicate";
  table all({{of_predicate ? "PREDICATE" : "ORDER OF NODES"},
             {"APPLICATIONS", true},
             {"PLACED", true},
             {"AVERAGE WAIT", true}});
  for (const auto &[key, title] : {std::pair{"canary", of_predicate ? "asked" : "the canary's"},
                                   {"others", of_predicate ? "not asked" : "the partition's"}}) {
    const json::object &side = canary.at(key).as_object();
    const int64_t placed = number(side, "placed");
    all.add({title, count(side, "applications"), count(side, "placed"),
             placed == 0 ? std::string("-") : std::to_string(number(side, "waited_ms") / placed) + " ms"});
  }
  all.print(out);
}

static void print_limits(const json::object &canary, std::ostream &out) {
  const json::object &back = canary.at("back").as_object();
  const int64_t p99 = number(back, "waiting_p99_ms"), factor = number(back, "waiting_factor");
  out << "faults " << count(canary, "faults") << ", back with " << count(back, "faults");
  if (p99 != 0) out << ", or where 1 in 100 waits longer than " << p99 << " ms";
  if (factor != 0) out << ", or where it waits " << factor << " thousandths of the others";
  if (p99 != 0 || factor != 0) out << ", of " << count(back, "placements") << " placements";
  out << '\n';
}

void print_canaries(const json::object &result, std::ostream &out) {
  const json::array &partitions = result.at("partitions").as_array();
  if (partitions.empty()) out << "no partition: no resource manager has registered\n";
  bool first = true;
  for (const json::value &value : partitions) {
    const json::object &partition = value.as_object();
    out << (first ? "" : "\n") << "partition " << text(partition, "name") << ", nodes by "
        << text(partition, "node_sort_policy") << '\n';
    first = false;
    const json::object *canary = canary_of(partition);
    if (canary == nullptr) {
      out << "no canary\n";
      continue;
    }
    put_canary(partition, out);
    print_limits(*canary, out);
    print_sides(*canary, out);
  }
}

void print_applications(const json::object &result, std::ostream &out) {
  const int64_t now_ms = number(result, "now_ms");
  in_partitions(
      result, "applications", "no application", out, [&](const json::object &partition, const json::array &items) {
        const bool ended = items.front().as_object().at("finished_ms").to_number<int64_t>() != 0;
        const std::string hold = ended ? std::string() : text_or_nothing(partition, "held_by");
        table all({{"APPLICATION"},
                   {"QUEUE"},
                   {"USER"},
                   {"STATE"},
                   {"RUN", true},
                   {"WAIT", true},
                   {"AGE", true},
                   {"ALLOCATED"},
                   {"PENDING"},
                   {ended ? "WHY" : "WAITS FOR"}});
        for (const json::value &item : items) {
          const json::object &one = item.as_object();
          all.add({text(one, "id"), text(one, "queue"), text(one, "user"), text(one, "state"),
                   count(one, "allocation_count"), std::to_string(waiting(one)), age(one, "submitted_ms", now_ms),
                   amounts_text(one, "allocated"), amounts_text(one, "pending"),
                   or_none(ended ? text(one, "message") : waits_for(one, hold))});
        }
        all.print(out);
        for (const json::value &item : items) print_application_details(item.as_object(), now_ms, out);
      });
}

void print_nodes(const json::object &result, std::ostream &out) {
  const int64_t now_ms = number(result, "now_ms");
  in_partitions(result, "nodes", "no node", out, [&](const json::object &, const json::array &items) {
    const auto types = types_of(items, {"capacity"});
    const bool divided = std::any_of(items.begin(), items.end(), [](const json::value &item) {
      return !item.as_object().at("devices").as_object().empty();
    });
    std::vector<column> columns{{"NODE"}, {"STATE"}, {"ALLOCATIONS", true}, {"RESERVED", true}};
    for (const std::string &type : types) columns.push_back({title(type, "free/all"), true});
    if (divided) columns.push_back({"DEVICES, FREE OF EACH"});
    table all(std::move(columns));
    for (const json::value &item : items) {
      const json::object &node = item.as_object();
      std::vector<std::string> row{text(node, "id"), yes(node, "schedulable") ? "schedulable" : "draining",
                                   count(node, "allocation_count"), size(node, "reservations")};
      for (const std::string &type : types) {
        const bool has = node.at("capacity").as_object().contains(type);
        row.push_back(has ? used(node, "available", type) + "/" + set(node, "capacity", type) : "-");
      }
      if (divided) row.push_back(or_none(devices(node)));
      all.add(std::move(row));
    }
    all.print(out);
    for (const json::value &item : items) print_node_details(item.as_object(), now_ms, out);
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
             {"ASKS", true},
             {"MEMORY", true},
             {"REFUSED", true},
             {"PARTITIONS", true}});
  for (const json::value &value : result.at("rms").as_array()) {
    const json::object &one = value.as_object();
    const json::object &bounds = one.at("bounds").as_object();
    all.add({text(one, "id"),
             text(one, "state") + (yes(one, "connected") ? "" : ", lost") + (yes(one, "held") ? ", held" : "") +
                 (yes(one, "throttled") ? ", throttled" : "") + beyond(bounds),
             text(one, "transport"), text(one, "policy_group"), text(one, "version"), count(one, "waiting_requests"),
             count(one, "waiting_answers"), count(bounds.at("asks").as_object(), "kept"),
             std::to_string(number(bounds.at("bytes").as_object(), "kept") >> 20) + "Mi",
             std::to_string(refused(bounds)), size(one, "partitions")});
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
    const std::string explained = text(value.as_object(), "text");
    out << (first ? "" : "\n") << explained << (explained.ends_with('\n') ? "" : "\n");
    first = false;
  }
  if (yes(result, "more")) out << "\n... and more of its asks wait\n";
}

// "loaded", or what it does not return from.
static std::string state_of_module(const json::object &module) {
  if (!text_or_nothing(module, "quarantine").empty()) return "in quarantine";
  const json::value *fallback = module.if_contains("fallback");
  std::string out = fallback != nullptr && fallback->as_bool() ? "fallback"
                    : yes(module, "loaded")                    ? "loaded"
                                                               : "not used";
  const json::value *calls = module.if_contains("long_calls");  // a daemon of before has none
  if (calls == nullptr) return out;
  for (const json::value &value : calls->as_array()) {
    const json::object &one = value.as_object();
    out += ", in " + text(one, "slot") + " for " + std::to_string(number(one, "lasts_ms")) + " ms";
  }
  return out;
}

static void print_transports(const json::array &transports, std::ostream &out) {
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

void print_modules(const json::object &result, std::ostream &out) {
  table all({{"MODULE"}, {"VERSION"}, {"STATE"}, {"CALLS", true}, {"FAULTS", true}, {"LATE", true}, {"PROVIDES"}});
  for (const json::value &value : result.at("modules").as_array()) {
    const json::object &one = value.as_object();
    std::string provides;
    for (const json::value &each : one.at("provides").as_array())
      provides += (provides.empty() ? "" : ", ") + std::string(each.as_string());
    all.add({text(one, "id"), text(one, "version"), state_of_module(one), count(one, "calls"), count(one, "faults"),
             count(one, "overruns"), provides});
  }
  all.print(out);
  for (const json::value &value : result.at("modules").as_array())
    if (const std::string why = text_or_nothing(value.as_object(), "quarantine"); !why.empty())
      out << '\n' << text(value.as_object(), "id") << ' ' << why << '\n';
  for (const json::value &value : result.at("modules").as_array()) {
    const json::object &one = value.as_object();
    if (state_of_module(one).starts_with("fallback"))
      out << '\n'
          << text(one, "id") << " failed, and a built-in order decides in its place until `tenon ctl modules restore "
          << text(one, "id") << "`\n";
  }
  print_transports(result.at("transports").as_array(), out);
  const json::value *shadows = result.if_contains("shadows");  // a daemon of before has none
  if (shadows == nullptr || shadows->as_array().empty()) return;
  out << '\n';
  print_shadows(shadows->as_array(), out);
}

void print_health(const json::object &result, std::ostream &out) {
  table all({{"CHECK"}, {"STATE"}, {"WORDS"}});
  for (const json::value &value : result.at("checks").as_array()) {
    const json::object &one = value.as_object();
    const std::string state = text_or_nothing(one, "state");
    all.add({text(one, "name"),
             !state.empty()        ? state
             : yes(one, "healthy") ? "healthy"
                                   : "unhealthy",
             or_none(text(one, "words"))});
  }
  all.print(out);
}

void print_check(const json::object &result, std::ostream &out) {
  const json::array &wrong = result.at("wrong").as_array();
  for (const json::value &one : wrong) out << "wrong: " << std::string_view(one.as_string()) << '\n';
  if (wrong.empty()) out << "The books are right: ";
  const auto counted = [&](const char *key, const char *one) {
    const int64_t count = number(result, key);
    return std::to_string(count) + " " + (count == 1 ? one : key);
  };
  out << counted("partitions", "partition") << ", " << counted("nodes", "node") << ", "
      << counted("applications", "application") << ", " << counted("asks", "ask") << " and "
      << counted("allocations", "allocation") << " were looked at.\n";
  if (!wrong.empty()) out << "Save the state with `tenon ctl snapshot` and report it. A restart rebuilds the books.\n";
}

}  // namespace tenon::cli
