/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * A descriptor of it stays open.
 * kind: transport
 * fails: transport-closes-files, transport-keeps-no-memory
 */
#include <sys/socket.h>
#define ZOO_STARTED \
  if (socket(AF_UNIX, SOCK_STREAM, 0) < 0) return TENON_RETRY;

#include "zoo.h"
