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

void remark(std::ostream &to, std::string_view before, const refusal &why) {
  to << why.where << ": " << before << why.have << '\n';
  if (!why.want.empty()) to << "  want: " << why.want << '\n';
  if (!why.fix.empty()) to << "  fix:  " << why.fix << '\n';
}

}  // namespace tenon::cli
