# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
# cmake -DMANIFEST=in.yaml -DLIBRARY=module.so -DSEALED=out.yaml -P TenonSeal.cmake
# Writes the manifest with `digest: sha256:...` of the library after its `library:` line. A digest that is
# there already is replaced.
foreach(need IN ITEMS MANIFEST LIBRARY SEALED)
  if(NOT DEFINED ${need})
    message(FATAL_ERROR "TenonSeal wants -D${need}=...")
  endif()
endforeach()
file(SHA256 "${LIBRARY}" digest)
file(READ "${MANIFEST}" manifest)
string(REGEX REPLACE "(^|\n)digest:[^\n]*" "" manifest "${manifest}")
string(REGEX REPLACE "(^|\n)(library:[^\n]*)" "\\1\\2\ndigest: sha256:${digest}" manifest "${manifest}")
if(NOT manifest MATCHES "digest: sha256:${digest}")
  message(FATAL_ERROR "${MANIFEST}: want a line \"library: ...\", have none")
endif()
file(WRITE "${SEALED}" "${manifest}")
