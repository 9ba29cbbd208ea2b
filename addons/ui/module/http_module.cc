// SPDX-License-Identifier: Apache-2.0
//
// The server of `orrery ui`, by cpp-httplib.
#include "addons/ui/http_module.h"

#include <fcntl.h>
#include <httplib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <utility>

namespace {

using orrery::ui::Answer;
using orrery::ui::Handler;
using orrery::ui::Listen;
using orrery::ui::Request;

constexpr std::size_t kLongestPath = 1024;  // bytes
constexpr time_t kIdleSeconds = 3, kReadSeconds = 20;
constexpr std::size_t kRequestsOfConnection = 200;

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char one) {
    return static_cast<char>(one >= 'A' && one <= 'Z' ? one - 'A' + 'a' : one);
  });
  return text;
}

Request request_of(const httplib::Request& from) {
  Request request;
  request.method = from.method;
  request.path = from.path;
  for (const auto& [name, value] : from.headers) request.headers.emplace(lower(name), value);
  request.length = from.get_header_value<std::uint64_t>("Content-Length");
  return request;
}

/// The file stays open until the answer is sent.
class OpenFile {
 public:
  explicit OpenFile(const std::string& path)
      : descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}
  ~OpenFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  /// Of a file that is there.
  [[nodiscard]] bool size(std::size_t& bytes) const {
    struct stat found {};
    if (descriptor_ < 0 || ::fstat(descriptor_, &found) != 0) return false;
    bytes = static_cast<std::size_t>(found.st_size);
    return true;
  }
  [[nodiscard]] bool send(std::size_t offset, std::size_t length, httplib::DataSink& sink) const {
    std::array<char, 65536> buffer;
    const ssize_t got = ::pread(descriptor_, buffer.data(), std::min(length, buffer.size()),
                                static_cast<off_t>(offset));
    return got > 0 && sink.write(buffer.data(), static_cast<std::size_t>(got));
  }

 private:
  int descriptor_;
};

void send(Answer answer, httplib::Response& out) {
  out.status = answer.status;
  for (const auto& [name, value] : answer.headers) out.set_header(name.c_str(), value);
  if (answer.next_piece) {
    out.set_chunked_content_provider(
        answer.type, [next = std::move(answer.next_piece)](std::size_t, httplib::DataSink& sink) {
          std::string piece;
          if (next(piece)) return sink.write(piece.data(), piece.size());
          sink.done();
          return true;
        });
  } else if (!answer.file.empty()) {
    const auto file = std::make_shared<const OpenFile>(answer.file);
    std::size_t bytes = 0;
    if (!file->size(bytes)) {
      out.status = 404;
    } else if (bytes == 0) {
      out.set_content("", answer.type);
    } else {
      out.set_content_provider(
          bytes, answer.type,
          [file](std::size_t offset, std::size_t length, httplib::DataSink& sink) {
            return file->send(offset, length, sink);
          });
    }
  } else if (!answer.body.empty()) {
    out.set_content(std::move(answer.body), answer.type);
  }
}

class Server final : public orrery::ui::HttpServer {
 public:
  explicit Server(Handler handler) : handler_(std::move(handler)) {}

  [[nodiscard]] bool open(const Listen& listen) {
    // Requests without a body are answered before the library matches paths.
    server_.set_pre_routing_handler([this](const httplib::Request& from, httplib::Response& out) {
      using Response = httplib::Server::HandlerResponse;
      if (from.path.size() > kLongestPath) {
        out.status = 414;
        return Response::Handled;
      }
      if (from.method == "POST" || from.method == "PUT") return Response::Unhandled;
      Request request = request_of(from);
      send(handler_(request), out);
      return Response::Handled;
    });
    const auto with_body = [this](const httplib::Request& from, httplib::Response& out,
                                  const httplib::ContentReader& reader) {
      Request request = request_of(from);
      bool is_read = false;
      request.read_body = [&](const std::function<bool(std::string_view)>& take) {
        is_read = true;
        return reader([&](const char* bytes, std::size_t length) { return take({bytes, length}); });
      };
      Answer answer = handler_(request);
      // What nobody reads would be the next request of the connection.
      if (!is_read) reader([](const char*, std::size_t) { return true; });
      send(std::move(answer), out);
    };
    server_.Post("[^]*", with_body);
    server_.Put("[^]*", with_body);
    server_.set_payload_max_length(listen.body_bytes);
    server_.set_keep_alive_max_count(kRequestsOfConnection);
    server_.set_keep_alive_timeout(kIdleSeconds);
    server_.set_read_timeout(kReadSeconds);
    server_.set_write_timeout(kReadSeconds);
    server_.set_tcp_nodelay(true);
    server_.new_task_queue = [threads = listen.threads] {
      return new httplib::ThreadPool(static_cast<std::size_t>(threads));
    };
    // Not the library's SO_REUSEPORT, with which another process could share the port.
    server_.set_socket_options([](int socket) {
      const int on = 1;
      (void)::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    });
    return bind(listen);
  }

  [[nodiscard]] int port() const override { return port_; }
  void serve() override { (void)server_.listen_after_bind(); }
  void stop() override { server_.stop(); }

 private:
  [[nodiscard]] bool bind(const Listen& listen) {
    if (!listen.socket.empty()) {
      const mode_t before = ::umask(0177);
      const bool done =
          server_.set_address_family(AF_UNIX).bind_to_port(listen.socket, 1);  // 1: not used
      ::umask(before);
      return done;
    }
    if (listen.port == 0) {
      port_ = server_.bind_to_any_port(listen.host);
      return port_ > 0;
    }
    port_ = listen.port;
    return server_.bind_to_port(listen.host, listen.port);
  }

  Handler handler_;
  httplib::Server server_;
  int port_ = 0;
};

}  // namespace

const char* orrery_http_version() { return ORRERY_VERSION; }

const char* orrery_http_library() { return "cpp-httplib " CPPHTTPLIB_VERSION; }

orrery::ui::HttpServer* orrery_http_open(const Listen& listen, Handler handler) {
  auto server = std::make_unique<Server>(std::move(handler));
  if (!server->open(listen)) return nullptr;
  return server.release();
}
