// SPDX-License-Identifier: Apache-2.0
//
// Who may ask: requests of the page that this server sent, or of programs that know its token. Web
// sites that a user visits can send requests to loopback addresses, too (SECURITY.md).
#pragma once

#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "addons/ui/http.h"

namespace orrery::ui {

struct AccessRules {
  int port = 0;       ///< of the server; 0: a Unix socket, whose file permissions decide instead
  std::string token;  ///< empty: none is asked for (Unix sockets)
  double per_second = 200, burst = 2000;  ///< requests
};

class Access {
 public:
  explicit Access(AccessRules rules) : rules_(std::move(rules)), left_(rules_.burst) {}

  /// The answer to a request that must not pass; empty: it may pass. `now`: seconds of a steady
  /// clock.
  ///
  /// 421: the name in Host is not this server's, as after a changed DNS entry. 403: another origin
  /// asks. 401: no token, or a wrong one, and the path is below /v1. 405: another method. 415: a
  /// body that a form of another site could send. 429: too many requests.
  [[nodiscard]] std::optional<Answer> refusal(const Request& request, double now);

 private:
  [[nodiscard]] bool is_own_host(std::string_view host) const;

  const AccessRules rules_;
  std::mutex mutex_;
  double left_, last_ = 0;
};

/// An error answer, as documents of commands have it.
[[nodiscard]] Answer error_answer(int status, std::string_view name, std::string_view what,
                                  std::string_view hint);

/// 32 hexadecimal digits from the system's random numbers. Empty if it has none.
[[nodiscard]] std::string random_token();

}  // namespace orrery::ui
