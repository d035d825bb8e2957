#include "json/json.h"

#include <gtest/gtest.h>

#include <limits>
#include <optional>

#include "fakes/error_of.h"
#include "json/parser.h"

namespace tailwave {
namespace {

using samples::error_of;

Json sample() {
  return require_json(
      R"({"text": "a", "whole": 3, "real": 0.5, "flag": true, "none": null, "list": [1, "b"], "a/b~c": {"d": 1}})",
      "file.json");
}

TEST(Json, FindsNothingWhereNothingOfThatKindIs) {
  const Json json = sample();
  EXPECT_EQ(*json.find("text").as_text(), "a");
  EXPECT_EQ(json.find("whole").as_text(), nullptr);
  EXPECT_EQ(json.find("whole").as_whole(), 3);
  EXPECT_EQ(json.find("real").as_whole(), std::nullopt);
  EXPECT_EQ(json.find("whole").as_real(), 3.0);
  EXPECT_EQ(json.find("flag").as_flag(), true);
  EXPECT_EQ(json.find("whole").as_flag(), std::nullopt);
  EXPECT_EQ(json.find("real").as_value(), Value(0.5));
  EXPECT_EQ(json.find("list").as_value(), std::nullopt);
  EXPECT_EQ(json.find("list").items().size(), 2U);
  EXPECT_TRUE(json.find("text").items().empty());
  EXPECT_TRUE(json.find("list").members().empty());
  EXPECT_EQ(json.members().front().first, "text");
}

TEST(Json, KnowsThePlaceOfWhatIsAbsent) {
  const Json absent = sample().find("nothing").find("inside");
  EXPECT_FALSE(absent);
  EXPECT_EQ(absent.pointer(), "/nothing/inside");
  EXPECT_EQ(absent.as_text(), nullptr);
  EXPECT_EQ(absent.as_value(), std::nullopt);
  EXPECT_TRUE(absent.members().empty());
  EXPECT_EQ(to_string(absent.diagnostic("cause", "hint")), "file.json: /nothing/inside: cause\n  hint");
  EXPECT_FALSE(Json());
}

TEST(Json, GivesWhatIsThere) {
  const Json json = sample();
  EXPECT_TRUE(json.has("none"));
  EXPECT_FALSE(json.has("nothing"));
  EXPECT_EQ(json.at("text").text(), "a");
  EXPECT_EQ(json.text_or_empty("nothing"), "");
  EXPECT_EQ(json.at("list").at(0).small(), 1);
  EXPECT_EQ(json.at("list").size(), 2U);
  EXPECT_EQ(json.at("whole").real(), 3);
  EXPECT_TRUE(json.at("flag").flag());
  EXPECT_TRUE(json.at("list").at(0).flag());
  EXPECT_EQ(json.at("list").at(0).index(2), 1U);
  EXPECT_EQ(json.at("a/b~c").values(), (Values{{"d", 1}}));
  EXPECT_EQ(json.at("list").dump(), R"([1,"b"])");
  EXPECT_EQ(require_json("\"-inf\"", "").real(), -std::numeric_limits<double>::infinity());
}

TEST(Json, NamesFileAndPointerOfWhatIsNotAsNeeded) {
  const Json json = sample();
  EXPECT_EQ(error_of([&] { (void)json.at("nothing"); }), "file.json: 'nothing' is missing");
  EXPECT_EQ(error_of([&] { (void)json.at("text").at("a"); }), "file.json: /text: must be an object");
  EXPECT_EQ(error_of([&] { (void)json.at("list").at(2); }), "file.json: /list: has no element 2");
  EXPECT_EQ(error_of([&] { (void)json.at("text").size(); }), "file.json: /text: must be an array");
  EXPECT_EQ(error_of([&] { (void)json.at("whole").text(); }), "file.json: /whole: must be text");
  EXPECT_EQ(error_of([&] { (void)json.at("real").whole(); }), "file.json: /real: must be a whole number");
  EXPECT_EQ(error_of([&] { (void)json.at("text").real(); }), "file.json: /text: must be a number");
  EXPECT_EQ(error_of([&] { (void)json.at("whole").flag(); }), "file.json: /whole: must be true or false");
  EXPECT_EQ(error_of([&] { (void)json.at("list").value(); }),
            "file.json: /list: must be a number, text, true or false");
  EXPECT_EQ(error_of([&] { (void)json.at("whole").index(3); }),
            "file.json: /whole: 3 is not the index of one of 3");
  EXPECT_EQ(error_of([&] { (void)json.at("a/b~c").at("d").text(); }), "file.json: /a~1b~0c/d: must be text");
  EXPECT_EQ(error_of([&] { (void)require_json("[4294967296]", "file.json").at(0).small(); }),
            "file.json: /0: 4294967296 is too large");
  EXPECT_EQ(error_of([&] { (void)json.find("nothing").json(); }), "file.json: /nothing: is missing");
}

TEST(Json, NamesItselfInTheErrorsOfOthers) {
  const Json place = sample().at("whole");
  EXPECT_EQ(place.guarded([] { return 1; }), 1);
  EXPECT_EQ(error_of([&] { place.guarded([] { throw Error("too few"); }); }), "file.json: /whole: too few");
}

TEST(Json, OutlivesWhatItWasFoundIn) {
  Json inner;
  {
    const Json json = sample();
    inner = json.at("list").at(1);
  }
  EXPECT_EQ(inner.text(), "b");
}

TEST(Json, TellsItsType) {
  const Json json = sample();
  EXPECT_EQ(json.type(), "object");
  EXPECT_EQ(json.at("list").type(), "array");
  EXPECT_EQ(json.at("none").type(), "null");
  EXPECT_EQ(json.at("whole").type(), type_of(Value(1)));
  EXPECT_EQ(with_article(json.at("real").type()), "a number");
  EXPECT_EQ(with_article(json.at("list").type()), "an array");
  EXPECT_EQ(with_article(json.at("none").type()), "null");
}

}  // namespace
}  // namespace tailwave
