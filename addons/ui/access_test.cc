// SPDX-License-Identifier: Apache-2.0
#include "addons/ui/access.h"

#include <gtest/gtest.h>

namespace orrery::ui {
namespace {

Request request(const std::string& method, const std::string& path,
                std::map<std::string, std::string> headers) {
  Request made;
  made.method = method;
  made.path = path;
  made.headers = std::move(headers);
  return made;
}

int status(const Request& asked, AccessRules rules = {.port = 8800, .token = "abc"}) {
  Access access(std::move(rules));
  const auto refused = access.refusal(asked, 1);
  return refused ? refused->status : 200;
}

const std::map<std::string, std::string> kFine = {{"host", "127.0.0.1:8800"},
                                                  {"authorization", "Bearer abc"},
                                                  {"content-type", "application/json"}};

std::map<std::string, std::string> with(const std::string& name, const std::string& value) {
  auto headers = kFine;
  headers[name] = value;
  return headers;
}

TEST(Access, OwnPagesAndProgramsPass) {
  EXPECT_EQ(status(request("POST", "/v1/run", kFine)), 200);
  EXPECT_EQ(status(request("POST", "/v1/run", with("host", "localhost:8800"))), 200);
  EXPECT_EQ(status(request("POST", "/v1/run", with("origin", "http://127.0.0.1:8800"))), 200);
  EXPECT_EQ(status(request("GET", "/", {{"host", "127.0.0.1:8800"}})), 200);
  EXPECT_EQ(status(request("POST", "/v1/run", with("sec-fetch-site", "same-origin"))), 200);
}

TEST(Access, OthersDoNot) {
  // Names that an attacker's DNS points to this machine.
  for (const char* host : {"", "attacker.example:8800", "127.0.0.1", "127.0.0.1:8801",
                           "127.0.0.1:8800.attacker.example", "localhost:8800@attacker.example",
                           "[::1]", "0.0.0.0:8800"})
    EXPECT_EQ(status(request("POST", "/v1/run", with("host", host))), 421) << host;
  for (const char* origin : {"null", "http://attacker.example", "https://127.0.0.1:8800",
                             "http://127.0.0.1:8801", "http://127.0.0.1:8800.attacker.example"})
    EXPECT_EQ(status(request("POST", "/v1/run", with("origin", origin))), 403) << origin;
  for (const char* site : {"cross-site", "same-site"})
    EXPECT_EQ(status(request("POST", "/v1/run", with("sec-fetch-site", site))), 403) << site;
  for (const char* token :
       {"", "Bearer", "Bearer ", "Bearer ab", "Bearer abcd", "Bearer abC", "Basic abc", "abc"})
    EXPECT_EQ(status(request("POST", "/v1/run", with("authorization", token))), 401) << token;
  // What a form of another site can send without asking.
  for (const char* type :
       {"", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "text/json"})
    EXPECT_EQ(status(request("POST", "/v1/run", with("content-type", type))), 415) << type;
  for (const char* method : {"OPTIONS", "TRACE", "PATCH", "CONNECT", "get"})
    EXPECT_EQ(status(request(method, "/v1/run", kFine)), 405) << method;
  EXPECT_EQ(status(request("GET", "/metrics", {{"host", "127.0.0.1:8800"}})), 401);
}

TEST(Access, ALinkOfAnotherPageMayOpenThePage) {
  EXPECT_EQ(
      status(request("GET", "/", {{"host", "127.0.0.1:8800"}, {"sec-fetch-site", "cross-site"}})),
      200);
}

TEST(Access, SocketsNeedNoToken) {
  const AccessRules rules{.port = 0, .token = ""};
  EXPECT_EQ(status(request("POST", "/v1/run", {{"content-type", "application/json"}}), rules), 200);
  EXPECT_EQ(status(request("POST", "/v1/run",
                           {{"content-type", "application/json"}, {"origin", "http://127.0.0.1"}}),
                   rules),
            403);
}

TEST(Access, LimitsTheRate) {
  Access access({.port = 8800, .token = "abc", .per_second = 2, .burst = 3});
  const Request asked = request("POST", "/v1/run", kFine);
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(access.refusal(asked, 10));
  EXPECT_EQ(access.refusal(asked, 10)->status, 429);
  EXPECT_FALSE(access.refusal(asked, 10.5));
  EXPECT_TRUE(access.refusal(asked, 10.5));
}

TEST(Access, TokensDiffer) {
  const std::string first = random_token(), second = random_token();
  EXPECT_EQ(first.size(), 32u);
  EXPECT_NE(first, second);
}

}  // namespace
}  // namespace orrery::ui
