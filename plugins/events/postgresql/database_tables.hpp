// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The tables in the database, who may write to them, and how older ones become today's.
#pragma once

#include <string>

#include "connection.hpp"

namespace tenon::events_postgresql {

// Makes this connection the only writer to the schema, which is made where it is not there, with tables of today's
// version. Throws database_error; a schema that another process writes to, or of a later version, is such an error.
void take_over(connection &db, const std::string &schema);

}  // namespace tenon::events_postgresql
