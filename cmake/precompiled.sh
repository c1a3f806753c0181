#!/bin/sh
# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
# Runs a compiler that may make a precompiled header. The header that is there from before goes first: the compiler would
# read it in place of the headers that it is made of. And it is made without ccache, which may take it from a build whose
# headers had other comments: the compiler then does not know them as those in it, and reads them twice. What is compiled
# with it is found by a digest of these headers, since two precompiled headers of the same text differ.
before= header= depends=
for word in "$@"; do
  case "$before $word" in
    "-o "*.gch) header=$word ;;
    "-MF "*) depends=$word ;;
  esac
  before=$word
done
export CCACHE_PCH_EXTSUM=1
[ -n "$header" ] || exec "$@"
rm -f "$header" "$header.sum"
CCACHE_DISABLE=1 "$@" || exit
{ echo "$*" && sed 's/^[^:]*://; s/\\$//' "$depends" | xargs cat; } | sha256sum >"$header.sum"
