// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Every row of resource_arithmetic.csv. The kernel knows no absent set of resources, callers decide what one
// means; the rows with null fix what that is for each operation.
#include <gtest/gtest.h>

#include <set>

#include "tables.hpp"
#include "tenon/kernel/resources.hpp"

namespace tenon::tables {
namespace {

namespace json = boost::json;

template <class Operation>
auto united(Operation operation) {  // null is an empty set
  return [operation](const arguments &a) {
    return write_resources(operation(a.res_or_empty(0), a.res_or_empty(1)), a.types());
  };
}

template <class Operation>
auto based(Operation operation) {  // null on the left stays null, on the right it is an empty set
  return [operation](const arguments &a) -> json::value {
    const nullable base = a.res(0);
    return write_resources(base ? nullable(operation(*base, a.res_or_empty(1))) : std::nullopt, a.types());
  };
}

template <class Comparison>
auto compared(Comparison comparison) {
  return [comparison](const arguments &a) -> json::value { return comparison(a.res_or_empty(0), a.res_or_empty(1)); };
}

template <class Property>
auto property(Property test) {
  return [test](const arguments &a) -> json::value { return test(a.res_or_empty(0)); };
}

template <class Operation>
auto counted(Operation operation) {
  return [operation](const arguments &a) -> json::value { return operation(a.integer(0), a.integer(1)); };
}

resources sum(resources a, const resources &b) { return a += b; }
resources difference(resources a, const resources &b) { return a -= b; }

json::value subtract_with_error(const arguments &a) {
  const resources plain = difference(a.res_or_empty(0), a.res_or_empty(1));
  std::set<std::string> negative;
  for_each_type(plain, [&](type_index t, int64_t amount) {
    if (amount < 0) negative.emplace(a.types().name(t));
  });
  EXPECT_EQ(has_negative(plain), !negative.empty());
  std::string text;
  for (const std::string &type : negative) text += (text.empty() ? "" : ", ") + type;
  json::value error;
  if (!negative.empty()) error = json::string("ERR resource quantity less than zero for: " + text);
  const resources cut = sub_eliminate_negative(a.res_or_empty(0), a.res_or_empty(1));
  return json::array{write_resources(cut, a.types()), error};
}

json::value compare_exactly(const arguments &a) { return a.res(0) == a.res(1); }

json::value compare_amounts(const arguments &a) {
  const nullable left = a.res(0), right = a.res(1);
  return left && right ? equal_amounts(*left, *right) : !left && !right;
}

json::value larger_of_both(const arguments &a) {
  const nullable left = a.res(0), right = a.res(1);
  return write_resources(left && right ? component_max(*left, *right) : resources{}, a.types());
}

json::value merged(const arguments &a) {  // null only where both are
  if (!a.res(0) && !a.res(1)) return nullptr;
  return write_resources(merge_if_not_present(a.res_or_empty(0), a.res_or_empty(1)), a.types());
}

json::value times(const arguments &a) { return write_resources(multiply(a.res_or_empty(0), a.integer(1)), a.types()); }

json::value scaled(const arguments &a) {
  return write_resources(multiply_by(a.res_or_empty(0), a.number(1)), a.types());
}

json::value scaled_in_place(const arguments &a) {
  nullable r = a.res(0);
  if (r) {
    for_each_type(resources(*r),
                  [&](type_index t, int64_t amount) { r->set(t, scale_saturating(amount, a.number(1))); });
  }
  return write_resources(r, a.types());
}

json::value pruned(const arguments &a) {
  nullable r = a.res(0);
  if (r) r->prune();
  return write_resources(r, a.types());
}

TEST(ResourceTables, EveryRowOfArithmetic) {
  run_table("resource_arithmetic.csv",
            {
                {"Add", united(sum)},
                {"AddOnlyExisting", based(add_only_existing)},
                {"AddTo", based(sum)},
                {"ComponentWiseMax", larger_of_both},
                {"ComponentWiseMin", united(component_min)},
                {"ComponentWiseMinOnlyExisting", based(component_min_only_existing)},
                {"DeepEquals", compare_exactly},
                {"Equals", compare_amounts},
                {"EqualsOrEmpty", compared(equal_amounts)},
                {"FitIn", compared(fit_in)},
                {"FitInActual", compared(fit_in_actual)},
                {"FitInMaxUndef", compared(fit_in_undefined_unlimited)},
                {"HasNegativeValue", property(has_negative)},
                {"IsEmpty", property([](const resources &r) { return r.empty(); })},
                {"IsZero", property(is_zero)},
                {"MatchAny", compared(match_any_type)},
                {"MergeIfNotPresent", merged},
                {"Multiply", times},
                {"MultiplyBy", scaled},
                {"MultiplyTo", scaled_in_place},
                {"Prune", pruned},
                {"StrictlyGreaterThan", compared(strictly_greater)},
                {"StrictlyGreaterThanOnlyExisting", compared(strictly_greater_only_existing)},
                {"StrictlyGreaterThanOrEquals", compared(strictly_greater_or_equal)},
                {"StrictlyGreaterThanOrEqualsOnlyExisting", compared(strictly_greater_or_equal_only_existing)},
                {"StrictlyGreaterThanZero", property(strictly_greater_than_zero)},
                {"Sub", united(difference)},
                {"SubEliminateNegative", united(sub_eliminate_negative)},
                {"SubErrorNegative", subtract_with_error},
                {"SubFrom", based(difference)},
                {"SubOnlyExisting", based(sub_only_existing)},
                {"TypeMatching", compared(type_matching)},
                {"addVal", counted(add_saturating)},
                {"mulVal", counted(mul_saturating)},
                {"mulValRatio",
                 [](const arguments &a) -> json::value { return scale_saturating(a.integer(0), a.number(1)); }},
                {"subVal", counted(sub_saturating)},
            });
}

}  // namespace
}  // namespace tenon::tables
