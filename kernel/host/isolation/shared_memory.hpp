// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// A region of memory that a child process maps too.
#pragma once

#include <boost/interprocess/mapped_region.hpp>
#include <cstddef>
#include <string>

#include "base/descriptor.hpp"
#include "tenon/kernel/refusal.hpp"

namespace tenon::host::isolation {

enum class writers : uint8_t { this_process, both };

class shared_memory {
 public:
  // Of so many bytes, zero, mapped here to be written, with addresses for `most`. It never shrinks; with
  // writers::this_process every mapping that others make is sealed: they cannot write it, whatever they try.
  [[nodiscard]] static result<shared_memory> make(const char *name, size_t bytes, size_t most, writers who);

  // Memory for so many bytes. Behind what this was asked for nobody has any: to read there ends a process.
  [[nodiscard]] bool grow(size_t bytes);

  [[nodiscard]] std::byte *base() const { return static_cast<std::byte *>(mapped_.get_address()); }
  [[nodiscard]] size_t bytes() const { return bytes_; }
  [[nodiscard]] size_t most() const { return mapped_.get_size(); }
  [[nodiscard]] const descriptor &file() const { return file_; }

 private:
  descriptor file_;
  size_t bytes_ = 0;
  boost::interprocess::mapped_region mapped_;
};

}  // namespace tenon::host::isolation
