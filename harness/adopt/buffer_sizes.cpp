#include "adopt/buffer_sizes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "adopt/index_fills.h"
#include "adopt/kernel_scope.h"
#include "space/expression.h"

namespace tailwave {
namespace {

constexpr std::int64_t kUsualCount = 1 << 20;  // of a buffer that nobody knows the size of
constexpr std::int64_t kUsualBins = 256;       // of one whose indices are data

class BufferFinder {
 public:
  BufferFinder(Draft& draft, DraftBuffer& buffer) : draft_(draft), buffer_(buffer) {}

  void decide() {
    read_uses();
    const auto allocated = from_host();
    const auto indexed = from_indices();
    if (allocated && !(indexed && is_a_part(*allocated, *indexed * Polynomial(buffer_.scalars)))) {
      buffer_.count = *allocated;
      buffer_.count_is_guess = false;
    } else if (indexed) {
      buffer_.count = *indexed * Polynomial(buffer_.scalars);
    } else {
      buffer_.count = unknown_count();
    }
    if (buffer_.is_compared) hold_count();
    if (buffer_.is_compared && !buffer_.is_read)
      buffer_.fill = indexed && reached_ == buffer_.count && all_written_ ? DraftBuffer::Fill::none
                                                                          : DraftBuffer::Fill::zero;
    else if (adds_up_)
      buffer_.fill = DraftBuffer::Fill::zero;
  }

 private:
  // The kernel's pointer that the buffer is passed for; empty: none.
  [[nodiscard]] static const OutlineParameter* parameter_of(const DraftLaunch& launch,
                                                            const std::string& buffer) {
    for (const auto& [parameter, name] : launch.buffers)
      if (name == buffer)
        for (const OutlineParameter& each : launch.pointers)
          if (each.name == parameter) return &each;
    return nullptr;
  }

  void read_uses() {
    bool first = true;
    for (const DraftLaunch& launch : draft_.launches) {
      const OutlineParameter* parameter = parameter_of(launch, buffer_.name);
      if (parameter == nullptr) continue;
      bool reads = false, writes = false;
      for (const MemoryAccess& access : launch.body.accesses) {
        if (access.pointer != parameter->name) continue;
        reads = reads || access.reads;
        writes = writes || (access.writes && !parameter->reads);
      }
      buffer_.is_compared = buffer_.is_compared || writes;
      // What an earlier launch has written is no input.
      const bool is_input = first || draft_.alternatives || !buffer_.is_compared || writes;
      buffer_.is_read = buffer_.is_read || (reads && is_input);
      if (writes && reads && only_adds(launch, parameter->name)) adds_up_ = true;
      if (launch.body.lower_bounds) all_written_ = false;
      first = false;
    }
  }

  // Whether all that is read is written back at once, as atomicAdd() and += do.
  static bool only_adds(const DraftLaunch& launch, const std::string& parameter) {
    return std::all_of(launch.body.accesses.begin(), launch.body.accesses.end(),
                       [&](const MemoryAccess& each) {
                         return each.pointer != parameter || (each.reads && each.writes && each.index);
                       });
  }

