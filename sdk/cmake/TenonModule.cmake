# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
# Builds a module and seals its manifest. Needs CMake 3.20; comes with find_package(tenon-sdk).
#
#   tenon_add_module(acme_binpack SOURCES module.cpp MANIFEST acme-binpack.yaml [LIBS target...])
#
# makes the library that the manifest's `library:` names, which exports tenon_module_v1 alone, and beside it the
# manifest with the library's digest. Both go to TENON_MODULE_DIRECTORY, by default the current build folder, and
# are installed to TENON_MODULE_INSTALL_DIRECTORY. The manifest's version becomes TENON_MODULE_VERSION.
#
#   tenon_add_rust_module(acme_binpack MANIFEST acme-binpack.yaml)
#
# does the same with the Cargo package in the current source folder, which may depend on `tenon-sdk = "0.1"`: the crate
# is the one beside this file, and no registry is asked.
include_guard(GLOBAL)

# The headers stand beside this folder in a source tree, and a few folders up where the SDK is installed.
foreach(above IN ITEMS .. ../../.. ../../../..)
  get_filename_component(tenon_sdk_include ${CMAKE_CURRENT_LIST_DIR}/${above}/include ABSOLUTE)
  if(NOT TARGET tenon::sdk AND EXISTS ${tenon_sdk_include}/tenon/abi/module.h)
    add_library(tenon::sdk INTERFACE IMPORTED GLOBAL)
    set_target_properties(tenon::sdk PROPERTIES INTERFACE_INCLUDE_DIRECTORIES ${tenon_sdk_include})
    # In a tree of sources what a transport's client includes is apart.
    if(EXISTS ${tenon_sdk_include}/../conformance/include)
      get_filename_component(tenon_sdk_include ${tenon_sdk_include}/../conformance/include ABSOLUTE)
      set_property(TARGET tenon::sdk APPEND PROPERTY INTERFACE_INCLUDE_DIRECTORIES ${tenon_sdk_include})
    endif()
  endif()
endforeach()
unset(tenon_sdk_include)

# The conformance checks for a GoogleTest program, where the package tenon is installed beside the SDK.
find_library(TENON_CONFORMANCE tenon_conformance PATH_SUFFIXES tenon NO_CACHE
  HINTS ${CMAKE_CURRENT_LIST_DIR}/../../../lib ${CMAKE_CURRENT_LIST_DIR}/../../../../lib)
if(TENON_CONFORMANCE AND NOT TARGET tenon::conformance AND TARGET tenon::sdk)
  get_filename_component(tenon_libraries ${TENON_CONFORMANCE} DIRECTORY)
  add_library(tenon::conformance SHARED IMPORTED GLOBAL)
  set_target_properties(tenon::conformance PROPERTIES
    IMPORTED_LOCATION ${TENON_CONFORMANCE} INTERFACE_LINK_LIBRARIES "tenon::sdk;${tenon_libraries}/libtenon_kernel.so")
  unset(tenon_libraries)
endif()

# The value of a plain top-level key of a manifest, without quotes; fails where there is none.
function(tenon_manifest_value out manifest key)
  file(STRINGS ${manifest} lines REGEX "^${key}:")
  if(NOT lines MATCHES "^${key}:[ \t]*\"?([^\"\t #]+)")
    message(FATAL_ERROR "${manifest}: want a line \"${key}: ...\", have none")
  endif()
  set(${out} ${CMAKE_MATCH_1} PARENT_SCOPE)
endfunction()

# The program that plays scenarios and verifies modules: beside an installed SDK, or on the path.
macro(tenon_find_program)
  find_program(TENON_PROGRAM tenon HINTS ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../../../bin)
  if(NOT TENON_PROGRAM)
    message(FATAL_ERROR "tests of modules want the program tenon: install the package tenon, or set TENON_PROGRAM")
  endif()
endmacro()

