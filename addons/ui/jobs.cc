// SPDX-License-Identifier: Apache-2.0
#include "addons/ui/jobs.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/report/json/envelope.h"

namespace orrery::ui {

std::string_view name(JobState state) {
  switch (state) {
    case JobState::queued:
      return "queued";
    case JobState::running:
      return "running";
    case JobState::done:
      return "done";
  }
  return "";
}

Jobs::Jobs(Run run, Sizes sizes) : run_(std::move(run)), sizes_(sizes) {
  for (std::size_t i = 0; i < std::max<std::size_t>(1, sizes_.at_once); ++i)
    threads_.emplace_back([this] { work(); });
}

Jobs::~Jobs() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
    for (const auto& [id, job] : jobs_) job->cancelled = true;
  }
  arrived_.notify_all();
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

std::string Jobs::submit(Question question) {
  const std::lock_guard lock(mutex_);
  if (ends_ || queue_.size() >= sizes_.waiting) return {};
  auto job = std::make_shared<Job>();
  job->view.id = fmt::format("{}", next_++);
  job->view.command = question.command;
  job->question = std::move(question);
  jobs_[job->view.id] = job;
  queue_.push_back(job);
  arrived_.notify_one();
  return job->view.id;
}

std::optional<JobView> Jobs::view(const std::string& id) const {
  const std::lock_guard lock(mutex_);
  const auto found = jobs_.find(id);
  if (found == jobs_.end()) return {};
  return found->second->view;
}

std::optional<JobView> Jobs::wait(const std::string& id, std::uint64_t version,
                                  double seconds) const {
  std::unique_lock lock(mutex_);
  const auto found = jobs_.find(id);
  if (found == jobs_.end()) return {};
  const auto job = found->second;
  changed_.wait_for(lock, std::chrono::duration<double>(seconds), [&] {
    return ends_ || job->view.state == JobState::done || job->view.version != version;
  });
  return job->view;
}

std::shared_ptr<const Outcome> Jobs::take(const std::string& id) {
  std::unique_lock lock(mutex_);
  const auto found = jobs_.find(id);
  if (found == jobs_.end()) return nullptr;
  const auto job = found->second;
  changed_.wait(lock, [&] { return job->view.state == JobState::done; });
  jobs_.erase(id);
  done_.erase(std::remove(done_.begin(), done_.end(), id), done_.end());
  return job->view.outcome;
}

bool Jobs::cancel(const std::string& id) {
  const std::lock_guard lock(mutex_);
  const auto found = jobs_.find(id);
  if (found == jobs_.end()) return false;
  found->second->cancelled = true;
  return true;
}

Jobs::Counts Jobs::counts() const {
  const std::lock_guard lock(mutex_);
  return {queue_.size(), running_};
}

void Jobs::finish(Job& job, Outcome outcome) {
  job.view.outcome = std::make_shared<const Outcome>(std::move(outcome));
  job.view.state = JobState::done;
  ++job.view.version;
  done_.push_back(job.view.id);
  while (done_.size() > sizes_.done) {
    jobs_.erase(done_.front());
    done_.pop_front();
  }
  changed_.notify_all();
}

void Jobs::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    arrived_.wait(lock, [&] { return ends_ || !queue_.empty(); });
    if (queue_.empty()) return;
    const std::shared_ptr<Job> job = queue_.front();
    queue_.pop_front();
    if (job->cancelled) {
      const Error error{Errc::cancelled, job->question.command, "the caller cancelled it", ""};
      finish(*job,
             {exit_code(error.code), report::error_envelope(job->question.command, error, {}), {}});
      continue;
    }
    job->view.state = JobState::running;
    ++job->view.version;
    ++running_;
    changed_.notify_all();
    lock.unlock();
    Outcome outcome = run_(
        job->question,
        [&](const Progress& progress) {
          const std::lock_guard inner(mutex_);
          job->view.progress = progress;
          ++job->view.version;
          changed_.notify_all();
        },
        job->cancelled);
    lock.lock();
    --running_;
    finish(*job, std::move(outcome));
  }
}

}  // namespace orrery::ui
