// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <vector>

#include "orrery/core/state/findings_state.h"
#include "orrery/core/state/state_reader.h"
#include "orrery/core/state/state_writer.h"

namespace orrery {
namespace {

enum class Color : std::uint8_t { red, green };

struct Point {
  std::int32_t x = 0, y = 0;
  friend bool operator==(const Point&, const Point&) = default;
};

struct Plain {
  bool flag = false;
  Color color = Color::red;
  double ratio = 0;
  Time time{};
  std::string name;
  std::vector<Point> points;
  std::map<std::uint32_t, std::vector<std::int64_t>> by_number;
  std::pair<std::uint8_t, std::string> pair;
  friend bool operator==(const Plain&, const Plain&) = default;
};

class Hidden {
 public:
  explicit Hidden(int number = 0) : number_(number) {}
  static auto fields(auto& self) {
    auto& [number, cache, maybe] = self;
    return std::tie(number, maybe);
  }
  friend bool operator==(const Hidden&, const Hidden&) = default;

 private:
  int number_ = 0;
  int* cache_ = nullptr;
  std::optional<std::uint64_t> maybe_ = 7;
};

Plain any_plain() {
  return {true, Color::green, 0.25, Time(5), "name", {{1, -2}, {3, 4}}, {{2, {3, 4}}}, {9, "nine"}};
}

TEST(State, IsTheSameAfterItWasWrittenAndRead) {
  const Plain plain = any_plain();
  const Hidden hidden(3);
  const std::unordered_map<std::uint32_t, bool> unordered{{3, true}, {1, false}, {2, true}};
  Findings findings;
  findings.add(FindingCode::unmatched_send, "here", 4);
  findings.add(FindingCode::unmatched_send, "there", 2);
  const std::string bytes = state_bytes(plain, hidden, unordered, findings);
  Plain plain_read;
  Hidden hidden_read;
  std::unordered_map<std::uint32_t, bool> unordered_read;
  Findings findings_read;
  StateReader reader(bytes);
  reader(plain_read, hidden_read, unordered_read, findings_read);
  EXPECT_FALSE(reader.failed());
  EXPECT_TRUE(reader.at_end());
  EXPECT_EQ(plain_read, plain);
  EXPECT_EQ(hidden_read, hidden);
  EXPECT_EQ(unordered_read, unordered);
  EXPECT_EQ(findings_read.count(FindingCode::unmatched_send), 6);
  EXPECT_EQ(findings_read.list().at(0).places, (std::vector<std::string>{"here", "there"}));
  EXPECT_EQ(state_bytes(plain_read, hidden_read, unordered_read, findings_read), bytes);
}

TEST(State, NumbersAreWrittenWithTheLowestByteFirst) {
  EXPECT_EQ(state_bytes(std::uint32_t{0x01020304}), std::string("\4\3\2\1"));
  EXPECT_EQ(state_bytes(std::vector<std::uint16_t>{0x0102}),
            std::string("\1\0\0\0\0\0\0\0\2\1", 10));
}

TEST(State, TruncatedAndInvalidBytesFail) {
  const std::string bytes = state_bytes(any_plain());
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    StateReader reader(std::string_view(bytes).substr(0, size));
    Plain read;
    reader(read);
    EXPECT_TRUE(reader.failed()) << size;
  }
  StateReader flag("\2");
  (void)flag.take<bool>();
  EXPECT_TRUE(flag.failed());
  const std::string many = state_bytes(std::uint64_t{1} << 60);
  StateReader vector(many);
  EXPECT_TRUE(vector.take<std::vector<std::uint64_t>>().empty());
  EXPECT_TRUE(vector.failed());
}

}  // namespace
}  // namespace orrery
