// Orders @items@ by one resource, smallest first: @says@.
#include <tenon/sdk/sort_policy.hpp>

namespace {

using namespace tenon::sdk;

struct @struct@ {
  static constexpr std::string_view name = "@name@";
  // What is read, and what makes a key anew when it changes: tenon/abi/columns.h lists all columns.
  static constexpr std::tuple columns{resources_column{"@column@"}};

  // The configuration was checked against the manifest's schema, and its defaults are filled in.
  explicit @struct@(const config &settings) : resource_(settings.text("resource", "vcore")) {}

  // Resource types have indexes, and new types may come with every batch.
  void begin(const auto &batch) {
    for (uint32_t t = 0; t < batch.type_count(); ++t) {
      if (batch.type_name(t) == resource_) type_ = t;
    }
  }

  // Smaller goes first. Equal keys: in the order of submission, nodes by id.
  int64_t key(const auto &row) const {
    const auto [amounts] = row.values();
    return amounts[type_];
  }

 private:
  std::string resource_;
  uint32_t type_ = TENON_NO_TYPE;  // whose amount is 0
};

}  // namespace

TENON_MODULE(@wrapper@<@struct@>)
