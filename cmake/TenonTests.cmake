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
#                [LABELS asan full tsan replay...] [FULL_CASES filter...] [TIMEOUT seconds])
# A GoogleTest program, bin/name, with GoogleTest's main; every TEST of it is a ctest named name.Suite.Test. Each source
# after MODULES defines a module of its own, whose entry the source names TENON_MODULE_ENTRY. Only `tools/test full` runs the
# cases that GoogleTest's filters after FULL_CASES match.
function(tenon_add_test)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "NAME;TIMEOUT" "SOURCES;MODULES;LIBS;DEFINITIONS;LABELS;FULL_CASES")
  if(NOT arg_NAME OR NOT arg_SOURCES OR arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "tenon_add_test wants NAME, SOURCES, MODULES, LIBS, DEFINITIONS, LABELS, FULL_CASES and TIMEOUT; got: ${ARGV}")
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
  set(gate_cases)
  if(arg_FULL_CASES)
    list(JOIN arg_FULL_CASES ":" full_cases)
    set(labels ${arg_LABELS} full)
    list(REMOVE_ITEM labels asan)
    tenon_discover_cases(${arg_NAME} "${full_cases}" "${labels}" ${arg_TIMEOUT})
    set(gate_cases "-${full_cases}")
  endif()
  tenon_discover_cases(${arg_NAME} "${gate_cases}" "${arg_LABELS}" ${arg_TIMEOUT})
  foreach(label IN LISTS TENON_TEST_LABELS)
    if(label IN_LIST arg_LABELS)
      add_dependencies(tenon_tests_${label} ${arg_NAME})
    endif()
  endforeach()
endfunction()

# The cases of a test program that GoogleTest's filter matches, or all, each as a ctest with these labels.
function(tenon_discover_cases program filter labels timeout)
  list(JOIN labels "," label)  # one label of all: discovery loses lists, and `ctest -L` searches inside
  gtest_discover_tests(${program} NO_PRETTY_VALUES
    TEST_PREFIX ${program}.
    TEST_FILTER "${filter}"
    DISCOVERY_MODE PRE_TEST
    DISCOVERY_TIMEOUT 120
    PROPERTIES TIMEOUT ${timeout} LABELS "${label}")
endfunction()

# tenon_add_cases(name script COMMAND command... [MORE_CASES Class.case...] [FULL_CASES case...] [PARALLEL_CASES case...]
#                 [LABELS full...] [TIMEOUT seconds])
# Each case of a script of Python's unittest, Class.test_case, as a ctest of its own, named name.Class.case, which runs the
# command with the case. MORE_CASES are those that the script makes as it starts. All cases have the LABELS. Only
# `tools/test full` runs the cases after FULL_CASES. Those after PARALLEL_CASES compile, or start so many programs that nothing
# else should run beside them.
function(tenon_add_cases name script)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "TIMEOUT" "COMMAND;MORE_CASES;FULL_CASES;PARALLEL_CASES;LABELS")
  if(NOT arg_COMMAND OR arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "tenon_add_cases wants COMMAND, MORE_CASES, FULL_CASES, PARALLEL_CASES, LABELS and TIMEOUT; got: ${ARGV}")
  endif()
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 300)
  endif()
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${script})
  file(STRINGS ${script} lines REGEX "^(class [A-Za-z_]+|    def test_)")
  set(cases ${arg_MORE_CASES})
  set(classes)
  foreach(line IN LISTS lines)
    if(line MATCHES "^class ([A-Za-z_]+)(\\(([A-Za-z_]*))?")
      set(class ${CMAKE_MATCH_1})
      if(CMAKE_MATCH_3 AND CMAKE_MATCH_3 IN_LIST classes)
        message(FATAL_ERROR "${script}: ${class} inherits cases of ${CMAKE_MATCH_3}, which tenon_add_cases does not find")
      endif()
    elseif(line MATCHES "test_([A-Za-z0-9_]+)")
      list(APPEND classes ${class})
      list(APPEND cases ${class}.${CMAKE_MATCH_1})
    endif()
  endforeach()
  foreach(class_and_case IN LISTS cases)
    string(REPLACE "." ";" parts ${class_and_case})
    list(GET parts 0 class)
    list(GET parts 1 case)
    set(test ${name}.${class_and_case})
    add_test(NAME ${test} COMMAND ${arg_COMMAND} ${class}.test_${case} WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
    set_tests_properties(${test} PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT ${arg_TIMEOUT} LABELS "${arg_LABELS}")
    if(case IN_LIST arg_PARALLEL_CASES)
      tenon_parallel_tests(${test})
    endif()
    if(case IN_LIST arg_FULL_CASES)
      tenon_full_tests(${test})
      list(REMOVE_ITEM arg_FULL_CASES ${case})
    endif()
  endforeach()
  if(arg_FULL_CASES)
    message(FATAL_ERROR "${script} has no case ${arg_FULL_CASES}")
  endif()
endfunction()

# Tests that compile, or start several programs that work at once: they count as two of those that ctest runs in parallel,
# and begin first.
function(tenon_parallel_tests)
  set_tests_properties(${ARGN} PROPERTIES PROCESSORS 2 COST 100)
endfunction()