# tenon_add_scenarios(target FOLDER tests [DEPLOYMENT tenon.yaml]): one ctest, target.scenarios, that plays the scenario
# files of the folder with the module of the target.
function(tenon_add_scenarios target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "DEPLOYMENT;FOLDER" "")
  if(NOT arg_FOLDER OR arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "tenon_add_scenarios wants a target, FOLDER and perhaps DEPLOYMENT; got: ${ARGV}")
  endif()
  tenon_find_program()
  set(deployment "")
  if(arg_DEPLOYMENT)
    get_filename_component(deployment ${arg_DEPLOYMENT} ABSOLUTE BASE_DIR ${CMAKE_CURRENT_SOURCE_DIR})
    set(deployment --deployment ${deployment})
  endif()
  get_filename_component(folder ${arg_FOLDER} ABSOLUTE BASE_DIR ${CMAKE_CURRENT_SOURCE_DIR})
  add_test(NAME ${target}.scenarios
    COMMAND ${TENON_PROGRAM} scenario run ${folder} ${deployment} --module-path $<TARGET_PROPERTY:${target},TENON_MODULE_FOLDER>)
endfunction()

# tenon_add_verify(target [OFF tenon-verify.yaml] [CLIENT target] [CONFIG file] [USERS name...]): one ctest, target.verify,
# that proves that the module behaves. CLIENT: the library that speaks a transport's protocol as RMs do; CONFIG: the
# configuration that it is proved with, beside the files that a source of groups reads; USERS: whom that finds.
function(tenon_add_verify target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "OFF;CLIENT;CONFIG" "USERS")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "tenon_add_verify wants a target and perhaps OFF, CLIENT, CONFIG and USERS; got: ${ARGV}")
  endif()
  if(TARGET tenon)
    set(program $<TARGET_FILE:tenon>)  # in the tree of Tenon itself
  else()
    tenon_find_program()
    set(program ${TENON_PROGRAM})
  endif()
  set(off "")
  if(arg_OFF)
    get_filename_component(off ${arg_OFF} ABSOLUTE BASE_DIR ${CMAKE_CURRENT_SOURCE_DIR})
    set(off --off ${off})
  endif()
  set(client "")
  if(arg_CLIENT)
    set(client --client $<TARGET_FILE:${arg_CLIENT}>)
  endif()
  set(more "")
  if(arg_CONFIG)
    get_filename_component(configuration ${arg_CONFIG} ABSOLUTE BASE_DIR ${CMAKE_CURRENT_SOURCE_DIR})
    list(APPEND more --config ${configuration})
  endif()
  foreach(user IN LISTS arg_USERS)
    list(APPEND more --user ${user})
  endforeach()
  add_test(NAME ${target}.verify
    COMMAND ${program} plugin verify $<TARGET_PROPERTY:${target},TENON_SEALED_MANIFEST> ${off} ${client} ${more})
endfunction()

# tenon_add_pack(target [LICENSE_FILE file] [KEY file]): the target `pack`, which writes the pack of the module beside its
# manifest; target.pack writes this one alone. LICENSE_FILE: the text of the licence, by default LICENSE; KEY: the private key
# that signs the pack.
function(tenon_add_pack target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "LICENSE_FILE;KEY" "")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "tenon_add_pack wants a target and perhaps LICENSE_FILE and KEY; got: ${ARGV}")
  endif()
  if(NOT arg_LICENSE_FILE)
    set(arg_LICENSE_FILE LICENSE)
  endif()
  tenon_find_program()
  get_filename_component(license ${arg_LICENSE_FILE} ABSOLUTE BASE_DIR ${CMAKE_CURRENT_SOURCE_DIR})
  set(key "")
  if(arg_KEY)
    get_filename_component(key ${arg_KEY} ABSOLUTE BASE_DIR ${CMAKE_CURRENT_SOURCE_DIR})
    set(key --key ${key})
  endif()
  add_custom_target(${target}.pack
    COMMAND ${TENON_PROGRAM} plugin pack $<TARGET_PROPERTY:${target},TENON_SEALED_MANIFEST> --license ${license} ${key}
    WORKING_DIRECTORY $<TARGET_PROPERTY:${target},TENON_MODULE_FOLDER>
    COMMENT "Packing ${target}"
    VERBATIM)
  add_dependencies(${target}.pack ${target})
  if(NOT TARGET pack)
    add_custom_target(pack)
  endif()
  add_dependencies(pack ${target}.pack)
endfunction()

