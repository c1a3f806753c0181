// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Configurations made from a manifest's schema: the usual one, random ones, and other spellings of one.
#pragma once

#include <boost/json/value.hpp>
#include <optional>
#include <string>
#include <vector>

#include "probe_table.hpp"
#include "tenon/host/module_manifest.hpp"

namespace tenon::conformance {

// The schema's defaults, and something for what it requires without one. Fails the check where nothing fits.
std::string usual_configuration(const host::module_manifest &manifest);

// Random configurations that the schema accepts, as a host would hand them over.
std::vector<std::string> random_configurations(const host::module_manifest &manifest, size_t count, dice &d);

// The one that its schema gives in `x-away`, by which a source of groups cannot be asked; nothing: it gives none.
std::optional<std::string> away_configuration(const host::module_manifest &manifest);

// What the module needs of the world, as its schema says in `x-outside`; empty: nothing.
std::string outside_of(const host::module_manifest &manifest);

// The same value in other words: order of keys, blanks, escapes.
std::string respelled(const std::string &configuration, dice &d);

// Names that the module may look for in tags and attributes: from its schemas, its columns, and the texts in its
// library.
std::vector<std::string> vocabulary_of(const host::module_manifest &manifest,
                                       const std::vector<column_declared> &columns);

}  // namespace tenon::conformance