  std::optional<Polynomial> from_host() {
    if (buffer_.host_name.empty()) return std::nullopt;
    if (const auto elements = draft_.host.elements_of(buffer_.host_name, buffer_.host_place))
      return multiplied_out(value_in_host(*elements));
    const auto allocation = draft_.host.bytes_of(buffer_.host_name, buffer_.host_place);
    const auto bytes = allocation ? value_in_host(*allocation) : std::nullopt;
    if (!bytes) return std::nullopt;
    const Polynomial size(static_cast<std::int64_t>(size_bytes(buffer_.type.scalar)) * buffer_.type.lanes);
    return ceil_div(draft_.multiplied_out(*bytes), size);
  }
  // Whether it is the indices that say how many elements there are: of memory that others have a part of, or of as many as
  // the file has a number for.
  [[nodiscard]] bool is_a_part(const Polynomial& allocated, const Polynomial& indexed) const {
    if (buffer_.count_is_guess) return false;
    const bool is_same_number =
        allocated.is_number() && !indexed.is_number() && value_of(indexed) == allocated.number();
    return is_same_number ||
           std::any_of(draft_.buffers.begin(), draft_.buffers.end(), [&](const DraftBuffer& other) {
             return other.allocated_at == buffer_.allocated_at && other.passed != buffer_.passed;
           });
  }
  // Where it stands, else where a launch does.
  std::optional<Polynomial> value_in_host(const HostText::Located& one) {
    HostScope own(draft_, one.at, true);
    auto value = to_polynomial(one.term, own);
    for (std::size_t i = 0; i < draft_.launches.size() && !value; ++i) {
      if (draft_.launches[i].host == nullptr) continue;
      HostScope scope(draft_, draft_.launches[i].host->at, true);
      value = to_polynomial(one.term, scope);
    }
    return value;
  }
  [[nodiscard]] std::optional<Polynomial> multiplied_out(const std::optional<Polynomial>& count) const {
    return count ? std::optional(draft_.multiplied_out(*count)) : std::nullopt;
  }

  std::optional<Polynomial> from_indices() {
    std::optional<Polynomial> most;
    for (const DraftLaunch& launch : draft_.launches) {
      const OutlineParameter* parameter = parameter_of(launch, buffer_.name);
      if (parameter == nullptr) continue;
      KernelScope scope(launch, draft_, true);
      for (const MemoryAccess& access : launch.body.accesses) {
        if (access.pointer != parameter->name) continue;
        const auto range = access.index ? scope.range(*access.index) : std::nullopt;
        if (!range || !KernelScope::is_constant(range->high)) {
          is_partly_unknown_ = true;
          continue;
        }
        is_partly_unknown_ = is_partly_unknown_ || range->is_loose;
        const Polynomial reached = draft_.multiplied_out(range->high + 1);
        const Polynomial elements = of_buffer(rounded(reached), launch, *parameter);
        if (most && value_of(elements) <= value_of(*most)) continue;
        most = elements;
        reached_ = of_buffer(reached, launch, *parameter);
      }
    }
    if (most && (is_partly_unknown_ || value_of(*most) < 1)) {
      buffer_.count_is_guess = true;
      if (value_of(*most) < 1) return std::nullopt;
    }
    return most;
  }

  // A kernel may take float4 of a buffer of float.
  [[nodiscard]] Polynomial of_buffer(const Polynomial& elements, const DraftLaunch& launch,
                                     const OutlineParameter& parameter) const {
    const auto type = draft_.type_of(launch, parameter);
    const std::int64_t lanes = type ? type->lanes : buffer_.type.lanes;
    return lanes == buffer_.type.lanes ? elements : ceil_div(elements * lanes, buffer_.type.lanes);
  }

  // What is compared has one size for all configurations: the largest of those that are tried.
  void hold_count() {
    const std::vector<std::string> names = Expression::parse(buffer_.count.text()).names();
    for (const std::string& name : names) {
      const DraftParameter* parameter = draft_.parameter(name);
      if (parameter == nullptr) continue;
      Polynomial most = buffer_.count.with_number(name, std::get<std::int64_t>(parameter->value));
      if (value_of(most) < value_of(buffer_.count.with_number(name, INT16_MAX)) &&
          has_as_many_for_all(name, value_of(most))) {
        buffer_.count = most;
        continue;
      }
      for (const std::int64_t value : parameter->tried) {
        const Polynomial other = buffer_.count.with_number(name, value);
        if (is_larger(other, most)) most = other;
      }
      buffer_.count = most;
      if (!parameter->tried.empty()) buffer_.results_by.insert(name);
    }
    if (!buffer_.results_by.empty()) all_written_ = false;
    follow_blocks();
  }

