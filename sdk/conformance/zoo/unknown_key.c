/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * Its manifest has a key that manifests do not have.
 * fails: manifest-reads
 */

#include "zoo.h"
