// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The schedulers that the rules are tested on, each ready to be told.
#pragma once

#include <gtest/gtest.h>

#include "oracle/oracle.hpp"

namespace tenon::testing {

template <class Scheduler>
class scheduler_box;

template <>
class scheduler_box<oracle> {
 public:
  oracle *operator->() { return &it_; }

 private:
  oracle it_;
};

using schedulers = ::testing::Types<oracle>;

}  // namespace tenon::testing
