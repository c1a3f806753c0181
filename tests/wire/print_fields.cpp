// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Prints the tables of docs/interface.md.
#include <iostream>

#include "tenon/wire/codec.hpp"

int main() { std::cout << tenon::wire::fields_page(); }
