// SPDX-License-Identifier: Apache-2.0
//
// What the server of `orrery ui` answers to each request.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "addons/ui/access.h"
#include "addons/ui/folder.h"
#include "addons/ui/jobs.h"
#include "addons/ui/kept_answers.h"

namespace orrery::ui {

struct ServiceRules {
  AccessRules access;
  std::string folder;
  std::string version;
  std::string page;                   ///< HTML; empty: requests of / get status 404
  std::string openapi;                ///< the document
  std::vector<std::string> commands;  ///< "job count": those that requests may ask
  /// Whether a question writes a file, so that its answer is not kept.
  std::function<bool(const Question&)> writes;
  Jobs::Sizes jobs;
  std::size_t question_bytes = 4u << 20;  ///< larger bodies of questions are refused
  std::size_t kept_bytes = 64u << 20;     ///< of kept answers
};

class Service {
 public:
  Service(ServiceRules rules, Jobs::Run run);
  /// Any thread, several at once.
  [[nodiscard]] Answer handle(Request& request);
  [[nodiscard]] const std::string& token() const { return rules_.access.token; }
  /// Ends streams of events.
  void stop() { stops_ = true; }

 private:
  Answer route(Request& request);
  Answer ask(Request& request, const std::string& command);
  Answer job(const Request& request, std::string_view rest);
  Answer events(const std::string& id) const;
  Answer files(Request& request, std::string_view name);
  [[nodiscard]] Answer metrics() const;
  /// The answer of a command, and the counting of it.
  Answer answer_of(const std::string& command, const Outcome& outcome, bool is_kept);

  const ServiceRules rules_;
  Access access_;
  const Folder folder_;
  KeptAnswers kept_;
  Jobs jobs_;
  std::atomic<bool> stops_ = false;
  mutable std::mutex mutex_;
  std::map<int, std::uint64_t> requests_;         // by HTTP status
  std::map<std::string, std::uint64_t> answers_;  // by command
  std::atomic<std::uint64_t> kept_hits_ = 0;
};

/// The path of a command below /v1: "/v1/job/count".
[[nodiscard]] std::string path_of_command(std::string_view command);

/// The HTTP status of an exit code: 200 for 0 and 1; 422 for 2, 3 and 4; 413 for 5; 499 for 130;
/// else 500.
[[nodiscard]] int http_status(int exit_code);

}  // namespace orrery::ui
