// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "ctl/details.hpp"

#include <boost/json.hpp>
#include <ostream>

#include "ctl/answer_fields.hpp"
#include "run/text_table.hpp"

namespace tenon::cli {
namespace {

namespace json = boost::json;
using namespace answer_fields;

// With the node where the application is known, and the other way round.
void print_running(const json::array &running, bool of_node, int64_t now_ms, std::ostream &out) {
  if (running.empty()) {
    out << "\nnothing runs\n";
    return;
  }
  table all({{"ALLOCATION"},
             {of_node ? "APPLICATION" : "NODE"},
             {"STATE"},
             {"PRIORITY", true},
             {"AGE", true},
             {"RESOURCES"},
             {"DEVICES"}});
  for (const json::value &value : running) {
    const json::object &one = value.as_object();
    const std::string kind = yes(one, "placeholder") ? ", placeholder" : yes(one, "foreign") ? ", foreign" : "";
    all.add({text(one, "key"), or_none(text(one, of_node ? "application" : "node")), text(one, "state") + kind,
             count(one, "priority"), age(one, "bind_time_ms", now_ms), amounts_text(one, "resources"),
             or_none(text(one, "detail"))});
  }
  out << '\n';
  all.print(out);
}

void print_list(std::string_view title, const json::array &names, std::ostream &out) {
  if (names.empty()) return;
  out << title;
  bool first = true;
  for (const json::value &one : names) {
    out << (first ? " " : ", ") << std::string(one.as_string());
    first = false;
  }
  out << '\n';
}

}  // namespace

void print_node_details(const json::object &node, int64_t now_ms, std::ostream &out) {
  const json::value *running = node.if_contains("running");
  if (running == nullptr) return;
  out << '\n';
  out << "used      " << amounts_text(node, "allocated") << '\n';
  out << "occupied  " << amounts_text(node, "occupied") << '\n';
  for (const auto &one : node.at("attributes").as_object())
    out << "attribute " << std::string(one.key()) << " = " << std::string(one.value().as_string()) << '\n';
  print_list("reserved for", node.at("reservations").as_array(), out);
  print_running(running->as_array(), true, now_ms, out);
}

void print_application_details(const json::object &application, int64_t now_ms, std::ostream &out) {
  const json::value *running = application.if_contains("running");
  if (running == nullptr) return;
  if (const std::string message = text(application, "message"); !message.empty())
    out << "\nmessage " << message << '\n';
  print_list("\nreserved", application.at("reservations").as_array(), out);
  const json::array &asks = application.at("asks").as_array();
  if (!asks.empty()) {
    table all({{"ASK"}, {"WAIT", true}, {"PRIORITY", true}, {"RESOURCES OF EACH"}, {"WAITS FOR"}});
    for (const json::value &value : asks) {
      const json::object &ask = value.as_object();
      const std::string cause = text(ask, "blocker");
      all.add({text(ask, "key") + (yes(ask, "placeholder") ? ", placeholder" : ""), count(ask, "pending_count"),
               count(ask, "priority"), amounts_text(ask, "resources"), cause.empty() ? "its turn" : cause});
    }
    out << '\n';
    all.print(out);
  }
  print_running(running->as_array(), false, now_ms, out);
}

}  // namespace tenon::cli
