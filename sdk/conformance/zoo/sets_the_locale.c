/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * The instance's init sets the locale.
 * fails: state-kept
 */
#include <locale.h>
#define ZOO_INIT setlocale(LC_ALL, "C.UTF-8");

#include "zoo.h"
