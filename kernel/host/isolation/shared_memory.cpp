// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "isolation/shared_memory.hpp"

#include <fcntl.h>
#include <sys/mman.h>

#include <cerrno>
#include <system_error>

namespace tenon::host::isolation {
namespace {

namespace bip = boost::interprocess;

// What Boost.Interprocess maps: its own shared memory has a name, which others could open.
struct nameless_file {
  int fd;
  [[nodiscard]] bip::mapping_handle_t get_mapping_handle() const {
    return bip::ipcdetail::mapping_handle_from_file_handle(fd);
  }
  static bip::mode_t get_mode() { return bip::read_write; }
};

refusal no_memory(int error) {
  return {"", "memory that a process of its own can share", std::generic_category().message(error),
          "run on Linux 5.4 or newer with memfd, or write isolation: none"};
}

}  // namespace

result<shared_memory> shared_memory::make(const char *name, size_t bytes, size_t most, writers who) {
  shared_memory out;
  out.file_ = descriptor(::memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!out.file_ || !out.grow(bytes)) return no_memory(errno);
  try {
    bip::mapped_region(nameless_file{out.file_.get()}, bip::read_write, 0, most).swap(out.mapped_);
  } catch (const bip::interprocess_exception &failed) {
    return no_memory(failed.get_native_error());
  }
  // The mapping above stays as it is.
  const int seals = F_SEAL_SHRINK | F_SEAL_SEAL | (who == writers::this_process ? F_SEAL_FUTURE_WRITE : 0);
  if (::fcntl(out.file_.get(), F_ADD_SEALS, seals) != 0) return no_memory(errno);
  return out;
}

bool shared_memory::grow(size_t bytes) {
  if (bytes <= bytes_) return true;
  if (::ftruncate(file_.get(), static_cast<off_t>(bytes)) != 0) return false;
  bytes_ = bytes;
  return true;
}

}  // namespace tenon::host::isolation
