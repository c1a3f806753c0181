# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
# find_package(tenon): target tenon::tenon, the scheduler as a library (tenon/rm/tenon.h, tenon/rm/tenon.hpp).
get_filename_component(tenon_root ${CMAKE_CURRENT_LIST_DIR}/../../.. ABSOLUTE)
if(NOT TARGET tenon::tenon)
  add_library(tenon::tenon SHARED IMPORTED)
  set_target_properties(tenon::tenon PROPERTIES
    IMPORTED_LOCATION ${tenon_root}/lib/libtenon.so
    INTERFACE_INCLUDE_DIRECTORIES ${tenon_root}/include)
endif()
unset(tenon_root)
