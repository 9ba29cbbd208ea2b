// SPDX-License-Identifier: Apache-2.0
#include "orrery/trace/chakra/reader.h"

#include <fmt/format.h>

#include <protozero/exception.hpp>

#include "orrery/core/check.h"
#include "orrery/trace/chakra/decode.h"
#include "orrery/trace/chakra/encoding/framing.h"
#include "orrery/trace/chakra/json_reader.h"
#include "orrery/trace/chakra/node_sink.h"
#include "orrery/trace/chakra/records/finding_attribute.h"
#include "orrery/trace/chakra/records/kernel_attributes.h"
#include "orrery/trace/inputs/foreign_files.h"

namespace orrery::trace::chakra {
namespace {

constexpr std::string_view kNotChakra =
    "a Chakra trace must begin with a length and a GlobalMetadata message";

class BinaryReader {
 public:
  BinaryReader(Window& window, std::uint64_t size, const ReadOptions& options,
               DetectedSchema detected, Findings& findings)
      : options_(options),
        findings_(findings),
        records_(window, options.where, options.repair, findings),
        context_(options.where, options.strings, options.repair, findings),
        decoder_(context_, detected.schema),
        sink_(options, findings),
        size_(size),
        expects_metadata_(detected.has_metadata) {
    context_.use_kernels(sink_.kernels(), {});
  }

  Result<graph::Graph> read() {
    while (true) {
      auto record = records_.next();
      if (!record) return tl::unexpected(std::move(record.error()));
      if (!*record) break;
      if (expects_metadata_) {
        expects_metadata_ = false;
        const auto bytes = (*record)->bytes;
        const std::string_view message{reinterpret_cast<const char*>(bytes.data()), bytes.size()};
        read_findings(message, options_.where, findings_);
        context_.use_kernels(sink_.kernels(), read_kernel_table(message, options_.where,
                                                                sink_.kernels(), findings_));
        continue;
      }
      if (auto done = decode(**record); !done) return tl::unexpected(std::move(done.error()));
      if (size_ > 2 * Window::kBlock &&
          (*record)->offset > Window::kBlock) {  // enough nodes to estimate their size
        sink_.expect((*record)->offset, size_);
        size_ = 0;
      }
    }
    return std::move(sink_).finish();
  }

 private:
  Result<void> decode(const Record& record) {
    try {
      decoder_.decode(record.bytes, record.offset, node_);
      if (record.bytes.empty()) context_.count_finding(FindingCode::empty_record);
    } catch (const RecordError& bad) {
      const bool first = sink_.empty() && bad.code == Errc::input_corrupt;
      return report_damage(
          {bad.code, context_.place(), bad.what, first ? std::string(kNotChakra) : bad.hint});
    } catch (const protozero::exception& bad) {
      return report_damage({Errc::input_corrupt, context_.place(),
                            fmt::format("a record is not a protobuf message ({})", bad.what()),
                            sink_.empty() ? std::string(kNotChakra) : std::string()});
    }
    return sink_.add(node_, decoder_.input_values());
  }

  Result<void> report_damage(Error error) {
    if (options_.repair == graph::Repair::refuse) return tl::unexpected(std::move(error));
    return sink_.drop(FindingCode::corrupt_record_dropped, error.where);
  }

  const ReadOptions& options_;
  Findings& findings_;
  RecordStream records_;
  DecodeContext context_;
  NodeDecoder decoder_;
  NodeSink sink_;
  std::uint64_t size_;  // of the complete input if known, else 0
  bool expects_metadata_;
  graph::NodeSpec node_;
};

}  // namespace

Result<graph::Graph> read_rank(std::unique_ptr<ByteSource> source, const ReadOptions& options,
                               Findings& findings) {
  ORRERY_CHECK(options.strings != nullptr);
  auto plain = decompress(std::move(source), options.where);
  if (!plain) return tl::unexpected(std::move(plain.error()));
  Window window(**plain);
  if (auto some = window.need(64); !some && window.size() == 0)
    return tl::unexpected(std::move(some.error()));
  if (window.size() == 0) return fail(Errc::input_empty, options.where, "the file is empty");
  if (looks_like_json(window.text())) return read_json(window, options, findings);
  if (looks_like_list(window.text().substr(0, 64))) return unsupported_json(options.where);
  const auto detected = detect_schema(window);
  if (!detected) return tl::unexpected(detected.error());
  // A length in front of the first record may look like the beginning of another kind of file.
  if (format_of(window.text()) != Format::chakra)
    if (const ForeignFile* foreign = find_foreign_file(window.text(), options.where))
      return tl::unexpected(foreign_error(*foreign, options.where));
  if (detected->schema != Schema::current) {
    findings.add(FindingCode::legacy_schema,
                 fmt::format("{} (Chakra {})", options.where, name(detected->schema)));
  }
  return BinaryReader(window, (*plain)->size_hint(), options, *detected, findings).read();
}

}  // namespace orrery::trace::chakra
