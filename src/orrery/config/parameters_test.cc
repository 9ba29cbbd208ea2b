// SPDX-License-Identifier: Apache-2.0
#include "orrery/config/parameters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace orrery::config::crates {

/// Without a table of its own.
struct Crate {
  double weight = 0;
  bool open = false;
};

/// In files: "yes" or "no".
struct YesNo {
  bool yes = false;

  explicit operator bool() const { return yes; }
};
inline void read_value(const Json& value, const std::string&, const Limits&, YesNo& out, Reading&) {
  out.yes = value == "yes";
}
inline OrderedJson schema_of(Kind<YesNo>, const Limits&) { return {{"type", "string"}}; }
inline std::string about_kind(Kind<YesNo>, const Limits&) { return "`yes` or `no`"; }
inline OrderedJson write_value(YesNo value) { return value.yes ? "yes" : "no"; }

}  // namespace orrery::config::crates

namespace orrery::config {

template <>
struct ParameterTable<crates::Crate> {
  static constexpr auto fields =
      std::tuple{field("weight", &crates::Crate::weight, "in kg", positive()).unset_by_default(),
                 field("open", &crates::Crate::open, "whether it is open").as<crates::YesNo>()};
};

namespace {

using crates::Crate;

struct Shelf {
  std::vector<std::int64_t> sizes = {1};
  std::vector<std::string> names;

  static constexpr auto fields =
      std::tuple{field("sizes", &Shelf::sizes, "how wide", between(1, 3)),
                 field("names", &Shelf::names, "what stands there")};
};

/// What is wrong with `text`, or nothing; `shelf` is what was read.
std::string read(const char* text, Shelf& shelf) {
  Reading reading{"f"};
  read_value(Json::parse(text), "", Limits{}, shelf, reading);
  return reading.error ? to_string(*reading.error) : std::string();
}

TEST(Lists, AreReadItemByItem) {
  Shelf shelf;
  EXPECT_EQ(read(R"({"sizes": [4, -5, 6.0], "names": ["a", ""]})", shelf), "");
  EXPECT_THAT(shelf.sizes, testing::ElementsAre(4, -5, 6));
  EXPECT_THAT(shelf.names, testing::ElementsAre("a", ""));
  EXPECT_EQ(read(R"({"sizes": [7]})", shelf), "");
  EXPECT_THAT(shelf.sizes, testing::ElementsAre(7)) << "a list replaces the one before";
  EXPECT_THAT(shelf.names, testing::SizeIs(2)) << "a key that is not given changes nothing";
  EXPECT_EQ(read(R"({"names": []})", shelf), "");
  EXPECT_TRUE(shelf.names.empty());
}

TEST(Lists, NameTheItemThatIsWrong) {
  Shelf shelf;
  EXPECT_THAT(read(R"({"sizes": 4})", shelf),
              testing::StartsWith("f:/sizes: is a number, but must be a list"));
  EXPECT_THAT(read(R"({"sizes": [1, "x"]})", shelf), testing::StartsWith("f:/sizes/1: is text"));
  EXPECT_THAT(read(R"({"sizes": [1, 2.5]})", shelf), testing::StartsWith("f:/sizes/1: is 2.5"));
  EXPECT_THAT(read(R"({"sizes": [1e30]})", shelf), testing::StartsWith("f:/sizes/0: "));
  EXPECT_THAT(read(R"({"names": [null]})", shelf), testing::StartsWith("f:/names/0: is nothing"));
}

TEST(Lists, LimitsAreThoseOfTheLength) {
  Shelf shelf;
  EXPECT_THAT(read(R"({"sizes": []})", shelf), testing::HasSubstr("lists 0 entries"));
  EXPECT_THAT(read(R"({"sizes": [1, 2, 3, 4]})", shelf),
              testing::HasSubstr("lists 4 entries, but must list from 1 to 3"));
  EXPECT_EQ(read(R"({"sizes": [1000, 2000, 3000]})", shelf), "");
}

// The most entries of a list without a limit were converted to an integer: not defined, and every
// fuzz target that looked into the catalog ended there.
TEST(Lists, OfMappingsNeedNoLimits) {
  EXPECT_EQ(about_list({}), "a list of mappings (below)");
  EXPECT_EQ(about_list(at_least(1)), "a list of 1 or more mappings (below)");
  EXPECT_EQ(about_list(between(0, 16777216)), "a list of 0 to 16777216 mappings (below)");
  EXPECT_EQ(schema_of_list({}, {}).dump(), R"({"type":"array","items":null})");
  EXPECT_EQ(schema_of_list({}, between(1, 3)).dump(),
            R"({"type":"array","minItems":1,"maxItems":3,"items":null})");
}

struct Half {
  double part = 1;

