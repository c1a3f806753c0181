// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Looks into a library without running any of it: is it one that this host may open?
#pragma once

#include <string>
#include <vector>

#include "tenon/host/library_file.hpp"

namespace tenon::host {

struct library_traits {
  std::vector<std::string> needed;   // DT_NEEDED, in order
  std::vector<std::string> exports;  // names that other libraries could bind to
  bool uses_origin = false;          // finds its own libraries relative to where it stands ($ORIGIN)
  std::vector<std::string> folders;  // of DT_RPATH and DT_RUNPATH, in order, as they are written
  std::string build_id;              // hexadecimal digits; empty: it has none
};

struct lint_report {
  library_traits traits;
  std::vector<refusal> findings;  // empty: may be opened
};

struct lint_options {
  // A module that provides a transport may link gRPC and protobuf. The generated code that it uses must be that of
  // libtenon_proto.so: two copies of one .proto abort the process inside dlopen.
  bool may_link_grpc = false;
};

// Checks the ELF class and machine, the export list (tenon_module_v1 alone, an object), the libraries it
// needs, text relocations, writable code and the executable stack. Reports everything it finds.
[[nodiscard]] lint_report lint_library(const library_file &file, const lint_options &options = {});

}  // namespace tenon::host
