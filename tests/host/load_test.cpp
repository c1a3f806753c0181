// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Every way in which a module can be wrong, each with the module that is: refused in words, and nothing left.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cfenv>
#include <clocale>
#include <csignal>
#include <fstream>
#include <thread>

#include "fixture_folder.hpp"
#include "refusal_matchers.hpp"
#include "tenon/host/preflight.hpp"
#include "tenon/host/verified_library.hpp"

namespace tenon::host {
namespace {

using testing::fixture_folder;
using testing::fixture_manifest;
using testing::leftovers_now;
using testing::refusal_parts;
using testing::refuses;

class Load : public ::testing::Test {
 protected:
  void TearDown() override {
    EXPECT_EQ(leftovers_now().descriptors, before_.descriptors);
    EXPECT_FALSE(leftovers_now().children);
    EXPECT_THAT(testing::processes_of(modules_.folder.path()), ::testing::IsEmpty());
    EXPECT_THAT(testing::drafts_in(options().cache_directory), ::testing::IsEmpty());
  }
  host_options &options() { return modules_.options; }

  testing::leftovers before_ = leftovers_now();
  fixture_folder modules_;
};

TEST_F(Load, SoundModuleIsLoadedAndBound) {
  modules_.install("good");
  const auto host = modules_.open({"good"});
  ASSERT_TRUE(host) << host.why().text();
  const auto policy = (*host)->bind(module_kind::node_sort, "fixture", "{}", 16);
  ASSERT_TRUE(policy) << policy.why().text();
  EXPECT_EQ((*policy)->provider, "test.good 1.0.0");
  EXPECT_EQ((*policy)->key_words, 1);
}

struct bad_module {
  const char *fixture;
  refusal_parts parts;
};
void PrintTo(const bad_module &module, std::ostream *out) { *out << module.fixture; }

std::filesystem::path program_beside(const char *name) {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path() / name;
}

const auto fixture_named = [](const auto &module) { return std::string(module.param.fixture); };

// Refused before any of its code runs, with and without preflight.
class Lint : public Load, public ::testing::WithParamInterface<bad_module> {};

TEST_P(Lint, RefusesIt) {
  options().preflight = false;
  modules_.install(GetParam().fixture);
  EXPECT_THAT(modules_.refused(GetParam().fixture), refuses(GetParam().parts));
}

INSTANTIATE_TEST_SUITE_P(
    Load, Lint,
    ::testing::Values(
        bad_module{"two_exports",
                   {"two_exports.so", "no export but tenon_module_v1", "fixture_second_export", "version script"}},
        bad_module{"no_entry",
                   {"no_entry.so", "the export tenon_module_v1", "does not export it", "tenon/abi/module.h"}},
        bad_module{"entry_is_function", {"entry_is_function.so", "constant object", "no object", "tenon/abi/module.h"}},
        bad_module{"needs_protobuf",
                   {"needs_protobuf.so", "without protobuf and gRPC", "libprotobuf.so.32", "libtenon_proto.so"}},
        bad_module{"text_relocation", {"text_relocation.so", "position-independent", "text relocations", "-fPIC"}},
        bad_module{"exec_stack",
                   {"exec_stack.so", "stack that is not executable", "an executable stack", "noexecstack"}}),
    fixture_named);

// Refused by what it does in the child process.
class Preflight : public Load, public ::testing::WithParamInterface<bad_module> {};

TEST_P(Preflight, RefusesIt) {
  if (std::string_view(GetParam().fixture).ends_with("hangs"))
    options().preflight_timeout = std::chrono::milliseconds(3000);
  modules_.install(GetParam().fixture);
  EXPECT_THAT(modules_.refused(GetParam().fixture), refuses(GetParam().parts));
}

INSTANTIATE_TEST_SUITE_P(
    Load, Preflight,
    ::testing::Values(
        bad_module{"load_aborts",
                   {"load_aborts.so", "child process",
                    "killed by SIGABRT during opening it (constructors); it said: cannot find my table", "vendor"}},
        bad_module{"load_exits",
                   {"load_exits.so", "child process", "ended the process with status 0 during opening it",
                    "must not end the process"}},
        bad_module{"load_hangs",
                   {"load_hangs.so", "child process",
                    "still busy after 3000 ms during opening it (constructors); it said:", "do not wait"}},
        bad_module{"load_changes_rounding",
                   {"load_changes_rounding.so", "", "opening it changed floating-point control", "-ffast-math"}},
        bad_module{"init_hangs",
                   {"init_hangs.so", "child process", "still busy after 3000 ms during init", "do not wait"}},
        bad_module{"init_exits",
                   {"init_exits.so", "child process", "ended the process with status 3 during init", "must not end"}},
        bad_module{
            "init_throws",
            {"init_throws.so", "child process", "killed by SIGABRT during init; it said: terminate called", "vendor"}},
        bad_module{"init_fails", {"init_fails.so", "", "init failed with status 7: no licence left", "documentation"}},
        bad_module{"init_changes_rounding",
                   {"init_changes_rounding.so", "", "its init changed floating-point control", "process-wide state"}},
        bad_module{"init_changes_locale",
                   {"init_changes_locale.so", "", "its init changed the locale", "process-wide state"}},
        bad_module{"init_changes_signal",
                   {"init_changes_signal.so", "", "its init changed the handler of SIGUSR1", "process-wide state"}},
        bad_module{"exit_aborts",
                   {"exit_aborts.so", "child process", "killed by SIGABRT during the end of the process", "vendor"}}),
    fixture_named);

// Refused in this process, where there was no preflight.
class Open : public Load, public ::testing::WithParamInterface<bad_module> {};

TEST_P(Open, RefusesIt) {
  options().preflight = false;
  modules_.install(GetParam().fixture);
  EXPECT_THAT(modules_.refused(GetParam().fixture), refuses(GetParam().parts));
}

INSTANTIATE_TEST_SUITE_P(
    Load, Open,
    ::testing::Values(
        bad_module{"init_fails", {"init_fails.so", "", "its init gave EXHAUSTED: no licence left", ""}},
        bad_module{"wrong_epoch",
                   {"wrong_epoch.so", "ABI epoch 1", "built for ABI epoch 77", "this release's headers"}},
        bad_module{"wrong_draft_rev",
                   {"wrong_draft_rev.so", "draft revision", "built for draft revision 77", "belong together"}},
        bad_module{"other_name",
                   {"other_name.so", "nothing that the manifest does not list", "tenon.node-sort/1 'impostor'",
                    "belong together"}},
        bad_module{
            "other_version",
            {"other_version.so", "version 1.0.0, as the manifest says", "of version '1.0.1'", "belong together"}},
        bad_module{"other_order_rev", {"other_order_rev.so", "order_rev 1", "order_rev 2", "belong together"}},
        bad_module{
            "describes_nothing",
            {"describes_nothing.so", "'fixture', as the manifest says", "does not describe it", "belong together"}},
        bad_module{"describes_twice", {"describes_twice.so", "once", "described twice", "belong together"}},
        bad_module{"second_interface",
                   {"second_interface.so", "nothing that the manifest does not list", "tenon.app-sort/1 'fixture'",
                    "belong together"}}),
    fixture_named);

TEST_F(Load, ManifestOfMoreThanTheModuleProvidesIsRefused) {
  modules_.install("good");
  modules_.seal("good", {.interface = "tenon.app-sort/1"});
  EXPECT_THAT(modules_.refused("good"), refuses(refusal_parts{"good.so", "tenon.app-sort/1, as the manifest says",
                                                              "get_factory gave UNSUPPORTED", "belong together"}));
}

TEST_F(Load, LibraryThatIsNotThereIsRefused) {
  std::filesystem::remove(modules_.install("good"));
  EXPECT_THAT(modules_.refused("good"),
              refuses(refusal_parts{"good.so", "readable shared library", "No such file", "beside its manifest"}));
}

TEST_F(Load, FolderInPlaceOfTheLibraryIsRefused) {
  const auto library = modules_.install("good");
  std::filesystem::remove(library);
  std::filesystem::create_directory(library);
  EXPECT_THAT(modules_.refused("good"), refuses(refusal_parts{"good.so", "shared library", "a directory", ""}));
}

TEST_F(Load, PipeInPlaceOfTheLibraryIsRefusedWithoutWaiting) {
  const auto library = modules_.install("good");
  std::filesystem::remove(library);
  ASSERT_EQ(::mkfifo(library.c_str(), 0600), 0);
  EXPECT_THAT(modules_.refused("good"), refuses(refusal_parts{"good.so", "shared library", "not a regular file", ""}));
}

TEST_F(Load, LibraryThatMayNotBeReadIsRefused) {
  const auto library = modules_.install("good");
  std::filesystem::permissions(library, std::filesystem::perms::none);
  const uid_t was = ::geteuid();
  if (was == 0) {
    // The superuser may read everything: try as nobody, who must get that far.
    std::filesystem::permissions(modules_.folder.path(), std::filesystem::perms::all);
    ASSERT_EQ(::seteuid(65534), 0);
  }
  const auto file = read_library(library);
  if (was == 0) {
    ASSERT_EQ(::seteuid(was), 0);
  }
  ASSERT_FALSE(file);
  EXPECT_THAT(file.why(), refuses(refusal_parts{"good.so", "readable", "Permission denied", "let the user"}));
}

TEST_F(Load, EmptyLibraryIsRefused) {
  std::filesystem::resize_file(modules_.install("good"), 0);
  EXPECT_THAT(modules_.refused("good"), refuses(refusal_parts{"good.so", "", "an empty file", ""}));
}

TEST_F(Load, ChangedLibraryIsRefusedByItsDigest) {
  const auto library = modules_.install("good");
  std::fstream(library, std::ios::in | std::ios::out | std::ios::binary).seekp(2000).put('!');
  EXPECT_THAT(modules_.refused("good"),
              refuses(refusal_parts{"good.so", "good.yaml says", "sha256:", "from whoever built the module"}));
}

TEST_F(Load, TruncatedLibraryWithItsOwnDigestIsRefusedByLint) {
  const auto library = modules_.install("good");
  for (const auto size : {std::filesystem::file_size(library) * 3 / 4, std::filesystem::file_size(library) / 3,
                          uintmax_t{70}, uintmax_t{3}}) {
    std::filesystem::resize_file(library, size);
    modules_.seal("good");
    EXPECT_THAT(modules_.refused("good"), refuses(refusal_parts{"good.so", "shared library", "", "again"})) << size;
  }
}

// Sealed after the damage, so that lint and preflight must cope: never this process.
TEST_F(Load, FlippedBytesWithTheirOwnDigestNeverHarmThisProcess) {
  const auto library = modules_.install("good");
  const auto sound = read_library(library);
  ASSERT_TRUE(sound);
  for (size_t at = 0; at < sound->bytes.size(); at += sound->bytes.size() / 40) {
    auto bytes = sound->bytes;
    for (size_t i = at; i < std::min(at + 8, bytes.size()); ++i) bytes[i] ^= std::byte{0xff};
    std::ofstream(library, std::ios::binary)
        .write(reinterpret_cast<const char *>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    modules_.seal("good");
    config::problems report("good.yaml");
    const auto manifest = read_manifest(modules_.folder.path() / "mods/good.yaml", report);
    ASSERT_TRUE(manifest);
    const auto verified = verify_library(*manifest, std::nullopt, options().cache_directory);
    if (!verified) {
      EXPECT_FALSE(verified.why().have.empty());
      continue;
    }
    const auto no = preflight({verified->open_path, verified->digest, verified->shown_as, {}},
                              {program_beside("tenon-preflight"), std::chrono::milliseconds(2000), {}});
    EXPECT_TRUE(!no || !no->have.empty());
  }
}

// Headers are at both ends of a library: every byte there, one after the other.
TEST_F(Load, LintOfDamagedHeadersGivesAnAnswer) {
  const auto sound = read_library(modules_.install("good"));
  ASSERT_TRUE(sound);
  ASSERT_TRUE(lint_library(*sound).findings.empty());
  size_t found = 0;
  for (size_t at = 0; at < sound->bytes.size(); ++at) {
    if (at == 1024 && sound->bytes.size() > 6144) at = sound->bytes.size() - 4096;
    library_file damaged = *sound;
    damaged.bytes[at] ^= static_cast<std::byte>(1U << (at % 8)) | std::byte{0x80};
    found += lint_library(damaged).findings.empty() ? 0 : 1;
  }
  EXPECT_GT(found, 100);
}

TEST_F(Load, OtherMachineIsRefused) {
  const auto library = modules_.install("good");
  std::fstream(library, std::ios::in | std::ios::out | std::ios::binary).seekp(18).put(8).put(0);  // e_machine: MIPS
  modules_.seal("good");
  EXPECT_THAT(modules_.refused("good"),
              refuses(refusal_parts{"good.so", "64-bit little-endian", "machine 8", "for this machine"}));
}

TEST_F(Load, TwoManifestsWithOneIdAreRefusedByBothNames) {
  modules_.install("good");
  modules_.install("wide_keys", {.id = "test.good"});
  EXPECT_THAT(modules_.refused("good"),
              refuses(refusal_parts{"wide_keys.yaml", "one manifest", "good.yaml", "remove one"}));
}

TEST_F(Load, TwoModulesWithOneNameAreRefusedByBothNames) {
  modules_.install("good");
  modules_.install("wide_keys");
  const auto host = modules_.open({"good", "wide_keys"});
  ASSERT_FALSE(host);
  EXPECT_THAT(host.why(), refuses(refusal_parts{"wide_keys.yaml", "one module for tenon.node-sort/1 'fixture'",
                                                "test.good", "take one"}));
}

TEST_F(Load, UnlistedModuleOnThePathIsNotOpenedAndNotBound) {
  modules_.install("good");
  modules_.install("load_aborts", {.name = "other"});
  options().preflight = false;
  const auto host = modules_.open({"good"});
  ASSERT_TRUE(host) << host.why().text();
  const auto policy = (*host)->bind(module_kind::node_sort, "other", "{}", 16);
  ASSERT_FALSE(policy);
  EXPECT_THAT(policy.why(), refuses(refusal_parts{"tenon.yaml", "listed", "test.load-aborts on the module path would",
                                                  "- id: test.load-aborts"}));
}

TEST_F(Load, BrokenManifestOfAnotherModuleIsAWarning) {
  modules_.install("good");
  modules_.folder.write("mods/broken.yaml", "id: test.broken\nfancy: true\n");
  const auto host = modules_.open({"good"});
  ASSERT_TRUE(host) << host.why().text();
  EXPECT_THAT(modules_.log(), ::testing::HasSubstr("broken.yaml:2:1"));
}

TEST_F(Load, BrokenManifestOfAListedModuleIsRefusedAtItsPlace) {
  modules_.folder.make("mods");
  modules_.folder.write("mods/broken.yaml", "id: test.broken\nfancy: true\n");
  EXPECT_THAT(modules_.refused("broken"), refuses(refusal_parts{"broken.yaml:", "", "", ""}));
}

TEST_F(Load, PreflightHelperThatIsNotThereIsRefusedByName) {
  modules_.install("good");
  options().preflight_program = modules_.folder.path() / "nowhere";
  EXPECT_THAT(modules_.refused("good"),
              refuses(refusal_parts{"good.so", "nowhere", "cannot be started: No such file", "beside"}));
}

TEST_F(Load, PassIsRememberedByDigestRefusalIsNot) {
  modules_.install("good");
  ASSERT_TRUE(modules_.open({"good"}));
  size_t remembered = 0;
  for (const auto &entry : std::filesystem::directory_iterator(options().cache_directory / "preflight"))
    remembered += entry.is_regular_file() ? 1 : 0;
  EXPECT_EQ(remembered, 1);
  modules_.install("init_fails");
  modules_.refused("init_fails");
  size_t later = 0;
  for (const auto &entry : std::filesystem::directory_iterator(options().cache_directory / "preflight"))
    later += entry.is_regular_file() ? 1 : 0;
  EXPECT_EQ(later, remembered);
}

TEST_F(Load, CacheThatOthersMayWriteIsNotUsed) {
  modules_.install("good");
  std::filesystem::create_directory(options().cache_directory);
  std::filesystem::permissions(options().cache_directory, std::filesystem::perms::all);
  const auto host = modules_.open({"good"});
  ASSERT_TRUE(host) << host.why().text();
  EXPECT_TRUE(std::filesystem::is_empty(options().cache_directory));
}

TEST_F(Load, CopyThatSomebodyChangedIsMadeAnew) {
  modules_.install("good");
  ASSERT_TRUE(modules_.open({"good"}));
  std::filesystem::path copy;
  for (const auto &entry : std::filesystem::recursive_directory_iterator(options().cache_directory / "modules"))
    if (entry.path().extension() == ".so") copy = entry.path();
  ASSERT_FALSE(copy.empty());
  const auto digest = read_library(copy)->digest;
  // By renaming, as the one above is mapped.
  modules_.folder.write("evil.so", "not a module");
  std::filesystem::rename(modules_.folder.path() / "evil.so", copy);
  const auto host = modules_.open({"good"});
  EXPECT_TRUE(host);
  EXPECT_EQ(read_library(copy)->digest, digest);
}

TEST_F(Load, LibraryOverwrittenWhileInUseDoesNotReachTheProcess) {
  const auto library = modules_.install("good");
  const auto host = modules_.open({"good"});
  ASSERT_TRUE(host) << host.why().text();
  std::filesystem::resize_file(library, 0);  // in place: a mapping of this file would be gone
  EXPECT_TRUE((*host)->bind(module_kind::node_sort, "fixture", "{}", 16));
}

TEST_F(Load, WithoutCacheLibraryIsOpenedInPlace) {
  modules_.install("good");
  options().use_cache = false;
  const auto host = modules_.open({"good"});
  ASSERT_TRUE(host) << host.why().text();
  EXPECT_FALSE(std::filesystem::exists(options().cache_directory));
}

// Preflight runs between the digest and the opening. This one puts another library there first, in place and by
// renaming.
class Swapped : public Load, public ::testing::WithParamInterface<const char *> {
 protected:
  void swap_before_preflight(const std::filesystem::path &library) {
    const std::string other = std::string(TENON_FIXTURE_DIRECTORY) + "/load_aborts.so";
    const auto script = modules_.folder.write("swap.sh", "#!/bin/sh\nset -e\nwith='" + other + "'; to='" +
                                                             library.string() + "'\n" + GetParam() + "\nexec " +
                                                             program_beside("tenon-preflight").string() + " \"$@\"\n");
    std::filesystem::permissions(script, std::filesystem::perms::owner_all);
    options().preflight_program = script;
    other_digest_ = read_library(other)->digest;
  }

  std::string other_digest_;
};

TEST_P(Swapped, LibraryWithoutCopyIsTheOneThatWasVerified) {
  const auto library = modules_.install("good");
  options().use_cache = false;
  swap_before_preflight(library);
  const auto host = modules_.open({"good"});
  ASSERT_TRUE(host) << host.why().text();
  EXPECT_TRUE((*host)->bind(module_kind::node_sort, "fixture", "{}", 16));
  EXPECT_EQ(read_library(library)->digest, other_digest_);
}

// It finds its own libraries relative to where it stands; a copy of it stands elsewhere.
TEST_P(Swapped, LibraryThatLooksBesideItselfIsTheOneThatWasVerified) {
  const auto library = modules_.install("looks_beside");
  std::filesystem::create_directory(library.parent_path() / "own");
  std::filesystem::copy_file(std::string(TENON_FIXTURE_DIRECTORY) + "/own/libbeside.so",
                             library.parent_path() / "own/libbeside.so");
  swap_before_preflight(library);
  const auto host = modules_.open({"looks_beside"});
  ASSERT_TRUE(host) << host.why().text();
  EXPECT_TRUE((*host)->bind(module_kind::node_sort, "fixture", "{}", 16));
  EXPECT_EQ(read_library(library)->digest, other_digest_);
}

INSTANTIATE_TEST_SUITE_P(Load, Swapped,
                         ::testing::Values("cat \"$with\" >\"$to\"",
                                           "cp \"$with\" \"$to.new\"; mv \"$to.new\" \"$to\""),
                         [](const auto &way) { return std::string(way.index == 0 ? "InPlace" : "ByRenaming"); });

TEST_F(Load, ManyHostsAtOnceLoadTheSameModule) {
  modules_.install("good");
  const auto file = modules_.folder.write(
      "tenon.yaml", "apiVersion: tenon/v1\nmodule_path: [mods]\nmodules: [ { id: test.good } ]\n");
  options().preflight = false;  // its companions differ with the order
  std::vector<std::thread> threads;
  std::atomic<int> loaded{0};
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      for (int round = 0; round < 5; ++round) {
        const auto host = open_deployment(file, options());
        if (host && (*host)->bind(module_kind::node_sort, "fixture", "{}", 16)) ++loaded;
      }
    });
  for (std::thread &thread : threads) thread.join();
  EXPECT_EQ(loaded, 20);
}

}  // namespace
}  // namespace tenon::host
