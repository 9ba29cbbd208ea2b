// SPDX-License-Identifier: Apache-2.0
#include "addons/ui/service.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <future>
#include <nlohmann/json.hpp>
#include <thread>

namespace orrery::ui {
namespace {

namespace fs = std::filesystem;

class ServiceTest : public testing::Test {
 protected:
  ServiceTest() {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    std::ofstream(folder_ / "a.yaml") << "a";
  }
  ~ServiceTest() override { fs::remove_all(folder_); }

  [[nodiscard]] ServiceRules rules() const {
    ServiceRules rules;
    rules.access = {.port = 8800, .token = "abc"};
    rules.folder = folder_.string();
    rules.version = "1.2.3";
    rules.page = "<p>";
    rules.openapi = "{}";
    rules.commands = {"run", "job count"};
    rules.writes = [](const Question& question) {
      return question.options.find("output") != std::string::npos;
    };
    return rules;
  }

  static Answer ask(Service& service, const std::string& method, const std::string& path,
                    const std::string& body = "", std::map<std::string, std::string> more = {}) {
    Request request;
    request.method = method;
    request.path = path;
    request.headers = {{"host", "127.0.0.1:8800"},
                       {"authorization", "Bearer abc"},
                       {"content-type", "application/json"}};
    request.headers.merge(more);
    request.length = body.size();
    request.read_body = [body](const std::function<bool(std::string_view)>& take) {
      return take(body);
    };
    return service.handle(request);
  }

