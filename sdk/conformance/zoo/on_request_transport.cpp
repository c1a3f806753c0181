/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * A transport that misbehaves on request. Where ZOO_RM is set, it enters an RM of that name itself, with a node:
 * there is somebody to deliver to.
 * kind: transport
 */
#define ZOO_MAIN_SLOT "deliver"
#include "on_request.h"
#include "tenon/abi/transport.h"

static void zoo_enter_one(tenon_instance *self);
static void zoo_do_without_local(tenon_instance *self);
#define ZOO_START  \
  zoo_at("start"); \
  zoo_do_without_local(self);
#define ZOO_STARTED zoo_enter_one(self);
#define ZOO_STOP zoo_at("stop");
#include "zoo.h"

// A daemon has no RMs in its process.
static void zoo_do_without_local(tenon_instance *self) {
  const auto nothing = [](const tenon_host *, const tenon_local_port *) -> tenon_status { return TENON_OK; };
  static const tenon_host_local local = {sizeof local, 0, nothing, nothing};
  if (self->local == NULL && getenv("ZOO_RM") != NULL) self->local = &local;
}

static void zoo_enter_one(tenon_instance *self) {
  const char *name = getenv("ZOO_RM");
  if (name == NULL) return;
  static char words[256];
  tenon_message error = {sizeof error, 0};
  error.data = words, error.capacity = sizeof words;
  tenon_rm_registration rm = {};
  rm.size = sizeof rm, rm.type = TENON_RM_REGISTRATION;
  rm.rm = tenon_text{name, strlen(name)};
  rm.version = tenon_text ZOO_TEXT("1");
  rm.policy_group = tenon_text ZOO_TEXT("default");
  tenon_rm_enter_in enter = {};
  enter.size = sizeof enter, enter.transport = self->transport, enter.registration = &rm;
  tenon_rm_enter_out entered = {};
  entered.size = sizeof entered, entered.error = &error;
  if (self->rm->enter(self->host, &enter, &entered) != TENON_OK) return;
  tenon_rm_node node = {};
  node.size = sizeof node, node.type = TENON_RM_NODE;
  node.node = tenon_text ZOO_TEXT("zoo-node");
  node.action = TENON_NODE_CREATE;
  const tenon_rm_message *messages[] = {(const tenon_rm_message *)(const void *)&node};
  tenon_rm_submit_in submit = {};
  submit.size = sizeof submit, submit.session = entered.session, submit.messages = messages, submit.message_count = 1;
  tenon_rm_submit_out taken = {};
  taken.size = sizeof taken, taken.error = &error;
  self->rm->submit(self->host, &submit, &taken);
}
