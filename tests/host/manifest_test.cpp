// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <ostream>
#include <string>

#include "refusal_matchers.hpp"
#include "temp_folder.hpp"
#include "tenon/abi/base.h"
#include "tenon/host/module_configuration.hpp"
#include "tenon/host/module_manifest.hpp"

namespace tenon::host {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::refusal_parts;
using testing::refuses;

const std::string digest(64, 'a');

std::string sound_manifest() {
  return "apiVersion: tenon.module/v1\n"  // 1
         "id: acme.binpack\n"             // 2
         "version: 1.2.0\n"               // 3
         "vendor: Acme\n"                 // 4
         "license: Apache-2.0\n"          // 5
         "description: Packs nodes.\n"    // 6
         "library: acme-binpack.so\n"     // 7
         "digest: sha256:" +
         digest +
         "\n"  // 8
         "abi_epoch: " +
         std::to_string(TENON_ABI_EPOCH) +
         "\n"
         "draft_rev: " +
         std::to_string(TENON_DRAFT_REV) +
         "\n"
         "provides:\n"  // 11
         "  - { interface: tenon.node-sort/1, name: acme-binpack, order_rev: 3 }\n"
         "services: [tenon.host.log/1]\n"  // 13
         "config:\n"                       // 14
         "  type: object\n"
         "  properties:\n"
         "    weight: { type: number, minimum: 0, default: 1 }\n";
}

std::string changed(std::string text, const std::string &from, const std::string &to) {
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(Manifest, KeepsTheKeysOfItsVendor) {
  config::problems report("acme.yaml");
  const auto manifest =
      parse_manifest(sound_manifest() + "x-support: https://acme.example\nx-build: {id: 7}\n", "acme.yaml", report);
  ASSERT_TRUE(manifest) << report.refusals().front().text();
  EXPECT_EQ(manifest->own, (std::map<std::string, std::string>{{"x-support", "https://acme.example"}}));
  EXPECT_FALSE(parse_manifest(sound_manifest() + "support: x\n", "acme.yaml", report));
}

std::vector<refusal> refusals_of(const std::string &text) {
  config::problems report("acme.yaml");
  const auto manifest = parse_manifest(text, "acme.yaml", report);
  EXPECT_EQ(manifest.has_value(), !report.refused());
  return report.refusals();
}

TEST(Manifest, SoundOneIsReadWhole) {
  config::problems report("acme.yaml");
  const auto manifest = parse_manifest(sound_manifest(), "modules/acme.yaml", report);
  ASSERT_TRUE(manifest) << report.refusals().front().text();
  EXPECT_EQ(manifest->id, "acme.binpack");
  EXPECT_EQ(manifest->version, "1.2.0");
  EXPECT_EQ(manifest->vendor, "Acme");
  EXPECT_EQ(manifest->license, "Apache-2.0");
  EXPECT_EQ(manifest->description, "Packs nodes.");
  EXPECT_EQ(manifest->digest, digest);
  EXPECT_EQ(manifest->library_path(), "modules/acme-binpack.so");
  ASSERT_EQ(manifest->provides.size(), 1);
  EXPECT_EQ(manifest->provides[0].interface, "tenon.node-sort/1");
  EXPECT_EQ(manifest->provides[0].name, "acme-binpack");
  EXPECT_EQ(manifest->provides[0].order_rev, 3);
  EXPECT_THAT(manifest->services, ElementsAre("tenon.host.log/1"));
  EXPECT_EQ(manifest->configuration.at("properties").at("weight").at("default"), 1);
}

TEST(Manifest, UnknownKeyIsRefusedWithPlaceAndNearestKey) {
  EXPECT_THAT(refusals_of(changed(sound_manifest(), "vendor:", "vendr:")),
              ::testing::Contains(refuses(refusal_parts{"acme.yaml:4:1", "", "vendr", "vendor"})));
}

TEST(Manifest, MissingKeyIsRefusedByName) {
  EXPECT_THAT(refusals_of(changed(sound_manifest(), "license: Apache-2.0\n", "")),
              ElementsAre(refuses(refusal_parts{"acme.yaml:1:1", "", "license", ""})));
}

TEST(Manifest, WrongTypeIsRefusedAtItsValue) {
  EXPECT_THAT(refusals_of(changed(sound_manifest(), "[tenon.host.log/1]", "{ log: 1 }")),
              ElementsAre(refuses(refusal_parts{"acme.yaml:13:11", "list", "map", ""})));
}

TEST(Manifest, DraftRevisionCountsForDraftsAlone) {
  const std::string other = changed(sound_manifest(), "draft_rev: ", "draft_rev: 9");
  EXPECT_THAT(refusals_of(other), ::testing::IsEmpty());
  EXPECT_THAT(refusals_of(changed(other, "tenon.node-sort/1", "tenon.placement-rule/1")),
              ElementsAre(refuses(
                  refusal_parts{"acme.yaml:10:12", "draft revision", "draft revision 9", "this release's headers"})));
}

struct bad_value {
  const char *name, *from, *to;
  refusal_parts parts;
};

void PrintTo(const bad_value &value, std::ostream *out) { *out << value.name; }

class ManifestValue : public ::testing::TestWithParam<bad_value> {};

TEST_P(ManifestValue, IsRefusedAtItsPlace) {
  EXPECT_THAT(refusals_of(changed(sound_manifest(), GetParam().from, GetParam().to)),
              ElementsAre(refuses(GetParam().parts)));
}

INSTANTIATE_TEST_SUITE_P(
    Manifest, ManifestValue,
    ::testing::Values(
        bad_value{"ApiVersion",
                  "tenon.module/v1",
                  "tenon.module/v2",
                  {"acme.yaml:1:13", "tenon.module/v1", "tenon.module/v2", ""}},
        bad_value{"IdWithoutDomain", "acme.binpack", "binpack", {"acme.yaml:2:5", "reverse-domain", "'binpack'", ""}},
        bad_value{
            "IdUpperCase", "acme.binpack", "Acme.binpack", {"acme.yaml:2:5", "reverse-domain", "'Acme.binpack'", ""}},
        bad_value{"VersionOfTwoNumbers", "1.2.0", "1.2", {"acme.yaml:3:10", "three numbers", "'1.2'", ""}},
        bad_value{
            "VendorEmpty", "vendor: Acme", "vendor: ''", {"acme.yaml:4:9", "who answers for the module", "vendor", ""}},
        bad_value{"LibraryInAFolder",
                  "acme-binpack.so",
                  "../x.so",
                  {"acme.yaml:7:10", "beside the manifest", "'../x.so'", ""}},
        bad_value{"DigestOfAnotherKind", "sha256:", "md5:", {"acme.yaml:8:9", "sha256:", "md5:", "tenon plugin seal"}},
        bad_value{"Epoch",
                  "abi_epoch: 1",
                  "abi_epoch: 77",
                  {"acme.yaml:9:12", "ABI epoch 1", "ABI epoch 77", "build of the module"}},
        bad_value{"InterfaceUnknown",
                  "tenon.node-sort/1",
                  "tenon.node-sortt/1",
                  {"acme.yaml:12:18", "interface of this host", "tenon.node-sortt/1", "tenon.node-sort/1"}},
        bad_value{"InterfaceWithoutNumber",
                  "tenon.node-sort/1",
                  "tenon.node-sort",
                  {"acme.yaml:12:18", "interface id", "'tenon.node-sort'", "tenon.node-sort/1"}},
        bad_value{"PolicyName",
                  "name: acme-binpack",
                  "name: Acme_Binpack",
                  {"acme.yaml:12:43", "lower-case", "'Acme_Binpack'", ""}},
        bad_value{"ProvidesNothing",
                  "\n  - { interface: tenon.node-sort/1, name: acme-binpack, order_rev: 3 }",
                  " []",
                  {"acme.yaml:11:11", "at least one", "nothing", ""}},
        bad_value{"ServiceWithoutNumber",
                  "tenon.host.log/1",
                  "tenon.host.log",
                  {"acme.yaml:13:12", "service id", "'tenon.host.log'", "tenon.host.log/1"}},
        bad_value{"SchemaKeyword",
                  "minimum: 0",
                  "minimun: 0",
                  {"acme.yaml:17:29", "keyword of JSON Schema", "'minimun'", "minimum"}},
        bad_value{"SchemaType",
                  "type: number",
                  "type: numeral",
                  {"acme.yaml:17:21", "array, boolean, integer", "'numeral'", "write "}},
        bad_value{"SchemaMultipleOfZero",
                  "minimum: 0",
                  "multipleOf: 0",
                  {"acme.yaml:17:41", "a number above 0", "multipleOf is the number '0'", "write "}},
        bad_value{"SchemaPattern",
                  "minimum: 0",
                  "pattern: '['",
                  {"acme.yaml:17:38", "regular expression", "pattern is the text '['", "write "}},
        bad_value{"SchemaDefault",
                  "default: 1",
                  "default: -1",
                  {"acme.yaml:17:50", "default that the schema allows", "config.weight", ""}}),
    [](const auto &value) { return value.param.name; });

TEST(Manifest, SameImplementationTwiceIsRefused) {
  const std::string line = "  - { interface: tenon.node-sort/1, name: acme-binpack, order_rev: 3 }\n";
  EXPECT_THAT(refusals_of(changed(sound_manifest(), line, line + line)),
              ElementsAre(refuses(refusal_parts{"acme.yaml:13:5", "once", "listed twice", "remove one"})));
}

TEST(Manifest, SeveralFaultsAreReportedTogether) {
  const std::string text = changed(changed(sound_manifest(), "1.2.0", "one"), "acme.binpack", "x");
  EXPECT_EQ(refusals_of(text).size(), 2);
}

TEST(Manifest, NoFileIsRefusedByName) {
  config::problems report("gone.yaml");
  EXPECT_FALSE(read_manifest("gone.yaml", report));
  EXPECT_THAT(report.refusals(), ElementsAre(refuses(refusal_parts{"gone.yaml", "", "no such file", ""})));
}

TEST(Manifest, FolderInsteadOfFileIsRefused) {
  const testing::temp_folder folder;
  config::problems report(folder.path().string());
  EXPECT_FALSE(read_manifest(folder.path(), report));
  EXPECT_THAT(report.refusals(), ElementsAre(refuses(refusal_parts{"", "", "a directory", ""})));
}

// References may go round in circles, and following them ends the process.
TEST(Manifest, ReferencesInASchemaAreRefusedWhereverTheyAre) {
  for (const char *schema :
       {"{ $ref: '#' }", "{ properties: { a: { $ref: '#' } } }", "{ items: [ { $ref: '#' } ] }",
        "{ additionalProperties: { $ref: '#' } }", "{ definitions: { a: { type: object } } }",
        "{ allOf: [ { $ref: '#' } ] }", "{ not: { $ref: '#' } }", "{ dependencies: { a: { $ref: '#' } } }",
        "{ patternProperties: { a: { $ref: '#' } } }", "{ $ref: 'http://example.com/schema' }"}) {
    const std::string text = sound_manifest();
    EXPECT_THAT(
        refusals_of(text.substr(0, text.find("config:")) + "config: " + schema + "\n"),
        ElementsAre(refuses(refusal_parts{"acme.yaml:14:", "without references", "in config", "write the part out"})))
        << schema;
  }
}

// Whatever a schema says, an answer: when it is read, and when it is applied.
TEST(Manifest, EveryKeywordWithEveryKindOfValueGetsAnAnswer) {
  size_t accepted = 0, refused = 0;
  for (const char *keyword : {"$comment",
                              "$id",
                              "$schema",
                              "additionalItems",
                              "additionalProperties",
                              "allOf",
                              "anyOf",
                              "const",
                              "contains",
                              "default",
                              "dependencies",
                              "else",
                              "enum",
                              "exclusiveMaximum",
                              "exclusiveMinimum",
                              "format",
                              "if",
                              "items",
                              "maxItems",
                              "maxLength",
                              "maxProperties",
                              "maximum",
                              "minItems",
                              "minLength",
                              "minProperties",
                              "minimum",
                              "multipleOf",
                              "not",
                              "oneOf",
                              "pattern",
                              "patternProperties",
                              "properties",
                              "propertyNames",
                              "required",
                              "then",
                              "title",
                              "type",
                              "uniqueItems"})
    for (const char *value : {"0",          "-1",          "1.5",     "1e400", ".nan",     "99999999999999999999",
                              "text",       "'['",         "''",      "true",  "~",        "[]",
                              "[0]",        "[{}]",        "['']",    "{}",    "{ a: 0 }", "{ a: {} }",
                              "{ a: [b] }", "{ '[': {} }", "integer", "object"}) {
      const std::string text = sound_manifest(), word = keyword;
      config::problems report("acme.yaml");
      const auto manifest = parse_manifest(
          text.substr(0, text.find("config:")) + "config: { properties: { a: { " + word + ": " + value + " } } }\n",
          "acme.yaml", report);
      ++(manifest ? accepted : refused);
      if (!manifest) continue;
      for (const boost::json::value &given :
           {boost::json::value(7), boost::json::value(-2.5), boost::json::value("b"), boost::json::value(nullptr),
            boost::json::value(true), boost::json::value(boost::json::array{1, "b"}),
            boost::json::value(boost::json::object{{"a", 1}, {"b", "c"}})}) {
        configuration instance;
        instance.values.insert_or_assign("a", given);
        const auto complete = complete_configuration(manifest->configuration, instance);
        EXPECT_TRUE(complete || !complete.why().have.empty());
      }
    }
  EXPECT_GT(accepted, 50);
  EXPECT_GT(refused, 200);
}

// Whatever the bytes, an answer and no crash.
TEST(Manifest, EveryPrefixAndEveryFlippedByteGivesAnAnswer) {
  const std::string text = sound_manifest();
  for (size_t i = 0; i < text.size(); ++i) {
    config::problems cut("cut.yaml"), flipped("flipped.yaml");
    const auto prefix = parse_manifest(text.substr(0, i), "cut.yaml", cut);
    EXPECT_EQ(prefix.has_value(), !cut.refused()) << i;
    std::string other = text;
    other[i] = static_cast<char>(other[i] ^ 0x15);
    const auto damaged = parse_manifest(other, "flipped.yaml", flipped);
    EXPECT_EQ(damaged.has_value(), !flipped.refused()) << i;
  }
}

}  // namespace
}  // namespace tenon::host
