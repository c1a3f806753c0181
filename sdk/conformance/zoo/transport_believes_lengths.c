/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * It listens, and believes the length that a message begins with.
 * kind: transport
 * fails: transport-believes-nobody
 */
#include <netinet/in.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
static void zoo_take(const unsigned char *bytes, size_t length) {
  const uint32_t said =
      (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | (uint32_t)bytes[3];
  char *room = (char *)malloc(16);
  memset(room, 0, length < 4 ? 0 : said);
  free(room);
}
static void *zoo_serves(void *listening) {
  const int from = *(int *)listening;
  unsigned char bytes[4096];
  int connection;
  while ((connection = accept(from, NULL, NULL)) >= 0) {
    const struct timeval second = {0, 20000};
    ssize_t got;
    setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &second, sizeof second);
    got = recv(connection, bytes, sizeof bytes, 0);
    if (got > 0) zoo_take(bytes, (size_t)got);
    close(connection);
  }
  return NULL;
}
#define ZOO_STARTED                                                    \
  {                                                                    \
    struct sockaddr_in any;                                            \
    memset(&any, 0, sizeof any);                                       \
    any.sin_family = AF_INET;                                          \
    any.sin_addr.s_addr = htonl(INADDR_LOOPBACK);                      \
    self->listening = socket(AF_INET, SOCK_STREAM, 0);                 \
    bind(self->listening, (const struct sockaddr *)&any, sizeof any);  \
    listen(self->listening, 64);                                       \
    pthread_create(&self->thread, NULL, zoo_serves, &self->listening); \
  }
#define ZOO_STOP                          \
  if (self->open) {                       \
    shutdown(self->listening, SHUT_RDWR); \
    pthread_join(self->thread, NULL);     \
    close(self->listening);               \
  }

#include "zoo.h"
