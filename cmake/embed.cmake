# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
# Makes a source with the text of files, which a function returns by the file's name:
#   cmake "-DFILES=a;b" -DOUT=page_files.cpp -DHEADER=page.hpp -DNAMESPACE=tenon::rest [-DJOIN=page.js] -P embed.cmake
# HEADER declares `std::string_view page_file(std::string_view name)` in NAMESPACE. With JOIN, the scripts among the files become
# one script of that name, in their order, without what they import from one another.
if(DEFINED JOIN)
  set(script "")
  foreach(file IN LISTS FILES)
    if(file MATCHES "\\.js$")
      file(READ ${file} text)
      string(REGEX REPLACE "(^|\n)import [^;]*;" "" text "${text}")
      string(REGEX REPLACE "(^|\n)export " "\\1" text "${text}")
      string(APPEND script "${text}")
      list(REMOVE_ITEM FILES ${file})
    endif()
  endforeach()
  get_filename_component(folder ${OUT} DIRECTORY)
  file(WRITE ${folder}/${JOIN} "${script}")
  list(APPEND FILES ${folder}/${JOIN})
endif()
set(arrays "")
set(table "")
set(number 0)
foreach(file IN LISTS FILES)
  get_filename_component(name ${file} NAME)
  file(READ ${file} bytes HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
  string(APPEND arrays "constexpr unsigned char file_${number}[] = {${bytes}0};\n")
  string(APPEND table "    {\"${name}\", text_of(file_${number})},\n")
  math(EXPR number "${number} + 1")
endforeach()
file(WRITE ${OUT} "#include \"${HEADER}\"\n
namespace ${NAMESPACE} {
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
}  // namespace ${NAMESPACE}
")
