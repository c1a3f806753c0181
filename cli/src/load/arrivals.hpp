// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Another load from the asks of one: as many of them as fill the GPUs of its nodes so many times, in an order by
// chance.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "load/load.hpp"
#include "tenon/kernel/refusal.hpp"

namespace tenon::cli {

// Nodes without GPUs go.
void keep_gpu_nodes(load &of);

struct redrawing {
  uint64_t seed = 0;   // the same one gives the same load
  double inflate = 0;  // so many times the GPUs of all nodes are asked for; 0: each ask comes once
};

// All asks go to one queue, in the order of the load. Refused where asks start together.
[[nodiscard]] std::optional<refusal> line_up(load &of);

// The same, in an order by chance. Asks that were drawn again, with replacement, come after those of the load; where
// the load asks for more than is wanted, asks by chance go. Nodes get numbers by chance before their ids, so that
// chance decides, and not the order of a file, where a policy finds nodes equal. Refused where there is nothing to
// inflate, too.
[[nodiscard]] std::optional<refusal> redraw(load &of, const redrawing &how);

// Each ask gets a tag of this key with its own name, as resource managers of Kubernetes send one: no two asks are
// alike. Refused where asks start together, which are alike.
[[nodiscard]] std::optional<refusal> tag_with_names(load &of, const std::string &key);

// What an ask takes of GPUs, and what all nodes have, in thousandths.
[[nodiscard]] int64_t gpus_of(const load &of, const load_ask &ask);
[[nodiscard]] int64_t gpus_of_nodes(const load &of);

}  // namespace tenon::cli