# What the functions that build modules know of a manifest, and where what is built goes.
macro(tenon_read_manifest given)
  set(tools ${CMAKE_CURRENT_FUNCTION_LIST_DIR})
  get_filename_component(manifest ${given} ABSOLUTE BASE_DIR ${CMAKE_CURRENT_SOURCE_DIR})
  get_filename_component(manifest_name ${manifest} NAME)
  # Id, version and library are read here: a manifest that changes is read again by the next build.
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${manifest})
  tenon_manifest_value(api ${manifest} apiVersion)
  if(NOT api STREQUAL "tenon.module/v1")
    message(FATAL_ERROR "${manifest}: want \"apiVersion: tenon.module/v1\", have \"${api}\"")
  endif()
  tenon_manifest_value(id ${manifest} id)
  tenon_manifest_value(version ${manifest} version)
  tenon_manifest_value(library ${manifest} library)
  get_filename_component(library_stem ${library} NAME_WLE)
  get_filename_component(library_suffix ${library} LAST_EXT)
  if(TENON_MODULE_DIRECTORY)
    set(directory ${TENON_MODULE_DIRECTORY})
  else()
    set(directory ${CMAKE_CURRENT_BINARY_DIR})
  endif()
endmacro()

# Tests, lists of modules and installations find a module by its target.
macro(tenon_module_is_made target)
  set_target_properties(${target} PROPERTIES
    TENON_MODULE_ID ${id} TENON_MODULE_FOLDER ${directory} TENON_SEALED_MANIFEST ${directory}/${manifest_name})
  set(destination lib/tenon/modules)
  if(TENON_MODULE_INSTALL_DIRECTORY)
    set(destination ${TENON_MODULE_INSTALL_DIRECTORY})
  endif()
  install(PROGRAMS ${directory}/${library} DESTINATION ${destination} COMPONENT modules)
  install(FILES ${directory}/${manifest_name} DESTINATION ${destination} COMPONENT modules)
endmacro()

# The value of a plain key of a Cargo.toml, the first of that name.
function(tenon_cargo_value out cargo key)
  file(STRINGS ${cargo} lines REGEX "^${key} *=" LIMIT_COUNT 1)
  if(NOT lines MATCHES "^${key} *= *\"([^\"]+)\"")
    message(FATAL_ERROR "${cargo}: want a line \"${key} = ...\" in [package], have none")
  endif()
  set(${out} ${CMAKE_MATCH_1} PARENT_SCOPE)
endfunction()

function(tenon_add_rust_module target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "MANIFEST" "")
  if(NOT arg_MANIFEST OR arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "tenon_add_rust_module wants a target and MANIFEST; got: ${ARGV}")
  endif()
  tenon_read_manifest(${arg_MANIFEST})
  set(cargo ${CMAKE_CURRENT_SOURCE_DIR}/Cargo.toml)
  if(NOT EXISTS ${cargo})
    message(FATAL_ERROR "${cargo}: want the Cargo package of the module, have none")
  endif()
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${cargo})
  tenon_cargo_value(crate ${cargo} name)
  tenon_cargo_value(crate_version ${cargo} version)
  if(NOT crate_version STREQUAL version)
    message(FATAL_ERROR "${cargo}: want \"version = \"${version}\"\", which ${manifest_name} says, have \"${crate_version}\"")
  endif()
  string(REPLACE - _ crate ${crate})
  find_program(TENON_CARGO cargo)
  if(NOT TENON_CARGO)
    message(FATAL_ERROR "a module in Rust wants the program cargo: install the package cargo, or set TENON_CARGO")
  endif()
  # The crate stands beside this folder in a source tree, and below share where the SDK is installed.
  foreach(place IN ITEMS ../rust ../../../share/tenon/rust ../../../../share/tenon/rust)
    if(EXISTS ${tools}/${place}/tenon-sdk/Cargo.toml)
      get_filename_component(sdk ${tools}/${place}/tenon-sdk ABSOLUTE)
    endif()
  endforeach()
  if(NOT sdk)
    message(FATAL_ERROR "a module in Rust wants the crate tenon-sdk near ${tools}: install the package tenon-sdk")
  endif()

  set(options "")
  foreach(option IN ITEMS defs nodelete noexecstack now relro)
    list(APPEND options -C link-arg=-Wl,-z,${option})
  endforeach()
  list(APPEND options -C link-arg=-Wl,--build-id)
  # Cargo knows what is up to date; it is asked by every build.
  add_custom_target(${target} ALL
    COMMAND ${TENON_CARGO} rustc --lib --release --offline --manifest-path ${cargo}
            --target-dir ${CMAKE_CURRENT_BINARY_DIR}/cargo --config "patch.crates-io.tenon-sdk.path='${sdk}'" -- ${options}
    COMMAND ${CMAKE_COMMAND} -E copy_if_different
            ${CMAKE_CURRENT_BINARY_DIR}/cargo/release/lib${crate}.so ${directory}/${library}
    COMMAND ${CMAKE_COMMAND} -DMANIFEST=${manifest} -DLIBRARY=${directory}/${library}
            -DSEALED=${directory}/${manifest_name} -P ${tools}/TenonSeal.cmake
    BYPRODUCTS ${directory}/${library} ${directory}/${manifest_name}
    COMMENT "Building and sealing ${manifest_name}"
    VERBATIM)
  tenon_module_is_made(${target})
