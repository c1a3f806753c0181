// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Prints the rows of the table in docs/events.md.
#include <iostream>

#include "tenon/events/trigger.hpp"

int main() { std::cout << tenon::events::trigger_table(); }
