// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Prints docs/configuration.md.
#include <iostream>

#include "configuration_page.hpp"

int main() { std::cout << tenon::config::configuration_page(); }
