/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * Its manifest lists a service of ours that no host has.
 * fails: manifest-services
 */

#include "zoo.h"
