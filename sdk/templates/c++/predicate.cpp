// An ask with a tag runs only on nodes whose attribute of the same name has the same value.
#include <tenon/sdk/predicate_policy.hpp>
#include <tenon/sdk/signature.hpp>

namespace {

using namespace tenon::sdk;

struct @struct@ {
  static constexpr std::string_view name = "@name@";
  // The words that people see when they ask why something is pending; `unresolvable(1)` is the first.
  static constexpr std::array<std::string_view, 1> reasons{"the node's attribute is not what the ask's tag wants"};

  // The configuration was checked against the manifest's schema, and its defaults are filled in.
  explicit @struct@(const config &settings)
      : of_node_("node.attr:" + settings.text("attribute", "zone")),
        of_ask_("ask.tag:" + settings.text("attribute", "zone")) {}

  // What is read, and what makes a verdict anew when it changes: tenon/abi/columns.h lists all columns. Columns that
  // no configuration decides may be a member instead: static constexpr std::tuple columns{...};
  std::tuple<text_column, text_column> columns() const {
    return {text_column{of_node_}, text_column{of_ask_, scope::context}};
  }

  // fail(...) where another allocation or release may help, unresolvable(...) where only another node or ask can.
  verdict filter(const auto &node) const {
    const auto [have, wanted] = node.values();
    return !wanted || have == wanted ? pass() : unresolvable(1);
  }

  // Asks with equal words share verdicts. Reads columns of the ask alone.
  std::array<uint64_t, 2> signature(const auto &ask) const {
    signature_builder words;
    if (const auto wanted = ask.template get<1>()) words.add(*wanted);
    return words.words();
  }

 private:
  std::string of_node_, of_ask_;
};

}  // namespace

TENON_MODULE(predicate<@struct@>)
