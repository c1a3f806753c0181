# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
# Tests: one GoogleTest program from a few sources, each of its cases a ctest.
include_guard(GLOBAL)
find_package(GTest 1.12 REQUIRED)
include(GoogleTest)

# The test programs that some phases of `tools/test` build instead of everything, by label: asan (unit tests that the
# gate also runs with the address sanitizer), tsan (they start threads, and the thread sanitizer runs them) and replay
# (they must behave the same when Clang built them).
set(TENON_TEST_LABELS asan tsan replay)
foreach(label IN LISTS TENON_TEST_LABELS)
  add_custom_target(tenon_tests_${label})
endforeach()

# tenon_full_tests(name...)
# Labels tests that the gate leaves out because they are slow or need more than the distribution's packages.
# `tools/test full` runs them.
function(tenon_full_tests)
  set_property(TEST ${ARGN} APPEND PROPERTY LABELS full)
endfunction()

# A quarter of the time to compile: matchers alone are thousands of small functions with a check at each pointer.
set(TENON_TEST_PROGRAM_OPTIONS -O0)
if(TENON_SANITIZE MATCHES "undefined")
  list(APPEND TENON_TEST_PROGRAM_OPTIONS -fno-sanitize=undefined)
endif()

# tenon_add_test(NAME name SOURCES a.cpp... LIBS target... [MODULES b.cpp...] [DEFINITIONS A=b...]
#                [LABELS asan full tsan replay...] [TIMEOUT seconds])
# A GoogleTest program, bin/name, with GoogleTest's main; every TEST of it is a ctest named name.Suite.Test. Each source
# after MODULES defines a module of its own, whose entry the source names TENON_MODULE_ENTRY.
function(tenon_add_test)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "NAME;TIMEOUT" "SOURCES;MODULES;LIBS;DEFINITIONS;LABELS")
  if(NOT arg_NAME OR NOT arg_SOURCES OR arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "tenon_add_test wants NAME, SOURCES, MODULES, LIBS, DEFINITIONS, LABELS and TIMEOUT; got: ${ARGV}")
  endif()
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 300)
  endif()
  add_executable(${arg_NAME} ${arg_SOURCES} ${arg_MODULES})
  foreach(source IN LISTS arg_MODULES)
    get_filename_component(entry ${source} NAME_WE)
    set_source_files_properties(${source} PROPERTIES
      COMPILE_DEFINITIONS "TENON_MODULE_ENTRY=tenon_module_of_${entry};TENON_MODULE_VERSION=\"1.2.3\"")
  endforeach()
  target_link_libraries(${arg_NAME} PRIVATE ${arg_LIBS} GTest::gmock GTest::gtest_main Threads::Threads)
  # What is under test is optimised and sanitized; its test program is compiled once and runs for seconds.
  target_compile_options(${arg_NAME} PRIVATE ${TENON_TEST_PROGRAM_OPTIONS})
  target_compile_definitions(${arg_NAME} PRIVATE
    TENON_TEST_DATA_DIR="${CMAKE_SOURCE_DIR}/tests/data"
    TENON_SOURCE_DIR="${CMAKE_SOURCE_DIR}"
    ${arg_DEFINITIONS})
  list(JOIN arg_LABELS "," label)  # one label of all: discovery loses lists, and `ctest -L` searches inside
  gtest_discover_tests(${arg_NAME} NO_PRETTY_VALUES
    TEST_PREFIX ${arg_NAME}.
    DISCOVERY_MODE PRE_TEST
    DISCOVERY_TIMEOUT 120
    PROPERTIES TIMEOUT ${arg_TIMEOUT} LABELS "${label}")
  foreach(label IN LISTS TENON_TEST_LABELS)
    if(label IN_LIST arg_LABELS)
      add_dependencies(tenon_tests_${label} ${arg_NAME})
    endif()
  endforeach()
endfunction()
