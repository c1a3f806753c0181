# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
# Debian packages, one for each install component: tenon (programs), tenon-plugins (the modules that come with it),
# libtenon (the scheduler as a library),
# tenon-proto (the scheduler interface's messages), python3-tenon (resource managers in Python) and tenon-sdk (what a
# vendor builds modules with).
# `cpack --config build/release/CPackConfig.cmake` makes them.
include_guard(GLOBAL)

foreach(component IN ITEMS runtime modules library proto python sdk)
  set(package tenon-${component})
  if(component STREQUAL "runtime")
    set(package tenon)
  elseif(component STREQUAL "modules")
    set(package tenon-plugins)
  elseif(component STREQUAL "library")
    set(package libtenon)
  elseif(component STREQUAL "python")
    set(package python3-tenon)
  endif()
  install(FILES LICENSE DESTINATION share/doc/${package} RENAME copyright COMPONENT ${component})
endforeach()
# Pages as they are after installation: what they lead to is what a user has.
find_package(Python3 3.11 REQUIRED COMPONENTS Interpreter)
install(CODE "execute_process(COMMAND \"${Python3_EXECUTABLE}\" -B \"${CMAKE_SOURCE_DIR}/cmake/installed_docs.py\"
  \"${CMAKE_SOURCE_DIR}\" \"${CMAKE_BINARY_DIR}/pages\" \"\${CMAKE_INSTALL_PREFIX}\" COMMAND_ERROR_IS_FATAL ANY)"
  COMPONENT runtime)
install(DIRECTORY ${CMAKE_BINARY_DIR}/pages/ DESTINATION share/doc/tenon COMPONENT runtime)
install(DIRECTORY sdk/examples/ DESTINATION share/doc/tenon-sdk/examples COMPONENT sdk)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_VENDOR "The Tenon Authors")
set(CPACK_PACKAGE_CONTACT "The Tenon Authors <maintainers@tenon.invalid>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_PACKAGE_DIRECTORY ${CMAKE_BINARY_DIR}/packages)
set(CPACK_COMPONENTS_ALL runtime modules library proto python sdk)
# Manifests have the digests of their libraries: what is packaged is what was built.
set(CPACK_STRIP_FILES OFF)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_BINARY_DIR}/lib)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME tenon)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SECTION admin)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_DEPENDS "tenon-plugins (= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_RUNTIME_PACKAGE_RECOMMENDS "systemd | adduser")
set(CPACK_DEBIAN_RUNTIME_PACKAGE_CONTROL_EXTRA
  "${CMAKE_SOURCE_DIR}/cli/service/postinst;${CMAKE_SOURCE_DIR}/cli/service/conffiles")
set(CPACK_DEBIAN_RUNTIME_DESCRIPTION "The program tenon: the daemon with its systemd unit and what looks at it; checks
configurations, plays scenarios and traces against the scheduler, loads modules.")

set(CPACK_DEBIAN_MODULES_PACKAGE_NAME tenon-plugins)
set(CPACK_DEBIAN_MODULES_PACKAGE_SECTION admin)
# The transport over gRPC is linked with it.
set(CPACK_DEBIAN_MODULES_PACKAGE_DEPENDS "tenon-proto (= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_MODULES_DESCRIPTION "The modules that come with it: orders of queues, applications and nodes,
predicates, placement rules, sinks for records of events.")

set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME libtenon)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_DEPENDS "tenon (= ${PROJECT_VERSION}), tenon-plugins (= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_LIBRARY_DESCRIPTION "The scheduler as a library, for resource managers that run it in their own process.")

set(CPACK_DEBIAN_PROTO_PACKAGE_NAME tenon-proto)
set(CPACK_DEBIAN_PROTO_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_PROTO_DESCRIPTION "The messages of the scheduler interface: .proto files for clients in any language, and
the one library of their generated C++ code, which transports link.")

set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-tenon)
set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
set(CPACK_DEBIAN_PYTHON_PACKAGE_ARCHITECTURE all)
# The generated code is that of the protobuf that it was made with.
find_package(Protobuf 3.21 REQUIRED)
set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS "python3 (>= 3.11), python3-grpcio, python3-protobuf (>= ${Protobuf_VERSION})")
set(CPACK_DEBIAN_PYTHON_PACKAGE_SUGGESTS "tenon (= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_PYTHON_DESCRIPTION "Resource managers in Python, for the scheduler Tenon over gRPC: nodes, applications and
asks, what was placed, recovery, placement checks, connections that break.")

set(CPACK_DEBIAN_SDK_PACKAGE_NAME tenon-sdk)
set(CPACK_DEBIAN_SDK_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_SDK_PACKAGE_RECOMMENDS "tenon (= ${PROJECT_VERSION}), libtenon (= ${PROJECT_VERSION}), cmake, pkg-config")
set(CPACK_DEBIAN_SDK_PACKAGE_SUGGESTS "cargo")
set(CPACK_DEBIAN_SDK_DESCRIPTION "What modules are built with: C headers, C++ headers and a crate for Rust on top of them,
rules for CMake and pkg-config, templates and examples.")
include(CPack)
