# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
# Makes a source of the dashboard's files: cmake "-DPAGES=a;b" -DOUT=page_files.cpp -P embed.cmake
set(arrays "")
set(table "")
set(number 0)
foreach(page IN LISTS PAGES)
  get_filename_component(name ${page} NAME)
  file(READ ${page} bytes HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
  string(APPEND arrays "constexpr unsigned char file_${number}[] = {${bytes}0};\n")
  string(APPEND table "    {\"${name}\", text_of(file_${number})},\n")
  math(EXPR number "${number} + 1")
endforeach()
file(WRITE ${OUT} "#include \"page.hpp\"\n
namespace tenon::rest {
namespace {
template <unsigned long Size>
std::string_view text_of(const unsigned char (&bytes)[Size]) {
  return {reinterpret_cast<const char *>(bytes), Size - 1};
}
${arrays}}  // namespace
std::string_view page_file(std::string_view name) {
  struct file {
    std::string_view name, text;
  };
  static const file files[] = {
${table}  };
  for (const file &one : files)
    if (one.name == name) return one.text;
  return {};
}
}  // namespace tenon::rest
")
