// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include <iostream>

#include "command_line.hpp"

int main(int argc, char **argv) { return tenon::cli::run_command_line(argc, argv, std::cin, std::cout, std::cerr); }