endfunction()

function(tenon_add_module target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "MANIFEST" "SOURCES;LIBS")
  if(NOT arg_SOURCES OR NOT arg_MANIFEST OR arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "tenon_add_module wants a target, SOURCES, MANIFEST and perhaps LIBS; got: ${ARGV}")
  endif()
  if(NOT TARGET tenon::sdk)
    message(FATAL_ERROR "tenon_add_module wants the SDK's headers: find_package(tenon-sdk)")
  endif()
  tenon_read_manifest(${arg_MANIFEST})

  add_library(${target} MODULE ${arg_SOURCES})
  target_link_libraries(${target} PRIVATE tenon::sdk ${arg_LIBS})
  target_compile_definitions(${target} PRIVATE TENON_MODULE_VERSION="${version}")
  set_target_properties(${target} PROPERTIES
    PREFIX "" OUTPUT_NAME "${library_stem}" SUFFIX "${library_suffix}"
    LIBRARY_OUTPUT_DIRECTORY ${directory}
    POSITION_INDEPENDENT_CODE ON
    C_VISIBILITY_PRESET hidden CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON
    # What is sealed is what is installed: no rewriting of the run path.
    SKIP_BUILD_RPATH ON
    # The manifest is sealed after every link, so a change of either links again.
    LINK_DEPENDS "${manifest};${tools}/tenon-module.map;${tools}/TenonSeal.cmake")
  if(CMAKE_CXX_COMPILER_LOADED)
    target_compile_features(${target} PRIVATE cxx_std_20)
  endif()
  if(CMAKE_C_COMPILER_LOADED)
    target_compile_features(${target} PRIVATE c_std_11)
  endif()
  # A policy is called while the scheduler decides: optimised also where nobody chose a build type.
  target_compile_options(${target} PRIVATE $<$<STREQUAL:$<CONFIG>,>:-O2>)
  # The same score in every build, and nothing that keeps the library mapped or binds to others' symbols.
  target_compile_options(${target} PRIVATE -ffp-contract=off -fno-fast-math
    $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-fno-gnu-unique>)
  target_link_options(${target} PRIVATE
    -Wl,--version-script=${tools}/tenon-module.map
    -Wl,--exclude-libs,ALL -Wl,--as-needed -Wl,-z,nodelete -Wl,-z,noexecstack -Wl,-z,now -Wl,-z,relro
    -Wl,--build-id)  # packs and records of crashes name it
  if(NOT TENON_SANITIZE)  # a sanitizer's symbols are the host's
    target_link_options(${target} PRIVATE -Wl,-z,defs)
  endif()
  add_custom_command(TARGET ${target} POST_BUILD
    COMMAND ${CMAKE_COMMAND} -DMANIFEST=${manifest} -DLIBRARY=$<TARGET_FILE:${target}>
            -DSEALED=${directory}/${manifest_name} -P ${tools}/TenonSeal.cmake
    BYPRODUCTS ${directory}/${manifest_name}
    COMMENT "Sealing ${manifest_name}"
    VERBATIM)
  set_property(GLOBAL APPEND PROPERTY TENON_MODULE_TARGETS ${target})
  tenon_module_is_made(${target})
endfunction()
