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

}  // namespace
}  // namespace tailwave
