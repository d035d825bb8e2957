#include "spec/shard_rows.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace tailwave {
namespace {

class ShardRows final : public PointSource {
 public:
  ShardRows(std::shared_ptr<PointSource> all, ProblemSpace problem, const Shard& shard)
      : all_(std::move(all)), problem_(std::move(problem)), shard_(shard) {}

  [[nodiscard]] Count count() const override {
    constexpr double kDeviations = 4;
    const double expected = all_->count().number / static_cast<double>(shard_.count);
    return {std::max(0.0, std::floor(expected - kDeviations * std::sqrt(expected))), false};
  }
  bool has(std::span<const std::uint16_t> row) override { return all_->has(row) && is_own(row); }
  bool draw(Generator& random, Row& row) override {
    constexpr std::size_t kDrawsOfEach = 30;  // in vain with a probability below 1e-12
    for (std::size_t i = 0; i < kDrawsOfEach * shard_.count; ++i) {
      if (!all_->draw(random, row)) return false;
      if (is_own(row)) return true;
    }
    return false;
  }
  std::function<bool(Row&)> in_order() override {
    return [this, next = all_->in_order()](Row& row) {
      while (next(row))
        if (is_own(row)) return true;
      return false;
    };
  }

 private:
  [[nodiscard]] bool is_own(std::span<const std::uint16_t> row) const {
    return shard_.has(problem_.configuration(row).name());
  }

  std::shared_ptr<PointSource> all_;
  ProblemSpace problem_;
  Shard shard_;
};

}  // namespace

std::shared_ptr<PointSource> rows_of_shard(std::shared_ptr<PointSource> all, ProblemSpace problem,
                                           const Shard& shard) {
  return std::make_shared<ShardRows>(std::move(all), std::move(problem), shard);
}

}  // namespace tailwave
