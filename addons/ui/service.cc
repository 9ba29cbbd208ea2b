// SPDX-License-Identifier: Apache-2.0
#include "addons/ui/service.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "orrery/config/json.h"

namespace orrery::ui {

namespace {

using config::Json;

constexpr std::string_view kApi = "/v1/";
constexpr double kEventSeconds = 10;  // between two events that say nothing

Answer json_answer(const Json& json, int status = 200) {
  Answer answer;
  answer.status = status;
  answer.body = json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  return answer;
}

Answer not_found(const Request& request) {
  return error_answer(404, "not_found", fmt::format("there is nothing at {}", request.path),
                      "/v1/openapi.json lists the paths");
}

Answer wrong_method() {
  return error_answer(405, "wrong_method", "this path has other methods",
                      "/v1/openapi.json lists them");
}

Json json_of(const JobView& view) {
  Json json = {{"job", view.id}, {"command", view.command}, {"state", name(view.state)}};
  json["progress"] = nullptr;
  if (!view.progress.phase.empty())
    json["progress"] = {{"phase", view.progress.phase},
                        {"unit", view.progress.unit},
                        {"done", view.progress.done},
                        {"of", view.progress.of}};
  json["status"] = nullptr;
  if (view.outcome != nullptr) json["status"] = view.outcome->status;
  return json;
}

/// The body, or the answer that refuses it.
std::optional<Answer> read_question(Request& request, std::size_t most, std::string& body) {
  bool fits = request.length <= most;
  bool is_whole = true;
  if (fits && request.read_body != nullptr)
    is_whole = request.read_body([&](std::string_view piece) {
      fits = body.size() + piece.size() <= most;
      if (fits) body += piece;
      return fits;
    });
  if (!fits)
    return error_answer(413, "limit_exceeded", "the question is too large",
                        "put the data into a file of the folder, and name it");
  if (!is_whole) return error_answer(400, "broken", "the connection broke", "ask again");
  if (body.empty()) body = "{}";
  return std::nullopt;
}

}  // namespace

std::string path_of_command(std::string_view command) {
  std::string path = fmt::format("{}{}", kApi, command);
  std::replace(path.begin(), path.end(), ' ', '/');
  return path;
}

int http_status(int exit_code) {
  switch (exit_code) {
    case 0:
    case 1:
      return 200;
    case 2:
    case 3:
    case 4:
      return 422;
    case 5:
      return 413;
    case 130:
      return 499;
    default:
      return 500;
  }
}

Service::Service(ServiceRules rules, Jobs::Run run)
    : rules_(std::move(rules)),
      access_(rules_.access),
      folder_(rules_.folder),
      kept_(folder_, rules_.kept_bytes),
      jobs_(
          [this, run = std::move(run)](const Question& question, const auto& on_progress,
                                       const std::atomic<bool>& cancelled) {
            const std::string key = kept_.key_of(question);
            Outcome outcome = run(question, on_progress, cancelled);
            const bool is_certain = http_status(outcome.status) < 499 && outcome.status != 5;
            if (is_certain && !rules_.writes(question)) kept_.keep(key, outcome);
            return outcome;
          },
          rules_.jobs) {}

Answer Service::handle(Request& request) {
  const double now =
      std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
  auto refused = access_.refusal(request, now);
  Answer answer = refused ? *std::move(refused) : route(request);
  answer.headers.emplace_back("X-Content-Type-Options", "nosniff");
  answer.headers.emplace_back("Cross-Origin-Resource-Policy", "same-origin");
  answer.headers.emplace_back("Referrer-Policy", "no-referrer");
  answer.headers.emplace_back("Cache-Control", "no-store");
  const std::lock_guard lock(mutex_);
  ++requests_[answer.status];
  return answer;
}

Answer Service::route(Request& request) {
  const std::string& path = request.path;
  const bool gets = request.method == "GET";
  if (path == "/") {
    if (!gets) return wrong_method();
    if (rules_.page.empty()) return not_found(request);
    Answer answer;
    answer.type = "text/html; charset=utf-8";
    answer.body = rules_.page;
    answer.headers = {{"X-Frame-Options", "DENY"}, {"Cross-Origin-Opener-Policy", "same-origin"}};
    return answer;
  }
  if (path == "/metrics") return gets ? metrics() : wrong_method();
  if (!path.starts_with(kApi)) return not_found(request);
  const std::string_view rest = std::string_view(path).substr(kApi.size());
  if (rest == "openapi.json") {
    if (!gets) return wrong_method();
    Answer answer;
    answer.body = rules_.openapi;
    return answer;
  }
  if (rest == "version")
    return gets ? json_answer({{"version", rules_.version}, {"folder", folder_.path()}, {"api", 1}})
                : wrong_method();
  if (rest.starts_with("jobs/")) return job(request, rest.substr(5));
  if (rest == "files") return files(request, "");
  if (rest.starts_with("files/")) return files(request, rest.substr(6));
  for (const std::string& command : rules_.commands)
    if (path_of_command(command) == path)
      return request.method == "POST" ? ask(request, command) : wrong_method();
  return not_found(request);
}

Answer Service::answer_of(const std::string& command, const Outcome& outcome, bool is_kept) {
  Answer answer;
  answer.status = http_status(outcome.status);
  answer.body = outcome.document;
  if (is_kept) answer.headers.emplace_back("Orrery-Kept", "1");
  const std::lock_guard lock(mutex_);
  ++answers_[command];
  return answer;
}

Answer Service::ask(Request& request, const std::string& command) {
  Question question{command, {}};
  if (auto refused = read_question(request, rules_.question_bytes, question.options))
    return *std::move(refused);
  if (auto fine = check_paths(folder_, question.options); !fine)
    return error_answer(422, name(fine.error().code), fine.error().where + ": " + fine.error().what,
                        fine.error().hint);
  const bool waits = request.header("prefer") != "respond-async";
  if (waits)
    if (const auto kept = kept_.find(kept_.key_of(question))) {
      ++kept_hits_;
      return answer_of(command, *kept, true);
    }
  const std::string id = jobs_.submit(question);
  if (id.empty())
    return error_answer(503, "queue_full", "too many questions wait", "ask again later");
  if (!waits) return json_answer({{"job", id}}, 202);
  const auto outcome = jobs_.take(id);
  if (outcome == nullptr) return error_answer(500, "defect", "the answer was lost", "ask again");
  return answer_of(command, *outcome, false);
}

Answer Service::job(const Request& request, std::string_view rest) {
  const std::size_t slash = std::min(rest.find('/'), rest.size());
  const std::string id(rest.substr(0, slash));
  const std::string_view part = rest.substr(std::min(slash + 1, rest.size()));
  const auto view = jobs_.view(id);
  if (!view) return not_found(request);
  if (part.empty() && request.method == "DELETE") {
    (void)jobs_.cancel(id);
    Answer answer;
    answer.status = 204;
    return answer;
  }
  if (request.method != "GET") return wrong_method();
  if (part.empty()) return json_answer(json_of(*view));
  if (part == "events") return events(id);
  if (part != "answer") return not_found(request);
  if (view->outcome == nullptr)
    return error_answer(409, "not_done", "the job is not done", "wait for its event 'done'");
  return answer_of(view->command, *view->outcome, false);
}

Answer Service::events(const std::string& id) const {
  Answer answer;
  answer.type = "text/event-stream";
  answer.next_piece = [this, id, version = ~std::uint64_t{0},
                       ended = false](std::string& piece) mutable {
    if (ended || stops_) return false;
    const auto view = jobs_.wait(id, version, kEventSeconds);
    if (!view) return false;
    if (view->state == JobState::done) {
      ended = true;
      piece = fmt::format("event: done\ndata: {{\"status\": {}}}\n\n", view->outcome->status);
    } else if (view->version != version) {
      version = view->version;
      piece = fmt::format("event: progress\ndata: {}\n\n", json_of(*view).dump());
    } else {
      piece = ": still here\n\n";
    }
    return true;
  };
  return answer;
}

Answer Service::files(Request& request, std::string_view name) {
  if (name.empty()) {
    if (request.method != "GET") return wrong_method();
    Json list = Json::array();
    for (const FileEntry& file : folder_.files())
      list.push_back({{"name", file.name}, {"bytes", file.bytes}});
    return json_answer({{"files", list}});
  }
  if (request.method == "GET") return folder_.fetch(name);
  if (request.method == "PUT") return folder_.store(name, request);
  return wrong_method();
}

// The text format of Prometheus, version 0.0.4.
Answer Service::metrics() const {
  Answer answer;
  answer.type = "text/plain; version=0.0.4; charset=utf-8";
  const Jobs::Counts now = jobs_.counts();
  std::string& text = answer.body;
  const std::lock_guard lock(mutex_);
  text +=
      "# HELP orrery_requests_total Requests, by status of HTTP.\n"
      "# TYPE orrery_requests_total counter\n";
  for (const auto& [status, count] : requests_)
    text += fmt::format("orrery_requests_total{{status=\"{}\"}} {}\n", status, count);
  text += "# HELP orrery_answers_total Answers of commands.\n# TYPE orrery_answers_total counter\n";
  for (const auto& [command, count] : answers_)
    text += fmt::format("orrery_answers_total{{command=\"{}\"}} {}\n", command, count);
  text += fmt::format(
      "# HELP orrery_kept_answers_total Answers to equal questions, without a new process.\n"
      "# TYPE orrery_kept_answers_total counter\norrery_kept_answers_total {}\n"
      "# HELP orrery_jobs Jobs that wait or run.\n# TYPE orrery_jobs gauge\n"
      "orrery_jobs{{state=\"queued\"}} {}\norrery_jobs{{state=\"running\"}} {}\n",
      kept_hits_.load(), now.queued, now.running);
  return answer;
}

}  // namespace orrery::ui