  const fs::path folder_ =
      fs::temp_directory_path() / ("orrery_ui_service_" + std::to_string(::getpid()));
};

Outcome echo(const Question& question, const std::function<void(const Progress&)>&,
             const std::atomic<bool>&) {
  return {0, question.command + question.options, {}};
}

TEST_F(ServiceTest, RoutesToCommands) {
  Service service(rules(), echo);
  EXPECT_EQ(ask(service, "POST", "/v1/run").body, "run{}");
  EXPECT_EQ(ask(service, "POST", "/v1/job/count", R"({"tp": 1})").body, R"(job count{"tp": 1})");
  EXPECT_EQ(ask(service, "POST", "/v1/ui").status, 404);
  EXPECT_EQ(ask(service, "POST", "/v1/job").status, 404);
  EXPECT_EQ(ask(service, "GET", "/v1/run").status, 405);
  EXPECT_EQ(ask(service, "GET", "/nothing").status, 404);
  EXPECT_EQ(ask(service, "GET", "/").body, "<p>");
  EXPECT_EQ(ask(service, "POST", "/v1/run", R"({"cluster": "/etc/passwd"})").status, 422);
  EXPECT_EQ(nlohmann::json::parse(ask(service, "GET", "/v1/version").body)["version"], "1.2.3");
}

TEST_F(ServiceTest, ExitCodesAreStatuses) {
  const std::map<int, int> expected = {{0, 200}, {1, 200}, {2, 422},   {3, 422},
                                       {4, 422}, {5, 413}, {130, 499}, {70, 500}};
  for (const auto& [code, status] : expected) {
    Service service(rules(), [code = code](const auto&, const auto&, const auto&) {
      return Outcome{code, "{}", {}};
    });
    EXPECT_EQ(ask(service, "POST", "/v1/run").status, status) << code;
  }
}

TEST_F(ServiceTest, RefusesLargeQuestions) {
  ServiceRules small = rules();
  small.question_bytes = 100;
  Service service(std::move(small), echo);
  EXPECT_EQ(ask(service, "POST", "/v1/run", R"({"x": ")" + std::string(100, 'a') + "\"}").status,
            413);
}

TEST_F(ServiceTest, EqualQuestionsAreAnsweredOnceWhileTheirFilesStay) {
  std::atomic<int> runs = 0;
  Service service(rules(), [&](const Question&, const auto&, const auto&) {
    ++runs;
    FileReadRecorder files;
    record_file_read((folder_ / "a.yaml").string());
    record_file_read((folder_ / "none.yaml").string());
    return Outcome{0, std::to_string(runs), files.hashes()};
  });
  EXPECT_EQ(ask(service, "POST", "/v1/run", R"({"tp": 1, "pp": 2})").body, "1");
  const Answer kept = ask(service, "POST", "/v1/run", R"({"pp":2,"tp":1})");
  EXPECT_EQ(kept.body, "1");
  EXPECT_TRUE(std::any_of(kept.headers.begin(), kept.headers.end(),
                          [](const auto& one) { return one.first == "Orrery-Kept"; }));
  EXPECT_EQ(ask(service, "POST", "/v1/run", R"({"pp": 2, "tp": 2})").body, "2");
  std::ofstream(folder_ / "a.yaml") << "b";
  EXPECT_EQ(ask(service, "POST", "/v1/run", R"({"tp": 1, "pp": 2})").body, "3");
  std::ofstream(folder_ / "none.yaml") << "new";
  EXPECT_EQ(ask(service, "POST", "/v1/run", R"({"tp": 1, "pp": 2})").body, "4");
  // A pattern may match it.
  EXPECT_EQ(ask(service, "POST", "/v1/run", R"({"tp": 1, "pp": 2})").body, "4");
  std::ofstream(folder_ / "another.yaml") << "new";
  EXPECT_EQ(ask(service, "POST", "/v1/run", R"({"tp": 1, "pp": 2})").body, "5");
  // What writes a file is done each time.
  EXPECT_EQ(ask(service, "POST", "/v1/run", R"({"output": "x.html"})").body, "6");
  EXPECT_EQ(ask(service, "POST", "/v1/run", R"({"output": "x.html"})").body, "7");
}

TEST_F(ServiceTest, JobsTellTheirProgressAndEnd) {
  std::promise<void> may_end;
  auto gate = may_end.get_future().share();
  Service service(rules(), [&](const Question&, const auto& on_progress, const auto&) {
    on_progress({"simulating", "ranks", 3, 8});
    gate.wait();
    return Outcome{0, "done", {}};
  });
  const Answer accepted = ask(service, "POST", "/v1/run", "", {{"prefer", "respond-async"}});
  ASSERT_EQ(accepted.status, 202);
  const std::string id = nlohmann::json::parse(accepted.body)["job"];
  const Answer stream = ask(service, "GET", "/v1/jobs/" + id + "/events");
  std::string piece;
  do {
    ASSERT_TRUE(stream.next_piece(piece));
  } while (piece.find("ranks") == std::string::npos);
  EXPECT_NE(piece.find(R"("done":3)"), std::string::npos) << piece;
  EXPECT_EQ(ask(service, "GET", "/v1/jobs/" + id + "/answer").status, 409);
  may_end.set_value();
  while (piece.find("event: done") == std::string::npos) ASSERT_TRUE(stream.next_piece(piece));
  EXPECT_FALSE(stream.next_piece(piece));
  EXPECT_EQ(ask(service, "GET", "/v1/jobs/" + id + "/answer").body, "done");
  EXPECT_EQ(ask(service, "GET", "/v1/jobs/99").status, 404);
}

TEST_F(ServiceTest, JobsAreCancelledWhereverTheyAre) {
  ServiceRules one = rules();
  one.jobs.at_once = 1;
  Service service(std::move(one),
                  [](const Question&, const auto&, const std::atomic<bool>& cancelled) {
                    while (!cancelled) std::this_thread::sleep_for(std::chrono::milliseconds(1));
                    return Outcome{130, "cancelled", {}};
                  });
  std::vector<std::string> ids;
  for (int i = 0; i < 3; ++i)
    ids.push_back(nlohmann::json::parse(
        ask(service, "POST", "/v1/run", "", {{"prefer", "respond-async"}}).body)["job"]);
  for (const std::string& id : ids) EXPECT_EQ(ask(service, "DELETE", "/v1/jobs/" + id).status, 204);
  for (const std::string& id : ids) {
    Answer answer;
    do answer = ask(service, "GET", "/v1/jobs/" + id + "/answer");
    while (answer.status == 409);
    EXPECT_EQ(answer.status, 499);
  }
}

TEST_F(ServiceTest, TooManyQuestionsAreRefused) {
  ServiceRules few = rules();
  few.jobs = {.at_once = 1, .waiting = 2};
  std::atomic<bool> ends = false;
  Service service(std::move(few), [&](const auto&, const auto&, const auto&) {
    while (!ends) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return Outcome{};
  });
  int refused = 0;
  for (int i = 0; i < 10; ++i)
    refused +=
        ask(service, "POST", "/v1/run", "", {{"prefer", "respond-async"}}).status == 503 ? 1 : 0;
  EXPECT_GE(refused, 7);
  ends = true;
}

TEST_F(ServiceTest, CountsForPrometheus) {
  Service service(rules(), echo);
  (void)ask(service, "POST", "/v1/run");
  (void)ask(service, "POST", "/v1/run");
  (void)ask(service, "GET", "/nothing");
  const std::string text = ask(service, "GET", "/metrics").body;
  EXPECT_NE(text.find("orrery_requests_total{status=\"200\"} 2\n"), std::string::npos) << text;
  EXPECT_NE(text.find("orrery_requests_total{status=\"404\"} 1\n"), std::string::npos);
  EXPECT_NE(text.find("orrery_answers_total{command=\"run\"} 2\n"), std::string::npos);
  EXPECT_NE(text.find("orrery_kept_answers_total 1\n"), std::string::npos);
}

}  // namespace
}  // namespace orrery::ui
