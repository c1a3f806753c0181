/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * A good transport with a protocol of its own.
 * kind: transport
 * client: yes
 */
#include <stdio.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#define ZOO_SOCKET

#include "zoo.h"
