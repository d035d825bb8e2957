#!/usr/bin/env bash
# cmake/archive.sh BUILD: what `make install` installs as BUILD/tailwave-VERSION-linux-ARCH.tar.gz, a folder that runs wherever
# it is unpacked. Prints the archive's name.
set -euo pipefail
build=$(cd "$1" && pwd)
version=$("$build/tailwave" --version | awk 'NR == 1 { print $2 }')
folder=tailwave-$version-linux-$(uname -m)
rm -rf "$build/archive"
cmake --install "$build" --prefix "$build/archive/$folder" --strip >/dev/null
tar -C "$build/archive" --owner=0 --group=0 --sort=name -czf "$build/$folder.tar.gz" "$folder"
rm -rf "$build/archive"
echo "$build/$folder.tar.gz"
