// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Types keep their index until nothing names them: then the index may be another type's.
#include <gtest/gtest.h>

#include "tenon/kernel/resources.hpp"

namespace tenon {
namespace {

TEST(ResourceTypes, AForgottenTypeGivesItsIndexToTheNextOne) {
  resource_types types(3);
  types.intern("memory");
  types.intern("gpu");
  types.intern("fpga");
  EXPECT_EQ(types.intern("tpu"), no_type);
  types.keep_only(0b101);
  EXPECT_EQ(types.find("gpu"), no_type);
  EXPECT_EQ(types.intern("tpu"), 1U);
  EXPECT_EQ(types.name(1), "tpu");
  EXPECT_EQ(types.intern("gpu"), no_type);
  EXPECT_EQ(types.count(), 3U);
}

TEST(ResourceTypes, AForgottenTypeThatComesAgainHasItsIndexAgain) {
  resource_types types(3);
  types.intern("memory");
  types.intern("gpu");
  types.keep_only(0);
  EXPECT_EQ(types.intern("gpu"), 1U);
  EXPECT_EQ(types.intern("fpga"), 0U) << "before a new one";
  EXPECT_EQ(types.intern("memory"), 2U);
}

TEST(ResourceTypes, TheVersionSaysWhetherAnIndexIsStillGood) {
  resource_types types;
  types.intern("memory");
  const uint64_t before = types.version();
  types.intern("memory");
  EXPECT_EQ(types.version(), before);
  types.keep_only(0);
  EXPECT_NE(types.version(), before);
}

}  // namespace
}  // namespace tenon
