// Groups of users from a file: a line for each user, `alice: ops dev`.
#include <fstream>
#include <sstream>

#include <tenon/sdk/identity.hpp>

namespace {

using namespace tenon::sdk;

struct @struct@ {
  static constexpr std::string_view name = "@name@";

  explicit @struct@(const config &settings) : path_(settings.text("path", "groups.txt")) {}

  // May wait: the host asks on a thread of its own, and keeps the answer for a while. Nothing: there is no such user.
  // The file is looked at for each question, so that whoever writes it need tell nobody.
  std::optional<std::vector<std::string>> groups(std::string_view user) const {
    std::ifstream in(path_);
    if (!in) throw unavailable("cannot read " + path_);
    const std::string begin = std::string(user) + ":";
    for (std::string line; std::getline(in, line);) {
      if (line.compare(0, begin.size(), begin) != 0) continue;
      std::istringstream words(line.substr(begin.size()));
      std::vector<std::string> out;
      for (std::string group; words >> group;) out.push_back(group);
      return out;
    }
    return std::nullopt;
  }

 private:
  std::string path_;
};

}  // namespace

TENON_MODULE(identity<@struct@>)
