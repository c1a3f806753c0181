/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * It calls services that a host may not have.
 * kind: transport
 * fails: transport-refusal-words, transport-stops-twice
 */
#define ZOO_START self->transport = self->rm->size;

#include "zoo.h"
