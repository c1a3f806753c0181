// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "run/complain.hpp"

#include <ostream>

namespace tenon::cli {

void complain(std::ostream &err, const refusal &why) {
  err << "tenon: " << (why.where.empty() ? "refused" : why.where) << '\n';
  if (!why.want.empty()) err << "  want: " << why.want << '\n';
  err << "  have: " << why.have << '\n';
  if (!why.fix.empty()) err << "  fix:  " << why.fix << '\n';
}

void complain(std::ostream &err, std::span<const refusal> all) {
  for (const refusal &why : all) complain(err, why);
}

}  // namespace tenon::cli
