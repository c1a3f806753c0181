/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * keys throws, with the host's C++ runtime.
 * fails: slots-answer
 */
#include <stdexcept>
#define ZOO_SLOT \
  if (in->item_count != 0) throw std::runtime_error("from keys");

#include "zoo.h"
