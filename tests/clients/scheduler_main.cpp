// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// A scheduler with the transports of a deployment, for clients in other languages: `client-scheduler tenon.yaml`. Its
// log goes to standard error. It reads its policy groups again for each line on standard input, says so on standard
// output, and ends with the input.
#include <iostream>
#include <string>

#include "tenon/service/scheduler.hpp"

int main(int argc, char **argv) {
  const auto fail = [](const tenon::refusal &why) {
    std::cerr << why.text() << '\n';
    return 1;
  };
  if (argc != 2) {
    std::cerr << "want a deployment file\n";
    return 2;
  }
  auto host = tenon::host::open_deployment(argv[1]);
  if (!host) return fail(host.why());
  auto made = tenon::service::scheduler::open(std::move(*host));
  if (!made) return fail(made.why());
  if (const auto why = (*made)->start()) return fail(*why);
  std::cout << "started" << std::endl;
  for (std::string line; std::getline(std::cin, line);) {
    const auto why = (*made)->reload();
    std::cout << (why ? "refused" : "reloaded") << std::endl;
  }
  (*made)->stop();
  return 0;
}
