// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The module in the process of a check: opened, asked for its implementations, and made instances of.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "check.hpp"
#include "probe_table.hpp"
#include "tenon/abi/event_sink.h"
#include "tenon/abi/identity.h"
#include "tenon/abi/module.h"
#include "tenon/abi/placement_rule.h"
#include "tenon/abi/predicate.h"
#include "tenon/abi/sort.h"
#include "tenon/abi/transport.h"
#include "test_host.hpp"

struct link_map;

namespace tenon::conformance {

std::string status_name(tenon_status status);
// A text of the module, however it looks, as one short line.
std::string shown(const tenon_text &text);
std::string number(uint64_t n);

// Room for the words of an error, with a guard behind it.
class error_buffer {
 public:
  explicit error_buffer(uint32_t capacity = 256);
  tenon_message *message() { return &message_; }
  [[nodiscard]] std::string text() const;  // ": ..." or empty
  // What is wrong with how it was filled, if anything.
  [[nodiscard]] std::string problem() const;

 private:
  std::string bytes_;
  tenon_message message_{};
};

// What an implementation says of itself, copied.
struct described {
  std::string name, version;
  std::vector<column_declared> columns;
  uint32_t key_words = 0, order_rev = 0, rekey_ms = 0;
  std::vector<std::string> reasons;
};

class opened_module {
 public:
  // Opens the library beside the manifest, or `library`; fails the check where that does not work.
  static opened_module open(probe &p, const std::filesystem::path &library = {});
  // The same, and initialises it.
  static opened_module start(probe &p, const std::filesystem::path &library = {});

  void init();
  void deinit();
  [[nodiscard]] tenon_status get_factory(std::string_view interface, const tenon_factory *&factory) const;
  // That of the implementation under test; fails the check where there is none.
  [[nodiscard]] const tenon_factory *factory() const;
  // Its number, and what it says.
  [[nodiscard]] uint32_t index() const;
  [[nodiscard]] tenon_description raw_description(uint32_t index) const;
  [[nodiscard]] described description() const;

  [[nodiscard]] probe &asker() const { return *probe_; }
  [[nodiscard]] const tenon_module &table() const { return *table_; }
  [[nodiscard]] test_host &host() const { return *host_; }
  [[nodiscard]] const link_map *linked() const { return linked_; }  // as the dynamic linker knows it

 private:
  opened_module(probe &p, const tenon_module *table, const link_map *linked);
  probe *probe_;
  const tenon_module *table_;
  const link_map *linked_;
  test_host *host_;
};

constexpr uint32_t usual_max_types = 16;

// An instance and its life. The destructor ends it as a host would.
class instance {
 public:
  // Only created.
  static std::unique_ptr<instance> create(const opened_module &module, std::string_view configuration,
                                          test_host::services given = test_host::services::all);
  // Created, initialised and active, with the usual configuration.
  static std::unique_ptr<instance> active(const opened_module &module,
                                          test_host::services given = test_host::services::all);
  ~instance();
  instance(const instance &) = delete;
  instance &operator=(const instance &) = delete;

  void init();
  void activate();
  void deactivate();
  void destroy();

  // As create, but gives the status; words of a refusal in `why`.
  static tenon_status try_create(const opened_module &module, std::string_view configuration, test_host::services given,
                                 std::unique_ptr<instance> &made, std::string &why);
  tenon_status try_init(std::string &why) { return lifecycle_call("init", lifecycle_.init, why); }
  tenon_status try_activate(std::string &why);

  [[nodiscard]] tenon_instance *raw() const { return raw_; }
  [[nodiscard]] const std::vector<column_declared> &columns() const { return columns_; }
  [[nodiscard]] uint32_t key_words() const { return key_words_; }
  [[nodiscard]] const described &says() const { return says_; }
  [[nodiscard]] const tenon_sort_v1 &sort() const { return sort_; }
  [[nodiscard]] const tenon_predicate_v1 &predicate() const { return predicate_; }
  [[nodiscard]] const tenon_placement_rule_v1 &placement() const { return placement_; }
  [[nodiscard]] const tenon_identity_v1 &identity() const { return identity_; }
  [[nodiscard]] const tenon_event_sink_v1 &sink() const { return sink_; }
  [[nodiscard]] const tenon_transport_v1 &transport() const { return transport_; }
  [[nodiscard]] test_host &host() const { return *host_; }
  [[nodiscard]] probe &asker() const { return *probe_; }

 private:
  explicit instance(probe &p) : probe_(&p) {}
  using slot = tenon_status (*)(tenon_instance *, const tenon_nothing *, tenon_message *);
  tenon_status lifecycle_call(const char *name, slot into, std::string &why);
  void must(const char *name, slot into);
  void take(const tenon_create_out &made);

  probe *probe_;
  test_host *host_ = nullptr;
  tenon_instance *raw_ = nullptr;
  tenon_lifecycle lifecycle_{};
  tenon_sort_v1 sort_{};
  tenon_predicate_v1 predicate_{};
  tenon_placement_rule_v1 placement_{};
  tenon_identity_v1 identity_{};
  tenon_event_sink_v1 sink_{};
  tenon_transport_v1 transport_{};
  described says_;
  std::vector<column_declared> columns_;
  uint32_t key_words_ = 0;
  bool active_ = false;
};

}  // namespace tenon::conformance
