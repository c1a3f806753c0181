// Places an application in the queue that one of its tags names.
#include <tenon/sdk/placement_rule.hpp>

namespace {

using namespace tenon::sdk;

struct @struct@ {
  static constexpr std::string_view name = "@name@";

  // `value` of the rule in queues.yaml: the name of the tag.
  explicit @struct@(const config &settings) : tag_(settings.text("value", "team")) {}

  // A pure function of the submission, the queues and the configuration. The rule's `create`, `parent` and `filter`
  // are the kernel's.
  placement place(const submission &app) const {
    const auto team = app.tag(tag_);
    return team && !team->empty() ? below_parent(one_level(*team)) : next_rule();
  }

 private:
  std::string tag_;
};

}  // namespace

TENON_MODULE(placement_rule<@struct@>)
