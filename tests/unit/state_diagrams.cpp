// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Writes docs/state-machines.md to standard output.
#include <iostream>

#include "state_page.hpp"

int main() {
  std::cout << tenon::state_machines_page();
  return std::cout.flush() ? 0 : 1;
}
