// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// A region of memory that a child process maps too.
#pragma once

#include <boost/interprocess/mapped_region.hpp>
#include <cstddef>
#include <string>

#include "descriptor.hpp"
#include "tenon/kernel/refusal.hpp"

namespace tenon::host::isolation {

enum class writers : uint8_t { this_process, both };

class shared_memory {
 public:
  // Of so many bytes, zero, mapped here to be written. Its size is sealed; with writers::this_process so is every
  // mapping that others make: they cannot write it, whatever they try.
  [[nodiscard]] static result<shared_memory> make(const char *name, size_t bytes, writers who);

  [[nodiscard]] std::byte *base() const { return static_cast<std::byte *>(mapped_.get_address()); }
  [[nodiscard]] const descriptor &file() const { return file_; }
  void close_file() { file_.reset(); }

 private:
  descriptor file_;
  boost::interprocess::mapped_region mapped_;
};

}  // namespace tenon::host::isolation
