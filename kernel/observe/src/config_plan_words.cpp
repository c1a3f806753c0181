// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include <array>
#include <boost/json.hpp>
#include <charconv>
#include <map>
#include <utility>

#include "plan_words.hpp"
#include "tenon/kernel/quantity.hpp"
#include "tenon/observe/config_plan.hpp"

namespace tenon::observe {
namespace {

namespace json = boost::json;
using how = planned_change::how;

constexpr std::array<std::string_view, static_cast<size_t>(loss_kind::submission) + 1> loss_names{
    "partition", "draining", "over-max", "over-applications", "over-limit", "ask", "submission"};
constexpr std::array<std::string_view, 3> change_names{"added", "changed", "removed"};
constexpr uint64_t most_asks_in_words = 3;
constexpr std::array<char, 3> signs{'+', '~', '-'};

void put_detail(std::string &out, const planned_change::detail &one, how what) {
  out += "      " + one.key + ' ';
  if (what == how::added)
    out += one.to;
  else
    out += (one.from.empty() ? "none" : one.from) + " -> " + (one.to.empty() ? "none" : one.to);
  out += '\n';
}

// Of asks only the first few of each queue.
void put_losses(std::string &out, const std::vector<planned_loss> &losses) {
  if (!losses.empty()) out += "lost\n";
  std::map<std::pair<std::string, std::string>, uint64_t> asks;
  for (const planned_loss &one : losses) {
    if (one.what == loss_kind::ask && ++asks[{one.partition, one.queue}] > most_asks_in_words) continue;
    out += "  ! " + one.text + '\n';
  }
  for (const auto &[where, count] : asks) {
    if (count <= most_asks_in_words) continue;
    out += "  ! and " + counted(count - most_asks_in_words, "such ask") + " in queue " + where.second + " of " +
           where.first + '\n';
  }
}

std::string of_whom(const submission &one) { return one.user + (one.queue.empty() ? "" : " to " + one.queue); }

json::object json_of(const submission &one) {
  json::object tags;
  for (const auto &[key, value] : one.tags) tags[key] = value;
  return {{"partition", one.partition},
          {"queue", one.queue},
          {"user", one.user},
          {"groups", json::array(one.groups.begin(), one.groups.end())},
          {"tags", std::move(tags)}};
}

}  // namespace

std::string_view name(loss_kind what) { return loss_names[static_cast<size_t>(what)]; }

std::string amounts_text(const amount_map &amounts) {
  std::string out;
  for (const auto &[type, amount] : amounts)
    out += (out.empty() ? "" : ", ") + type + ": " + format_quantity(type, amount);
  return "{" + out + "}";
}

std::string duration_text(int64_t ms) {
  if (ms != 0 && ms % 3'600'000 == 0) return std::to_string(ms / 3'600'000) + "h";
  if (ms != 0 && ms % 60'000 == 0) return std::to_string(ms / 60'000) + "m";
  if (ms % 1'000 == 0) return std::to_string(ms / 1'000) + "s";
  return std::to_string(ms) + "ms";
}

std::string weight_text(double weight) {
  std::array<char, 32> out{};
  const auto end = std::to_chars(out.data(), out.data() + out.size(), weight);
  return {out.data(), end.ptr};
}

std::string counted(uint64_t count, std::string_view one) {
  return std::to_string(count) + ' ' + std::string(one) + (count == 1 ? "" : "s");
}

std::string in_words(const config_plan &of) {
  std::string out;
  if (of.is_empty()) return "nothing changes\n";
  if (!of.refused.empty()) out += "would be refused: " + of.refused + '\n';
  std::string partition;
  std::array<uint64_t, 3> counts{};
  for (const planned_change &one : of.changes) {
    ++counts[static_cast<size_t>(one.what)];
    if (one.partition != partition) out += "partition " + one.partition + '\n';
    partition = one.partition;
    out += std::string("  ") + signs[static_cast<size_t>(one.what)] + ' ' + one.object + '\n';
    for (const auto &detail : one.details) put_detail(out, detail, one.what);
  }
  put_losses(out, of.losses);
  if (!of.moves.empty()) out += "new applications go elsewhere\n";
  for (const planned_move &one : of.moves) {
    out += "  > from " + one.from + " to " + one.to + ": " + counted(one.count, "kind") + " of " +
           std::to_string(of.submissions) + " that were tried, as " + of_whom(one.one) + '\n';
  }
  if (of.submissions_left_out != 0)
    out += "not tried: " + counted(of.submissions_left_out, "other kind") + " of applications\n";
  out += "in all: " + std::to_string(counts[0]) + " added, " + std::to_string(counts[1]) + " changed, " +
         std::to_string(counts[2]) + " removed; " + std::to_string(of.losses.size()) + " lost" +
         (of.refused.empty() ? "" : "; would be refused") + '\n';
  return out;
}

json::object plan_json(const config_plan &of) {
  json::array changes, losses, moves;
  for (const planned_change &one : of.changes) {
    json::array details;
    for (const auto &detail : one.details) {
      const auto text = [](const std::string &from) { return from.empty() ? json::value(nullptr) : json::value(from); };
      details.push_back(json::object{{"key", detail.key}, {"from", text(detail.from)}, {"to", text(detail.to)}});
    }
    changes.push_back(json::object{{"change", change_names[static_cast<size_t>(one.what)]},
                                   {"partition", one.partition},
                                   {"object", one.object},
                                   {"details", std::move(details)}});
  }
  for (const planned_loss &one : of.losses) {
    losses.push_back(json::object{{"kind", name(one.what)},
                                  {"partition", one.partition},
                                  {"queue", one.queue},
                                  {"subject", one.subject},
                                  {"group", one.group},
                                  {"resource", one.resource},
                                  {"has", one.has},
                                  {"may", one.may},
                                  {"count", one.count},
                                  {"text", one.text}});
  }
  for (const planned_move &one : of.moves) {
    moves.push_back(
        json::object{{"from", one.from}, {"to", one.to}, {"count", one.count}, {"application", json_of(one.one)}});
  }
  return {{"rm", of.rm},
          {"refused", of.refused.empty() ? json::value(nullptr) : json::value(of.refused)},
          {"changes", std::move(changes)},
          {"losses", std::move(losses)},
          {"moves", std::move(moves)},
          {"submissions", of.submissions},
          {"submissions_left_out", of.submissions_left_out},
          {"text", in_words(of)}};
}

}  // namespace tenon::observe
