#include "spec/compiler_options.h"

#include <gtest/gtest.h>

#include <iterator>
#include <sstream>
#include <string>
#include <vector>

namespace tailwave {
namespace {

using Target = VariantSpec::Target;

std::vector<std::string> words(const std::string& text) {
  std::istringstream all(text);
  return {std::istream_iterator<std::string>(all), {}};
}

TEST(CompilerOptions, AreThoseThatChangeTheCode) {
  for (const std::string& option :
       words("-O3 -Ofast -O{} -std=c++20 -DTILE=8 -DX={} -march=native -mtune={} -mno-avx -fno-math-errno "
             "-ffast-math -ffp-contract=off -funroll-loops -ftree-vectorize -fopenmp -flto -g -pthread -lm "
             "-fsanitize=address,undefined -Wno-unused"))
    EXPECT_EQ(why_not_an_option(option, Target::host), "") << option;
  for (const std::string& option :
       words("--use_fast_math -use_fast_math --fmad=false --maxrregcount={} -std=c++17 -DX={} -G "
             "--define-macro=A=1 --ptxas-options=-v -Xptxas=-dlcm=ca --extra-device-vectorization "
             "--generate-line-info --diag-suppress=177"))
    EXPECT_EQ(why_not_an_option(option, Target::cuda), "") << option;
}

TEST(CompilerOptions, AreNoneThatReadOrWriteOtherFilesOrLoadCode) {
  for (const std::string& option :
       words("-MF/tmp/x -MMD -Wp,-MD,/tmp/x -Wa,-a=/tmp/x -Wl,-Map=x -fdump-tree-all=/tmp/x -fdump-tree-all "
             "-o/tmp/x -save-temps=cwd -include/etc/passwd -imacros -fplugin=/tmp/x.so -specs=/tmp/x -I/tmp "
             "-isystem/tmp -B/tmp -wrapper -fprofile-generate -fprofile-use=x -ftest-coverage "
             "-fopt-info-all=x -fstack-usage -fcallgraph-info -ftime-trace=x -fsave-optimization-record "
             "-fuse-ld=/tmp/x -mllvm -l:x/../y -fself-test=x -x @x -fdiagnostics-format=sarif-file "
             "--sysroot=/tmp -march=/tmp/x -fmodules -aux-info"))
    EXPECT_NE(why_not_an_option(option, Target::host), "") << option;
  for (const std::string& option :
       words("--time=/tmp/x --time={} --create-pch=/tmp/x --use-pch=x --pch-dir=/tmp --pch -MF/tmp/x "
             "--fdevice-time-trace=/tmp/x --pre-include=/etc/passwd -include=x -I/tmp --include-path=/tmp "
             "-Xptxas=-o=x --ptxas-options=--output-file=x --ptxas-options=-v,-o,x -Xptxas=--options-file=x "
             "--instantiate-templates-in-pch=true"))
    EXPECT_NE(why_not_an_option(option, Target::cuda), "") << option;
  EXPECT_EQ(why_not_an_option("-MF/tmp/x", Target::host),
            "the option '-MF/tmp/x' is not among those that specs may have");
}

TEST(CompilerOptions, OfNvccAreThoseOfLibraryVariantsInCudaCpp) {
  for (
      const std::string& option : words(
          "-O3 -O1 --use_fast_math -use_fast_math --fmad=false --maxrregcount={} -std=c++20 -DX={} -lineinfo -lcuda "
          "-Xptxas=-dlcm=ca --expt-relaxed-constexpr -extended-lambda --extended-lambda -rdc=true "
          "-Xcompiler=-fopenmp --compiler-options=-O2 --default-stream=per-thread"))
    EXPECT_EQ(why_not_an_nvcc_option(option), "") << option;
  for (
      const std::string& option : words(
          "-MF/tmp/x -o/tmp/x -include=x -I/tmp -isystem/tmp -ccbin=/tmp/x --compiler-bindir=x -Xlinker=-Map=x "
          "-Xcompiler=-fplugin=x -Xcompiler=-O2,-fplugin=x -Xcompiler=-include=x --keep --options-file=x "
          "-Xptxas=-o=x --ptxas-options=--output-file=x --time=x -l:x/../y -dryrun --run"))
    EXPECT_EQ(why_not_an_nvcc_option(option),
              "the option '" + option + "' is not among those that specs may have of nvcc");
  EXPECT_EQ(
      why_not_an_nvcc_option("-arch=sm_80"),
      "the option '-arch=sm_80' names a GPU: code is made for the one at hand, with what it alone has (sm_90a)");
  EXPECT_EQ(why_not_an_nvcc_option("-D" + std::string(2000, 'A')),
            "the option '-D" + std::string(18, 'A') + "...' has 2002 characters; 1024 are allowed");
}

TEST(CompilerOptions, OfNvccThatNvrtcNeedsNotAreLeftOut) {
  for (const std::string& option :
       words("-O3 -O2 --optimize=3 --expt-relaxed-constexpr -expt-relaxed-constexpr "
             "-m64 -g -Xcompiler=-fopenmp -c")) {
    EXPECT_TRUE(is_left_out_for_nvrtc(option)) << option;
    EXPECT_EQ(why_not_an_option(option, Target::cuda), "") << option;
  }
  EXPECT_TRUE(is_left_out_for_nvrtc(""));
  for (const std::string& option : words("--use_fast_math -G -lineinfo -DO3 --maxrregcount=32"))
    EXPECT_FALSE(is_left_out_for_nvrtc(option)) << option;
}

TEST(CompilerOptions, ThatNoKernelCanHaveAreRefusedByName) {
  for (const std::string& option :
       words("-dlto --dlink-time-opt -rdc=true --relocatable-device-code=true -dc"))
    EXPECT_EQ(why_not_an_option(option, Target::cuda),
              "the option '" + option +
                  "' makes code that has to be linked, and a kernel is loaded as it was compiled");
  for (const std::string& option :
       words("-arch=sm_80 --gpu-architecture=sm_90a -gencode=arch=compute_90,code=sm_90"))
    EXPECT_EQ(why_not_an_option(option, Target::cuda),
              "the option '" + option +
                  "' names a GPU: code is made for the one at hand, with what it alone has (sm_90a)");
}

}  // namespace
}  // namespace tailwave
