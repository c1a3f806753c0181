// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Seeds of the fuzzer: `fuzz-seeds FOLDER [OUT]` plays each *.txt of the folder, and writes it as bytes into OUT.
// `fuzz-seeds --play FILE...` plays bytes, such as those that a fuzzer left.
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>
#include <stdexcept>

#include "history.hpp"

namespace {

namespace fs = std::filesystem;

void play(const fs::path &name, const std::string &bytes, bool strict) {
  const tenon::fuzz::played said = tenon::fuzz::play(bytes);
  std::cout << name.filename().string() << ": " << said.frames << " frames, " << said.refused << " refused, "
            << said.taken << " requests taken, " << said.answers << " answers" << std::endl;
  if (strict && (said.refused != 0 || said.taken == 0 || said.answers == 0))
    throw std::runtime_error(name.string() + " does nothing");
}

}  // namespace

int main(int argc, char **argv) {
  try {
    if (argc > 2 && std::string(argv[1]) == "--play") {
      for (int i = 2; i < argc; ++i) {
        std::ostringstream bytes;
        bytes << std::ifstream(argv[i], std::ios::binary).rdbuf();
        play(argv[i], bytes.str(), false);
      }
      return 0;
    }
    if (argc < 2 || argc > 3) throw std::runtime_error("want a folder with seeds, and perhaps one for their bytes");
    for (const auto &entry : fs::directory_iterator(argv[1])) {
      if (entry.path().extension() != ".txt") continue;
      const std::string bytes = tenon::fuzz::bytes_of(tenon::fuzz::read_history(entry.path()));
      play(entry.path(), bytes, true);
      if (argc == 3) {
        fs::create_directories(argv[2]);
        std::ofstream(fs::path(argv[2]) / entry.path().stem(), std::ios::binary) << bytes;
      }
    }
    return 0;
  } catch (const std::exception &why) {
    std::cerr << "fuzz-seeds: " << why.what() << '\n';
    return 1;
  }
}
