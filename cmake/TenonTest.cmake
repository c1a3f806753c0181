# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
# Tests: one GoogleTest program from a few sources, each of its cases a ctest.

include(GoogleTest)
find_package(GTest 1.12 REQUIRED)

# What `tools/test` builds where it does not build everything: the programs of tests labelled tsan, and of
# tests labelled replay (the second compiler).
add_custom_target(tenon_tests_tsan)
add_custom_target(tenon_tests_replay)

# tenon_test(NAME SOURCES a.cpp ... [LIBRARIES lib ...] [LABELS tsan replay ...] [TIMEOUT seconds])
#
# Builds bin/NAME with GoogleTest's main and registers its cases as NAME.Suite.Case. Label `tsan`: the case
# starts threads and runs under the thread sanitizer too. Label `replay`: it also runs when built by Clang.
function(tenon_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "TIMEOUT" "SOURCES;LIBRARIES;LABELS")
  if(arg_UNPARSED_ARGUMENTS OR NOT arg_SOURCES)
    message(FATAL_ERROR "tenon_test(${name}): want SOURCES, LIBRARIES, LABELS, TIMEOUT; have: ${arg_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 300)
  endif()
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE ${arg_LIBRARIES} GTest::gmock GTest::gtest GTest::gtest_main)
  gtest_discover_tests(${name}
    TEST_PREFIX ${name}.
    DISCOVERY_TIMEOUT 120
    PROPERTIES TIMEOUT ${arg_TIMEOUT} LABELS "${arg_LABELS}")
  foreach(label IN ITEMS tsan replay)
    if(label IN_LIST arg_LABELS)
      add_dependencies(tenon_tests_${label} ${name})
    endif()
  endforeach()
endfunction()
