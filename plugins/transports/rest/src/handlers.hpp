// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What each route answers. All throw refused where there is nothing to answer.
#pragma once

#include "routes.hpp"

namespace tenon::rest {

answer get_clusters(const context &);
answer get_partitions(const context &);
answer get_queues(const context &);
answer get_queue(const context &);
answer get_nodes(const context &);
answer get_node(const context &);
answer get_queue_applications(const context &);
answer get_queue_applications_by_state(const context &);
answer get_applications_by_state(const context &);
answer get_application(const context &);
answer get_queue_application(const context &);
answer get_users(const context &);
answer get_user(const context &);
answer get_groups(const context &);
answer get_group(const context &);
answer get_placement_rules(const context &);
answer get_config(const context &);
answer post_validate_conf(const context &);
answer get_application_history(const context &);
answer get_container_history(const context &);
answer get_event_batch(const context &);
answer get_health(const context &);
answer get_node_utilizations(const context &);
answer get_metrics(const context &);
answer get_stacks(const context &);
answer get_state_dump(const context &);
answer move_to_stacks(const context &);
answer move_to_state_dump(const context &);
answer get_explanation(const context &);
answer post_what_if(const context &);
answer get_modules(const context &);
answer get_call_shadows(const context &);
answer get_world_shadow(const context &);
answer get_rms(const context &);
answer get_reservations(const context &);
answer get_preemptions(const context &);
answer get_history(const context &);
answer get_queue_history(const context &);
answer get_devices(const context &);
answer get_openapi(const context &);
answer get_page(const context &);
answer get_page_file(const context &);
answer post_config(const context &);
answer post_reload(const context &);
answer post_stop_partition(const context &);
answer post_start_partition(const context &);
answer post_drain_partition(const context &);
answer post_canary_back(const context &);
answer post_canary_again(const context &);
answer post_drain_node(const context &);
answer post_undrain_node(const context &);
answer post_stop_queue(const context &);
answer post_start_queue(const context &);
answer post_kill_application(const context &);
answer post_move_application(const context &);
answer post_recovery_done(const context &);
answer put_log_level(const context &);

// To another path with the same query, with the page that clients show who do not follow.
answer moved_to(unsigned status, std::string_view path, const request &asked);

}  // namespace tenon::rest
