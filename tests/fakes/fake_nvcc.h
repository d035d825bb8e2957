#pragma once

#include <filesystem>
#include <string>

#include "fakes/scratch_folder.h"

namespace tailwave::fakes {

// A program that answers as nvcc does and compiles by g++ as C++, without a toolkit; kernels are nothing that it knows.
class FakeNvcc {
 public:
  explicit FakeNvcc(const std::string& version = "99.1.2", const std::string& host_version = "12.3")
      : file_(folder_.write("bin/nvcc", text(version, host_version))) {
    std::filesystem::permissions(file_, std::filesystem::perms::owner_all);
  }

  [[nodiscard]] const std::filesystem::path& file() const { return file_; }
  [[nodiscard]] std::filesystem::path toolkit() const { return folder_.path(); }

 private:
  static std::string text(const std::string& version, const std::string& host_version) {
    return R"sh(#!/bin/sh
case "$*" in
  *--version) echo 'nvcc: a fake'; echo 'Cuda compilation tools, release 99.1, V)sh" +
           version + R"sh('; exit ;;
  *-dM*) echo '#define __GNUC__ 12'; echo '#define __VERSION__ ")sh" +
           host_version + R"sh("'; exit ;;
esac
for word; do
  shift
  case $word in
    -arch=*|--cudart=*|--use_fast_math) continue ;;
    -Xcompiler=*) word=-fPIC ;;
    -Xlinker=*) word=-Wl,${word#-Xlinker=} ;;
    *.cu) set -- "$@" -x c++ ;;
  esac
  set -- "$@" "$word"
done
exec g++ "$@"
)sh";
  }

  ScratchFolder folder_;
  std::filesystem::path file_;
};

}  // namespace tailwave::fakes
