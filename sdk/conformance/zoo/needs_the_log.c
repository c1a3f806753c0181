/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * init takes the log for granted.
 * fails: host-without-services
 */
#define ZOO_INIT                                                                                       \
  const tenon_get_service_in zoo_in = {sizeof zoo_in, 0, {TENON_HOST_LOG, sizeof TENON_HOST_LOG - 1}}; \
  tenon_get_service_out zoo_out = {sizeof zoo_out, 0, NULL};                                           \
  const tenon_log_in zoo_line = {sizeof zoo_line, TENON_LOG_INFO, {"hello", 5}};                       \
  self->host->get_service(self->host, &zoo_in, &zoo_out);                                              \
  ((const tenon_host_log *)zoo_out.service)->write(self->host, &zoo_line);

#include "zoo.h"
