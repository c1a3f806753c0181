// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// UTF-8 for the kernel.
#pragma once

#include "tenon/text/utf8.hpp"  // IWYU pragma: export
