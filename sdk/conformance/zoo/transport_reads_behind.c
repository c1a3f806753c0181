/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * It reads one answer more than it is given.
 * kind: transport
 * fails: transport-reads-what-is-given
 */
#define ZOO_SLOT self->calls += in->messages[in->message_count] != NULL;

#include "zoo.h"
