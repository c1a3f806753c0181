/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * The scheduler does not learn that a connection broke.
 * kind: transport
 * client: yes
 * fails: transport-tells-losses
 */
#include <stdio.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#define ZOO_SOCKET
#define ZOO_LOST

#include "zoo.h"
