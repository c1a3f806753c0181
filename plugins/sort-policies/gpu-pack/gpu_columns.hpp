// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The columns that the policy reads: of the divided type, and of the attribute and tag that say models.
#pragma once

#include <string>
#include <tuple>

#include "seen.hpp"
#include "tenon/sdk/sort_policy.hpp"

namespace gpu_pack_module {

class column_names {
 public:
  explicit column_names(const tenon::sdk::config &settings)
      : type_(settings.text("type", "gpu")), model_(settings.text("model", "si/gpu-model")) {}

  [[nodiscard]] auto columns() const {
    using namespace tenon::sdk;
    constexpr scope context = scope::context;
    return std::tuple{resources_column{"node.free"},
                      numbers_column{devices_},
                      number_column{size_},
                      text_column{node_model_},
                      resources_column{"ask.resources", context},
                      number_column{tagged_, context},
                      numbers_column{"shapes.counts", context},
                      numbers_column{"shapes.amounts", context},
                      texts_column{tags_, context},
                      texts_column{values_, context},
                      numbers_column{totals_, context}};
  }
  [[nodiscard]] const std::string &divided() const { return type_; }

 private:
  std::string type_, model_;
  std::string devices_ = "node.devices:" + type_, size_ = "node.device_size:" + type_,
              node_model_ = "node.attr:" + model_, tagged_ = "ask.devices:" + type_, tags_ = "shapes.tags:" + model_,
              values_ = "groups.values:" + model_, totals_ = "groups.totals:" + model_;
};

// Those of the generation.
generation generation_in(const auto &row) {
  return {row.template get<6>(), row.template get<7>(), row.template get<8>(), row.template get<9>(),
          row.template get<10>()};
}

}  // namespace gpu_pack_module
