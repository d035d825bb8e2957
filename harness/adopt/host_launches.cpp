#include "adopt/host_launches.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "spec/tokens.h"

namespace tailwave {
namespace {

// Of functions of CUDA's that get an array of the arguments' addresses; or a configuration first, and then the kernel.
constexpr std::array<std::string_view, 2> kWithAddresses{"cudaLaunchKernel", "cudaLaunchCooperativeKernel"};
constexpr std::array<std::string_view, 2> kWithConfiguration{"cudaLaunchKernelEx", "cudaLaunchKernelExC"};

// "x" of "&x" and of "(void*)&x".
LexemeSpan without_address(LexemeSpan argument) {
  for (std::size_t i = 0; i < argument.size(); ++i)
    if (argument[i].text == "&") return argument.subspan(i + 1);
  return argument;
}

class LaunchFinder {
 public:
  LaunchFinder(LexemeSpan all, std::vector<UnreadLaunch>& unread) : all_(all), unread_(unread) {}

  std::vector<HostLaunch> find() {
    for (std::size_t i = 0; i < all_.size(); ++i) {
      if (all_[i].text == "<<<") read_arrows(i);
      const bool by_addresses = among(all_[i].text, kWithAddresses);
      if (!by_addresses && !among(all_[i].text, kWithConfiguration)) continue;
      if (i + 1 < all_.size() && all_[i + 1].text == "(") read_call(i, by_addresses);
    }
    return std::move(launches_);
  }

 private:
  // Of the "<" that the one at `close` closes.
  [[nodiscard]] std::size_t opening_angle(std::size_t close) const {
    int depth = 0;
    for (std::size_t i = close; i > 0; --i) {
      if (all_[i].text == ">") ++depth;
      if (all_[i].text == ">>") depth += 2;
      if (all_[i].text == "<" && --depth == 0) return i;
    }
    return 0;
  }

  // "Max<float, 2>" and "4" of "Max<float, 2>, 4".
  [[nodiscard]] std::vector<std::string> template_arguments(std::size_t begin, std::size_t end) const {
    std::vector<std::string> all;
    int depth = 0;
    for (std::size_t i = begin, first = begin; i <= end && begin < end; ++i) {
      const std::string_view here = all_[i].text;
      if (i < end && (here == "<" || here == "(")) ++depth;
      if (i < end && (here == ">" || here == ")")) --depth;
      if (i < end && (here != "," || depth != 0)) continue;
      all.push_back(joined(all_.subspan(first, i - first)) + (i == end && here == ">>" ? ">" : ""));
      first = i + 1;
    }
    return all;
  }

  // The kernel whose name ends before `end`; false: none does.
  bool read_kernel(std::size_t end, HostLaunch& launch) const {
    std::size_t name = end;
    if (name > 0 && (all_[name - 1].text == ">" || all_[name - 1].text == ">>")) {
      const std::size_t open = opening_angle(name - 1);
      launch.template_arguments = template_arguments(open + 1, name - 1);
      name = open;
    }
    if (name == 0 || !is_identifier(all_[name - 1].text)) return false;
    launch.kernel = all_[name - 1].text;
    return true;
  }

  void add(std::size_t begin, std::size_t close, HostLaunch launch) {
    launch.as_text = joined(all_.subspan(begin, close - begin + 1));
    find_loop(begin, launch);
    launches_.push_back(std::move(launch));
  }

  void read_arrows(std::size_t arrows) {
    std::size_t end = arrows + 1;
    while (end < all_.size() && all_[end].text != ">>>") ++end;
    if (end + 1 >= all_.size() || all_[end + 1].text != "(") return;
    const std::size_t close = closing(all_, end + 1);
    HostLaunch launch{.at = all_[arrows].begin};
    if (close == all_.size() || !read_kernel(arrows, launch)) return;
    const std::vector<LexemeSpan> sizes = split_at_commas(all_.subspan(arrows + 1, end - arrows - 1));
    if (sizes.size() < 2) return;
    launch.grid = sizes[0];
    launch.block = sizes[1];
    if (sizes.size() > 2) launch.shared = sizes[2];
    launch.arguments = split_at_commas(all_.subspan(end + 2, close - end - 2));
    std::size_t begin = arrows;
    while (all_[begin].text != launch.kernel) --begin;
    add(begin, close, std::move(launch));
  }

  // "k<float, 4>" is one.
  static std::vector<LexemeSpan> arguments_of(LexemeSpan all) {
    std::vector<LexemeSpan> whole;
    bool is_open = false;
    for (const LexemeSpan part : split_at_commas(all)) {
      if (is_open)
        whole.back() = {whole.back().data(), part.data() + part.size()};
      else
        whole.push_back(part);
      const auto count = [&](std::string_view text) {
        return std::count_if(whole.back().begin(), whole.back().end(),
                             [&](const Lexeme& each) { return each.text == text; });
      };
      is_open = count("<") > count(">");
    }
    return whole;
  }

