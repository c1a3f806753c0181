// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "configuration_page.hpp"

#include "spec_tables.hpp"
#include "tenon/config/queues_spec.hpp"

namespace tenon::config {

namespace {

constexpr std::string_view introduction = R"(# Configuration: queues.yaml

The test `ConfigurationPage` writes this page from the tables in `kernel/config/src/queues_spec.cpp`.

The format is YuniKorn's, and existing files run unchanged. Keys marked *Tenon* are additions. `tenon config check FILE`
says everything that is wrong with a file, each with line, column and a remedy, and warns about what is accepted but
hardly meant; it ends with 0 where the file is accepted and with 2 where it is not, with `--strict` also where it is warned
about. `tenon config schema` prints a JSON Schema for editors.

```yaml
partitions:
- name: default
  placementrules:
  - {name: tag, value: namespace, create: true}
  queues:
  - name: root
    submitacl: '*'
```

This is also what holds where the text is empty or has nothing but remarks; a daemon warns of it at its start, and refuses
to change to such a text from one with content.

## Text

UTF-8, at most 4 MiB, one YAML document. Keys are lower case and exact; an unknown key, a key that is there twice and a
value of a wrong type are refused. A key without a value is as if it were not there. Aliases and merge keys (`<<`) work,
as long as the expanded text has at most 400,000 values and 120 levels. A text is any scalar (`name: 5` is the text 5). A
switch is `true` or `false`, also `yes`, `no`, `on`, `off`, `y`, `n`. Whole numbers may be written as `0x10`, `0o20` (or
`020`), `0b10000` and `1_000`, without quotes.

A Kubernetes ConfigMap is read as it is, and so are the values of a Helm chart: the text under the key `queues.yaml` of one
of the file's maps. A warning says that the rest was not looked at; places count within that text.
)";

constexpr std::string_view grammar = R"(
## Quantities

Digits and one of the suffixes `k M G T P E` (powers of 1000) or `Ki Mi Gi Ti Pi Ei` (powers of 1024), blanks between them
allowed; no sign, decimals or exponent; at most 2^63-1. `vcore` counts thousandths of a core: `2` is 2000, `500m` is 500.
All other types, `memory` included, are taken as they are.

For `max` a type that is not named has no limit, and 0 is none at all; a `max` of nothing but zeros is ignored.

A cluster has the types that its nodes name. A type that looks like one of those that resource managers name (`vcore`,
`memory`, `pods`, `ephemeral-storage`) and is another is warned about: `cpu`, `vcores`, `requests.cpu`, `Memory`.

## Durations

Numbers with units, as Go writes them: `500ms`, `90s`, `1h30m`, `1.5h`. Units are `ns`, `us`, `ms`, `s`, `m`, `h`; `0` needs
none.

## Access lists

`*` for everybody, or users and groups: `user1,user2 group1,group2`, with exactly one space between the lists. Users
alone need no space, groups alone begin with one: `' group1'`. Empty is nobody. Names match exactly. Access to a queue is
access to all queues below it, and who may administer may submit.

Names of users are `[_a-zA-Z][a-zA-Z0-9:#/_.@-]*[$]?`, names of groups `[_a-zA-Z][a-zA-Z0-9:_.-]*`, here as in limits.
Others are ignored with a warning.

A list below a queue that lets everybody in keeps nobody out, and is warned about. So is a blank beside a comma, as in
`alice, bob`: what stands behind the blank are groups.

```yaml
partitions:
- queues:
  - name: root
    adminacl: admin
    queues:
    - {name: open, submitacl: '*'}
    - {name: team, submitacl: 'bob,alice team-a,team-b'}
    - {name: groups-only, submitacl: ' team-a'}
```
)";

constexpr std::string_view rules = R"(
## Limits

Each user in `users` gets the limit for itself; the members of each group in `groups` share one. `*` among users is every
user without a limit of its own in that queue, each for itself; `*` among groups is everybody who is in none of the named
groups, together, and needs a named group before it. A name may be in one limit of a queue only, and `*` comes last.

```yaml
partitions:
- queues:
  - name: root
    submitacl: '*'
    queues:
    - name: shared
      maxapplications: 100
      resources: {max: {memory: 100Gi, vcore: 50}}
      limits:
      - {limit: the team, groups: [team-a], maxresources: {memory: 50Gi}, maxapplications: 20}
      - {limit: all others, users: ['*'], maxresources: {memory: 1Gi}, maxapplications: 2}
```

## Order of applications

`application.sort.policy` of a leaf says which of its applications the next placement goes to. One of which nothing can be
placed now is passed over. Ties go by submission.

| policy | goes first | use it for |
|---|---|---|
| `fifo` | the application that was submitted first | work that should end in the order in which it came, and gangs |
| `fair` | the application that uses least, measured in what the leaf guarantees, type by type; placeholders do not count | several applications that are to run side by side |
| `stateaware` | as `fifo`, but only one application starts at a time: an Accepted one waits while another one is Starting, which is until its second allocation, `timeouts.starting` at most | jobs whose first process asks for the others: else a full queue holds nothing but first ones that wait for each other |

Before any of these goes priority, where `application.sort.priority` is `enabled`.

