// SPDX-License-Identifier: Apache-2.0
//
// Two ways to read and write the same bytes: ours, and libprotobuf with the schema beside this
// file.
#include <google/protobuf/message.h>
#include <google/protobuf/stubs/logging.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "chakra_oracle.pb.h"
#include "orrery/trace/chakra/reader.h"
#include "orrery/trace/chakra/records/record.h"

namespace orrery::trace::chakra {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using Random = std::mt19937_64;

std::uint64_t number(Random& random) {
  const std::uint64_t raw = random();
  return raw >> (random() % 64);  // all lengths of varint alike
}

std::string text(Random& random) {
  std::string out(random() % 12, ' ');
  for (char& c : out) c = static_cast<char>('a' + random() % 26);
  return out;
}

void fill(Message& message, Random& random);

/// Sets the field, or adds to it when it is repeated.
void fill_field(Message& message, const FieldDescriptor* field, Random& random) {
  const auto* reflection = message.GetReflection();
  const bool many = field->is_repeated();
  const auto put = [&](auto set, auto add, auto value) {
    many ? (reflection->*add)(&message, field, value) : (reflection->*set)(&message, field, value);
  };
  using R = google::protobuf::Reflection;
  switch (field->cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT32:
      put(&R::SetInt32, &R::AddInt32, static_cast<std::int32_t>(number(random)));
      break;
    case FieldDescriptor::CPPTYPE_INT64:
      put(&R::SetInt64, &R::AddInt64, static_cast<std::int64_t>(number(random)));
      break;
    case FieldDescriptor::CPPTYPE_UINT32:
      put(&R::SetUInt32, &R::AddUInt32, static_cast<std::uint32_t>(number(random)));
      break;
    case FieldDescriptor::CPPTYPE_UINT64:
      put(&R::SetUInt64, &R::AddUInt64, number(random));
      break;
    case FieldDescriptor::CPPTYPE_DOUBLE:
      put(&R::SetDouble, &R::AddDouble, static_cast<double>(number(random)) / 3);
      break;
    case FieldDescriptor::CPPTYPE_FLOAT:
      put(&R::SetFloat, &R::AddFloat, static_cast<float>(number(random)) / 3);
      break;
    case FieldDescriptor::CPPTYPE_BOOL:
      put(&R::SetBool, &R::AddBool, random() % 2 == 0);
      break;
    case FieldDescriptor::CPPTYPE_STRING:
      many ? reflection->AddString(&message, field, text(random))
           : reflection->SetString(&message, field, text(random));
      break;
    case FieldDescriptor::CPPTYPE_MESSAGE:
      fill(many ? *reflection->AddMessage(&message, field)
                : *reflection->MutableMessage(&message, field),
           random);
      break;
    case FieldDescriptor::CPPTYPE_ENUM:
      break;
  }
}

void fill(Message& message, Random& random) {
  const auto* descriptor = message.GetDescriptor();
  for (int i = 0; i < descriptor->field_count(); ++i) {
    const FieldDescriptor* field = descriptor->field(i);
    if (field->containing_oneof() != nullptr || random() % 3 == 0) continue;
    for (std::uint64_t times = field->is_repeated() ? random() % 4 : 1; times > 0; --times) {
      fill_field(message, field, random);
    }
  }
  for (int i = 0; i < descriptor->oneof_decl_count(); ++i) {
    const auto* oneof = descriptor->oneof_decl(i);
    if (random() % 8 != 0)
      fill_field(message,
                 oneof->field(
                     static_cast<int>(random() % static_cast<std::uint64_t>(oneof->field_count()))),
                 random);
  }
}

TEST(ChakraOracle, WhatProtobufWritesWeWriteAgain) {
  Random random(1);
  for (int round = 0; round < 20'000; ++round) {
    orrery_oracle::Node node;
    fill(node, random);
    const std::string bytes = node.SerializeAsString();
    if (bytes.empty()) continue;
    const auto ours = decode_node_record(bytes, "round " + std::to_string(round));
    ASSERT_TRUE(ours) << to_string(ours.error());
    ASSERT_EQ(encode(*ours), bytes) << node.DebugString();
    ASSERT_FALSE(ours->original.bytes) << node.DebugString();
    ASSERT_EQ(encode(*ours), bytes) << node.DebugString();
    EXPECT_EQ(ours->id, node.id());
    EXPECT_EQ(ours->attributes.size(), static_cast<std::size_t>(node.attr_size()));
  }
}

TEST(ChakraOracle, MetadataToo) {
  Random random(2);
  for (int round = 0; round < 5'000; ++round) {
    orrery_oracle::Metadata metadata;
    fill(metadata, random);
    const std::string bytes = metadata.SerializeAsString();
    if (bytes.empty()) continue;
    const auto ours = decode_metadata_record(bytes, "");
    ASSERT_TRUE(ours) << to_string(ours.error());
    ASSERT_FALSE(ours->original.bytes);
    ASSERT_EQ(encode(*ours), bytes);
  }
}

/// Damaged messages: what we accept, protobuf accepts and understands alike. (It accepts more: a
/// wrong wire type is an unknown field to it. And less: it wants text to be UTF-8.)
TEST(ChakraOracle, WeAcceptNothingThatProtobufRefuses) {
  google::protobuf::SetLogHandler(nullptr);  // it reports every text that is not UTF-8
  Random random(3);
  int accepted = 0;
  for (int round = 0; round < 50'000; ++round) {
    orrery_oracle::Node node;
    fill(node, random);
    std::string bytes = node.SerializeAsString();
    if (bytes.empty()) continue;
    for (std::uint64_t edits = 1 + random() % 3; edits > 0; --edits)
      bytes[random() % bytes.size()] ^= static_cast<char>(1u << random() % 7);
    const auto ours = decode_node_record(bytes, "");
    if (!ours) continue;
    orrery_oracle::Node theirs;
    const bool ascii = std::all_of(bytes.begin(), bytes.end(),
                                   [](char c) { return static_cast<unsigned char>(c) < 0x80; });
    const bool parsed = theirs.ParseFromString(bytes);
    if (!parsed && !ascii) continue;
    ASSERT_TRUE(parsed) << round;
    if (!ours->unknown.empty()) continue;
    ++accepted;
    EXPECT_EQ(ours->id, theirs.id()) << round;
    EXPECT_EQ(ours->name, theirs.name()) << round;
    EXPECT_EQ(ours->duration_micros, theirs.duration_micros()) << round;
    EXPECT_TRUE(std::equal(ours->data_deps.begin(), ours->data_deps.end(),
                           theirs.data_deps().begin(), theirs.data_deps().end()))
        << round;
  }
  EXPECT_GT(accepted, 1000);
}

}  // namespace
}  // namespace orrery::trace::chakra
