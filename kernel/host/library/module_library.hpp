// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// A module's library, opened by Boost.DLL, and its one symbol. Its sections are read before that by libelf, which is
// made for files that nobody trusts; boost::dll::library_info is not.
#pragma once

#include <dlfcn.h>

#define BOOST_DLL_USE_STD_FS
#include <boost/dll/shared_library.hpp>
#include <filesystem>
#include <string>

#include "tenon/abi/module.h"

namespace tenon::host {

class module_library {
 public:
  // Empty, or what the dynamic linker says against it.
  [[nodiscard]] std::string open(const std::filesystem::path &file) {
    std::error_code failed;
    library_.load(file, failed, mode);
    // Boost.DLL's error says that it failed; why is dlerror()'s alone.
    const char *said = failed ? ::dlerror() : nullptr;
    return !failed ? std::string{} : said != nullptr ? said : failed.message();
  }

  // nullptr where the library does not export it.
  [[nodiscard]] const tenon_module *table() const {
    return library_.has(TENON_MODULE_SYMBOL) ? &library_.get<const tenon_module>(TENON_MODULE_SYMBOL) : nullptr;
  }

 private:
  // Boost.DLL has no name for RTLD_NODELETE, which keeps code that has run where it is; it hands such bits on.
  static constexpr auto mode = static_cast<boost::dll::load_mode::type>(RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);

  boost::dll::shared_library library_;
};

}  // namespace tenon::host