  // Whether a block of another size leaves the number of threads as it is, and each has one of the elements: the grid is that
  // number by the block.
  [[nodiscard]] bool has_as_many_for_all(const std::string& block, std::int64_t elements) const {
    return std::any_of(draft_.divisible.begin(), draft_.divisible.end(), [&](const DraftDivision& each) {
      return each.by == Polynomial::factor(block) && value_of(each.whole) <= elements &&
             std::any_of(draft_.launches.begin(), draft_.launches.end(), [&](const DraftLaunch& launch) {
               return parameter_of(launch, buffer_.name) != nullptr && launch.grid[0].has(each.quotient);
             });
    });
  }

  // A result of each block, of elements that are as many as the block has threads, differs with its size.
  void follow_blocks() {
    for (const DraftLaunch& launch : draft_.launches) {
      const OutlineParameter* parameter = parameter_of(launch, buffer_.name);
      if (parameter == nullptr) continue;
      KernelScope scope(launch, draft_, true);
      for (const MemoryAccess& access : launch.body.accesses) {
        if (access.pointer != parameter->name || !access.writes || !access.index) continue;
        const auto index = to_polynomial(*access.index, scope);
        for (std::size_t i = 0; index && i < 3; ++i)
          if (index->has(kBlockNumbers[i]) && index->text().find(kThreadNumbers[i]) == std::string::npos)
            follow_block(launch.block[i], scope, i);
      }
    }
  }

  void follow_block(const Polynomial& block, KernelScope& scope, std::size_t direction) {
    for (const Polynomial& each : scope.coordinates())
      for (const std::string& name : block.factors())
        if (each.coefficient_of(kBlockNumbers[direction]).has(name) && draft_.parameter(name) != nullptr)
          buffer_.results_by.insert(name);
  }

  [[nodiscard]] std::int64_t value_of(const Polynomial& value) const {
    return value.value(draft_.defaults()).value_or(0);
  }

  // With the sizes of the file, or with smaller ones: of min(1024, n / 32) and min(1024, n / 64) the first.
  [[nodiscard]] bool is_larger(const Polynomial& left, const Polynomial& right) const {
    constexpr std::array<std::int64_t, 3> kParts{1, 64, 4096};
    for (const std::int64_t part : kParts) {
      Values sizes = draft_.defaults();
      for (const DraftQuantity& each : draft_.quantities)
        if (!is_real(each.type))
          sizes[each.name] = std::max<std::int64_t>(1, std::get<std::int64_t>(each.value) / part);
      const std::int64_t own = left.value(sizes).value_or(0), other = right.value(sizes).value_or(0);
      if (own != other) return own > other;
    }
    return false;
  }

  // n * m for n * m - n - 1: what a person would allocate.
  [[nodiscard]] Polynomial rounded(const Polynomial& elements) const {
    const Polynomial whole = elements.leading();
    const bool larger = whole.coefficient_is_positive() && value_of(whole) >= value_of(elements);
    return elements.degree() > 0 && larger ? whole : elements;
  }

  Polynomial unknown_count() {
    buffer_.count_is_guess = true;
    if (adds_up_) return {kUsualBins};
    Polynomial largest(0);
    for (const DraftBuffer& other : draft_.buffers)
      if (value_of(other.count) > value_of(largest)) largest = other.count;
    return value_of(largest) > 0 ? largest : Polynomial(kUsualCount);
  }

  Draft& draft_;
  DraftBuffer& buffer_;
  Polynomial reached_;  // elements up to the last one that an index says
  bool adds_up_ = false, all_written_ = true, is_partly_unknown_ = false;
};

}  // namespace

void decide_buffers(Draft& draft) {
  for (DraftBuffer& buffer : draft.buffers)
    if (buffer.symbol.empty()) BufferFinder(draft, buffer).decide();
  fill_indices(draft);
  for (DraftBuffer& buffer : draft.buffers)
    if (buffer.count_is_guess)
      draft.guess(fmt::format("'{}' has {} elements", buffer.name, buffer.count.text()),
                  fmt::format("/buffers/{}/count", buffer.name));
}

}  // namespace tailwave
