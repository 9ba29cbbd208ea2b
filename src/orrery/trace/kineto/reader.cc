// SPDX-License-Identifier: Apache-2.0
#include "orrery/trace/kineto/reader.h"

#include "orrery/trace/io/json_document.h"
#include "orrery/trace/kineto/profile_builder.h"
#include "orrery/trace/kineto/trace_header.h"

namespace orrery::trace::kineto {
namespace {

/// One pass through a file.
class Reader {
 public:
  Reader(ByteSource& source, const ReadOptions& options, Findings& findings)
      : document_(source, options.where, findings), options_(options), findings_(findings) {
    profile_.strings = options.strings;
    profile_.format = "kineto";
    profile_.where = options.where;
  }

  Result<profile::Profile> run() {
    Builder builder(profile_, options_, findings_);
    TraceHeader head(profile_, builder, findings_);
    for (;;) {
      const auto more = document_.next();
      if (!more) return tl::unexpected(more.error());
      if (!*more) break;
      const bool events = document_.key() == "traceEvents" || document_.key().empty();
      if (events && document_.is_array()) {
        if (auto read = read_events(builder); !read) return tl::unexpected(read.error());
        continue;
      }
      const std::string key(document_.key());
      const auto value = document_.value();
      if (!value) return tl::unexpected(value.error());
      head.add(key, *value);
    }
    if (!has_events_) {
      return fail(Errc::input_corrupt, options_.where, "this is not a PyTorch profiler trace",
                  "it has no \"traceEvents\"");
    }
    if (profile_.events.empty())
      return fail(Errc::input_empty, options_.where, "the trace has no event");
    builder.finish(elements_ - parsed_, head.base_ns());
    return std::move(profile_);
  }

 private:
  Result<void> read_events(Builder& builder) {
    has_events_ = true;
    std::optional<Error> error;
    auto read =
        document_.for_each_element([&](simdjson::ondemand::object& element, std::uint64_t offset) {
          if (!record_.read(element)) return false;
          ++parsed_;
          if (error) return true;
          record_.offset = offset;
          if (auto added = builder.add(record_); !added) error = std::move(added.error());
          return true;
        });
    elements_ += document_.elements();
    if (error) return tl::unexpected(*error);
    return read;
  }

  profile::Profile profile_;
  json::Document document_;
  const ReadOptions& options_;
  Findings& findings_;
  Record record_;
  bool has_events_ = false;
  std::uint64_t elements_ = 0;
  std::uint64_t parsed_ = 0;
};

}  // namespace

Result<profile::Profile> read(std::unique_ptr<ByteSource> source, const ReadOptions& options,
                              Findings& findings) {
  return Reader(*source, options, findings).run();
}

}  // namespace orrery::trace::kineto
