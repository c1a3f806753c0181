#!/bin/sh
# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
# Runs a compiler that may make a precompiled header. The header that is there from before goes first: the compiler would
# read it in place of the headers that it is made of, and ccache would give the outcome to builds with other headers.
before=
for word in "$@"; do
  case "$before $word" in "-o "*.gch) rm -f "$word" ;; esac
  before=$word
done
exec "$@"
