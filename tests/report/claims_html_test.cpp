#include "report/claims_html.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tailwave {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(ClaimsHtml, GroupsByStudyAndVerdictWithTheEvidenceFolded) {
  std::vector<Claim> claims(3);
  for (Claim& claim : claims) claim.system = "nbody";
  claims[0].id = "nbody_fast";
  claims[0].statement = "1 < 2";
  claims[0].source = "A study";
  claims[0].place = "its end";
  claims[2].system = "jacobi";
  const std::vector<ClaimVerdict> verdicts{
      {&claims[0], "NVIDIA H100", Judgement::not_testable, "No data.", "", ""},
      {&claims[0], "NVIDIA H200", Judgement::differs_here, "3 us", "waves", "2 us"},
      {&claims[1], "NVIDIA H200", Judgement::refuted, "", "", ""},
      {&claims[2], "", Judgement::not_testable, "No data.", "", ""}};
  const HtmlBody page = claims_html(verdicts);
  EXPECT_THAT(page.contents,
              HasSubstr("<a href=\"#jacobi\">jacobi</a></li>\n<li class=\"level2\"><a href=\"#nbody\">"));
  EXPECT_THAT(
      page.text,
      HasSubstr(
          "<h3 class=\"differs\"><b>1</b> Differs here: right on the study's GPU, not on this one</h3>\n<details "
          "class=\"claim differs\" id=\"nbody_fast\"><summary>1 &lt; 2 <span class=\"quiet\">NVIDIA H200</span>"
          "</summary>\n<dl>\n<dt>Evidence</dt><dd>3 us</dd>\n<dt>Explanation</dt><dd>waves</dd>\n<dt>On the study's "
          "GPU</dt><dd>2 us</dd>\n<dt>Source</dt><dd>A study; its end</dd>\n"));
  EXPECT_THAT(page.text, HasSubstr("<b>1</b> Refuted: wrong as stated, there too</h3>"));
  EXPECT_THAT(page.text, Not(HasSubstr("<span class=\"quiet\">NVIDIA H100</span>")))
      << "decided on another GPU";
  EXPECT_THAT(page.text, HasSubstr("<span class=\"quiet\">no GPU</span>"));
}

}  // namespace
}  // namespace tailwave
