// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Prints the tables of docs/modules.md.
#include <iostream>

#include "modules_tables.hpp"

int main() { std::cout << tenon::host::modules_tables(); }
