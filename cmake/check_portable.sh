#!/usr/bin/env bash
# cmake/check_portable.sh FILE: fails unless FILE needs glibc's libraries alone; says which glibc.
set -euo pipefail
glibc_file='^(lib(c|m|dl|rt|pthread)|ld-linux-[a-z0-9-]+)\.so\.[0-9]+$'
others=$(objdump -p "$1" | awk '$1 == "NEEDED" { print $2 }' | grep -vE "$glibc_file" || true)
if [ -n "$others" ]; then
  echo "$1 is not portable: it also needs" "${others//$'\n'/ }" >&2
  exit 1
fi
glibc=$(objdump -T "$1" | grep -oE 'GLIBC_[0-9.]+' | sort -uV | tail -n 1)
echo "$1: $(du -h "$1" | cut -f1), needs only glibc ${glibc#GLIBC_} or newer"
