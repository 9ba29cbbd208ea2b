// SPDX-License-Identifier: Apache-2.0
#include "orrery/report/answer/answer.h"

#include <gmock/gmock.h>

#include <array>

#include "orrery/core/text/units.h"

namespace orrery::report {
namespace {

struct Link {
  std::string name;
  std::uint32_t number = 0;
  Bandwidth bandwidth{};
  std::optional<Time> latency{};
};

Columns<Link> link_columns() {
  Columns<Link> columns;
  columns.add("link", "name", [](const Link& link) { return link.name; })
      .add(
          "bandwidth", "bandwidth_bytes_per_s", [](const Link& link) { return link.bandwidth; },
          [](const Link& link) {
            return std::to_string(link.number) + " x " + format_bandwidth(link.bandwidth);
          })
      .add("latency", "latency_ns", [](const Link& link) { return link.latency; })
      .omit_null()
      .field("links", [](const Link& link) { return link.number; })
      .nested("numbers", [](JsonWriter& json, const Link& link) {
        json.begin_array().value(link.number).end_array();
      });
  return columns;
}

const std::array kLinks = {Link{"nvlink", 4, Bandwidth(450e9), ns(500)},
                           Link{"ib", 1, Bandwidth(50e9)}};

void state_network(Answer& answer) {
  answer.title("a network");
  answer.row("hosts", "hosts", 1200);
  answer.row("diameter", "diameter_ns", us(2), "2 us, 3 hops");
  answer.object("nodes_by_class", [&] { answer.row("switches", "switch", 4); });
  answer.field("ranks", std::uint64_t{8}).optional_field("price", std::optional<double>());
  answer.table("links_by_class", kLinks, link_columns(), {.limit = 1});
  answer.note("measured");
}

TEST(Answer, StatesTextAndJsonOnce) {
  EXPECT_EQ(answer_text(state_network, {}), R"(a network
hosts          1,200
diameter       2 us, 3 hops
switches       4

link       bandwidth  latency
nvlink  4 x 450 GB/s   500 ns
and 1 more (--json)
measured
)");
  const std::string json = answer_json("topology", state_network);
  EXPECT_THAT(json, testing::HasSubstr("\"hosts\": 1200"));
  EXPECT_THAT(json, testing::HasSubstr("\"diameter_ns\": 2000"));
  EXPECT_THAT(json, testing::HasSubstr("\"nodes_by_class\": {\n   \"switch\": 4\n  }"));
  EXPECT_THAT(json, testing::Not(testing::HasSubstr("price")));
  EXPECT_THAT(json, testing::HasSubstr("{\"name\": \"nvlink\", \"bandwidth_bytes_per_s\": 4.5e+11, "
                                       "\"latency_ns\": 500, \"links\": 4, \"numbers\": [4]}"));
  EXPECT_THAT(json, testing::HasSubstr("{\"name\": \"ib\", \"bandwidth_bytes_per_s\": 5e+10, "
                                       "\"links\": 1, \"numbers\": [1]}"));
}

TEST(Answer, GivesItsLinesToPages) {
  Answer::Lines lines;
  Answer answer(lines);
  state_network(answer);
  EXPECT_EQ(lines.size(), 3u);
  EXPECT_EQ(lines[1], (std::pair<std::string, std::string>("diameter", "2 us, 3 hops")));
  EXPECT_EQ(answer.text(), "");
}

TEST(Answer, SeparatesTablesFromLines) {
  Answer answer{Style{}};
  answer.table("", std::array<Link, 0>{}, link_columns());
  EXPECT_EQ(answer.text(), "");
  answer.table("", std::array<Link, 0>{}, link_columns(), {.if_empty = "no links"});
  answer.line("a", "b").heading("Links:").block("x\n").block("").line("c", "d");
  EXPECT_EQ(answer.text(), "no links\n\na              b\n\nLinks:\nx\n\nc              d\n");
}

TEST(Value, HasTheUnitOfItsType) {
  const auto json = [](const Value& value) {
    std::string text;
    JsonWriter writer(text);
    value.write(writer);
    return text;
  };
  const auto check = [&](const Value& value, const char* text, const char* in_json) {
    EXPECT_EQ(value.text(), text);
    EXPECT_EQ(json(value), in_json);
  };
  check({}, "-", "null");
  check(std::optional<double>(), "-", "null");
  check(true, "yes", "true");
  check(-1200, "-1,200", "-1200");
  check(~std::uint64_t{0}, "9,223,372,036,854,775,807", "18446744073709551615");
  check(0.25, "0.25", "0.25");
  check(ps(1500), "1.5 ns", "1.5");
  check(Bytes(1 << 20), "1.049 MB", "1048576");
  check(Share{0.5}, "50.0 %", "0.5");
  check(Digits{"12345678901234567890123"}, "12345678901234567890123", "12345678901234567890123");
  check("a\tb", "a?b", "\"a\\tb\"");
  check(Value(7).shown("seven"), "seven", "7");
  EXPECT_TRUE(Value(Share{1}).is_number());
  EXPECT_FALSE(Value("7").is_number());
}

}  // namespace
}  // namespace orrery::report
