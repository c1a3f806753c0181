// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Six orders of nodes with GPUs, as Weng et al., "Beware of Fragmentation" (USENIX ATC 2023), compare them; scores as
// in their simulator. docs/packing.md has what they place.
#include "best_fit.hpp"
#include "clustering.hpp"
#include "dot_product.hpp"
#include "fgd.hpp"
#include "gpu_packing.hpp"
#include "random.hpp"

using namespace tenon::sdk;

TENON_MODULE(node_sort<packing::random>, node_sort<packing::dot_product>, node_sort<packing::clustering>,
             node_sort<packing::gpu_packing>, node_sort<packing::best_fit>, node_sort<packing::fgd>)
