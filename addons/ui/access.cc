// SPDX-License-Identifier: Apache-2.0
#include "addons/ui/access.h"

#include <fmt/format.h>
#include <sys/random.h>

#include <algorithm>
#include <array>

#include "orrery/config/json.h"

namespace orrery::ui {

namespace {

constexpr std::string_view kBearer = "Bearer ";

/// Takes the same time for every wrong token.
bool equal(std::string_view given, std::string_view expected) {
  unsigned char difference = given.size() == expected.size() ? 0 : 1;
  for (std::size_t i = 0; i < expected.size(); ++i)
    difference |= static_cast<unsigned char>(expected[i]) ^
                  static_cast<unsigned char>(i < given.size() ? given[i] : ~expected[i]);
  return difference == 0;
}

}  // namespace

Answer error_answer(int status, std::string_view name, std::string_view what,
                    std::string_view hint) {
  config::Json error;
  error["error"] = {{"name", name}, {"where", ""}, {"what", what}, {"hint", hint}};
  Answer answer;
  answer.status = status;
  answer.body = error.dump(-1, ' ', false, config::Json::error_handler_t::replace) + "\n";
  return answer;
}

std::string random_token() {
  std::array<unsigned char, 16> bytes{};
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) return {};
  std::string text;
  for (const unsigned char byte : bytes) text += fmt::format("{:02x}", byte);
  return text;
}

bool Access::is_own_host(std::string_view host) const {
  for (const std::string_view name : {"127.0.0.1", "localhost", "[::1]"})
    if (host == fmt::format("{}:{}", name, rules_.port)) return true;
  return false;
}

std::optional<Answer> Access::refusal(const Request& request, double now) {
  {
    const std::lock_guard lock(mutex_);
    left_ = std::min(rules_.burst, left_ + std::max(0.0, now - last_) * rules_.per_second);
    last_ = std::max(last_, now);
    if (left_ < 1)
      return error_answer(429, "too_many_requests", "too many requests", "wait a second");
    left_ -= 1;
  }
  const bool on_socket = rules_.port == 0;
  if (!on_socket && !is_own_host(request.header("host")))
    return error_answer(421, "wrong_host", "this server answers to 127.0.0.1 and localhost",
                        "use the address that 'orrery ui' printed");
  const std::string_view origin = request.header("origin");
  if (!origin.empty() &&
      (on_socket || !origin.starts_with("http://") || !is_own_host(origin.substr(7))))
    return error_answer(403, "wrong_origin", "a page of another origin asks",
                        "use the page of this server");
  if (const std::string_view site = request.header("sec-fetch-site");
      !site.empty() && site != "same-origin" && site != "none" && request.path != "/")
    return error_answer(403, "wrong_origin", "a page of another site asks",
                        "use the page of this server");
  if (request.method != "GET" && request.method != "POST" && request.method != "PUT" &&
      request.method != "DELETE")
    return error_answer(405, "wrong_method", "only GET, POST, PUT and DELETE",
                        "see /v1/openapi.json");
  const std::string_view given = request.header("authorization");
  if (request.path != "/" && !rules_.token.empty() &&
      !(given.starts_with(kBearer) && equal(given.substr(kBearer.size()), rules_.token)))
    return error_answer(
        401, "no_token", "the token is missing or wrong",
        "send 'Authorization: Bearer TOKEN' with the token that 'orrery ui' printed");
  if (request.method == "POST" && !request.header("content-type").starts_with("application/json"))
    return error_answer(415, "wrong_type", "the body must be JSON",
                        "send 'Content-Type: application/json'");
  return std::nullopt;
}

}  // namespace orrery::ui
