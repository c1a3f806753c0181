// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Lists in pages: `limit`, `cursor` and `fields` of a request, and the body made element by element.
#pragma once

#include <boost/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "answer.hpp"
#include "request.hpp"

namespace tenon::rest {

class page {
 public:
  // Throws refused where a parameter makes no sense. `shape` says which fields there are.
  page(const request &asked, std::string_view shape);

  // Whether an element of a list in this order comes now: after the cursor, and below the limit. `key` is the
  // element's place in the order.
  [[nodiscard]] bool wants(std::string_view key);
  void add(boost::json::object element);
  // Whether answers have this field.
  [[nodiscard]] bool shows(std::string_view field) const;
  [[nodiscard]] bool full() const { return more_; }
  [[nodiscard]] answer take();

 private:
  uint64_t limit_ = UINT64_MAX, count_ = 0;
  std::string cursor_, last_;
  std::vector<std::string> fields_;
  bool more_ = false;
  std::string body_ = "[";
};

// Numbers as texts in the order of the numbers, for keys of pages.
[[nodiscard]] std::string place(uint64_t number);

}  // namespace tenon::rest
