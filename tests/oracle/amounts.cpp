// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "amounts.hpp"

#include <algorithm>

#include "tenon/kernel/messages.hpp"
#include "tenon/kernel/resources.hpp"

namespace tenon::naive {

amount_map to_map(amounts from) {
  amount_map out;
  for (const named_amount &item : from) out[std::string(item.type)] = item.amount;
  return out;
}

std::vector<std::string> names_in(std::initializer_list<amounts> all) {
  std::vector<std::string> out;
  for (const amounts &one : all) {
    for (const named_amount &item : one) {
      if (item.amount > 0) out.emplace_back(item.type);
    }
  }
  return out;
}

int64_t amount_of(const amount_map &from, const std::string &type) {
  const auto found = from.find(type);
  return found == from.end() ? 0 : found->second;
}

void add(amount_map &to, const amount_map &what) {
  for (const auto &[type, amount] : what) to[type] = add_saturating(amount_of(to, type), amount);
}

void subtract(amount_map &from, const amount_map &what) {
  for (const auto &[type, amount] : what) from[type] = sub_saturating(amount_of(from, type), amount);
}

amount_map times(const amount_map &what, int64_t factor) {
  amount_map out;
  for (const auto &[type, amount] : what) out[type] = mul_saturating(amount, factor);
  return out;
}

amount_map without_zeros(amount_map what) {
  std::erase_if(what, [](const auto &item) { return item.second == 0; });
  return what;
}

bool all_zero(const amount_map &what) {
  return std::all_of(what.begin(), what.end(), [](const auto &item) { return item.second == 0; });
}

bool any_positive(const amount_map &what) {
  return std::any_of(what.begin(), what.end(), [](const auto &item) { return item.second > 0; });
}

const named_amount *first_negative(amounts what) {
  for (const named_amount &item : what) {
    if (item.amount < 0) return &item;
  }
  return nullptr;
}

std::string problem_of_amounts(std::initializer_list<amounts> all) {
  for (const amounts &one : all) {
    for (const named_amount &item : one) {
      if (item.amount < 0) return messages::negative_amount(item.type, item.amount);
      if (item.amount > largest_sum) return messages::amount_too_large(item.type, item.amount);
    }
  }
  return {};
}

std::string problem_of_size(amounts what) {
  for (const named_amount &item : what) {
    if (item.amount > largest_sum) return messages::amount_too_large(item.type, item.amount);
  }
  return {};
}

void add(wide_map &to, const amount_map &what, int64_t times) {
  for (const auto &[type, amount] : what) to[type] += wide{amount} * times;
}

std::string problem_of_sum(const wide_map &counted, const amount_map &more, int64_t times) {
  for (const auto &[type, amount] : more) {
    const auto found = counted.find(type);
    const wide there = found == counted.end() ? 0 : found->second;
    const wide comes = wide{amount} * times;  // nothing that comes is never too much, whatever is there
    if (comes > 0 && there + comes > largest_sum) {
      return messages::sum_too_large(type, amount, times, static_cast<int64_t>(there));
    }
  }
  return {};
}

bool same_amounts(const amount_map &a, const amount_map &b) { return without_zeros(a) == without_zeros(b); }

bool fits(const amount_map &available, const amount_map &ask) {
  return std::all_of(ask.begin(), ask.end(), [&](const auto &item) {
    return item.second <= std::max<int64_t>(0, amount_of(available, item.first));
  });
}

bool fits_limit(const amount_map &max, const amount_map &used, const amount_map &ask) {
  return std::all_of(ask.begin(), ask.end(), [&](const auto &item) {
    const auto limit = max.find(item.first);
    if (limit == max.end()) return true;
    return item.second <= std::max<int64_t>(0, sub_saturating(limit->second, amount_of(used, item.first)));
  });
}

}  // namespace tenon::naive
