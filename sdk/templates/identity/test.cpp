// What the source of groups should answer, with the file groups.txt beside this one.
#include "../@source@"

#include <iostream>

int main() {
  const @struct@ source(config("{}"));
  int wrong = 0;
  const auto want = [&](std::string_view user, const std::optional<std::vector<std::string>> &groups) {
    if (source.groups(user) == groups) return;
    std::cerr << "the groups of " << user << " are others\n";
    ++wrong;
  };
  want("alice", {{"ops", "dev"}});
  want("bob", {{"dev"}});
  want("lonely", std::vector<std::string>{});
  want("nobody", std::nullopt);
  want("ali", std::nullopt);
  return wrong;
}
