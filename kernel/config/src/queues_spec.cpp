// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "tenon/config/queues_spec.hpp"

namespace tenon::config {

namespace {

using kind = value_kind;

constexpr std::string_view queue_name_pattern = "^[a-zA-Z0-9_:#/@-]{1,64}$";
constexpr std::string_view rule_name_pattern = "^[_a-zA-Z][a-zA-Z0-9_]*$";
constexpr std::string_view filter_type_pattern = "^([aA][lL][lL][oO][wW]|[dD][eE][nN][yY])?$";

// A key or property that only Tenon has.
template <class Spec>
constexpr Spec own(Spec spec) {
  spec.tenon_only = true;
  return spec;
}

constexpr key_spec between(int32_t least, int32_t most, key_spec spec) {
  spec.least = least;
  spec.most = most;
  return spec;
}

constexpr key_spec matching(std::string_view pattern, key_spec spec) {
  spec.pattern = pattern;
  return spec;
}

// A text in which commas separate names.
constexpr key_spec names(key_spec spec) {
  spec.commas = true;
  return spec;
}

constexpr key_spec file_keys[] = {
    {"partitions", kind::object_list, "Independent clusters, each with its own nodes and its own tree of queues.",
     "a partition `default` with a queue for every namespace, when the text is empty", &partition_spec},
    {"checksum", kind::text, "Ignored: the checksum is computed from the text without it.", "none"},
    own(key_spec{"priorityclasses", kind::integer_map,
                 "Names that asks may give instead of a priority, with the priority each stands for.", "none"}),
};

constexpr key_spec partition_keys[] = {
    {"name", kind::text, "What resource managers and nodes call it. Unique, letter case ignored.", "`default`"},
    {"queues", kind::object_list,
     "The tree of queues. Without a single top queue `root`, one is put above those that are there.",
     "required; may be an empty list", &queue_spec},
    {"placementrules", kind::object_list, "How an application finds its queue: the first rule that gives one wins.",
     "`provided`, without `create`", &placement_rule_spec},
    {"limits", kind::object_list,
     "Limits of users and groups in the whole partition: the same as those of the queue `root`.", "those of `root`",
     &limit_spec},
    {"preemption", kind::object, "Which kinds of preemption happen.", "as its keys say", &preemption_spec},
    {"nodesortpolicy", kind::object, "In which order nodes are tried.", "as its keys say", &node_sort_spec},
    own(key_spec{
        "canary", kind::object,
        "What some applications have before all do: an order of nodes or a predicate, see [canary.md](canary.md).",
        "none", &canary_spec}),
    {"usergroupresolver", kind::object, "Who knows the groups of a user that the resource manager sent without groups.",
     "as its keys say", &user_group_resolver_spec},
    own(key_spec{"reservation", kind::object, "When a node is kept for an ask that fits nowhere else.",
                 "as its keys say", &reservation_spec}),
    own(key_spec{"timeouts", kind::object, "How long things may take.", "as its keys say", &timeouts_spec}),
};

constexpr key_spec queue_keys[] = {
    matching(queue_name_pattern,
             {"name", kind::text,
              "One part of the queue's path: up to 64 letters, digits and `_` `:` `#` `/` `@` `-`. Made lower case; "
              "unique among its siblings.",
              "required"}),
    {"parent", kind::boolean,
     "It may have child queues and takes no applications. Always so for a queue with `queues`.", "`false`"},
    {"resources", kind::object,
     "What the queue is guaranteed and what it may use at most. Not for `root`: that has what the nodes have.",
     "nothing guaranteed, no limit", &resources_spec},
    {"maxapplications", kind::count,
     "How many applications may run at once. Where a parent has a limit its children need one, not larger.",
     "`0`: no limit"},
    {"properties", kind::text_map, "Policies and other settings by name, see [Queue properties](#queue-properties).",
     "none"},
    names({"adminacl", kind::text,
           "Who administers the queue, see [Access lists](#access-lists). An administrator may submit, too.",
           "nobody but those of the queues above"}),
    names({"submitacl", kind::text, "Who may submit applications to the queue, see [Access lists](#access-lists).",
           "nobody but those of the queues above"}),
    {"childtemplate", kind::object, "What leaf queues get that placement rules create below this queue.",
     "that of the nearest queue above that has one", &child_template_spec},
    {"queues", kind::object_list, "Child queues.", "none", &queue_spec},
    {"limits", kind::object_list, "Limits of users and groups in this queue and below, see [Limits](#limits).", "none",
     &limit_spec},
};

constexpr key_spec resources_keys[] = {
    {"guaranteed", kind::quantity_map,
     "What the queue gets back by preemption. No more than `max`; the sum over siblings fits the parent's.",
     "no guarantee for types that are not named"},
    {"max", kind::quantity_map,
     "What all of the queue may use at most. No more than the parent's. 0 is none at all, but a `max` of "
     "nothing but zeros is ignored.",
     "no limit for types that are not named"},
};

constexpr key_spec child_template_keys[] = {
    {"maxapplications", kind::count, "As `maxapplications` of a queue.", "`0`: no limit"},
    {"properties", kind::text_map, "As `properties` of a queue.", "none"},
    {"resources", kind::object, "As `resources` of a queue. All zeros count as absent.", "nothing guaranteed, no limit",
     &resources_spec},
};

constexpr key_spec limit_keys[] = {
    {"limit", kind::text, "A description.", "none"},
    {"users", kind::text_list,
     "Users who each get this limit. `*`, behind all others, is every user without a limit of its own.", "none"},
    {"groups", kind::text_list,
     "Groups whose members share this limit. `*`, behind all others, is everybody in none of them, together.", "none"},
    {"maxresources", kind::quantity_map,
     "What may be used at most. No more than `max` of the queue, and no more than above for the same name.",
     "no limit for types that are not named"},
    {"maxapplications", kind::count, "How many applications may run at once. Not more than the queue's.",
     "`0`: no limit"},
};

constexpr key_spec placement_rule_keys[] = {
    matching(
        rule_name_pattern,
        {"name", kind::text,
         "`provided`, `user`, `fixed`, `tag`, or one that a module provides. Letter case is ignored.", "required"}),
    {"create", kind::boolean, "Create the queue where it does not exist; else the rule gives nothing then.", "`false`"},
    {"filter", kind::object, "Whom the rule is for.", "everybody", &placement_filter_spec},
    {"parent", kind::object, "The rule that gives the queue above. Not beside a `fixed` value that starts with `root`.",
     "`root`", &placement_rule_spec},
    {"value", kind::text, "`fixed`: the queue. `tag`: the name of the tag whose value is the queue. Both need it.",
     "none"},
};

constexpr key_spec placement_filter_keys[] = {
    matching(filter_type_pattern,
             {"type", kind::text,
              "`allow`: only for those who are listed. `deny`: for all others. Letter case is ignored.", "`allow`"}),
    {"users", kind::text_list,
     "One entry: a user, or a regular expression (RE2 syntax) where it has one of `^ $ * + ? ( ) [ { } |`. "
     "Several entries: users.",
     "none"},
    {"groups", kind::text_list, "The same for the groups of the user.", "none"},
};

constexpr key_spec preemption_keys[] = {
    {"enabled", kind::boolean, "Asks of queues below their guarantee may take back from queues above theirs.",
     "`true`"},
    {"quotapreemptionenabled", kind::boolean,
     "A queue whose `max` was lowered below its usage is brought down by preemption.", "`false`"},
    own(key_spec{"retry", kind::duration,
                 "How long an ask whose preemption came to nothing waits before it tries again.", "`15s`"}),
    own(key_spec{
        "max_steps", kind::count,
        "How many allocations one search for victims looks at. After so many it begins with no further node. 0: "
        "any number.",
        "`10000`"}),
};

constexpr key_spec node_sort_keys[] = {
    {"type", kind::text,
     "`fair` (least used first), `binpacking` (most used first), `device-packing` (devices filled up), `gpu-pack` "
     "(devices kept usable for the asks that come), or one that a module provides. Exactly so. An application may "
     "have another one for its asks, by its tag "
     "`tenon/node-sort`.",
     "`fair`"},
    {"resourceweights", kind::number_map,
     "How much each resource type counts, from 0. Types that are not named do not count.", "`vcore: 1`, `memory: 1`"},
};

constexpr key_spec canary_back_keys[] = {
    between(1, 100, {"faults", kind::integer, "With so many faults of its policy, 1 to 100.", "`1`"}),
    between(1, 1000000,
            {"placements", kind::integer, "So many placements are looked at together, 1 to 1000000.", "`100`"}),
    {"waitingp99", kind::duration, "Where more than one in 100 of its placements waited longer.", "no bound"},
    between(1, 1000000,
            {"waitingfactor", kind::integer,
             "Where its placements waited more than so many thousandths of what others did, on average; 1 to 1000000.",
             "no bound"}),
};

constexpr key_spec canary_keys[] = {
    {"nodesortpolicy", kind::object, "The order of nodes that its applications have. Its `type` is written out.",
     "none: one of these two is required", &node_sort_spec},
    {"predicate", kind::text,
     "The predicate that is asked about its applications alone, besides those of the deployment.", "none"},
    {"queues", kind::text_list, "Full paths: it is for applications of these queues and of all below them.",
     "all queues"},
    between(0, 1000,
            {"share", kind::integer,
             "How many of 1,000 of these applications have it, 0 to 1000. Needed where `queues` are not written.",
             "`1000`"}),
    {"salt", kind::text, "A word that goes into the draw: with another one other applications have it.", "empty"},
    {"back", kind::object, "When it goes back by itself.", "as its keys say", &canary_back_spec},
};

constexpr key_spec user_group_resolver_keys[] = {
    {"type", kind::text,
     "Empty or `none` (the user's only group is its name), `os`, or one that a module of the deployment provides. "
     "One that nobody provides is refused.",
     "empty"},
};

constexpr key_spec reservation_keys[] = {
    {"enabled", kind::boolean, "Nodes are reserved at all.", "`true`"},
    {"delay", kind::duration, "How long an ask waits before a node is reserved for it.", "`2s`"},
    {"wait", kind::duration, "How long a reservation is kept without success.", "`1h`"},
    {"queue_delay", kind::duration,
     "How long the first ask of a leaf that a max keeps waiting lets others pass; then it keeps the order, as "
     "with the property `queue.strict`. 0: for ever.",
     "`0`"},
    {"backfill", kind::boolean, "Others may use a reserved node as long as that does not make the reserved ask later.",
     "`false`"},
    {"max_nodes", kind::count, "How many nodes may be reserved for one application at a time. 0: any number.",
     "10 % of the nodes, at least one"},
};

constexpr key_spec timeouts_keys[] = {
    {"starting", kind::duration,
     "From the first allocation until an application counts as Running without a second one.", "`5m`"},
    {"completing", kind::duration, "From the last allocation until an application is Completed.", "`30s`"},
    {"terminated", kind::duration, "How long ended applications can be looked up.", "`72h`"},
    {"placeholder", kind::duration, "How long placeholders of a gang are held where the application does not say it.",
     "`15m`"},
    {"queuecleanup", kind::duration, "How often empty queues that nobody configured are looked for. Longer than 0.",
     "`10s`"},
    {"drain", kind::duration, "How long applications of a partition that is not configured any more may go on.",
     "`20s`"},
    {"releaseconfirm", kind::duration,
     "After which time a release that the resource manager has not confirmed is reported, as an event and "
     "by health. Its place stays taken.",
     "`10m`"},
    {"startretry", kind::duration,
     "How long an ask waits for a node after a start failed there, twice as long after each further one. 0: "
     "not at all.",
     "`1s`"},
    {"startretrymax", kind::duration, "The longest time that an ask waits for a node after starts failed there.",
     "`5m`"},
};

constexpr std::string_view switch_text[] = {"enabled", "disabled"};
constexpr std::string_view gang_start_text[] = {"piecewise", "whole"};
constexpr std::string_view truth_text[] = {"true", "false"};
constexpr std::string_view priority_text[] = {"default", "fence"};
constexpr std::string_view preemption_text[] = {"default", "fence", "disabled", "intra"};

using property = property_spec::value;

constexpr property_spec properties[] = {
    {"application.sort.policy", property::policy, "`fifo`, `fair`, `stateaware`, or one that a module provides",
     "`fifo`", "yes", "The order of applications in a leaf queue. An unknown policy is `fifo`."},
    {"application.sort.priority", property::choice, "`enabled`, `disabled`", "`enabled`", "yes",
     "Whether priority counts before everything else, among applications and among child queues.", switch_text},
    {"application.unschedasks.backoff", property::count, "whole number", "`0`: off", "yes",
     "Taken for the field's sake, without effect: an ask that found no node is not tried again before "
     "something changes."},
    {"application.unschedasks.backoff.delay", property::delay, "duration", "`30s`", "yes",
     "Without effect, as the one above."},
    {"priority.policy", property::choice, "`default`, `fence`", "`default`", "no",
     "`fence`: priorities inside do not count outside; the queue's own is `priority.offset`.", priority_text},
    {"priority.offset", property::int32, "whole number", "`0`", "no",
     "Added to the priorities inside, or the queue's priority where it is a fence."},
    {"preemption.policy", property::choices,
     "`default`, `fence`, `disabled`, `intra`; several with commas: `fence,intra`", "`default`", "only `disabled`",
     "`fence`: asks inside take no victims outside. `disabled`: nothing inside is a victim. `intra` (Tenon's "
     "own): victims of lower priority in the same queue.",
     preemption_text},
    {"preemption.delay", property::delay, "duration", "`30s`", "yes", "How long an ask waits before it preempts."},
    {"quota.preemption.delay", property::delay, "duration", "`0`: off", "yes",
     "How long after `max` was lowered the queue is brought down."},
    own(property_spec{
        "gang.start", property::choice, "`whole`, `piecewise`", "`whole` for hard gangs, `piecewise` for soft ones",
        "yes",
        "`whole`: no placeholder of a gang is placed before all of them fit at once, and what is guaranteed is taken "
        "back for all of them or for none. `piecewise`: each as soon as it fits. An application may say it with the "
        "tag "
        "`tenon/gang-start`.",
        gang_start_text}),
    own(property_spec{
        "queue.strict", property::choice, "`true`, `false`", "`false`", "yes",
        "A leaf keeps the order of its asks: while the max of a queue keeps the first one waiting, nothing behind "
        "it takes any of the types that it lacks there.",
        truth_text}),
    own(property_spec{"queue.sort.policy", property::policy, "`fair`, `priority`, or one that a module provides",
                      "`fair`", "yes", "The order of the child queues of a parent queue."}),
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
