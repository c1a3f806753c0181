// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include <iostream>

#include "checks_table.hpp"

int main() { std::cout << tenon::conformance::checks_table(); }
