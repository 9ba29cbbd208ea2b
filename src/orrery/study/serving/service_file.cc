// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/serving/service_file.h"

#include <utility>

#include "orrery/result/run_file/database_writer.h"

namespace orrery::study {
namespace {

using result::TableBuilder;

void write_requests(const Inference& made, TableBuilder& rows) {
  for (std::size_t i = 0; i < made.run.times.size(); ++i) {
    const serving::Request& request = made.stream.requests[i];
    const serving::RequestTimes& times = made.run.times[i];
    rows.integer(times.arrival.count());
    rows.integer(times.started.count());
    rows.integer(times.first_token.count());
    rows.integer(times.last_token.count());
    rows.integer(request.input);
    rows.integer(request.output);
    rows.integer(times.cached);
    rows.integer(times.instance);
    rows.integer(times.preemptions);
    rows.end_row();
  }
}

void write_steps(const Inference& made, TableBuilder& rows) {
  for (std::size_t instance = 0; instance < made.run.steps.size(); ++instance)
    for (const serving::StepRecord& step : made.run.steps[instance]) {
      rows.integer(static_cast<std::int64_t>(instance));
      rows.integer(step.start.count());
      rows.integer(step.end.count());
      rows.integer(step.tokens);
      rows.integer(step.sequences);
      rows.integer(step.decodes);
      rows.integer(step.samples);
      rows.integer(step.running);
      rows.integer(step.waiting);
      rows.integer(step.held_blocks);
      rows.end_row();
    }
}

}  // namespace

const std::vector<result::Table>& service_tables() {
  static const std::vector<result::Table> tables{
      {"request",
       "A row for each request.",
       {{"id", "INTEGER PRIMARY KEY", "its number in the stream"},
        {"arrival_ps", "INTEGER NOT NULL", "when it is sent"},
        {"started_ps", "INTEGER NOT NULL", "begin of its first step"},
        {"first_token_ps", "INTEGER NOT NULL", "when its first token is generated"},
        {"last_token_ps", "INTEGER NOT NULL", "when its last token is generated"},
        {"input_tokens", "INTEGER NOT NULL", "of the prompt"},
        {"output_tokens", "INTEGER NOT NULL", "that are generated"},
        {"cached_tokens", "INTEGER NOT NULL", "of the prompt that the prefix cache had"},
        {"instance", "INTEGER NOT NULL", "that serves it"},
        {"preemptions", "INTEGER NOT NULL", "how often it lost its blocks"}}},
      {"step",
       "A row for each step, by instance, then by time.",
       {{"id", "INTEGER PRIMARY KEY", "number of the row"},
        {"instance", "INTEGER NOT NULL", "that computes it"},
        {"start_ps", "INTEGER NOT NULL", "begin"},
        {"end_ps", "INTEGER NOT NULL", "end"},
        {"tokens", "INTEGER NOT NULL", "of all sequences of the step"},
        {"sequences", "INTEGER NOT NULL", "in the step"},
        {"decodes", "INTEGER NOT NULL", "sequences with one token"},
        {"samples", "INTEGER NOT NULL", "sequences that generate a token"},
        {"running", "INTEGER NOT NULL", "requests that have started, at its begin"},
        {"waiting", "INTEGER NOT NULL", "requests in the queue, at its begin"},
        {"blocks", "INTEGER NOT NULL", "of the cache that requests hold"}}}};
  return tables;
}

Result<void> write_service_file(const Inference& made, const std::string& path, bool force) {
  auto file = result::PageFile::create(path, force);
  if (!file) return tl::unexpected(file.error());
  std::vector<result::SchemaEntry> schema;
  for (const result::Table& table : service_tables()) {
    TableBuilder rows(*file);
    if (!file->failed())
      table.name == "request" ? write_requests(made, rows) : write_steps(made, rows);
    schema.push_back({"table", table.name, rows.finish(), result::create_sql(table)});
  }
  return result::finish_database(*file, schema, kServiceFileId, kServiceFileVersion);
}

}  // namespace orrery::study
