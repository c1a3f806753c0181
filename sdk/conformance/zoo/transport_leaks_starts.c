/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * What a start takes is never freed.
 * kind: transport
 * fails: transport-keeps-no-memory
 */
#define ZOO_STATE void *room;
#define ZOO_STARTED self->room = malloc(1000);

#include "zoo.h"
