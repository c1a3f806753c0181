// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace tenon::journal_test {

// The tables of docs/journal.md: every command and every part of one, with its fields.
std::string field_tables();

}  // namespace tenon::journal_test
