// SPDX-License-Identifier: Apache-2.0
#include "orrery/trace/flight_recorder/pickle.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "orrery/core/text/text.h"

namespace orrery::trace::flight_recorder {
namespace {

using namespace std::string_literals;

std::string value_text(const Values& values, const Value& value) {
  std::string text;
  switch (value.kind) {
    case ValueKind::none:
      return "None";
    case ValueKind::boolean:
      return value.integer != 0 ? "True" : "False";
    case ValueKind::integer:
      return std::to_string(value.integer);
    case ValueKind::real:
      return std::to_string(value.real);
    case ValueKind::text:
      return "'" + std::string(value.text) + "'";
    case ValueKind::list:
    case ValueKind::dictionary:
      for (const ValueId id : value.items)
        text += (text.empty() ? "" : " ") + value_text(values, values[id]);
      return (value.kind == ValueKind::list ? "[" : "{") + text +
             (value.kind == ValueKind::list ? "]" : "}");
  }
  return text;
}

std::string pickle_text(const std::string& bytes) {
  const auto values = read_pickle(bytes, "t");
  return values ? value_text(**values, (*values)->root()) : to_string(values.error());
}

/// The error's code, without its sentence.
Errc refusal_of(const std::string& bytes) {
  const auto values = read_pickle(bytes, "t");
  return values ? Errc{} : values.error().code;
}

// Written by pickle.dumps of CPython 3.11 with the protocol of the second byte.
TEST(Pickle, ReadsWhatPythonWrites) {
  EXPECT_EQ(
      pickle_text("\x80\x02]q\x00(K\x01J\xff\xff\xff\xffM\x00\x01J\x00\x00\x01\x00\x8a\x05\x00\x00"
                  "\x00\x00\x01\x8a\x08\x00\x00\x00\x00\x00\x00\x00\x80N\x88\x89G?\xf8\x00\x00\x00"
                  "\x00\x00\x00"
                  "e."s),
      "[1 -1 256 65536 4294967296 -9223372036854775808 None True False 1.500000]");
  EXPECT_EQ(pickle_text("\x80\x02}q\x00(X\x01\x00\x00\x00"
                        "aq\x01h\x01X\x01\x00\x00\x00"
                        "bq\x02K\x01K\x02\x86q\x03u."s),
            "{'a' 'a' 'b' [1 2]}");
  EXPECT_EQ(pickle_text("\x80\x05\x95\x0a\x00\x00\x00\x00\x00\x00\x00\x8c\x03"
                        "abc\x94\x85\x94\x85\x94."s),
            "[['abc']]");
  EXPECT_EQ(pickle_text("\x80\x02(K\x01K\x02K\x03K\x04tq\x00."s), "[1 2 3 4]");
  EXPECT_EQ(pickle_text("\x80\x02]q\x00K\x07"
                        "a."s),
            "[7]")
      << "APPEND";
  EXPECT_EQ(pickle_text("\x80\x02}q\x00K\x07N"
                        "s."s),
            "{7 None}")
      << "SETITEM";
  EXPECT_EQ(pickle_text("\x80\x02\x8a\x00."s), "0") << "LONG1 without bytes";
}

TEST(Pickle, NeverBuildsObjects) {
  const std::string system =
      "\x80\x02"
      "cposix\nsystem\nq\x00X\x02\x00\x00\x00ls\x85R."s;
  EXPECT_EQ(refusal_of(system), Errc::input_unsupported);
  EXPECT_NE(
      pickle_text(system).find("t:byte 2: the pickle builds an object of posix.system (opcode "
                               "GLOBAL), which can run code"),
      std::string::npos)
      << pickle_text(system);
  const std::string stack =
      "\x80\x04\x95\x10\x00\x00\x00\x00\x00\x00\x00\x8c\x02os\x8c\x06system"
      "\x93)R."s;
  EXPECT_NE(pickle_text(stack).find("os.system (opcode STACK_GLOBAL)"), std::string::npos)
      << pickle_text(stack);
  for (const char code : "co\x93\x81\x92iRb\x82\x83\x84PQ\x97"s)
    EXPECT_EQ(refusal_of("\x80\x02}"s + code + "a\nb\n."), Errc::input_unsupported)
        << static_cast<int>(code);
}

TEST(Pickle, RefusesDamage) {
  const std::string whole =
      "\x80\x02}q\x00X\x01\x00\x00\x00"
      "aK\x01s."s;
  ASSERT_EQ(pickle_text(whole), "{'a' 1}");
  for (std::size_t size = 0; size < whole.size(); ++size)
    EXPECT_EQ(refusal_of(whole.substr(0, size)), Errc::input_truncated) << size;
  for (const auto& damaged :
       {"\x80\x02K\x01\x85\x86."s, "\x80\x02h\x00."s, "\x80\x02](K\x01u."s, "\x80\x02}(K\x01u."s,
        "\x80\x02}K\x01"
        "a."s,
        "\x80\x02q\x00."s, "\x80\x02t."s, "\x80\x02."s, "\x80\x02NN."s, "\x80\x02(N."s,
        "\x80\x02N(\x85."s})
    EXPECT_EQ(refusal_of(damaged), Errc::input_corrupt) << printable(damaged);
  EXPECT_EQ(refusal_of("\x80\x01N."s), Errc::input_unsupported);
  EXPECT_EQ(refusal_of("\x80\x02I1\n."s), Errc::input_unsupported) << "an opcode of protocol 0";
  EXPECT_EQ(refusal_of("\x80\x02\x8a\x09\1\2\3\4\5\6\7\x08\x09."s), Errc::input_range);
  EXPECT_EQ(refusal_of("\x80\x02X\xff\xff\xff\x7f"
                       "a."s),
            Errc::input_truncated);
  EXPECT_EQ(refusal_of("\x80\x02Nr\xff\xff\xff\xff."s), Errc::limit_exceeded);
}

// A list may contain itself.
TEST(Pickle, ReadsSharedValues) {
  const auto values = read_pickle(
      "\x80\x02]q\x00h\x00"
      "a."s,
      "t");
  ASSERT_TRUE(values) << to_string(values.error());
  ASSERT_EQ((*values)->root().items.size(), 1u);
  EXPECT_EQ(&(**values)[(*values)->root().items[0]], &(*values)->root());
}

TEST(Pickle, LimitsValues) {
  const std::string many = "\x80\x02(" + std::string(Values::kValues + 10, 'N') + "t.";
  EXPECT_EQ(refusal_of(many), Errc::limit_exceeded);
}

TEST(JsonValues, AreTheSame) {
  const auto values =
      read_json(R"({"a": [1, -2, 1.5, null, true, "x\u0041"], "b": {"a": "a"}})", "t");
  ASSERT_TRUE(values) << to_string(values.error());
  EXPECT_EQ(value_text(**values, (*values)->root()),
            "{'a' [1 -2 1.500000 None True 'xA'] 'b' {'a' 'a'}}");
  EXPECT_EQ(read_json(R"({"a": [1)", "t").error().code, Errc::input_truncated);
  EXPECT_EQ(read_json(R"({"a" [1]})", "t").error().code, Errc::input_corrupt);
  EXPECT_EQ(read_json(R"({"a": 18446744073709551615})", "t").error().code, Errc::input_range);
  const std::string deep = std::string(200, '[') + std::string(200, ']');
  EXPECT_EQ(read_json(R"({"a": )" + deep + "}", "t").error().code, Errc::limit_exceeded);
}

}  // namespace
}  // namespace orrery::trace::flight_recorder
