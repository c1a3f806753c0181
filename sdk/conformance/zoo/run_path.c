/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * Looks for libraries where its vendor built it.
 * fails: library-run-path
 * link: -Wl,-rpath,/opt/vendor/lib
 */

#include "zoo.h"
