// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The checks in somebody's own GoogleTest program: a good module passes, a bad one fails as it does elsewhere.
#include "tenon/conformance/gtest.hpp"

int main(int argc, char **argv) {
  testing::InitGoogleTest(&argc, argv);
  if (argc < 2) return 2;
  tenon::conformance::add_tests(argv[1]);
  return RUN_ALL_TESTS();
}