**Gangs need `fifo` or `stateaware`.** An application with a placeholder ask is refused in a leaf that is `fair`: of two gangs
always the one with less would go first, so that both get a part of their places, hold it, and wait for each other's.

## Placement

Rules are asked in order. A rule gives a queue, nothing (the next one is asked) or an error (the application is refused).
`provided` takes the queue that was submitted, `user` the user's name, `tag` the value of the tag named by `value`, `fixed`
the queue in `value`, where dots separate levels; in names that `user`, `tag` and `provided` give, dots become `_dot_`. The
queue is below `root`, or below the queue that the `parent` rule gives; `value: root.x` is a whole path.

Other rules come from modules, by the names that those say, which may have `-` beside letters, digits and `_`. What `value`
means is theirs; `create`, `filter` and `parent` are as for every rule. [writing-a-policy.md](writing-a-policy.md) has one.

A `filter` with one entry takes it for a regular expression where it has one of `^ $ * + ? ( ) [ { } |`. Expressions are
RE2's, as everywhere in the field, and match anywhere in a name. `\p{..}` and `\C` are not supported. `(?i)` folds all
letters: `(?i)k` is also the sign of Kelvin. An expression has at most 1,000 bytes, groups are nested at most 100 deep, and
its program takes at most 1 MiB.

Where a path is known from `fixed` rules alone it must fit the configured queues: an existing leaf; or a queue that can be
made, with `create: true`, below a queue that says `parent: true`; or, where other rules follow, a queue that says
`parent: true`.

## What is refused

In this order, and all of it in one run. First what is wrong with the text itself, keys and types; then:

1. Partitions: two of one name, letter case ignored; no `queues`; limits of the partition and of `root` that differ.
2. `root` with `resources`.
3. Per queue: an access list with more than two lists; limits (below); a name that is none; two siblings of one name,
   letter case ignored; more than 32 levels.
4. Limits: neither users nor groups; a name that is none or is there twice; a name behind `*`; `*` as the only group;
   neither `maxapplications` nor `maxresources`; `maxresources` of zeros; more than the queue's `maxapplications` or `max`.
5. Resources: a quantity that is none; more guaranteed than max; more max than in the queues above; children that are
   guaranteed more than their parent is, or may use.
6. Placement rules: a name that is none; a filter that is none; a path that does not fit.
7. `nodesortpolicy`, of the partition and of its `canary`: a policy that nothing provides, a weight below 0. A `canary` without
   one and without `predicate`, with both, or with a predicate that nothing provides; one for everybody because it says neither
   `queues` nor `share`; no queue in `queues`; a share above 1000; queues that are no path from `root`; what is not above 0 in
   `back`.
8. `maxapplications` of children above their parent's, or none where the parent has one.
9. Limits of a user or group above those in the queues above, or above those of `*` there; no `maxapplications` where there
   is one above.
10. Rules that cannot be built: `tag` and `fixed` without `value`, `fixed` with a whole path and a parent rule, `recovery`,
    and rules that no module of the deployment provides.
11. A `queuecleanup` of 0, and a `queue.sort.policy` that no module of the deployment provides.

An `application.sort.policy` that nothing provides is `fifo`, with a warning. Other property values that are none are
warned about, and the default holds.

## Differences from YuniKorn

A text that YuniKorn's validator accepts is accepted, but where it would not do what it says:

| refused here | what YuniKorn does |
|---|---|
| a second YAML document, or text that is indented less than what came before | reads the first one and drops the rest silently |
| an access list with two spaces, or spaces at both ends | accepts it and fails when it is activated |
| `tag` and `fixed` rules without value, whole paths with a parent rule, `recovery` | accepts them and fails when they are activated |
| two partitions `[a]x` and `[b]x` | has partitions of several resource managers in one text; here each has its own |
| weights that are not finite, counts of 2^64 | undefined |

| accepted here | what YuniKorn does |
|---|---|
| letter case in paths of `fixed` rules and in names of queues does not matter | compares them exactly in the check, and ignores case when placing |
| the same limits for partition and `root` with quantities written differently | compares them as texts |
| `:`, `#`, `/` in users and `.`, `:` in groups of access lists | ignores such names |
| `filter: {type: Deny}` | accepts it, and treats it as allow |
)";

std::string properties_section() {
  std::string out =
      "\n## Queue properties\n\nKeys of `properties`. Others are kept and shown, and modules may read them. Queues "
      "that "
      "placement rules create\ntake theirs from the child template alone.\n\n"
      "| property | values | default | inherited by children | meaning |\n|---|---|---|---|---|\n";
  for (const property_spec &property : queue_properties()) {
    out += "| `" + std::string(property.name) + "` | " + cell(property.values) + " | " + cell(property.fallback) +
           " | " + std::string(property.inherited) + " | " + (property.tenon_only ? "*Tenon.* " : "") +
           cell(property.summary) + " |\n";
  }
  return out;
}

}  // namespace

std::string configuration_page() {
  std::string out(introduction);
  for (const object_spec *spec : queues_specs()) out += object_section(*spec);
  out += properties_section();
  out += grammar;
  out += rules;
  return out;
}

}  // namespace tenon::config
