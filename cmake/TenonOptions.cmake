# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
# How everything here is compiled: language level, warnings as errors, sanitizers, determinism, output folders.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 11)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)
set(TENON_MODULE_DIRECTORY ${CMAKE_BINARY_DIR}/lib/tenon/modules)
set(TENON_GENERATED_DIRECTORY ${CMAKE_BINARY_DIR}/generated)  # headers, included as those beside the sources are
# A build folder and an installation can be moved.
set(CMAKE_BUILD_RPATH_USE_ORIGIN ON)
set(CMAKE_INSTALL_RPATH "$ORIGIN/../lib/tenon")

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()

# Links take memory, not time: two at once are enough on any machine.
set_property(GLOBAL PROPERTY JOB_POOLS link=2)
set(CMAKE_JOB_POOL_LINK link)

# Objects are the same wherever the source lies, so one ccache serves every clone and work tree (but for
# tenon_precompile).
add_compile_options(-ffile-prefix-map=${CMAKE_SOURCE_DIR}/=)
find_program(TENON_CCACHE ccache)
if(TENON_CCACHE)
  set(launcher ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1
    CCACHE_SLOPPINESS=pch_defines,time_macros ${TENON_CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER ${launcher})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${launcher})
endif()

option(TENON_WERROR "Compiler warnings are errors" ON)
add_compile_options(-Wall -Wextra -Wpedantic -Wshadow)
if(TENON_WERROR)
  add_compile_options(-Werror)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  add_compile_options(-Wno-restrict)  # GCC bug 105651: false alarms in "text" + std::string
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_BUILD_TYPE STREQUAL "Release")
  # GCC sweeps its memory later: a tenth of the time, for a few hundred megabytes.
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:--param=ggc-min-heapsize=786432>)
endif()
# Scores and shares must be the same bits in every build (DESIGN: rule 13 of the ABI).
add_compile_options(-ffp-contract=off -fno-fast-math)

set(TENON_SANITIZE "" CACHE STRING "Sanitizers for everything: address,undefined or thread")
if(TENON_SANITIZE)
  add_compile_options(-fsanitize=${TENON_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer -O1 -g1)
  add_link_options(-fsanitize=${TENON_SANITIZE})
  if(TENON_SANITIZE MATCHES "thread")
    # Asio's fences stand beside locks of its own; GCC's thread sanitizer does not know fences.
    add_compile_definitions(BOOST_ASIO_DISABLE_FENCED_BLOCK)
  endif()
  if(TENON_SANITIZE MATCHES "undefined")
    # Checks at every pointer: two fifths of the time to compile, and a null pointer ends the process anyway.
    add_compile_options(-fno-sanitize=null,alignment,object-size,vptr)
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # Instrumented code hides from GCC that std::regex initialises what it reads; the plain builds still warn.
    add_compile_options(-Wno-maybe-uninitialized)
  endif()
endif()

# Compiles eight files of a target as one: half the time of a whole build, since most of it goes to headers. Only the
# preset edit keeps files apart, where one is changed and compiled again and again. No two files of such a target have a
# name of their own in common, but for those after EXCEPT.
option(TENON_JOIN_SOURCES "Compile some files of large targets together" ON)
function(tenon_join_sources target)
  cmake_parse_arguments(PARSE_ARGV 1 join "" "" "EXCEPT")
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${TENON_JOIN_SOURCES} UNITY_BUILD_BATCH_SIZE 8)
  if(TENON_JOIN_SOURCES AND CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    # It takes a variable in one file for hidden by a local one in the next; GCC does not, and warns of the others.
    target_compile_options(${target} PRIVATE -Wno-shadow)
  endif()
  set_source_files_properties(${join_EXCEPT} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

# Reads a header once for all files of a target that are compiled one by one: half of the time of a file of the kernel
# goes to its headers.
function(tenon_precompile target header)
  if(TENON_JOIN_SOURCES AND CMAKE_BUILD_TYPE STREQUAL "Release" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_precompile_headers(${target} PRIVATE ${header})
    target_compile_options(${target} PRIVATE -fpch-preprocess)  # ccache wants it
    set(launcher ${CMAKE_CXX_COMPILER_LAUNCHER})
    if(TENON_CCACHE)
      # What is precompiled names its headers by their full paths, so that of another clone does not know a header of
      # this one as its own and reads it twice: nothing of such a target is shared between clones.
      list(INSERT launcher 3 CCACHE_NAMESPACE=${CMAKE_BINARY_DIR}/precompiled)
    endif()
    list(PREPEND launcher ${CMAKE_SOURCE_DIR}/cmake/precompiled.sh)
    set_target_properties(${target} PROPERTIES CXX_COMPILER_LAUNCHER "${launcher}")
  endif()
endfunction()

# For what no decision waits for: compiled in two thirds of the time. With a level, for what is between: messages.
function(tenon_seldom_run target)
  set(level ${ARGN} 1)
  list(GET level 0 level)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O${level}>)
endfunction()

option(TENON_FUZZ "Everything tells fuzzers which code they reach; wants Clang" OFF)
if(TENON_FUZZ)
  # Names of libraries that no sanitizer has seen, such as Boost's, stand for ours otherwise.
  add_compile_options(-fsanitize=fuzzer-no-link -fsanitize-address-use-odr-indicator)
endif()
