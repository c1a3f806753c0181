/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * Asks the host of an instance that is gone.
 * fails: host-calls
 */
#include "tenon/abi/module.h"
static const tenon_host *zoo_host;
#define ZOO_DESTROY      \
  zoo_host = self->host; \
  free(self);
#define ZOO_MODULE_DEINIT                                                                              \
  const tenon_get_service_in zoo_in = {sizeof zoo_in, 0, {TENON_HOST_LOG, sizeof TENON_HOST_LOG - 1}}; \
  tenon_get_service_out zoo_out = {sizeof zoo_out, 0, NULL};                                           \
  if (zoo_host != NULL) zoo_host->get_service(zoo_host, &zoo_in, &zoo_out);

#include "zoo.h"
