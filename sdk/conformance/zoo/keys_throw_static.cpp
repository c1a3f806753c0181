/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * keys throws, with a C++ runtime of its own.
 * fails: slots-answer
 * link: -static-libstdc++ -static-libgcc -Wl,--exclude-libs,ALL
 */
#include <stdexcept>
#define ZOO_SLOT \
  if (in->item_count != 0) throw std::runtime_error("from keys");

#include "zoo.h"
