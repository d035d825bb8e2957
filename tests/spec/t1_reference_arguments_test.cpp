// KTT's ReferenceArguments, which say what results a T1 file's kernel has to leave.
#include <gmock/gmock.h>

#include "spec/t1_fixture.h"

namespace tailwave {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class T1References : public T1 {
 protected:
  void add(const std::string& members) const {
    replace("\"Arguments\"", "\"ReferenceArguments\": [{\"Name\": \"reference\", \"TargetName\": \"y\", " +
                                 members + "}], \"Arguments\"");
  }
  [[nodiscard]] Comparison comparison() const { return load().system.reference.compare.at("y"); }
};

TEST_F(T1References, MayBeExpressions) {
  add(R"("FillType": "Generator", "DataSource": "2 * i + 3", "ValidationMethod": "SideBySideComparison",
         "ValidationThreshold": 0.1)");
  EXPECT_EQ(said(), "");
  const ReferenceSpec reference = load().system.reference;
  EXPECT_EQ(reference.variant, "");
  EXPECT_EQ(reference.stored.at("y").kind, Fill::Kind::generated);
  EXPECT_EQ(reference.stored.at("y").element.text(), "2 * i + 3");
  EXPECT_EQ(to_text(reference.stored_problem), "problem_size_x = 1000");
  EXPECT_EQ(comparison().norm, Comparison::Norm::max_abs);
  EXPECT_EQ(comparison().tolerance.text(), "0.1");
}

TEST_F(T1References, MayBeFilesAndOneNumber) {
  tree_.write("t1/right.bin", std::string(4000, '\0'));
  add(R"("FillType": "BinaryRaw", "DataSource": "right.bin")");
  EXPECT_EQ(said(), "");
  EXPECT_EQ(load().system.reference.stored.at("y").file.filename(), "right.bin");
  EXPECT_EQ(comparison().tolerance.text(), "1e-04") << "KTT's, where none is given";
  replace(R"("BinaryRaw", "DataSource": "right.bin")", R"("Constant", "FillValue": 3)");
  EXPECT_EQ(load().system.reference.stored.at("y").value.text(), "3");
}

TEST_F(T1References, SayHowCloselyResultsHaveToAgree) {
  add(R"("FillType": "Constant", "ValidationMethod": "SideBySideRelativeComparison", "ValidationThreshold": 0.01)");
  EXPECT_EQ(comparison().norm, Comparison::Norm::close);
  EXPECT_EQ(comparison().tolerance.text(), "0.01");
  EXPECT_EQ(comparison().absolute.text(), "1e-04");
  replace("\"Type\": \"float\"", "\"Type\": \"int32\"");
  EXPECT_EQ(comparison().norm, Comparison::Norm::exact);
}

TEST_F(T1References, AreOfInputsThatStay) {
  add(R"("FillType": "Constant")");
  replace("\"FillType\": \"Constant\",\n       \"FillValue\": 0,",
          "\"FillType\": \"Random\", \"FillValue\": 1,");
  EXPECT_THAT(
      said(),
      StartsWith("/KernelSpecification/ReferenceArguments: 'y' is filled with other random numbers for "
                 "each verification: ReferenceArguments are not read"));
  EXPECT_EQ(load().system.reference.variant, "scale");
  tree_.write("t1/scale.tailwave.json", R"({"buffers": {"y": {"fill": {"kind": "zero"}}}})");
  EXPECT_EQ(said(), "");
  EXPECT_EQ(load().system.reference.stored.size(), 1U);
}

TEST_F(T1References, AreThereForEachOutput) {
  add(R"("FillType": "Constant")");
  replace(R"({"Name": "n",)",
          R"({"Name": "z", "Type": "float", "MemoryType": "Vector", "Size": 2, "AccessType": "ReadWrite"},
                                 {"Name": "n",)");
  EXPECT_THAT(said(), testing::Not(HasSubstr("ReferenceArguments")));
  EXPECT_EQ(load().system.reference.compare.size(), 1U);
  replace(R"("AccessType": "ReadWrite")", R"("Output": 1)");
  EXPECT_THAT(said(), HasSubstr("/KernelSpecification/ReferenceArguments: the output 'z' has none: "));
}

TEST_F(T1References, AreNotWhatIsSaidBesideTheFile) {
  add(R"("FillType": "Constant")");
  tree_.write("t1/scale.tailwave.json", R"({"reference": {"none": "nobody knows"}})");
  EXPECT_TRUE(load().system.reference.stored.empty());
  tree_.write("t1/scale.tailwave.json", R"({"reference": {"compare": {"y": {"norm": "exact"}}}})");
  EXPECT_EQ(comparison().norm, Comparison::Norm::exact);
  EXPECT_EQ(load().system.reference.stored.size(), 1U);
  tree_.write(
      "t1/scale.tailwave.json",
      R"({"buffers": {"z": {"type": "float", "count": 2}}, "reference": {"compare": {"z": {"norm": "exact"}}}})");
  Diagnostics found;
  EXPECT_FALSE(load_experiment(tree_.root() / kT1File, found).has_value());
  ASSERT_FALSE(found.empty());
  EXPECT_THAT(to_string(found.front()),
              HasSubstr("/reference/compare/z: no ReferenceArgument says what 'z' has to hold"));
}

}  // namespace
}  // namespace tailwave
