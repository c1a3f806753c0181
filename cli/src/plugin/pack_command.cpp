// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "plugin/pack_command.hpp"

#include <ostream>

#include "run/complain.hpp"
#include "run/output_file.hpp"
#include "tenon/config/sha256.hpp"

namespace tenon::cli {

exit_code pack_plugin(const plugin_pack_options &options, std::ostream &out, std::ostream &err) {
  const auto bytes = make_pack(options.from);
  const auto pack = bytes ? open_pack(*bytes, options.from.manifest, {}) : result<module_pack>(bytes.why());
  if (!pack) {
    complain(err, pack.why());
    return exit_code::failed;
  }
  const std::string file = options.output.empty() ? pack_name(pack->manifest) + ".tar" : options.output;
  if (auto no = write_file(file, *bytes)) {
    complain(err, *no);
    return exit_code::bad_input;
  }
  out << file << ": " << pack->manifest.id << ' ' << pack->manifest.version << ", build id " << pack->build_id << ", "
      << (pack->is_signed ? "signed" : "not signed") << "\nsha256:" << config::sha256_hex(*bytes) << '\n';
  return exit_code::ok;
}

}  // namespace tenon::cli
