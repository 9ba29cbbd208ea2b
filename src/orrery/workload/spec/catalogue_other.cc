// SPDX-License-Identifier: Apache-2.0
//
// Models that are no decoders.
#include <array>
#include <initializer_list>
#include <utility>
#include <vector>

#include "orrery/workload/spec/catalogue_internal.h"

namespace orrery::workload {
namespace {

constexpr std::string_view kBert = "Devlin et al. 2019 (arXiv 1810.04805), section 3; config.json";
constexpr std::string_view kBertCount = "Hugging Face, num_parameters() of BertForPreTraining";
constexpr std::string_view kT5 = "Raffel et al. 2020 (arXiv 1910.10683), section 3.7; config.json";
constexpr std::string_view kVit = "Dosovitskiy et al. 2021 (arXiv 2010.11929), table 1";
constexpr std::string_view kVision = "torchvision, num_params";
constexpr std::string_view kDit = "Peebles and Xie 2023 (arXiv 2212.09748), table 1";
constexpr std::string_view kDitCount = "Peebles and Xie 2023, table 4";
constexpr std::string_view kResnet = "He et al. 2016 (arXiv 1512.03385), table 1";
constexpr std::string_view kDlrm = "Naumov et al. 2019 (arXiv 1906.00091), section 5.1";

Model bert(std::int64_t layers, std::int64_t hidden, std::int64_t heads) {
  Model model = gpt(layers, hidden, heads, 30522, 512);
  model.kind = ModelKind::encoder;
  model.token_types = 2;
  model.head_bias = true;
  model.embedding_norm = true;
  model.final_norm = false;
  model.pooler = true;
  return model;
}

Model t5(std::int64_t layers, std::int64_t hidden, std::int64_t ffn, std::int64_t heads,
         std::int64_t head_dim) {
  Model model = llama({layers, hidden, ffn, heads, heads, 32128, true});
  model.kind = ModelKind::encoder_decoder;
  model.encoder_layers = layers;
  model.head_dim = head_dim;
  model.mlp = Mlp::relu;
  model.positions = Positions::relative;
  return model;
}

Model vit(std::int64_t layers, std::int64_t hidden, std::int64_t heads, std::int64_t patch) {
  Model model = gpt(layers, hidden, heads, 1, 0);
  model.kind = ModelKind::vit;
  model.vision = Vision{.patch = patch};
  return model;
}

Model dit(std::int64_t layers, std::int64_t hidden, std::int64_t heads, std::int64_t patch) {
  Model model = gpt(layers, hidden, heads, 1, 0);
  model.kind = ModelKind::dit;
  model.vision = Vision{.image = 32, .patch = patch, .channels = 4};
  return model;
}

Model resnet(std::vector<std::int64_t> blocks, bool bottleneck) {
  Model model;
  model.kind = ModelKind::resnet;
  model.vision = Vision{.blocks = std::move(blocks), .bottleneck = bottleneck};
  return model;
}

/// One table per row count, one lookup in each.
Model dlrm(std::initializer_list<std::int64_t> rows, std::int64_t dim,
           std::vector<std::int64_t> bottom, std::vector<std::int64_t> top) {
  Model model;
  model.kind = ModelKind::dlrm;
  Dlrm shape{.dim = dim, .bottom_mlp = std::move(bottom), .top_mlp = std::move(top)};
  for (const std::int64_t each : rows) shape.tables.push_back({.rows = each});
  model.dlrm = std::move(shape);
  return model;
}

/// Criteo's Kaggle data: rows of its 26 columns.
Model dlrm_kaggle() {
  return dlrm({1460,  583,  10131227, 2202608, 305, 24,     12517,   633,   3,
               93145, 5683, 8351593,  3194,    27,  14992,  5461306, 10,    5652,
               2173,  4,    7046547,  18,      15,  286181, 105,     142572},
              16, {512, 256, 64, 16}, {512, 256, 1});
}

/// Criteo's 1 TB of clicks, at most 40 million rows in a table (MLPerf Training 0.7 to 2.1).
Model dlrm_terabyte() {
  return dlrm({39884406, 39043,    17289,    7420,     20263,  3,     7120, 1543, 63,
               38532951, 2953546,  403346,   10,       2208,   11938, 155,  4,    976,
               14,       39979771, 25641295, 39664984, 585935, 12972, 108,  36},
              128, {512, 256, 128}, {1024, 1024, 512, 256, 1});
}

const std::array kOtherModels = {
    ModelEntry{.name = "bert-base",
               .title = "BERT base, uncased",
               .seq = 512,
               .published = "110,106,428",
               .source = kBert,
               .count_source = kBertCount,
               .model = [] { return bert(12, 768, 12); }},
    ModelEntry{.name = "bert-large",
               .title = "BERT large, uncased",
               .seq = 512,
               .published = "336,226,108",
               .source = kBert,
               .count_source = kBertCount,
               .model = [] { return bert(24, 1024, 16); }},
    ModelEntry{.name = "t5-small",
               .title = "T5 small",
               .seq = 512,
               .published = "60,506,624",
               .source = kT5,
               .count_source = kHub,
               .model = [] { return t5(6, 512, 2048, 8, 64); }},
    ModelEntry{.name = "t5-base",
               .title = "T5 base",
               .seq = 512,
               .published = "222,903,552",
               .source = kT5,
               .count_source = kHub,
               .model = [] { return t5(12, 768, 3072, 12, 64); }},
    ModelEntry{.name = "t5-large",
               .title = "T5 large",
               .seq = 512,
               .published = "737,668,096",
               .source = kT5,
               .count_source = kHub,
               .model = [] { return t5(24, 1024, 4096, 16, 64); }},
    ModelEntry{.name = "t5-3b",
               .title = "T5 3B",
               .seq = 512,
               .published = "2,851,598,336",
               .source = kT5,
               .count_source = kHub,
               .model = [] { return t5(24, 1024, 16384, 32, 128); }},
    ModelEntry{.name = "t5-11b",
               .title = "T5 11B",
               .seq = 512,
               .published = "11,307,321,344",
               .source = kT5,
               .count_source = kHub,
               .model = [] { return t5(24, 1024, 65536, 128, 128); }},
    ModelEntry{.name = "vit-b-16",
               .title = "ViT-B/16",
               .published = "86,567,656",
               .source = kVit,
               .count_source = kVision,
               .model = [] { return vit(12, 768, 12, 16); }},
    ModelEntry{.name = "vit-b-32",
               .title = "ViT-B/32",
               .published = "88,224,232",
               .source = kVit,
               .count_source = kVision,
               .model = [] { return vit(12, 768, 12, 32); }},
    ModelEntry{.name = "vit-l-16",
               .title = "ViT-L/16",
               .published = "304,326,632",
               .source = kVit,
               .count_source = kVision,
               .model = [] { return vit(24, 1024, 16, 16); }},
    ModelEntry{.name = "vit-h-14",
               .title = "ViT-H/14",
               .published = "632,045,800",
               .source = kVit,
               .count_source = kVision,
               .model = [] { return vit(32, 1280, 16, 14); }},
    ModelEntry{.name = "dit-s-2",
               .title = "DiT-S/2, 256 x 256",
               .published = "33M",
               .source = kDit,
               .count_source = kDitCount,
               .model = [] { return dit(12, 384, 6, 2); }},
    ModelEntry{.name = "dit-b-2",
               .title = "DiT-B/2, 256 x 256",
               .published = "130M",
               .source = kDit,
               .count_source = kDitCount,
               .model = [] { return dit(12, 768, 12, 2); }},
    ModelEntry{.name = "dit-l-2",
               .title = "DiT-L/2, 256 x 256",
               .published = "458M",
               .source = kDit,
               .count_source = kDitCount,
               .model = [] { return dit(24, 1024, 16, 2); }},
    ModelEntry{.name = "dit-xl-2",
               .title = "DiT-XL/2, 256 x 256",
               .published = "675M",
               .source = kDit,
               .count_source = kDitCount,
               .model = [] { return dit(28, 1152, 16, 2); }},
    ModelEntry{.name = "resnet-18",
               .title = "ResNet-18",
               .published = "11,689,512",
               .source = kResnet,
               .count_source = kVision,
               .model =
                   [] {
                     return resnet({2, 2, 2, 2}, false);
                   }},
    ModelEntry{.name = "resnet-34",
               .title = "ResNet-34",
               .published = "21,797,672",
               .source = kResnet,
               .count_source = kVision,
               .model =
                   [] {
                     return resnet({3, 4, 6, 3}, false);
                   }},
    ModelEntry{.name = "resnet-50",
               .title = "ResNet-50",
               .published = "25,557,032",
               .source = kResnet,
               .count_source = kVision,
               .model =
                   [] {
                     return resnet({3, 4, 6, 3}, true);
                   }},
    ModelEntry{.name = "resnet-101",
               .title = "ResNet-101",
               .published = "44,549,160",
               .source = kResnet,
               .count_source = kVision,
               .model =
                   [] {
                     return resnet({3, 4, 23, 3}, true);
                   }},
    ModelEntry{.name = "resnet-152",
               .title = "ResNet-152",
               .published = "60,192,808",
               .source = kResnet,
               .count_source = kVision,
               .model =
                   [] {
                     return resnet({3, 8, 36, 3}, true);
                   }},
    ModelEntry{.name = "dlrm-kaggle",
               .title = "DLRM, Criteo Kaggle",
               .published = "0.54B",
               .source = kDlrm,
               .count_source = kDlrm,
               .model = dlrm_kaggle,
               .note = "printed as \"roughly 540M\""},
    ModelEntry{
        .name = "dlrm-terabyte",
        .title = "DLRM, Criteo 1 TB (MLPerf)",
        .published = "90 GiB of fp32",
        .source = "MLPerf Training 2.1, DLRM reference; row counts of max-ind-range 40,000,000",
        .count_source = "MLPerf Inference, weights tb00_40M.pt",
        .model = dlrm_terabyte,
        .note = "the count is the size of the published file"},
};

}  // namespace

std::span<const ModelEntry> other_models() { return kOtherModels; }

}  // namespace orrery::workload
