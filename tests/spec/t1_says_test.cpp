// What is said of broken T1 files and of strange ones.
#include <memory>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "spec/t1_fixture.h"

namespace tailwave {
namespace {

struct T1Break {
  const char* name;
  const char* from;
  const char* to;
  const char* message;
};
void PrintTo(const T1Break& broken, std::ostream* stream) {
  *stream << broken.name;
}

class T1Says : public T1, public testing::WithParamInterface<T1Break> {};

TEST_P(T1Says, WhatIsWrongOrStrange) {
  replace(GetParam().from, GetParam().to);
  EXPECT_EQ(said(), GetParam().message);
}

std::string name_of(const testing::TestParamInfo<T1Break>& info) {
  return info.param.name;
}

// One with these members, that cannot be read.
T1Break reference_break(const char* name, const std::string& members, const char* place,
                        const std::string& cause, const char* threshold = "1e-04", int index = 0) {
  static std::vector<std::unique_ptr<std::string>> kept;
  const auto keep = [](std::string text) {
    return kept.emplace_back(std::make_unique<std::string>(std::move(text)))->c_str();
  };
  const std::string target = members.find("TargetName") == std::string::npos ? "NAME"
                             : members.find("\"z\"") == std::string::npos    ? "y"
                                                                             : "z";
  return {name, "\"Arguments\"", keep("\"ReferenceArguments\": [{" + members + "}], \"Arguments\""),
          keep("/KernelSpecification/ReferenceArguments/" + std::to_string(index) + place + ": " + cause +
               ": ReferenceArguments are not read, the default configuration is the reference\n"
               "  'scale.tailwave.json' beside it can say what is right: {\"reference\": {\"stored\": {\"" +
               target + "\": \"FILE.npy\"}, \"compare\": {\"" + target +
               "\": {\"norm\": \"max_abs\", \"tolerance\": " + threshold + "}}}}")};
}

INSTANTIATE_TEST_SUITE_P(
    Errors, T1Says,
    testing::Values(
        T1Break{"Values", "\"[1, 2]\"", "\"[1, 2 4]\"",
                "/ConfigurationSpace/TuningParameters/1/Values: expected ',' or ']', found '4'\n"
                "  [1, 2 4]\n"
                "        ^"},
        T1Break{"NoList", "\"[1, 2]\"", "\"2\"",
                "/ConfigurationSpace/TuningParameters/1/Values: the place of values needs a list, found 2\n"
                "  2\n"
                "  ^"},
        T1Break{"NoValues", "\"[1, 2]\"", "\"[]\"",
                "/ConfigurationSpace/TuningParameters/1/Values: the list has no values"},
        T1Break{"NumberForValues", "\"[1, 2]\"", "2",
                "/ConfigurationSpace/TuningParameters/1/Values: expected a list, found an integer"},
        T1Break{"LineBreak", "\"[1, 2]\"", "\"[1, '\\n']\"",
                "/ConfigurationSpace/TuningParameters/1/Values: a text has a line break or another control "
                "character"},
        T1Break{"NestedValues", "\"[1, 2]\"", "[1, [2]]",
                "/ConfigurationSpace/TuningParameters/1/Values/1: expected a single value, found an array"},
        T1Break{"NoName", "{\"Name\": \"factor\",", "{",
                "/ConfigurationSpace/TuningParameters/1: missing key 'Name'\n"
                "/ConfigurationSpace/Conditions/0/Expression: unknown parameter 'factor'\n"
                "  block_size_x * factor >= 64\n"
                "                 ^ one of 'block_size_x', 'problem_size_x'"},
        T1Break{"Name", "{\"Name\": \"factor\",", "{\"Name\": \"class\",",
                "/ConfigurationSpace/TuningParameters/1/Name: the name 'class' is a C++ keyword\n"
                "/ConfigurationSpace/Conditions/0/Expression: unknown parameter 'factor'\n"
                "  block_size_x * factor >= 64\n"
                "                 ^ one of 'block_size_x', 'class', 'problem_size_x'"},
        T1Break{"SameName", "{\"Name\": \"factor\",", "{\"Name\": \"block_size_x\",",
                "/ConfigurationSpace/TuningParameters/1/Name: the parameter 'block_size_x' is there twice\n"
                "/ConfigurationSpace/Conditions/0/Expression: unknown parameter 'factor'\n"
                "  block_size_x * factor >= 64\n"
                "                 ^ one of 'block_size_x', 'problem_size_x'"},
        T1Break{"Condition", "* factor >=", "&& factor >=",
                "/ConfigurationSpace/Conditions/0/Expression: unexpected '&&'\n"
                "  block_size_x && factor >= 64\n"
                "               ^ write 'and'"},
        T1Break{"NoCondition", "\"Expression\": \"block_size_x * factor >= 64\",", "",
                "/ConfigurationSpace/Conditions/0: missing key 'Expression'"},
        T1Break{"FailingCondition", "* factor >=", "// (factor - 1) >=",
                "/ConfigurationSpace/Conditions/0: '//' by zero (block_size_x = 32, factor = 1)\n"
                "  block_size_x // (factor - 1) >= 64\n"
                "               ^"},
        T1Break{"NothingValid", ">= 64\"", ">= 1024\"",
                "/ConfigurationSpace/Conditions/0: no configuration satisfies all constraints\n"
                "  'block_size_x * factor >= 1024' is false for all of it"},
        T1Break{"Language", "\"CUDA\"", "\"OpenCL\"",
                "/KernelSpecification/Language: the language 'OpenCL' is not supported\n"
                "  tailwave runs kernels in CUDA C++: name one in KernelFile, and the language 'CUDA'"},
        T1Break{"LanguageOfNoKernel", "\"CUDA\"", "\"Hypertuner\"",
                "/KernelSpecification/Language: the language 'Hypertuner' is not supported\n"
                "  tailwave runs kernels in CUDA C++, and this file is about none"},
        T1Break{"NoKernel", "\"scale.cu\"", "\"scala.cu\"",
                "/KernelSpecification/KernelFile: no file 'scala.cu' in t1\n"
                "  did you mean 'scale.cu'?"},
        T1Break{
            "NoKernelAtAll", "\"scale.cu\"", "\"kernels/other.cpp\"",
            "/KernelSpecification/KernelFile: no file 'kernels/other.cpp' in t1\n"
            "  nor is it in the folder above: put the kernel's file there, or name one that is there, relative to "
            "this file"},
        T1Break{"KernelOfAnotherName", "\"KernelName\": \"scale\"", "\"KernelName\": \"scalp\"",
                "/KernelSpecification/KernelName: no kernel 'scalp' in the KernelFile\n"
                "  did you mean 'scale'?"},
        T1Break{
            "ScalarOfAnotherType", "\"int32\"", "\"double\"",
            "/KernelSpecification/Arguments/1/Type: the argument is a double, and the kernel takes 'int n'\n"
            "  write \"Type\": \"int32\""},
        T1Break{
            "ScalarOfAnotherSize", "\"int32\"", "\"int64\"",
            "/KernelSpecification/Arguments/1/Type: the argument is an int64, and the kernel takes 'int n'\n"
            "  write \"Type\": \"int32\""},
        T1Break{
            "ScalarOfMoreComponents", "\"int32\"", "\"int2\"",
            "/KernelSpecification/Arguments/1/Type: the argument is an int2, and the kernel takes 'int n'\n"
            "  write \"Type\": \"int32\""},
        T1Break{"VectorForAValue", "\"Scalar\"", "\"Vector\", \"Size\": 2",
                "/KernelSpecification/Arguments/1/MemoryType: the argument is a vector, and the kernel takes "
                "'int n'\n"
                "  a value needs the MemoryType 'Scalar', and its FillValue"},
        T1Break{"NoSpace", "\"ConfigurationSpace\"", "\"Configuration\"", "missing key 'ConfigurationSpace'"},
        T1Break{"OldKernel", "\"KernelSpecification\"", "\"kernelSpecification\"",
                "/kernelSpecification: 'kernelSpecification' is a key of a draft of T1, which is not read\n"
                "  it is 'KernelSpecification' since T1 1.0"},
        T1Break{
            "OldConditions", "\"Conditions\"", "\"constraints\"",
            "/ConfigurationSpace/constraints: 'constraints' is a key of a draft of T1, which is not read\n"
            "  it is 'Conditions' since T1 1.0"},
        T1Break{
            "OldKeysOfArguments", "{\"Name\": \"y\", \"Type\": \"float\", \"MemoryType\"",
            "{\"name\": \"x\", \"path\": \"x.bin\"}, {\"name\": \"y\", \"Type\": \"float\", \"memoryType\"",
            "/KernelSpecification/Arguments/0/name: 'name' is a key of a draft of T1, which is not read; "
            "2 places have it\n"
            "  it is 'Name' since T1 1.0\n"
            "/KernelSpecification/Arguments/1/memoryType: 'memoryType' is a key of a draft of T1, which is "
            "not read\n"
            "  it is 'MemoryType' since T1 1.0\n"
            "/KernelSpecification/Arguments/0/path: 'path' is a key of a draft of T1, which is not read\n"
            "  it is 'DataSource' since T1 1.0"},
        T1Break{"MemType", "\"WriteOnly\",", "\"WriteOnly\", \"MemType\": \"Texture\",",
                "/KernelSpecification/Arguments/0/MemType: the MemType 'Texture' is not supported\n"
                "  leave it out for global memory, or give 'Constant'"},
        T1Break{"KernelElsewhere", "\"scale.cu\"", "\"../t1/scale.cu\"",
                "/KernelSpecification/KernelFile: the path '../t1/scale.cu' leaves t1"},
        T1Break{"NoSize", "\"ProblemSize\": [1000],", "",
                "/KernelSpecification: neither ProblemSize nor GlobalSize: how large is the grid?\n"
                "/KernelSpecification/Arguments/0/Size: unknown name 'ProblemSize'\n"
                "  ProblemSize[0]\n"
                "  ^"},
        T1Break{"ProblemSize", "[1000]", "[0]",
                "/KernelSpecification/ProblemSize/0: expected a whole number from 1"},
        T1Break{
            "GridOfHalves", "[1000]", "[1000], \"GridDivX\": [\"block_size_x / 3\"]",
            "/KernelSpecification/ProblemSize: 'ceil_div' needs a whole number, found 21.333333333333332\n"
            "  ceil_div(problem_size_x, (block_size_x / 3))\n"
            "  ^ with the defaults problem_size_x = 1000, block_size_x = 64"},
        T1Break{"GridDiv", "[1000]", "[1000], \"GridDivX\": [\"blok_size_x\"]",
                "/KernelSpecification/GridDivX/0: unknown parameter 'blok_size_x'\n"
                "  blok_size_x\n"
                "  ^ did you mean 'block_size_x'?"},
        T1Break{"Type", "\"float\"", "\"flaot\"",
                "/KernelSpecification/Arguments/0/Type: unknown type 'flaot'\n"
                "  did you mean 'float'?"},
        T1Break{"MemoryType", "\"Vector\"", "\"Local\"",
                "/KernelSpecification/Arguments/0/MemoryType: the MemoryType 'Local' is not supported\n"
                "  one of 'Scalar', 'Vector', 'Symbol'"},
        T1Break{"FillType", "\"Constant\"", "\"Script\"",
                "/KernelSpecification/Arguments/0/FillType: the FillType 'Script' is not supported\n"
                "  one of 'Constant', 'Random', 'Generator', 'BinaryRaw'"},
        T1Break{"Generator", "\"Constant\"", "\"Generator\", \"DataSource\": \"sin(i)\"",
                "/KernelSpecification/Arguments/0/DataSource: unknown function 'sin'\n"
                "  sin(i)\n"
                "  ^ did you mean 'min'?"},
        T1Break{"Size", "\"ProblemSize[0]\"", "\"ProblemSize[1]\"",
                "/KernelSpecification/Arguments/0/Size: index 1 of a list with 1 item\n"
                "  ProblemSize[1]\n"
                "             ^"},
        T1Break{"SizeOfLists", "\"ProblemSize[0]\"", "\"factor * 2\"",
                "/KernelSpecification/Arguments/0/Size: expected a single value, found a list\n"
                "  factor * 2\n"
                "  ^"},
        T1Break{"EmptySize", "\"ProblemSize[0]\"", "\"min(factor) - 1\"",
                "/KernelSpecification/Arguments/0/Size: the size is 0, expected at least 1\n"
                "  min(factor) - 1"},
        T1Break{"Scalar", "\"FillValue\": 1000}", "\"FillValue\": 3000000000}",
                "/KernelSpecification/Arguments/1/FillValue: expected an integer that fits int32, found "
                "3000000000"},
        T1Break{"NoOutput",
                "\"WriteOnly\", \"FillType\": \"Constant\",\n       \"FillValue\": 0, \"Size\": "
                "\"ProblemSize[0]\", \"Output\": 1}",
                "\"ReadOnly\", \"FillType\": \"Constant\", \"Size\": 4}",
                "/KernelSpecification/Arguments: no argument is an output: nothing could be verified\n"
                "  give the vector that the kernel writes \"Output\": 1"}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    Warnings, T1Says,
    testing::Values(
        T1Break{"SameValue", "\"[1, 2]\"", "\"[1, 2, 2.0]\"",
                "/ConfigurationSpace/TuningParameters/1/Values: the value 2 is given twice; it counts once"},
        T1Break{"ParameterList", "[\"block_size_x\", \"factor\"]", "[\"block_size_x\", \"tile\"]",
                "/ConfigurationSpace/Conditions/0/Parameters: the list lacks 'factor'\n"
                "/ConfigurationSpace/Conditions/0/Parameters: the expression does not use 'tile'"},
        T1Break{"Unused", "\"TuningParameters\": [",
                "\"TuningParameters\": [{\"Name\": \"idle\", \"Type\": \"int\", \"Values\": \"[1]\"},",
                "/ConfigurationSpace/TuningParameters/0: nothing uses the parameter 'idle': neither the "
                "source nor a size"},
        T1Break{"Key", "\"Output\"", "\"Outputs\"",
                "/KernelSpecification/Arguments/0/Outputs: unknown key 'Outputs'\n"
                "  did you mean 'Output'?"},
        T1Break{
            "VectorOfAnotherType", "\"float\"", "\"double\"",
            "/KernelSpecification/Arguments/0/Type: the argument is a vector of double, and the kernel takes "
            "'float* y'\n"
            "  write \"Type\": \"float\""},
        T1Break{
            "EmptyOldKey", "\"Conditions\"", "\"Constraints\": [], \"Conditions\"",
            "/ConfigurationSpace/Constraints: 'Constraints' is a key of a draft of T1, which is not read\n"
            "  it is 'Conditions' since T1 1.0"},
        T1Break{"MoreArgumentsThanTheKernelTakes", "\"FillValue\": 1000}",
                "\"FillValue\": 1000}, {\"Name\": \"m\", \"Type\": \"int32\", \"MemoryType\": \"Scalar\", "
                "\"FillValue\": 1}",
                "/KernelSpecification/Arguments: the list has 3 arguments, 'scale' seems to take 2\n"
                "  it takes float* y, int n"},
        T1Break{
            "DefaultThatIsAList", "\"Default\": 2", "\"Default\": [2]",
            "/ConfigurationSpace/TuningParameters/1/Default: the Default [2] of 'factor' is not among its "
            "Values"},
        T1Break{
            "DefaultThatIsATextLikeAValue", "\"Default\": 2", "\"Default\": \"True\"",
            "/ConfigurationSpace/TuningParameters/1/Default: the Default \"True\", a text, of 'factor' is not "
            "among its Values"},
        T1Break{"OneElement", "\"ProblemSize[0]\"", "1",
                "/KernelSpecification/Arguments/0/Size: the vector 'y' has one element\n"
                "  a kernel that reads beyond it finds what happens to lie there"},
        T1Break{"EmptyReferenceArguments", "\"Arguments\"", "\"ReferenceArguments\": [], \"Arguments\"", ""},
        reference_break("ReferenceWithoutATarget", R"("FillType": "Constant")", "", "it has no TargetName"),
        reference_break("ReferenceOfNothing", R"("TargetName": "z", "FillType": "Constant")", "/TargetName",
                        "no vector is called 'z'"),
        reference_break("ReferenceWithoutValues", R"("TargetName": "y")", "", "it has no FillType"),
        reference_break("ReferenceOfRandomNumbers", R"("TargetName": "y", "FillType": "Random")", "/FillType",
                        "the FillType 'Random' says no results"),
        reference_break("ReferenceInAFileThatIsNotThere",
                        R"("TargetName": "y", "FillType": "BinaryRaw", "DataSource": "gone.bin")",
                        "/DataSource", "no file 'gone.bin' in t1"),
        reference_break(
            "ReferenceByASum",
            R"("TargetName": "y", "FillType": "Constant", "ValidationMethod": "AbsoluteDifference")",
            "/ValidationMethod",
            "no norm adds up the differences of all elements, as AbsoluteDifference does"),
        reference_break("ReferenceByAnUnknownMethod",
                        R"("TargetName": "y", "FillType": "Constant", "ValidationMethod": "Exact")",
                        "/ValidationMethod", "unknown ValidationMethod 'Exact'"),
        reference_break("ReferenceWithANegativeThreshold",
                        R"("TargetName": "y", "FillType": "Constant", "ValidationThreshold": -1)",
                        "/ValidationThreshold", "expected a number from 0", "-1"),
        reference_break(
            "TwoReferencesOfOneVector",
            R"("TargetName": "y", "FillType": "Constant"}, {"TargetName": "y", "FillType": "Constant")",
            "/TargetName", "'y' has two of them", "1e-04", 1)),
    name_of);

}  // namespace
}  // namespace tailwave
