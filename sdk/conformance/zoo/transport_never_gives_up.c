/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * What the scheduler does not take keeps its thread for ever.
 * kind: transport
 * client: yes
 * fails: transport-stops-under-load
 */
#include <stdio.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#define ZOO_SOCKET
#define ZOO_GIVES_UP 0

#include "zoo.h"
