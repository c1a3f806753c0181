/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * activate sets the file mask.
 * fails: surroundings-kept
 */
#include <sys/stat.h>
#define ZOO_ACTIVATE umask(0);

#include "zoo.h"
