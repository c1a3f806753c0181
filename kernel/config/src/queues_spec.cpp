// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "tenon/config/queues_spec.hpp"

namespace tenon::config {

namespace {

using kind = value_kind;

constexpr std::string_view queue_name_pattern = "^[a-zA-Z0-9_:#/@-]{1,64}$";
constexpr std::string_view rule_name_pattern = "^[_a-zA-Z][a-zA-Z0-9_]*$";
constexpr std::string_view filter_type_pattern = "^([aA][lL][lL][oO][wW]|[dD][eE][nN][yY])?$";

constexpr key_spec file_keys[] = {
    {.key = "partitions",
     .kind = kind::object_list,
     .summary = "Independent clusters, each with its own nodes and its own tree of queues.",
     .fallback = "a partition `default` with a queue for every namespace, when the text is empty",
     .object = &partition_spec},
    {.key = "checksum",
     .kind = kind::text,
     .summary = "Ignored: the checksum is computed from the text without it.",
     .fallback = "none"},
    {.key = "priorityclasses",
     .kind = kind::integer_map,
     .summary = "Names that asks may give instead of a priority, with the priority each stands for.",
     .fallback = "none",
     .tenon_only = true},
};

constexpr key_spec partition_keys[] = {
    {.key = "name",
     .kind = kind::text,
     .summary = "What resource managers and nodes call it. Unique, letter case ignored.",
     .fallback = "`default`"},
    {.key = "queues",
     .kind = kind::object_list,
     .summary = "The tree of queues. Without a single top queue `root`, one is put above those that are there.",
     .fallback = "required; may be an empty list",
     .object = &queue_spec},
    {.key = "placementrules",
     .kind = kind::object_list,
     .summary = "How an application finds its queue: the first rule that gives one wins.",
     .fallback = "`provided`, without `create`",
     .object = &placement_rule_spec},
    {.key = "limits",
     .kind = kind::object_list,
     .summary = "Limits of users and groups in the whole partition: the same as those of the queue `root`.",
     .fallback = "those of `root`",
     .object = &limit_spec},
    {.key = "preemption",
     .kind = kind::object,
     .summary = "Which kinds of preemption happen.",
     .fallback = "as its keys say",
     .object = &preemption_spec},
    {.key = "nodesortpolicy",
     .kind = kind::object,
     .summary = "In which order nodes are tried.",
     .fallback = "as its keys say",
     .object = &node_sort_spec},
    {.key = "canary",
     .kind = kind::object,
     .summary =
         "What some applications have before all do: an order of nodes or a predicate, see [canary.md](canary.md).",
     .fallback = "none",
     .object = &canary_spec,
     .tenon_only = true},
    {.key = "usergroupresolver",
     .kind = kind::object,
     .summary = "Who knows the groups of a user that the resource manager sent without groups.",
     .fallback = "as its keys say",
     .object = &user_group_resolver_spec},
    {.key = "reservation",
     .kind = kind::object,
     .summary = "When a node is kept for an ask that fits nowhere else.",
     .fallback = "as its keys say",
     .object = &reservation_spec,
     .tenon_only = true},
    {.key = "timeouts",
     .kind = kind::object,
     .summary = "How long things may take.",
     .fallback = "as its keys say",
     .object = &timeouts_spec,
     .tenon_only = true},
};

constexpr key_spec queue_keys[] = {
    {.key = "name",
     .kind = kind::text,
     .summary = "One part of the queue's path: up to 64 letters, digits and `_` `:` `#` `/` `@` `-`. Made lower case; "
                "unique among its siblings.",
     .fallback = "required",
     .pattern = queue_name_pattern},
    {.key = "parent",
     .kind = kind::boolean,
     .summary = "It may have child queues and takes no applications. Always so for a queue with `queues`.",
     .fallback = "`false`"},
    {.key = "resources",
     .kind = kind::object,
     .summary =
         "What the queue is guaranteed and what it may use at most. Not for `root`: that has what the nodes have.",
     .fallback = "nothing guaranteed, no limit",
     .object = &resources_spec},
    {.key = "maxapplications",
     .kind = kind::count,
     .summary = "How many applications may run at once. Where a parent has a limit its children need one, not larger.",
     .fallback = "`0`: no limit"},
    {.key = "properties",
     .kind = kind::text_map,
     .summary = "Policies and other settings by name, see [Queue properties](#queue-properties).",
     .fallback = "none"},
    {.key = "adminacl",
     .kind = kind::text,
     .summary = "Who administers the queue, see [Access lists](#access-lists). An administrator may submit, too.",
     .fallback = "nobody but those of the queues above"},
    {.key = "submitacl",
     .kind = kind::text,
     .summary = "Who may submit applications to the queue, see [Access lists](#access-lists).",
     .fallback = "nobody but those of the queues above"},
    {.key = "childtemplate",
     .kind = kind::object,
     .summary = "What leaf queues get that placement rules create below this queue.",
     .fallback = "that of the nearest queue above that has one",
     .object = &child_template_spec},
    {.key = "queues", .kind = kind::object_list, .summary = "Child queues.", .fallback = "none", .object = &queue_spec},
    {.key = "limits",
     .kind = kind::object_list,
     .summary = "Limits of users and groups in this queue and below, see [Limits](#limits).",
     .fallback = "none",
     .object = &limit_spec},
};

constexpr key_spec resources_keys[] = {
    {.key = "guaranteed",
     .kind = kind::quantity_map,
     .summary = "What the queue gets back by preemption. No more than `max`; the sum over siblings fits the parent's.",
     .fallback = "no guarantee for types that are not named"},
    {.key = "max",
     .kind = kind::quantity_map,
     .summary = "What all of the queue may use at most. No more than the parent's. 0 is none at all, but a `max` of "
                "nothing but zeros is ignored.",
     .fallback = "no limit for types that are not named"},
};

constexpr key_spec child_template_keys[] = {
    {.key = "maxapplications",
     .kind = kind::count,
     .summary = "As `maxapplications` of a queue.",
     .fallback = "`0`: no limit"},
    {.key = "properties", .kind = kind::text_map, .summary = "As `properties` of a queue.", .fallback = "none"},
    {.key = "resources",
     .kind = kind::object,
     .summary = "As `resources` of a queue. All zeros count as absent.",
     .fallback = "nothing guaranteed, no limit",
     .object = &resources_spec},
};

constexpr key_spec limit_keys[] = {
    {.key = "limit", .kind = kind::text, .summary = "A description.", .fallback = "none"},
    {.key = "users",
     .kind = kind::text_list,
     .summary = "Users who each get this limit. `*`, behind all others, is every user without a limit of its own.",
     .fallback = "none"},
    {.key = "groups",
     .kind = kind::text_list,
     .summary =
         "Groups whose members share this limit. `*`, behind all others, is everybody in none of them, together.",
     .fallback = "none"},
    {.key = "maxresources",
     .kind = kind::quantity_map,
     .summary = "What may be used at most. No more than `max` of the queue, and no more than above for the same name.",
     .fallback = "no limit for types that are not named"},
    {.key = "maxapplications",
     .kind = kind::count,
     .summary = "How many applications may run at once. Not more than the queue's.",
     .fallback = "`0`: no limit"},
};

constexpr key_spec placement_rule_keys[] = {
    {.key = "name",
     .kind = kind::text,
     .summary = "`provided`, `user`, `fixed`, `tag`, or one that a module provides. Letter case is ignored.",
     .fallback = "required",
     .pattern = rule_name_pattern},
    {.key = "create",
     .kind = kind::boolean,
     .summary = "Create the queue where it does not exist; else the rule gives nothing then.",
     .fallback = "`false`"},
    {.key = "filter",
     .kind = kind::object,
     .summary = "Whom the rule is for.",
     .fallback = "everybody",
     .object = &placement_filter_spec},
    {.key = "parent",
     .kind = kind::object,
     .summary = "The rule that gives the queue above. Not beside a `fixed` value that starts with `root`.",
     .fallback = "`root`",
     .object = &placement_rule_spec},
    {.key = "value",
     .kind = kind::text,
     .summary = "`fixed`: the queue. `tag`: the name of the tag whose value is the queue. Both need it.",
     .fallback = "none"},
};

constexpr key_spec placement_filter_keys[] = {
    {.key = "type",
     .kind = kind::text,
     .summary = "`allow`: only for those who are listed. `deny`: for all others. Letter case is ignored.",
     .fallback = "`allow`",
     .pattern = filter_type_pattern},
    {.key = "users",
     .kind = kind::text_list,
     .summary = "One entry: a user, or a regular expression (RE2 syntax) where it has one of `^ $ * + ? ( ) [ { } |`. "
                "Several entries: users.",
     .fallback = "none"},
    {.key = "groups", .kind = kind::text_list, .summary = "The same for the groups of the user.", .fallback = "none"},
};

constexpr key_spec preemption_keys[] = {
    {.key = "enabled",
     .kind = kind::boolean,
     .summary = "Asks of queues below their guarantee may take back from queues above theirs.",
     .fallback = "`true`"},
    {.key = "quotapreemptionenabled",
     .kind = kind::boolean,
     .summary = "A queue whose `max` was lowered below its usage is brought down by preemption.",
     .fallback = "`false`"},
    {.key = "retry",
     .kind = kind::duration,
     .summary = "How long an ask whose preemption came to nothing waits before it tries again.",
     .fallback = "`15s`",
     .tenon_only = true},
    {.key = "max_steps",
     .kind = kind::count,
     .summary =
         "How many allocations one search for victims looks at. After so many it begins with no further node. 0: "
         "any number.",
     .fallback = "`10000`",
     .tenon_only = true},
};

constexpr key_spec node_sort_keys[] = {
    {.key = "type",
     .kind = kind::text,
     .summary =
         "`fair` (least used first), `binpacking` (most used first), `device-packing` (devices filled up), `gpu-pack` "
         "(devices kept usable for the asks that come), or one that a module provides. Exactly so. An application may "
         "have another one for its asks, by its tag "
         "`tenon/node-sort`.",
     .fallback = "`fair`"},
    {.key = "resourceweights",
     .kind = kind::number_map,
     .summary = "How much each resource type counts, from 0. Types that are not named do not count.",
     .fallback = "`vcore: 1`, `memory: 1`"},
};

constexpr key_spec canary_back_keys[] = {
    {.key = "faults",
     .kind = kind::integer,
     .summary = "With so many faults of its policy, 1 to 100.",
     .fallback = "`1`"},
    {.key = "placements",
     .kind = kind::integer,
     .summary = "So many placements are looked at together, 1 to 1000000.",
     .fallback = "`100`"},
    {.key = "waitingp99",
     .kind = kind::duration,
     .summary = "Where more than one in 100 of its placements waited longer.",
     .fallback = "no bound"},
    {.key = "waitingfactor",
     .kind = kind::integer,
     .summary =
         "Where its placements waited more than so many thousandths of what others did, on average; 1 to 1000000.",
     .fallback = "no bound"},
};

constexpr key_spec canary_keys[] = {
    {.key = "nodesortpolicy",
     .kind = kind::object,
     .summary = "The order of nodes that its applications have. Its `type` is written out.",
     .fallback = "none: one of these two is required",
     .object = &node_sort_spec},
    {.key = "predicate",
     .kind = kind::text,
     .summary = "The predicate that is asked about its applications alone, besides those of the deployment.",
     .fallback = "none"},
    {.key = "queues",
     .kind = kind::text_list,
     .summary = "Full paths: it is for applications of these queues and of all below them.",
     .fallback = "all queues"},
    {.key = "share",
     .kind = kind::integer,
     .summary = "How many of 1,000 of these applications have it, 0 to 1000. Needed where `queues` are not written.",
     .fallback = "`1000`"},
    {.key = "salt",
     .kind = kind::text,
     .summary = "A word that goes into the draw: with another one other applications have it.",
     .fallback = "empty"},
    {.key = "back",
     .kind = kind::object,
     .summary = "When it goes back by itself.",
     .fallback = "as its keys say",
     .object = &canary_back_spec},
};

constexpr key_spec user_group_resolver_keys[] = {
    {.key = "type",
     .kind = kind::text,
     .summary =
         "Empty or `none` (the user's only group is its name), `os`, or one that a module of the deployment provides. "
         "One that nobody provides is refused.",
     .fallback = "empty"},
};

constexpr key_spec reservation_keys[] = {
    {.key = "enabled", .kind = kind::boolean, .summary = "Nodes are reserved at all.", .fallback = "`true`"},
    {.key = "delay",
     .kind = kind::duration,
     .summary = "How long an ask waits before a node is reserved for it.",
     .fallback = "`2s`"},
    {.key = "wait",
     .kind = kind::duration,
     .summary = "How long a reservation is kept without success.",
     .fallback = "`1h`"},
    {.key = "queue_delay",
     .kind = kind::duration,
     .summary =
         "How long the first ask of a leaf that a max keeps waiting lets others pass; then it keeps the order, as "
         "with the property `queue.strict`. 0: for ever.",
     .fallback = "`0`"},
    {.key = "backfill",
     .kind = kind::boolean,
     .summary = "Others may use a reserved node as long as that does not make the reserved ask later.",
     .fallback = "`false`"},
    {.key = "max_nodes",
     .kind = kind::count,
     .summary = "How many nodes may be reserved for one application at a time. 0: any number.",
     .fallback = "10 % of the nodes, at least one"},
};

constexpr key_spec timeouts_keys[] = {
    {.key = "starting",
     .kind = kind::duration,
     .summary = "From the first allocation until an application counts as Running without a second one.",
     .fallback = "`5m`"},
    {.key = "completing",
     .kind = kind::duration,
     .summary = "From the last allocation until an application is Completed.",
     .fallback = "`30s`"},
    {.key = "terminated",
     .kind = kind::duration,
     .summary = "How long ended applications can be looked up.",
     .fallback = "`72h`"},
    {.key = "placeholder",
     .kind = kind::duration,
     .summary = "How long placeholders of a gang are held where the application does not say it.",
     .fallback = "`15m`"},
    {.key = "queuecleanup",
     .kind = kind::duration,
     .summary = "How often empty queues that nobody configured are looked for. Longer than 0.",
     .fallback = "`10s`"},
    {.key = "drain",
     .kind = kind::duration,
     .summary = "How long applications of a partition that is not configured any more may go on.",
     .fallback = "`20s`"},
    {.key = "releaseconfirm",
     .kind = kind::duration,
     .summary = "After which time a release that the resource manager has not confirmed is reported, as an event and "
                "by health. Its place stays taken.",
     .fallback = "`10m`"},
    {.key = "startretry",
     .kind = kind::duration,
     .summary = "How long an ask waits for a node after a start failed there, twice as long after each further one. 0: "
                "not at all.",
     .fallback = "`1s`"},
    {.key = "startretrymax",
     .kind = kind::duration,
     .summary = "The longest time that an ask waits for a node after starts failed there.",
     .fallback = "`5m`"},
};

constexpr std::string_view switch_text[] = {"enabled", "disabled"};
constexpr std::string_view gang_start_text[] = {"piecewise", "whole"};
constexpr std::string_view truth_text[] = {"true", "false"};
constexpr std::string_view priority_text[] = {"default", "fence"};
constexpr std::string_view preemption_text[] = {"default", "fence", "disabled", "intra"};

constexpr property_spec properties[] = {
    {.name = "application.sort.policy",
     .kind = property_spec::value::policy,
     .values = "`fifo`, `fair`, `stateaware`, or one that a module provides",
     .fallback = "`fifo`",
     .inherited = "yes",
     .summary = "The order of applications in a leaf queue. An unknown policy is `fifo`."},
    {.name = "application.sort.priority",
     .kind = property_spec::value::choice,
     .values = "`enabled`, `disabled`",
     .fallback = "`enabled`",
     .inherited = "yes",
     .summary = "Whether priority counts before everything else, among applications and among child queues.",
     .allowed = switch_text},
    {.name = "application.unschedasks.backoff",
     .kind = property_spec::value::count,
     .values = "whole number",
     .fallback = "`0`: off",
     .inherited = "yes",
     .summary = "Taken for the field's sake, without effect: an ask that found no node is not tried again before "
                "something changes."},
    {.name = "application.unschedasks.backoff.delay",
     .kind = property_spec::value::delay,
     .values = "duration",
     .fallback = "`30s`",
     .inherited = "yes",
     .summary = "Without effect, as the one above."},
    {.name = "priority.policy",
     .kind = property_spec::value::choice,
     .values = "`default`, `fence`",
     .fallback = "`default`",
     .inherited = "no",
     .summary = "`fence`: priorities inside do not count outside; the queue's own is `priority.offset`.",
     .allowed = priority_text},
    {.name = "priority.offset",
     .kind = property_spec::value::int32,
     .values = "whole number",
     .fallback = "`0`",
     .inherited = "no",
     .summary = "Added to the priorities inside, or the queue's priority where it is a fence."},
    {.name = "preemption.policy",
     .kind = property_spec::value::choices,
     .values = "`default`, `fence`, `disabled`, `intra`; several with commas: `fence,intra`",
     .fallback = "`default`",
     .inherited = "only `disabled`",
     .summary =
         "`fence`: asks inside take no victims outside. `disabled`: nothing inside is a victim. `intra` (Tenon's "
         "own): victims of lower priority in the same queue.",
     .allowed = preemption_text},
    {.name = "preemption.delay",
     .kind = property_spec::value::delay,
     .values = "duration",
     .fallback = "`30s`",
     .inherited = "yes",
     .summary = "How long an ask waits before it preempts."},
    {.name = "quota.preemption.delay",
     .kind = property_spec::value::delay,
     .values = "duration",
     .fallback = "`0`: off",
     .inherited = "yes",
     .summary = "How long after `max` was lowered the queue is brought down."},
    {.name = "gang.start",
     .kind = property_spec::value::choice,
     .values = "`whole`, `piecewise`",
     .fallback = "`whole` for hard gangs, `piecewise` for soft ones",
     .inherited = "yes",
     .summary =
         "`whole`: no placeholder of a gang is placed before all of them fit at once, and what is guaranteed is taken "
         "back for all of them or for none. `piecewise`: each as soon as it fits. An application may say it with the "
         "tag "
         "`tenon/gang-start`.",
     .allowed = gang_start_text,
     .tenon_only = true},
    {.name = "queue.strict",
     .kind = property_spec::value::choice,
     .values = "`true`, `false`",
     .fallback = "`false`",
     .inherited = "yes",
     .summary =
         "A leaf keeps the order of its asks: while the max of a queue keeps the first one waiting, nothing behind "
         "it takes any of the types that it lacks there.",
     .allowed = truth_text,
     .tenon_only = true},
    {.name = "queue.sort.policy",
     .kind = property_spec::value::policy,
     .values = "`fair`, `priority`, or one that a module provides",
     .fallback = "`fair`",
     .inherited = "yes",
     .summary = "The order of the child queues of a parent queue.",
     .tenon_only = true},
};

}  // namespace

constexpr object_spec queues_file_spec{"queues file", "The top of the text.", file_keys};
constexpr object_spec partition_spec{"partition", "An entry of `partitions`.", partition_keys};
constexpr object_spec queue_spec{"queue", "An entry of `queues`.", queue_keys};
constexpr object_spec resources_spec{"resources map", "`resources` of a queue or of a template.", resources_keys};
constexpr object_spec child_template_spec{"child template", "`childtemplate` of a queue.", child_template_keys};
constexpr object_spec limit_spec{"limit", "An entry of `limits`, of a queue or of a partition.", limit_keys};
constexpr object_spec placement_rule_spec{"placement rule", "An entry of `placementrules`, or its `parent`.",
                                          placement_rule_keys};
constexpr object_spec placement_filter_spec{"filter", "`filter` of a placement rule.", placement_filter_keys};
constexpr object_spec preemption_spec{"preemption map", "`preemption` of a partition.", preemption_keys};
constexpr object_spec node_sort_spec{"node sort policy", "`nodesortpolicy` of a partition.", node_sort_keys};
constexpr object_spec canary_spec{"canary map", "`canary` of a partition.", canary_keys};
constexpr object_spec canary_back_spec{"canary back map", "`back` of a canary.", canary_back_keys};
constexpr object_spec user_group_resolver_spec{"user group resolver", "`usergroupresolver` of a partition.",
                                               user_group_resolver_keys};
constexpr object_spec reservation_spec{"reservation map", "`reservation` of a partition.", reservation_keys};
constexpr object_spec timeouts_spec{"timeouts map", "`timeouts` of a partition, as durations: `90s`, `1h30m`.",
                                    timeouts_keys};

std::span<const object_spec *const> queues_specs() {
  static constexpr const object_spec *all[] = {
      &queues_file_spec,         &partition_spec,   &queue_spec,          &resources_spec,
      &child_template_spec,      &limit_spec,       &placement_rule_spec, &placement_filter_spec,
      &node_sort_spec,           &canary_spec,      &canary_back_spec,    &preemption_spec,
      &user_group_resolver_spec, &reservation_spec, &timeouts_spec};
  return all;
}

std::span<const property_spec> queue_properties() { return properties; }

}  // namespace tenon::config
