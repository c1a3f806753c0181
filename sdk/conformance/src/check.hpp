// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// A check, and what it is given to work with.
#pragma once

#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "check_process.hpp"
#include "tenon/host/module_manifest.hpp"
#include "tenon/kernel/module_kinds.hpp"

namespace tenon::conformance {

// Whom a check is about: implementations of these kinds, or the module as a whole.
namespace about {
constexpr uint32_t queue_sort = bit_of(module_kind::queue_sort), app_sort = bit_of(module_kind::app_sort),
                   node_sort = bit_of(module_kind::node_sort), predicate = bit_of(module_kind::predicate),
                   placement_rule = bit_of(module_kind::placement_rule), identity = bit_of(module_kind::identity),
                   event_sink = bit_of(module_kind::event_sink), transport = bit_of(module_kind::transport),
                   module = 1U << 31;
constexpr uint32_t sorts = queue_sort | app_sort | node_sort;
constexpr uint32_t columns = sorts | predicate;          // kinds that read columns
constexpr uint32_t policies = columns | placement_rule;  // answers follow from the question alone
constexpr uint32_t asked = policies | identity;          // the same question has the same answer, for a while at least
constexpr uint32_t every_kind = asked | event_sink | transport;
}  // namespace about

// What a check throws to end early.
struct check_failed {
  std::string text;
};
struct check_skipped {
  std::string text;
};

// The module under test and, where the check is about one, an implementation of it.
struct target {
  std::filesystem::path manifest_file;
  const host::module_manifest *manifest = nullptr;           // null where it could not be read
  const host::provided_interface *implementation = nullptr;  // null: the module as a whole
  uint32_t kind = about::module;
  std::string interface_id;
  std::filesystem::path client;    // that speaks a transport's protocol; empty: none was named
  std::vector<std::string> users;  // that an identity finds; empty: as its schema says
};

class probe {
 public:
  probe(const target &of, uint64_t seed, bool long_run, shared_page &page)
      : of_(of), seed_(seed), long_run_(long_run), page_(page), random_(seed) {}

  [[nodiscard]] const target &of() const { return of_; }
  [[nodiscard]] const host::module_manifest &manifest() const { return *of_.manifest; }
  [[nodiscard]] bool is(uint32_t kinds) const { return (of_.kind & kinds) != 0; }
  [[nodiscard]] bool long_run() const { return long_run_; }
  [[nodiscard]] uint64_t seed() const { return seed_; }
  std::mt19937_64 &random() { return random_; }
  // From 0 up to `below`, the latter excluded.
  uint64_t pick(uint64_t below) { return below == 0 ? 0 : random_() % below; }

  // What the module is being asked, kept where it outlives a crash. Empty: the module is not running.
  void step(std::string_view what) { page_.step(what); }

  [[noreturn]] static void fail(std::string text) { throw check_failed{std::move(text)}; }
  [[noreturn]] static void skip(std::string text) { throw check_skipped{std::move(text)}; }
  static void want(bool holds, const std::string &otherwise) {
    if (!holds) fail(otherwise);
  }

  // Calls into the module; whatever leaves the slot is said to have left it.
  template <class Call>
  auto call(std::string_view slot, Call &&into) {
    step(slot);
    try {
      auto status = into();
      step("");
      return status;
    } catch (const check_failed &) {
      throw;
    } catch (const check_skipped &) {
      throw;
    } catch (const std::exception &e) {
      step("");
      fail("an exception left " + std::string(slot) + ": " + e.what());
    } catch (...) {
      step("");
      fail("an exception left " + std::string(slot));
    }
  }

 private:
  const target &of_;
  uint64_t seed_;
  bool long_run_;
  shared_page &page_;
  std::mt19937_64 random_;
};

struct check {
  std::string_view id, category;
  uint32_t about = 0;
  std::string_view needs;  // id of a check that must have passed; empty: none
  std::string_view sentence;
  void (*run)(probe &) = nullptr;
  bool long_run = false;
};

using checks = std::span<const check>;

// One list a category, in the order in which they run.
checks manifest_checks();
checks lifecycle_checks();
checks slot_checks();
checks more_lifecycle_checks();
checks buffer_checks();
checks process_module_checks();
checks process_checks();
checks purity_checks();
checks device_checks();
checks predicate_checks();
checks placement_checks();
checks identity_checks();
checks event_sink_checks();
checks transport_checks();
checks transport_rm_checks();
checks resource_module_checks();
checks resource_checks();

}  // namespace tenon::conformance
