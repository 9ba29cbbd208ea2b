// SPDX-License-Identifier: Apache-2.0
//
// Requests and answers of HTTP, without the library that speaks it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace orrery::ui {

struct Request {
  std::string method;                          ///< "GET"
  std::string path;                            ///< decoded, without the query
  std::map<std::string, std::string> headers;  ///< by name in lower case; the first value of each
  std::uint64_t length = 0;                    ///< bytes of the body as announced; 0: unknown
  /// Passes the body in pieces until `take` returns false. False: the connection broke, or `take`
  /// returned false. Empty: there is no body.
  std::function<bool(const std::function<bool(std::string_view)>& take)> read_body;

  /// "" if there is none. `name` in lower case.
  [[nodiscard]] std::string_view header(const std::string& name) const {
    const auto found = headers.find(name);
    return found == headers.end() ? std::string_view() : std::string_view(found->second);
  }
};

struct Answer {
  int status = 200;
  std::string type = "application/json";
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers;
  std::string file;  ///< path of a file that is the body; empty: `body` is
  /// Makes the next piece of an endless body; false: it ends. Empty: `body` or `file` is the body.
  std::function<bool(std::string& piece)> next_piece;
};

/// Called by several threads at once. Must not throw.
using Handler = std::function<Answer(Request&)>;

/// Where a server listens.
struct Listen {
  std::string socket;  ///< path of a Unix socket; empty: `host` and `port`
  std::string host = "127.0.0.1";
  int port = 0;                           ///< 0: any free one
  std::uint64_t body_bytes = 1ull << 30;  ///< larger bodies are refused with status 413
  int threads = 64;
};

/// A server of HTTP/1.1.
class HttpServer {
 public:
  virtual ~HttpServer() = default;
  [[nodiscard]] virtual int port() const = 0;  ///< 0 for a Unix socket
  /// Answers requests until stop(). Blocks.
  virtual void serve() = 0;
  /// Any thread.
  virtual void stop() = 0;
};

}  // namespace orrery::ui
