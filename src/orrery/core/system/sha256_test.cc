// SPDX-License-Identifier: Apache-2.0
#include "orrery/core/system/sha256.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace orrery {
namespace {

std::string hash(std::string_view text, std::size_t piece) {
  Sha256 hash;
  while (!text.empty()) {
    const std::string_view part = text.substr(0, piece);
    hash.add(std::as_bytes(std::span(part)));
    text.remove_prefix(part.size());
  }
  return hash.hex();
}

// The examples of FIPS 180-4's companion (NIST, SHA256.pdf), and a million times the letter a.
TEST(Sha256, GivesTheStandardsExamples) {
  EXPECT_EQ(hash("", 1), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(hash("abc", 2), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(hash("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 5),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(hash(std::string(1'000'000, 'a'), 1000),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, OfAFileThatIsNotThere) {
  EXPECT_EQ(sha256_of_file("/none").error().code, Errc::input_not_found);
}

}  // namespace
}  // namespace orrery
