# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
# find_package(tenon-sdk): target tenon::sdk (headers) and the function tenon_add_module. Serves an installed SDK
# (CMAKE_PREFIX_PATH) and a source tree of it (tenon-sdk_DIR=<tree>/sdk/cmake) alike.
include(${CMAKE_CURRENT_LIST_DIR}/TenonModule.cmake)
if(NOT TARGET tenon::sdk)
  set(tenon-sdk_FOUND FALSE)
  set(tenon-sdk_NOT_FOUND_MESSAGE "there is no include/tenon/abi/module.h above ${CMAKE_CURRENT_LIST_DIR}")
endif()
