/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * Its manifest was sealed for another library.
 * fails: manifest-digest
 * digest: wrong
 */

#include "zoo.h"
