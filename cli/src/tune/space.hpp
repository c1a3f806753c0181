// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Which configurations of a module are tried: for some of its keys the values that they take, each with each.
// docs/tune.md has the format.
#pragma once

#include <boost/json/object.hpp>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tenon/config/problems.hpp"
#include "tenon/host/module_configuration.hpp"

namespace tenon::cli {

inline constexpr size_t most_points = 1000;

struct dimension {
  std::vector<std::string> path;           // of keys, from the module's configuration down
  std::vector<boost::json::value> values;  // different ones

  [[nodiscard]] std::string name() const;  // "resourceweights.vcore"
};

class search_space {
 public:
  // `schema` is that of the module's configuration, `usual` the one that holds where a space says nothing, complete.
  // Nothing, with reasons in `report`, where a key or value is none that the schema has, or there are too many points.
  [[nodiscard]] static std::optional<search_space> read(std::string_view text, const boost::json::object &schema,
                                                        const boost::json::object &usual, config::problems &report);

  [[nodiscard]] const std::vector<dimension> &dimensions() const { return dimensions_; }
  [[nodiscard]] size_t size() const;
  // The values of a point, one for each dimension; those of the last one change first.
  [[nodiscard]] std::vector<boost::json::value> values_of(size_t point) const;
  // The usual configuration's.
  [[nodiscard]] std::vector<boost::json::value> usual_values() const;
  [[nodiscard]] bool is_usual(size_t point) const;
  // What a point says of the module's keys: those that it changes anything of.
  [[nodiscard]] boost::json::object configuration_of(size_t point) const;

 private:
  friend class space_reader;

  boost::json::object usual_;
  std::vector<dimension> dimensions_;
};

// As short as it reads back: 0.3, texts without quotes, and - where there is none.
[[nodiscard]] std::string shown_value(const boost::json::value &value);

}  // namespace tenon::cli
