// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The tables of the file, and how older files become today's.
#pragma once

#include "database.hpp"

namespace tenon::events_sqlite {

// The version of files that this module writes; newer files are left alone.
[[nodiscard]] int64_t schema_version();

// Brings the file to today's version, a migration a transaction. Throws database_error; a file of a later version is
// such an error.
void migrate(const database &db);

}  // namespace tenon::events_sqlite