  void read_call(std::size_t call, bool by_addresses) {
    const std::size_t close = closing(all_, call + 1);
    if (close == all_.size()) return;
    const std::vector<LexemeSpan> parts = arguments_of(all_.subspan(call + 2, close - call - 2));
    HostLaunch launch{.at = all_[call].begin};
    launch.is_cooperative = all_[call].text == "cudaLaunchCooperativeKernel";
    const bool known =
        by_addresses ? read_addresses(call, parts, launch) : read_configured(call, parts, launch);
    if (known)
      add(call, close, std::move(launch));
    else
      unread_.push_back({std::string(all_[call].text), all_[call].begin});
  }

  // (kernel, grid, block, addresses, shared, stream)
  bool read_addresses(std::size_t call, const std::vector<LexemeSpan>& parts, HostLaunch& launch) const {
    if (parts.size() < 4 || !read_kernel_of(parts[0], launch)) return false;
    launch.grid = parts[1];
    launch.block = parts[2];
    if (parts.size() > 4) launch.shared = parts[4];
    return read_array(call, parts[3], launch);
  }

  // (&configuration, kernel, arguments...), and the same with an array of addresses
  bool read_configured(std::size_t call, const std::vector<LexemeSpan>& parts, HostLaunch& launch) const {
    if (parts.size() < 2 || !read_kernel_of(parts[1], launch)) return false;
    const LexemeSpan configuration = without_address(parts[0]);
    launch.grid = member(call, configuration, "gridDim");
    launch.block = member(call, configuration, "blockDim");
    launch.shared = member(call, configuration, "dynamicSmemBytes");
    if (launch.grid.empty() || launch.block.empty()) return false;
    launch.is_cooperative = std::any_of(all_.begin(), all_.end(), [](const Lexeme& each) {
      return each.text == "cudaLaunchAttributeCooperative";
    });
    if (all_[call].text.ends_with("C")) return parts.size() > 2 && read_array(call, parts[2], launch);
    launch.arguments.assign(parts.begin() + 2, parts.end());
    return true;
  }

  // Of "k", "(void*)k<4>" and "reinterpret_cast<const void*>(&k)".
  bool read_kernel_of(LexemeSpan part, HostLaunch& launch) const {
    auto end = static_cast<std::size_t>(part.data() + part.size() - all_.data());
    while (end > 0 && all_[end - 1].text == ")") --end;
    return !part.empty() && read_kernel(end, launch);
  }

  // What stands last above the call between "NAME.MEMBER =" and ";".
  [[nodiscard]] LexemeSpan member(std::size_t call, LexemeSpan variable, std::string_view name) const {
    if (variable.size() != 1) return {};
    for (std::size_t i = call; i-- > 0;) {
      if (all_[i].text != variable[0].text || all_[i + 1].text != "." || all_[i + 2].text != name ||
          all_[i + 3].text != "=")
        continue;
      std::size_t end = i + 4;
      while (end < call && all_[end].text != ";") ++end;
      return all_.subspan(i + 4, end - i - 4);
    }
    return {};
  }

  // The arguments of "void* ARRAY[] = {&x, &n};".
  bool read_array(std::size_t call, LexemeSpan array, HostLaunch& launch) const {
    if (array.size() != 1) return false;
    for (std::size_t i = call; i-- > 0;) {
      if (all_[i].text != array[0].text || all_[i + 1].text != "[") continue;
      std::size_t open = closing(all_, i + 1) + 1;
      if (open < call && all_[open].text == "=") ++open;
      if (open >= call || all_[open].text != "{") continue;
      for (const LexemeSpan each : split_at_commas(all_.subspan(open + 1, closing(all_, open) - open - 1)))
        if (!each.empty()) launch.arguments.push_back(without_address(each));
      return true;
    }
    return false;
  }

  // The innermost one that the word at `place` stands in, with or without braces.
  void find_loop(std::size_t place, HostLaunch& launch) const {
    for (std::size_t i = 0; i + 1 < place; ++i) {
      if ((all_[i].text != "for" && all_[i].text != "while") || all_[i + 1].text != "(") continue;
      const std::size_t head = closing(all_, i + 1);
      if (head >= place) continue;
      const std::size_t body = head + 1;
      std::size_t end = body;
      if (all_[body].text == "{") {
        end = closing(all_, body);
      } else {
        while (end < all_.size() && all_[end].text != ";")
          end = all_[end].text == "(" ? closing(all_, end) + 1 : end + 1;
      }
      if (place < body || place >= end) continue;
      launch.loop = all_.subspan(i, head + 1 - i);
      launch.loops.push_back(launch.loop);
      const LexemeSpan inside = all_.subspan(body, std::min(end, all_.size()) - body);
      launch.loop_swaps = std::any_of(inside.begin(), inside.end(),
                                      [](const Lexeme& word) { return word.text.starts_with("swap"); });
    }
  }

  LexemeSpan all_;
  std::vector<UnreadLaunch>& unread_;
  std::vector<HostLaunch> launches_;
};

}  // namespace

std::vector<HostLaunch> launches_in(LexemeSpan all, std::vector<UnreadLaunch>& unread) {
  return LaunchFinder(all, unread).find();
}

}  // namespace tailwave
