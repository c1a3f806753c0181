// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "journal_page.hpp"

#include <map>
#include <set>
#include <utility>
#include <variant>

#include "journal/command_fields.hpp"

namespace tenon::journal_test {
namespace {

using namespace tenon::journal;

// What is a part of commands.
template <class T>
constexpr std::string_view part_name = "";
template <>
constexpr std::string_view part_name<named_amount> = "amount";
template <>
constexpr std::string_view part_name<named_text> = "key and value";
template <>
constexpr std::string_view part_name<step_answer> = "answer";
template <>
constexpr std::string_view part_name<policy_fault> = "policy fault";
template <>
constexpr std::string_view part_name<swapped_policy> = "swapped policy";
template <>
constexpr std::string_view part_name<put_ask> = "put_ask";
template <>
constexpr std::string_view part_name<existing_allocation> = "existing allocation";
template <>
constexpr std::string_view part_name<cluster_config> = "configuration";
template <>
constexpr std::string_view part_name<partition_config> = "partition";
template <>
constexpr std::string_view part_name<queue_config> = "queue";
template <>
constexpr std::string_view part_name<limit_config> = "limit";
template <>
constexpr std::string_view part_name<child_template_config> = "child template";
template <>
constexpr std::string_view part_name<placement_rule_config> = "placement rule";
template <>
constexpr std::string_view part_name<placement_filter_config> = "placement filter";
template <>
constexpr std::string_view part_name<canary_config> = "canary";
template <>
constexpr std::string_view part_name<canary_limits> = "limits of a canary";
template <>
constexpr std::string_view part_name<node_sort_config> = "node sort";
template <>
constexpr std::string_view part_name<partition_tuning> = "tuning";

// Makes the table of one struct, and of those that it leads to.
class lister {
 public:
  static constexpr bool writes = true;

  template <class T>
  void table(std::string_view title, const T &of) {
    if (!listed_.insert(std::string(title)).second) return;
    std::string outer = std::exchange(rows_, {});
    fields(*this, of);
    tables_[std::string(title)] = rows_;
    rows_ = std::move(outer);
  }
  [[nodiscard]] std::string table_of(const std::string &title) const {
    const std::string &rows = tables_.at(title);
    return rows.empty() ? "It has no fields.\n" : "| id | field | value | left out where |\n|---|---|---|---|\n" + rows;
  }
  [[nodiscard]] const std::map<std::string, std::string> &tables() const { return tables_; }

  template <class T>
  void operator()(uint32_t id, std::string_view name, const T &x,
                  std::type_identity_t<T> left_out) requires is_number<T> {
    if constexpr (std::is_same_v<T, bool>) {
      row(id, name, kind_of(x), left_out ? "true" : "false");
    } else {
      row(id, name, kind_of(x), number(left_out));
    }
  }
  template <class T>
  void operator()(uint32_t id, std::string_view name, const T &x) {
    row(id, name, kind_of(x), left_out_of<T>());
  }
  template <class T>
  void note(uint32_t id, std::string_view name, const T &x) {
    row(id, name, kind_of(x) + ", a note", left_out_of<T>());
  }

 private:
  template <class T>
  static std::string number(T x) {
    return std::to_string(static_cast<int64_t>(x));
  }
  template <class T>
  static std::string left_out_of() {
    if (std::is_same_v<T, bool>) return "false";
    if (is_number<T>) return "0";
    if (is_config<T>) return "there is none";
    return is_struct<T> ? "all its fields are" : "empty";
  }

  template <class T>
  std::string kind_of(const T &x) {
    if constexpr (std::is_same_v<T, bool>) {
      return "truth";
    } else if constexpr (std::is_enum_v<T>) {
      return "choice, 0 to " + number(last_of<T>);
    } else if constexpr (std::is_integral_v<T>) {
      return (std::is_signed_v<T> ? "zigzag, " : "number, ") + std::to_string(8 * sizeof(T)) + " bits";
    } else if constexpr (std::is_same_v<T, double>) {
      return "double";
    } else if constexpr (is_text<T>) {
      return "text";
    } else if constexpr (is_span<T> || is_vector<T>) {
      using element = std::remove_cv_t<typename T::value_type>;
      return "list of " + kind_of(element{});
    } else if constexpr (is_map<T>) {
      return "map of text to " + kind_of(typename T::mapped_type{});
    } else if constexpr (is_config<T>) {
      return kind_of(cluster_config{});
    } else {
      table(part_name<T>, x);
      return std::string(part_name<T>);
    }
  }

  void row(uint32_t id, std::string_view name, const std::string &kind, const std::string &left_out) {
    rows_ += "| " + std::to_string(id) + " | `" + std::string(name) + "` | " + kind + " | " + left_out + " |\n";
  }

  std::string rows_;
  std::set<std::string> listed_;
  std::map<std::string, std::string> tables_;
};

template <class... Commands>
std::map<uint32_t, std::string> list_commands(lister &of, const std::variant<Commands...> *) {
  (of.table(id_of<Commands>.name, Commands{}), ...);
  return {{id_of<Commands>.number, std::string(id_of<Commands>.name)}...};
}

}  // namespace

std::string field_tables() {
  lister of;
  const auto commands = list_commands(of, static_cast<const command *>(nullptr));
  std::set<std::string> parts;
  for (const auto &[title, rows] : of.tables()) parts.insert(title);

  std::string out;
  for (const auto &[number, name] : commands) {
    parts.erase(name);
    out += "\n### " + std::to_string(number) + ": " + name + "\n\n" + of.table_of(name);
  }
  out += "\n## Parts\n";
  for (const std::string &name : parts) out += "\n### " + name + "\n\n" + of.table_of(name);
  return out;
}

}  // namespace tenon::journal_test
