// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The schedulers that the rules are tested on, each ready to be told.
#pragma once

#include <gtest/gtest.h>

#include <type_traits>

#include "oracle/features.hpp"
#include "oracle/oracle.hpp"
#include "orders/policies_with_orders.hpp"
#include "tenon/kernel/kernel.hpp"

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

template <>
class scheduler_box<kernel> {
 public:
  kernel *operator->() { return &it_; }

 private:
  policies_with_orders policies_{{{"node-attributes"}}};
  kernel it_{policies_};
};

using schedulers = ::testing::Types<oracle, kernel>;
// Of rules that the kernel may not have yet.
template <bool KernelHasThem>
using schedulers_with = std::conditional_t<KernelHasThem, schedulers, ::testing::Types<oracle>>;

}  // namespace tenon::testing