  static constexpr auto fields = std::tuple{field("part", &Half::part, "of it", share())};
};

TEST(Shares, AreAboveZeroAndAtMostOne) {
  Half half;
  const auto refused = [&](const char* text) {
    Reading reading{"f"};
    read_value(Json::parse(text), "", Limits{}, half, reading);
    return reading.error ? reading.error->what : std::string();
  };
  EXPECT_EQ(refused(R"({"part": 1})"), "");
  EXPECT_EQ(refused(R"({"part": 1e-300})"), "");
  EXPECT_EQ(refused(R"({"part": 0})"), "is 0, but must be above 0, at most 1");
  EXPECT_EQ(refused(R"({"part": -0.5})"), "is -0.5, but must be above 0, at most 1");
  EXPECT_EQ(refused(R"({"part": 1.5})"), "is 1.5, but must be above 0, at most 1");
}

TEST(Lists, ComeBackFromTheWriter) {
  Shelf shelf;
  shelf.sizes = {9007199254740993, -1};
  shelf.names = {"b", "a"};
  Shelf again;
  EXPECT_EQ(read(write_value(shelf).dump().c_str(), again), "");
  EXPECT_EQ(again.sizes, shelf.sizes);
  EXPECT_EQ(again.names, shelf.names);
}

TEST(Lists, AreInSchemaAndReference) {
  const OrderedJson schema = schema_of(Kind<Shelf>{}, {});
  const OrderedJson& sizes = schema["properties"]["sizes"];
  EXPECT_EQ(sizes["type"], "array");
  EXPECT_EQ(sizes["items"]["type"], "integer");
  EXPECT_EQ(sizes["minItems"], 1);
  EXPECT_EQ(sizes["maxItems"], 3);
  EXPECT_FALSE(schema["properties"]["names"].contains("maxItems"));
  EXPECT_EQ(reference_table<Shelf>(),
            "| key | value | default | meaning |\n|---|---|---|---|\n"
            "| `sizes` | a list of whole numbers | none | how wide |\n"
            "| `names` | a list of words | none | what stands there |\n");
}

TEST(ParameterTables, DeclareTheFieldsOfOtherStructs) {
  Crate crate;
  Reading reading{"f"};
  read_value(Json::parse(R"({"weight": 2.5, "open": "yes"})"), "", Limits{}, crate, reading);
  EXPECT_FALSE(reading.error);
  EXPECT_EQ(crate.weight, 2.5);
  EXPECT_TRUE(crate.open);
  EXPECT_EQ(write_value(crate).dump(), R"({"weight":2.5,"open":"yes"})");
}

TEST(ParameterTables, OmitMembersThatAreUnsetByDefault) {
  EXPECT_EQ(write_value(Crate{}).dump(), R"({"open":"no"})");
  const OrderedJson schema = schema_of(Kind<Crate>{}, {});
  EXPECT_FALSE(schema["properties"]["weight"].contains("default"));
  EXPECT_EQ(schema["properties"]["open"]["default"], "no");
  EXPECT_EQ(reference_table<Crate>(),
            "| key | value | default | meaning |\n|---|---|---|---|\n"
            "| `weight` | number, above 0 | none | in kg |\n"
            "| `open` | `yes` or `no` | `no` | whether it is open |\n");
}

}  // namespace
}  // namespace orrery::config
