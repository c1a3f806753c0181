/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * deliver waits until an RM has read.
 * kind: transport
 * client: yes
 * fails: transport-waits-for-nobody
 */
#include <stdio.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#define ZOO_SOCKET
#define ZOO_SEND_FLAGS MSG_NOSIGNAL

#include "zoo.h"
