// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Every rule of queues.yaml: a text that keeps it and one that breaks it, with the place and the reason.
#include <gmock/gmock.h>

#include <algorithm>

#include "tenon/config/queues.hpp"

namespace tenon::config {
namespace {

using testing::HasSubstr;

constexpr std::string_view mark = "\xC2\xBB";  // »

struct rule_case {
  std::string name;
  std::string text;    // "»" stands before the place of the reason
  std::string reason;  // empty: accepted
};
void PrintTo(const rule_case &c, std::ostream *out) { *out << c.name; }

// The tree of one partition: `queues` stands below "root", indented by eight.
std::string below_root(const std::string &queues, const std::string &beside_queues = "") {
  return "partitions:\n- name: default\n" + beside_queues + "  queues:\n  - name: root\n    queues:\n" + queues;
}
std::string nested_queues(int levels, const std::string &innermost) {
  std::string out = innermost;
  for (int i = 0; i < levels; ++i) out = "{name: q, queues: [" + out + "]}";
  return out;
}
// Keys of the partition, behind a plain root at lines 3 and 4.
std::string partition(const std::string &keys) {
  return "partitions:\n- name: default\n  queues:\n  - name: root\n" + keys;
}
std::string many_types(int count) {
  std::string out;
  for (int i = 0; i < count; ++i) out += (i == 0 ? "" : ", ") + std::string("t") + std::to_string(i) + ": 1";
  return out;
}
// Keys of the queue root.a, from line 7 on.
std::string queue_a(const std::string &keys) { return below_root("    - name: a\n" + keys); }

std::string rules(const std::string &keys, const std::string &queues = "") {
  return "partitions:\n- name: default\n  queues:\n  - name: root\n    parent: true\n" + queues +
         "  placementrules:\n" + keys;
}
const std::string some_queues =
    "    queues:\n    - name: users\n      parent: true\n    - name: leaf\n    - name: dept\n      queues:\n      - "
    "name: x\n";

const std::vector<rule_case> &structure_cases() {
  static const std::vector<rule_case> cases = {
      {"empty_text", "", ""},
      {"only_a_remark", "# nothing\n", ""},
      {"no_partitions", "partitions: []\n", ""},
      {"null_partitions", "partitions:\n", ""},
      {"top_is_a_list", "»- a\n", "a list; want: a map with the keys of a queues file"},
      {"top_key_unknown", "»partition:\n- name: x\n",
       "unknown key 'partition' in a queues file; want: a key of a queues file; fix: did you mean 'partitions'?"},
      {"keys_are_lower_case", partition("  »NodeSortPolicy: {}\n"), "did you mean 'nodesortpolicy'?"},
      {"partition_key_unknown", partition("  »statedumpfilepath: x\n"),
       "unknown key 'statedumpfilepath' in a partition"},
      {"queue_key_unknown", queue_a("      »maxApplications: 5\n"), "did you mean 'maxapplications'?"},
      {"key_twice", queue_a("      parent: true\n      »parent: true\n"), "the key 'parent' again, first at line 7"},
      {"partitions_is_a_map", "partitions: »{}\n", "a map; want: a list for 'partitions'"},
      {"no_queues", "partitions:\n- »name: default\n", "queue config is not set"},
      {"null_queues", "partitions:\n- »name: default\n  queues:\n", "queue config is not set"},
      {"empty_queues", "partitions:\n- name: default\n  queues: []\n", ""},
      {"partition_without_name", "partitions:\n- queues:\n  - name: root\n", ""},
      {"same_partition_twice", "partitions:\n- name: p\n  queues: []\n- name: »P\n  queues: []\n",
       "duplicate partition name found with name P"},
      {"default_without_name_twice", "partitions:\n- name: Default\n  queues: []\n- »queues: []\n",
       "duplicate partition name found with name default"},
      {"same_partition_of_two_rms", "partitions:\n- name: '[a]p'\n  queues: []\n- name: »'[b]p'\n  queues: []\n",
       "duplicate partition name"},
      {"root_guaranteed", "partitions:\n- queues:\n  - name: root\n    resources:\n      guaranteed: »{memory: 5}\n",
       "root queue must not have resource limits set"},
      {"root_max_empty", "partitions:\n- queues:\n  - name: Root\n    resources: {max: »{}}\n",
       "root queue must not have resource limits set"},
      {"root_max_null", "partitions:\n- queues:\n  - name: root\n    resources: {max: }\n", ""},
      {"partition_limits_and_others",
       partition(
           "    limits:\n    - {users: [a], maxapplications: 1}\n  limits:\n  »- {users: [b], maxapplications: 1}\n"),
       "partition limits and root queue limits are not equivalent"},
      {"partition_limits_and_the_same",
       partition(
           "    limits:\n    - {users: [a], maxapplications: 1}\n  limits:\n  - {users: [a], maxapplications: 1}\n"),
       ""},
      {"too_deep", "partitions:\n- queues: [" + nested_queues(31, "»{name: x}") + "]\n", "at most 32 levels of queues"},
      {"just_deep_enough", "partitions:\n- queues: [" + nested_queues(30, "{name: x}") + "]\n", ""},
  };
  return cases;
}

const std::vector<rule_case> &queue_cases() {
  static const std::vector<rule_case> cases = {
      {"all_letters_of_names", queue_a("    - name: aA0_:#/@-\n"), ""},
      {"name_of_64", below_root("    - name: " + std::string(64, 'n') + "\n"), ""},
      {"name_of_65", below_root("    - name: »" + std::string(65, 'n') + "\n"),
       "invalid queue name, max 64 characters"},
      {"name_with_dot", below_root("    - name: »a.b\n"), "write the queue below its parent"},
      {"name_missing", below_root("    - »parent: true\n"), "give the queue a name"},
      {"name_null", below_root("    - »name:\n"), "invalid queue name"},
      {"name_is_a_number", below_root("    - name: 123\n"), ""},
      {"name_is_a_list", below_root("    - name: »[a]\n"), "a list; want: a text for 'name'"},
      {"same_name_in_other_case", below_root("    - name: a\n    - name: »A\n"),
       "duplicate child name found with name 'A', level 1"},
      {"same_name_below_others",
       below_root("    - name: a\n      queues: [{name: b}]\n    - name: b\n      queues: [{name: a}]\n"), ""},
      {"same_name_deeper", queue_a("      queues:\n      - name: x\n      - name: »x\n"),
       "duplicate child name found with name 'x', level 2"},
      {"two_top_queues", "partitions:\n- queues:\n  - name: root\n  - name: other\n", ""},
      {"top_queue_with_bad_name", "partitions:\n- queues:\n  - name: »a.b\n", "invalid queue name"},
      {"parent_word", queue_a("      parent: Yes\n"), ""},
      {"parent_quoted", queue_a("      parent: »'true'\n"), "the text 'true'; want: true or false for 'parent'"},
      {"parent_number", queue_a("      parent: »1\n"), "want: true or false for 'parent'"},
      {"queues_is_a_map", queue_a("      queues: »{name: b}\n"), "a map; want: a list for 'queues'"},
      {"acl_wildcard", queue_a("      submitacl: '*'\n      adminacl: bob,al dev,ops\n"), ""},
      {"acl_groups_only", queue_a("      submitacl: ' dev'\n"), ""},
      {"acl_three_lists", queue_a("      submitacl: »a b c\n"), "multiple spaces found in ACL: 'a b c'"},
      {"acl_two_spaces", queue_a("      adminacl: »a  b\n"), "multiple spaces found in ACL: 'a  b'"},
      {"acl_unquoted_star", queue_a("      submitacl: *»\n"), "fix: quote it"},
      {"acl_number", queue_a("      submitacl: 5\n"), ""},
      {"maxapplications_hex", queue_a("      maxapplications: 0x10\n"), ""},
      {"maxapplications_negative", queue_a("      maxapplications: »-1\n"),
       "the number '-1'; want: a whole number from 0"},
      {"maxapplications_unlimited", queue_a("      maxapplications: »-1\n"),
       "fix: leave the key out where there is to be no limit"},
      {"maxapplications_quoted", queue_a("      maxapplications: »'5'\n"), "remove the quotes"},
      {"maxapplications_word", queue_a("      maxapplications: »many\n"), "the text 'many'"},
      {"maxapplications_null", queue_a("      maxapplications:\n"), ""},
      {"maxapplications_over_parent",
       queue_a("      maxapplications: 5\n      queues:\n      - name: b\n        maxapplications: »6\n"),
       "parent maxApplications must be larger than child maxApplications"},
      {"maxapplications_as_parent",
       queue_a("      maxapplications: 5\n      queues:\n      - name: b\n        maxapplications: 5\n"), ""},
      {"maxapplications_missing_below_limit", queue_a("      maxapplications: 5\n      queues:\n      - »name: b\n"),
       "maxApplications is either undefined or zero"},
      {"maxapplications_of_root",
       "partitions:\n- queues:\n  - name: root\n    maxapplications: 5\n    queues:\n    - {name: a, maxapplications: »"
       "9}\n",
       "parent maxApplications must be larger"},
      {"properties_of_any_scalar", queue_a("      properties: {a: 1, b: true, c: , d: x}\n"), ""},
      {"property_list", queue_a("      properties: {a: »[x]}\n"), "a list; want: a text for 'a'"},
      {"template_empty_quantity", queue_a("      childtemplate: {resources: {max: {memory: ''}}}\n"), ""},
      {"template_bad_quantity", queue_a("      childtemplate: {resources: {max: {memory: »x}}}\n"),
       "invalid quantity 'x'"},
      {"template_half_empty", queue_a("      childtemplate: {maxapplications: 5, resources: {max: {»memory: }}}\n"),
       "invalid quantity ''"},
      {"template_negative", queue_a("      childtemplate: {maxapplications: »-1}\n"), "whole number from 0"},
  };
  return cases;
}

std::string resources(const std::string &guaranteed, const std::string &max) {
  return "      resources: {guaranteed: {" + guaranteed + "}, max: {" + max + "}}\n";
}
const std::string child = "      queues:\n      - name: b\n        resources: ";

const std::vector<rule_case> &resource_cases() {
  static const std::vector<rule_case> cases = {
      {"quantities", queue_a(resources("vcore: 500m", "memory: 1Gi, vcore: 2, gpu: '10 k', pods: 100")), ""},
      {"quantity_negative", queue_a(resources("memory: »-5", "")), "invalid quantity '-5'"},
      {"quantity_decimal", queue_a(resources("memory: »1.5", "")), "invalid quantity '1.5'"},
      {"quantity_null", queue_a(resources("»memory: ", "")), "invalid quantity ''"},
      {"quantity_exponent", queue_a(resources("memory: »1e3", "")), "invalid quantity '1e3'"},
      {"quantity_decimal_vcore", queue_a(resources("vcore: »0.5", "")), "fix: write 500m"},
      {"quantity_decimal_vcores", queue_a(resources("vcore: »2.25", "")), "fix: write 2250m"},
      {"quantity_decimal_memory", queue_a(resources("memory: »1.5Gi", "")), "fix: write 1536Mi"},
      {"quantity_decimal_decimal", queue_a(resources("memory: »0.5G", "")), "fix: write 500M"},
      {"quantity_decimal_pods", queue_a(resources("pods: »0.5", "")), "fix: write it without sign, decimals"},
      {"quantity_of_bytes", queue_a(resources("memory: »10GB", "")),
       "fix: write 10Gi, or 10G where thousands are meant"},
      {"quantity_of_decimal_bytes", queue_a(resources("memory: »1.5gib", "")), "fix: write 1536Mi"},
      {"quantity_with_a_word", queue_a(resources("vcore: »4 cores", "")), "fix: write 4"},
      {"quantity_of_a_share", queue_a(resources("vcore: »50%", "")), "fix: write an amount: shares"},
      {"quantity_unlimited", queue_a(resources("vcore: »-1", "")),
       "fix: leave the key out: a type that is not named has no limit"},
      {"quantity_suffix", queue_a(resources("memory: »1K", "")), "invalid suffix"},
      {"quantity_milli_memory", queue_a(resources("memory: »1m", "")), "invalid suffix"},
      {"quantity_overflow", queue_a(resources("memory: »10E", "")), "invalid quantity: overflow"},
      {"quantity_list", queue_a(resources("memory: »[1]", "")), "a list; want: a quantity for 'memory'"},
      {"all_bad_quantities_are_reported", queue_a(resources("memory: »x, vcore: y", "gpu: z")), "invalid quantity 'x'"},
      {"guaranteed_over_max", queue_a(resources("memory: 5, vcore: »5", "memory: 5, vcore: 4")),
       "guaranteed resource map[memory:5 vcore:5000] is larger than maximum resource map[memory:5 vcore:4000] for "
       "queue a"},
      {"guaranteed_of_other_type", queue_a(resources("gpu: 5", "memory: 4")), ""},
      {"max_over_parent", queue_a(resources("", "memory: 5") + child + "{max: {memory: »6}}\n"),
       "max resource of parent map[memory:5] is smaller than maximum resource map[memory:6] for queue b"},
      {"max_over_grandparent",
       queue_a(
           resources("", "memory: 5") +
           "      queues:\n      - name: b\n        queues:\n        - {name: c, resources: {max: {memory: »6}}}\n"),
       "max resource of parent map[memory:5] is smaller than maximum resource map[memory:6] for queue c"},
      {"max_of_other_type", queue_a(resources("", "memory: 5") + child + "{max: {gpu: 6}}\n"), ""},
      {"max_zero_is_a_limit_for_children", queue_a(resources("", "memory: 0") + child + "{max: {memory: »1}}\n"),
       "max resource of parent map[memory:0]"},
      {"sum_over_guaranteed",
       queue_a(resources("memory: »5", "") +
               "      queues:\n      - {name: b, resources: {guaranteed: {memory: 3}}}\n  "
               "    - {name: c, resources: {guaranteed: {memory: 3}}}\n"),
       "guaranteed resource of parent map[memory:5] is smaller than sum of guaranteed resources map[memory:6] of the "
       "children for queue a"},
      {"sum_as_guaranteed",
       queue_a(resources("memory: 6", "") + "      queues:\n      - {name: b, resources: {guaranteed: {memory: 3}}}\n  "
                                            "    - {name: c, resources: {guaranteed: {memory: 3, gpu: 9}}}\n"),
       ""},
      {"sum_over_max",
       queue_a(resources("", "memory: »5") +
               "      queues:\n      - {name: b, resources: {guaranteed: {memory: 3}}}\n  "
               "    - {name: c, resources: {guaranteed: {memory: 3}}}\n"),
       "max resource map[memory:5] is smaller than sum of guaranteed resources map[memory:6] of the children for queue "
       "a"},
      {"sum_of_grandchildren",
       queue_a(resources("memory: »5", "") + "      queues:\n      - name: b\n        queues:\n        - {name: c, "
                                             "resources: {guaranteed: {memory: 6}}}\n"),
       "sum of guaranteed resources map[memory:6] of the children for queue a"},
      {"amount_above_the_largest", queue_a(resources("memory: »4611686018427387905", "")),
       "resource memory is 4611686018427387905, and the largest amount is 4611686018427387904"},
      {"sum_above_the_largest",
       queue_a("      queues:\n      - {name: b, resources: {guaranteed: {memory: 4611686018427387904}}}\n      - »"
               "{name: c, resources: {guaranteed: {memory: 1}}}\n"),
       "resource memory: 1 and the 4611686018427387904 that are counted already are more than the largest sum"},
      {"as_many_types_as_may_be", queue_a(resources(many_types(64), "")), ""},
      {"one_type_too_many", queue_a(resources(many_types(64) + ", zz: »1", "")),
       "resource type zz is one more than the 64 that this scheduler is set up for"},
      {"resources_is_a_list", queue_a("      resources: »[]\n"),
       "a list; want: a map with the keys of a resources map"},
      {"max_is_a_number", queue_a("      resources: {max: »5}\n"), "want: a map for 'max'"},
      {"resources_empty", queue_a("      resources:\n        max:\n        guaranteed: {}\n"), ""},
  };
  return cases;
}

// A map in braces; a mark at its beginning stands before the brace.
std::string braced(std::string_view keys) {
  const bool marked = keys.starts_with(mark);
  if (marked) keys.remove_prefix(mark.size());
  return std::string(marked ? mark : "") + "{" + std::string(keys) + "}";
}
std::string limits(const std::string &entries, const std::string &queue_keys = "") {
  return queue_a(queue_keys + "      limits:\n" + entries);
}
std::string limit(const std::string &keys) { return "      - " + braced(keys) + "\n"; }
// Limits of root.a, and of root.a.b.
std::string two_levels(const std::string &above, const std::string &below) {
  return queue_a("      limits:\n" + limit(above) + "      queues:\n      - name: b\n        limits:\n        - " +
                 braced(below) + "\n");
}

const std::vector<rule_case> &limit_cases() {
  static const std::vector<rule_case> cases = {
      {"users_and_groups",
       limits(limit("users: [u.x@d, 'm$', 'a:b#c/d'], groups: ['sys:auth', g.x], maxapplications: 1")), ""},
      {"nobody", limits(limit("»limit: x, maxapplications: 1")), "empty user and group lists defined in limit 'x'"},
      {"only_nulls", limits(limit("»users: [~], maxapplications: 1")), "empty user and group lists defined in limit"},
      {"users_is_a_text", limits(limit("users: »bob, maxapplications: 1")), "write [bob]"},
      {"bad_user", limits(limit("users: [»1x], maxapplications: 1")),
       "invalid limit user name '1x' in limit definition"},
      {"bad_group", limits(limit("groups: [»g@d], maxapplications: 1")),
       "invalid limit group name 'g@d' in limit definition"},
      {"user_twice", limits(limit("users: [a, b, »a], maxapplications: 1")),
       "duplicated user name 'a', already exists"},
      {"user_twice_in_two_limits",
       limits(limit("users: [a], maxapplications: 1") + limit("users: [»a], maxapplications: 2")),
       "duplicated user name 'a', already exists"},
      {"group_twice", limits(limit("groups: [a], maxapplications: 1") + limit("groups: [»a], maxapplications: 2")),
       "duplicated group name 'a'"},
      {"same_user_and_group", limits(limit("users: [a], groups: [a], maxapplications: 1")), ""},
      {"user_behind_wildcard",
       limits(limit("users: ['*'], maxapplications: 1") + limit("users: [»a], maxapplications: 1")),
       "should not set no wildcard user a after wildcard user limit"},
      {"user_before_wildcard",
       limits(limit("users: [a], maxapplications: 1") + limit("users: ['*'], maxapplications: 1")), ""},
      {"group_behind_wildcard", limits(limit("groups: [a, '*', »b], maxapplications: 1")),
       "should not set no wildcard group b after wildcard group limit"},
      {"only_wildcard_group", limits(limit("groups: [»'*'], maxapplications: 1")),
       "should not specify only one group limit that is using the wildcard"},
      {"no_amounts", limits(limit("»limit: x, users: [a]")),
       "invalid resource combination for limit x all resource limits are null"},
      {"empty_amounts", limits(limit("»users: [a], maxresources: {}")), "all resource limits are null"},
      {"zero_amounts", limits(limit("limit: x, users: [a], maxapplications: 1, maxresources: »{memory: 0}")),
       "MaxResources should be greater than zero in 'x' limit"},
      {"one_amount", limits(limit("users: [a], maxresources: {memory: 0, vcore: 1}")), ""},
      {"bad_amount", limits(limit("users: [a], maxresources: {memory: »x}")), "invalid quantity 'x'"},
      {"over_queue_applications",
       limits(limit("limit: x, users: [a], maxapplications: »6"), "      maxapplications: 5\n"),
       "invalid MaxApplications settings for limit x exceed current the queue MaxApplications"},
      {"no_applications_in_limited_queue",
       limits(limit("users: [a], maxresources: {memory: 1}"), "      maxapplications: 5\n"), ""},
      {"over_queue_max",
       limits(limit("limit: x, users: [a], maxresources: {memory: »6}"), "      resources: {max: {memory: 5}}\n"),
       "invalid MaxResources settings for limit x exeecd current the queue MaxResources"},
      {"other_type_than_queue_max",
       limits(limit("users: [a], maxresources: {gpu: 6}"), "      resources: {max: {memory: 5}}\n"), ""},
      {"partition_limit", partition("  limits:\n  - {users: [»1x], maxapplications: 1}\n"), "invalid limit user name"},
      {"resources_over_above",
       two_levels("users: [u], maxresources: {memory: 5}", "users: [u], maxresources: {memory: »6}"),
       "user u max resource map[memory:6] of queue b is greater than immediate or ancestor parent maximum resource "
       "map[memory:5]"},
      {"resources_of_other_type_below",
       two_levels("users: [u], maxresources: {memory: 5}", "users: [u], maxresources: {gpu: 6}"), ""},
      {"resources_of_other_user_below",
       two_levels("users: [u], maxresources: {memory: 5}", "users: [v], maxresources: {memory: 6}"), ""},
      {"resources_over_wildcard",
       two_levels("users: ['*'], maxresources: {memory: 5}", "users: [u], maxresources: {memory: »6}"),
       "user u max resource map[memory:6] of queue b is greater than wildcard maximum resource map[memory:5] of "
       "immediate or ancestor parent queue"},
      {"resources_own_before_wildcard",
       two_levels("users: [u, '*'], maxresources: {memory: 5}", "users: [u], maxresources: {memory: »6}"),
       "immediate or ancestor parent maximum resource"},
      {"wildcard_below_named",
       two_levels("users: [u], maxresources: {memory: 5}", "users: ['*'], maxresources: {memory: 6}"), ""},
      {"group_resources_over_above",
       two_levels("groups: [g], maxresources: {memory: 5}", "groups: [g], maxresources: {memory: »6}"),
       "group g max resource map[memory:6] of queue b"},
      {"group_resources_over_wildcard",
       two_levels("groups: [h, '*'], maxresources: {memory: 5}", "groups: [g], maxresources: {memory: »6}"),
       "group g max resource map[memory:6] of queue b is greater than wildcard maximum resource"},
      {"applications_over_above", two_levels("users: [u], maxapplications: 5", "users: [u], maxapplications: »6"),
       "user u max applications 6 of queue b is greater than immediate or ancestor parent max applications 5"},
      {"applications_as_above", two_levels("users: [u], maxapplications: 5", "users: [u], maxapplications: 5"), ""},
      {"applications_missing_below_limit",
       two_levels("users: [u], maxapplications: 5", "»users: [u], maxresources: {memory: 6}"),
       "user u max applications 0 of queue b is greater than immediate or ancestor parent max applications 5"},
      {"applications_over_wildcard", two_levels("users: ['*'], maxapplications: 5", "users: [u], maxapplications: »6"),
       "user u max applications 6 of queue b is greater than wildcard max applications 5 of immediate or ancestor "
       "parent queue"},
      {"group_applications_over_above",
       two_levels("groups: [g], maxapplications: 5", "groups: [g], maxapplications: »6"),
       "group g max applications 6 of queue b"},
      {"applications_without_limit_above",
       two_levels("users: [u], maxresources: {memory: 5}", "users: [u], maxapplications: 6"), ""},
      // What is narrowed on the way counts, and what is widened for applications, as in the field.
      {"resources_over_grandparent",
       queue_a("      limits:\n" + limit("users: [u], maxresources: {memory: 5}") +
               "      queues:\n      - name: b\n        queues:\n        - name: c\n          limits:\n          - "
               "{users: [u], maxresources: {memory: »6}}\n"),
       "of queue c is greater than immediate or ancestor"},
  };
  return cases;
}

const std::vector<rule_case> &placement_cases() {
  static const std::vector<rule_case> cases = {
      {"all_rules",
       rules("  - {name: Provided, create: true}\n  - {name: user, create: yes}\n  - {name: tag, value: ns, create: "
             "true}\n  - {name: fixed, value: a, create: true}\n"),
       ""},
      {"no_rules", rules(""), ""},
      {"rule_from_a_module", rules("  - name: acme_ldap\n"), ""},
      {"rule_name", rules("  - name: »my-rule\n"), "invalid rule name my-rule, a name must be a valid identifier"},
      {"rule_name_missing", rules("  - »create: true\n"), "invalid rule name , a name must be"},
      {"rule_name_of_parent", rules("  - name: user\n    parent: {name: »1x}\n"), "invalid rule name 1x"},
      {"create_word", rules("  - {name: user, create: »bogus}\n"),
       "the text 'bogus'; want: true or false for 'create'"},
      {"recovery_rule", rules("  - name: »Recovery\n"), "recovery rule cannot be part of the config"},
      {"tag_without_value", rules("  - »name: tag\n"), "a tag queue rule must have a tag name set"},
      {"fixed_without_value", rules("  - »{name: fixed, create: true}\n"),
       "a fixed queue rule must have a queue name set"},
      {"fixed_bad_part", rules("  - {name: fixed, value: »a.b$, create: true}\n"), "invalid queue name"},
      {"fixed_qualified_with_parent",
       rules("  - {name: fixed, value: »root.leaf, parent: {name: user}}\n", some_queues),
       "cannot have a fixed queue rule with qualified queue"},
      {"filter_type_case", rules("  - {name: user, filter: {type: DENY, users: [a]}}\n"), ""},
      {"filter_type", rules("  - {name: user, filter: {type: »bogus}}\n"), "invalid rule filter type bogus"},
      {"filter_expression", rules("  - {name: user, filter: {users: ['^a.*$'], groups: ['[0-9]']}}\n"), ""},
      {"filter_user", rules("  - {name: user, filter: {users: [»'a!b']}}\n"),
       "invalid rule filter user list is not a proper list or regexp: [a!b]"},
      {"filter_user_empty", rules("  - {name: user, filter: {users: [»'']}}\n"),
       "invalid rule filter user list is not a proper list or regexp: []"},
      {"filter_expression_broken", rules("  - {name: user, filter: {users: [»'a[b']}}\n"), "missing ]: [b"},
      {"filter_lookahead", rules("  - {name: user, filter: {users: [»'(?=a)']}}\n"), "invalid rule filter user list"},
      {"filter_group", rules("  - {name: user, filter: {groups: [»'g@d']}}\n"),
       "invalid rule filter group list is not a proper list or regexp: [g@d]"},
      {"filter_of_parent", rules("  - {name: user, parent: {name: user, filter: {groups: [»'g@d']}}}\n"),
       "invalid rule filter group list"},
      {"filter_several", rules("  - {name: user, filter: {users: [a, 'b!'], groups: ['', 'g@d']}}\n"), ""},
      {"path_to_leaf", rules("  - {name: fixed, value: root.leaf}\n", some_queues), ""},
      {"path_to_leaf_unqualified", rules("  - {name: fixed, value: leaf}\n", some_queues), ""},
      {"path_to_parent", rules("  - {name: fixed, value: »root.users}\n", some_queues),
       "placement rule no. #0 (fixed) references a queue (root.users) which is not a leaf"},
      {"path_to_root", rules("  - {name: fixed, value: »root}\n", some_queues),
       "references a queue (root) which is not a leaf"},
      {"path_missing", rules("  - name: user\n    create: true\n  - {name: fixed, value: »root.none}\n", some_queues),
       "placement rule no. #1 (fixed) references non-existing queues (root.none) and create is 'false'"},
      {"path_missing_created", rules("  - {name: fixed, value: root.none, create: true}\n", some_queues), ""},
      {"path_below_leaf", rules("  - {name: fixed, value: »root.leaf.x, create: true}\n", some_queues),
       "references non-existing queues (root.leaf.x) which cannot be created because the last queue (leaf) in the "
       "hierarchy is a leaf"},
      {"path_with_tail_below_parent",
       rules("  - {name: user, create: true, parent: {name: fixed, value: root.users}}\n", some_queues), ""},
      {"path_with_tail_below_leaf",
       rules("  - {name: user, create: true, parent: »{name: fixed, value: root.leaf}}\n", some_queues),
       "placement rule no. #0 (fixed->user) references a queue (root.leaf) which is not a leaf"},
      // As in the field a queue is a parent here only where it says so.
      {"path_with_tail_below_unsaid_parent",
       rules("  - {name: user, create: true, parent: »{name: fixed, value: root.dept}}\n", some_queues),
       "(fixed->user) references a queue (root.dept)"},
      {"path_in_two_parts",
       rules("  - {name: fixed, value: x, parent: {name: fixed, value: root.dept}}\n", some_queues), ""},
      {"path_qualified_twice",
       rules("  - {name: fixed, value: »root.dept.x, parent: {name: fixed, value: root.dept}}\n", some_queues),
       "illegal fully qualified 'fixed' rule with value root.dept.x"},
      {"path_behind_dynamic_rule",
       rules("  - {name: fixed, value: none, parent: {name: tag, value: ns}}\n", some_queues), ""},
      // The field's check compares names as written, so a queue in upper case is not there for it.
      {"path_in_other_case_that_never_matches",
       rules("  - {name: fixed, value: root.dept, create: true}\n", "    queues: [{name: DEPT, parent: true}]\n"), ""},
      {"path_in_other_case", rules("  - {name: fixed, value: Root.LEAF}\n", some_queues), ""},
      {"parent_is_a_list", rules("  - {name: user, parent: »[{name: user}]}\n"),
       "a list; want: a map with the keys of a placement rule"},
  };
  return cases;
}

const std::vector<rule_case> &other_cases() {
  static const std::vector<rule_case> cases = {
      {"node_sort",
       partition("  nodesortpolicy: {type: binpacking, resourceweights: {memory: 2, vcore: 0.5, gpu: 0}}\n"), ""},
      {"node_sort_unknown", partition("  nodesortpolicy: {type: »binpack}\n"), "undefined policy: binpack"},
      {"node_sort_in_other_case", partition("  nodesortpolicy: {type: »Fair}\n"), "undefined policy: Fair"},
      {"node_sort_is_a_text", partition("  nodesortpolicy: »fair\n"),
       "the text 'fair'; want: a map with the keys of a node sort policy"},
      {"weight_negative", partition("  nodesortpolicy: {type: fair, resourceweights: {memory: »-1}}\n"),
       "negative resource weight for memory is not allowed"},
      {"weight_quoted", partition("  nodesortpolicy: {resourceweights: {memory: »'1'}}\n"), "a number for 'memory'"},
      {"weight_not_a_number", partition("  nodesortpolicy: {resourceweights: {memory: ».nan}}\n"),
       "a number for 'memory'"},
      {"canary",
       partition(
           "  canary: {nodesortpolicy: {type: binpacking, resourceweights: {gpu: 1}}, queues: [Root], share: 0x32, "
           "salt: 5}\n"),
       ""},
      {"canary_of_all", partition("  canary: {nodesortpolicy: {type: fair}, share: 1000}\n"), ""},
      {"canary_for_nobody_in_particular", partition("  canary: »{nodesortpolicy: {type: fair}}\n"),
       "a canary for all applications"},
      {"canary_for_no_queue", partition("  canary: {nodesortpolicy: {type: fair}, queues: »[], share: 5}\n"),
       "a canary for no queue"},
      {"canary_with_empty_type", partition("  canary: »{share: 5, nodesortpolicy: {type: ''}}\n"),
       "a canary without an order of nodes or a predicate"},
      {"canary_without_order", partition("  canary: »{share: 5}\n"),
       "a canary without an order of nodes or a predicate"},
      {"canary_without_type", partition("  canary: »{share: 5, nodesortpolicy: {resourceweights: {gpu: 1}}}\n"),
       "a canary without an order of nodes or a predicate"},
      {"canary_unknown", partition("  canary: {share: 5, nodesortpolicy: {type: »binpack}}\n"),
       "undefined policy: binpack"},
      {"canary_weight", partition("  canary: {share: 5, nodesortpolicy: {type: fair, resourceweights: {gpu: »-1}}}\n"),
       "negative resource weight for gpu is not allowed"},
      {"canary_share", partition("  canary: {share: »1001, nodesortpolicy: {type: fair}}\n"),
       "the number '1001'; want: a whole number between 0 and 1000 for 'share'"},
      {"canary_share_negative", partition("  canary: {share: »-1, nodesortpolicy: {type: fair}}\n"),
       "the number '-1'; want: a whole number between 0 and 1000 for 'share'"},
      {"canary_queue", partition("  canary: {queues: [root, »team], nodesortpolicy: {type: fair}}\n"),
       "'team' is no path of a queue; want: a path from the root, as root.team-a; fix: write root.team"},
      {"canary_back",
       partition("  canary: {share: 5, nodesortpolicy: {type: fair}, back: {waitingp99: 1ms, faults: 2}}\n"), ""},
      {"canary_back_is_a_word", partition("  canary: {share: 5, nodesortpolicy: {type: fair}, back: »never}\n"),
       "want: a map with the keys of a canary back map"},
      {"canary_faults", partition("  canary: {share: 5, nodesortpolicy: {type: fair}, back: {faults: »0}}\n"),
       "the number '0'; want: a whole number between 1 and 100 for 'faults'"},
      {"canary_placements",
       partition("  canary: {share: 5, nodesortpolicy: {type: fair}, back: {placements: »1000001}}\n"),
       "the number '1000001'; want: a whole number between 1 and 1000000 for 'placements'"},
      {"canary_factor", partition("  canary: {share: 5, nodesortpolicy: {type: fair}, back: {waitingfactor: »-1}}\n"),
       "the number '-1'; want: a whole number between 1 and 1000000 for 'waitingfactor'"},
      {"canary_waiting", partition("  canary: {share: 5, nodesortpolicy: {type: fair}, back: {waitingp99: »0s}}\n"),
       "waitingp99 of 0s; want: a duration of 1ms or more; fix: leave it out for no bound"},
      {"canary_both", partition("  canary: {share: 5, predicate: »node-attributes, nodesortpolicy: {type: fair}}\n"),
       "a canary of an order of nodes and of a predicate"},
      {"canary_predicate", partition("  canary: {share: 5, predicate: node-attributes}\n"), ""},
      {"canary_predicate_unknown", partition("  canary: {share: 5, predicate: »node-attribute}\n"),
       "undefined predicate: node-attribute"},
      {"canary_predicate_empty", partition("  canary: {share: 5, predicate: »''}\n"),
       "a canary of a predicate without a name"},
      {"preemption", partition("  preemption: {enabled: false, quotapreemptionenabled: on}\n"), ""},
      {"preemption_is_a_word", partition("  preemption: »true\n"), "want: a map with the keys of a preemption map"},
      {"preemption_number", partition("  preemption: {enabled: »1}\n"), "want: true or false for 'enabled'"},
      {"resolver", partition("  usergroupresolver: {type: ldap}\n"), ""},
      {"resolver_is_a_word", partition("  usergroupresolver: »ldap\n"),
       "want: a map with the keys of a user group resolver"},
      {"reservation", partition("  reservation: {enabled: true, delay: 5s, wait: 10m, backfill: true}\n"), ""},
      {"reservation_delay", partition("  reservation: {delay: »5}\n"), "'5' is no duration: no unit"},
      {"reservation_key", partition("  reservation: {»backfil: true}\n"), "did you mean 'backfill'?"},
      {"timeouts",
       partition("  timeouts: {starting: 0, completing: 1s, terminated: 72h, placeholder: 15m, queuecleanup: 1s, "
                 "drain: 20s, releaseconfirm: 1m}\n"),
       ""},
      {"timeout_negative", partition("  timeouts: {drain: »-1s}\n"), "a duration that is not negative"},
      {"cleanup_never_rests", partition("  timeouts: {queuecleanup: »0s}\n"), "a queuecleanup of 0"},
      {"priority_classes", "priorityclasses: {high: 1000, low: -2147483648}\n", ""},
      {"priority_class_text", "priorityclasses: {high: »most}\n", "a whole number between"},
      {"priority_class_range", "priorityclasses: {high: »2147483648}\n", "a whole number between"},
      {"checksum", "checksum: ABC\npartitions: []\n", ""},
  };
  return cases;
}

class RuleOfQueuesYaml : public testing::TestWithParam<rule_case> {};

// Takes the mark out of a text and says where it stood.
std::string take_mark(std::string &text) {
  const size_t at = text.find(mark);
  if (at == std::string::npos) return "";
  text.erase(at, mark.size());
  const auto line = std::count(text.begin(), text.begin() + static_cast<ptrdiff_t>(at), '\n') + 1;
  const size_t before = text.rfind('\n', at == 0 ? 0 : at - 1);
  const size_t line_start = at == 0 || before == std::string::npos ? 0 : before + 1;
  return "q.yaml:" + std::to_string(line) + ":" + std::to_string(at - line_start + 1);
}

TEST_P(RuleOfQueuesYaml, Holds) {
  rule_case c = GetParam();
  const std::string place = take_mark(c.text);
  const parsed_queues parsed = parse_queues(c.text, "q.yaml");
  std::string all = c.text + "\n";
  for (const refusal &r : parsed.refusals) all += r.text() + "\n";
  if (c.reason.empty()) {
    EXPECT_TRUE(parsed.config) << all;
    return;
  }
  ASSERT_FALSE(parsed.config) << all;
  EXPECT_EQ(parsed.refusals[0].where, place) << all;
  EXPECT_THAT(parsed.refusals[0].text(), HasSubstr(c.reason)) << all;
  EXPECT_FALSE(parsed.refusals[0].want.empty()) << all;
}

std::string case_name(const testing::TestParamInfo<rule_case> &info) { return info.param.name; }
INSTANTIATE_TEST_SUITE_P(structure, RuleOfQueuesYaml, testing::ValuesIn(structure_cases()), case_name);
INSTANTIATE_TEST_SUITE_P(queue, RuleOfQueuesYaml, testing::ValuesIn(queue_cases()), case_name);
INSTANTIATE_TEST_SUITE_P(resources, RuleOfQueuesYaml, testing::ValuesIn(resource_cases()), case_name);
INSTANTIATE_TEST_SUITE_P(limit, RuleOfQueuesYaml, testing::ValuesIn(limit_cases()), case_name);
INSTANTIATE_TEST_SUITE_P(placement, RuleOfQueuesYaml, testing::ValuesIn(placement_cases()), case_name);
INSTANTIATE_TEST_SUITE_P(other, RuleOfQueuesYaml, testing::ValuesIn(other_cases()), case_name);

TEST(QueuesRefused, EverythingWrongIsReportedInOneRun) {
  const auto parsed =
      parse_queues(below_root("    - name: a.b\n      submitacl: a b c\n      resources: {max: {memory: x}}\n    - "
                              "{name: c, limits: [{users: ['!'], maxapplications: 1}]}\n",
                              "  nodesortpolicy: {type: none}\n"),
                   "q.yaml");
  std::vector<std::string> haves;
  for (const refusal &r : parsed.refusals) haves.push_back(r.have);
  EXPECT_THAT(haves, testing::UnorderedElementsAre(HasSubstr("invalid queue name"), HasSubstr("multiple spaces"),
                                                   HasSubstr("invalid quantity"), HasSubstr("invalid limit user name"),
                                                   HasSubstr("undefined policy")));
}

TEST(QueuesRefused, OneReasonTellsOfTheOthers) {
  const auto parsed = parse_queues_yaml("partitions:\n- name: a\n  queues: 5\n  limits: 5\n", "q.yaml");
  ASSERT_FALSE(parsed);
  EXPECT_EQ(parsed.why().where, "q.yaml:3:11");
  EXPECT_THAT(parsed.why().have, HasSubstr("(and 1 more)"));
}

TEST(QueuesRefused, NamesOfPoliciesMayComeFromModules) {
  parse_options options;
  options.known[module_kind::node_sort] = {"fair", "acme-binpack"};
  options.known[module_kind::placement_rule] = {"user", "acme_ldap", "acme-ldap"};
  options.known[module_kind::queue_sort] = {"fair", "acme"};
  EXPECT_TRUE(
      parse_queues(partition("  nodesortpolicy: {type: acme-binpack}\n  placementrules: [{name: acme_ldap}]\n    \n"),
                   "q.yaml", options)
          .config);
  const auto refused = [&](const std::string &text) {
    const auto parsed = parse_queues(text, "q.yaml", options);
    return parsed.refusals.empty() ? std::string("accepted") : parsed.refusals[0].text();
  };
  EXPECT_THAT(refused(partition("  nodesortpolicy: {type: acme-binpac}\n")), HasSubstr("did you mean 'acme-binpack'?"));
  EXPECT_THAT(refused(partition("  placementrules: [{name: acme_lap}]\n")),
              HasSubstr("unknown rule name specified acme_lap"));
  EXPECT_EQ(refused(partition("  placementrules: [{name: Acme-LDAP, parent: {name: acme-ldap}}]\n")), "accepted");
  EXPECT_THAT(refused(partition("  placementrules: [{name: acme-lap}]\n")), HasSubstr("invalid rule name acme-lap"));
  EXPECT_THAT(refused(queue_a("      properties: {queue.sort.policy: acm}\n")), HasSubstr("did you mean 'acme'?"));
}

}  // namespace
}  // namespace tenon::config
