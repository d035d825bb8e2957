#include "adopt/kernel_scope.h"

#include <algorithm>

namespace tailwave {
namespace {

std::optional<std::size_t> direction_of(const std::array<const char*, 3>& names, const std::string& name) {
  const auto* const found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return std::nullopt;
  return static_cast<std::size_t>(found - names.begin());
}

bool is_thread_or_block(const Polynomial& value) {
  const auto has = [&](const std::array<const char*, 3>& names) {
    return std::any_of(names.begin(), names.end(), [&](const char* name) { return value.has(name); });
  };
  return has(kThreadNumbers) || has(kBlockNumbers);
}

}  // namespace

std::optional<Polynomial> KernelScope::meaning(const std::string& name) {
  if (direction_of(kThreadNumbers, name) || direction_of(kBlockNumbers, name))
    return Polynomial::factor(name);
  if (const auto direction = direction_of(kBlockSizes, name))
    return known_blocks_ ? launch_.block[*direction] : Polynomial::factor(name);
  if (const auto direction = direction_of(kGridSizes, name))
    return known_blocks_ ? launch_.grid[*direction] : Polynomial::factor(name);
  if (name == "warpSize") return Polynomial(32);
  const auto known = launch_.known.find(name);
  if (known != launch_.known.end()) return known->second;
  const auto local = launch_.body.locals.find(name);
  if (local != launch_.body.locals.end()) return meaning_of_local(name, local->second);
  for (const DraftParameter& parameter : draft_.parameters)
    if (parameter.name == name) return Polynomial::factor(name);
  const MacroText* macro = draft_.macro(name);
  if (macro == nullptr) return meaning_of_constant(name);
  if (!macro->value) return std::nullopt;
  return macro->is_made_of_others ? HostScope(draft_, 0, false).meaning(name) : Polynomial(*macro->value);
}

// Of an enumerator or a variable at namespace scope with a number.
std::optional<Polynomial> KernelScope::meaning_of_constant(const std::string& name) {
  if (!draft_.host.definition(name, 0)) return std::nullopt;
  auto value = HostScope(draft_, 0, false).meaning(name);
  return value && value->is_number() ? value : std::nullopt;
}

std::optional<Polynomial> KernelScope::meaning_of_local(const std::string& name, const LocalVariable& local) {
  const Polynomial own = Polynomial::factor("~" + name);
  if (!local.first || !under_way_.insert(name).second) return own;
  auto first = to_polynomial(*local.first, *this);
  under_way_.erase(name);
  if (!first || (local.changes && !is_thread_or_block(*first))) return own;
  return first;
}

bool KernelScope::is_constant(const Polynomial& value) {
  const std::vector<std::string> factors = value.factors();
  return std::none_of(factors.begin(), factors.end(), [](const std::string& each) {
    return each.find('~') != std::string::npos || each.find("Idx.") != std::string::npos ||
           each.find("Dim.") != std::string::npos;
  });
}

std::vector<KernelScope::Limit> KernelScope::limits() {
  std::vector<Limit> all;
  for (const Guard& guard : launch_.body.guards) {
    const auto left = to_polynomial(guard.left, *this), right = to_polynomial(guard.right, *this);
    if (!left || !right || is_constant(*left) || !is_constant(*right)) continue;
    const Polynomial below = *right + (guard.or_equal ? 1 : 0);
    all.push_back({*left, below});
    if (const auto divided = quotient_of(guard.left))
      all.push_back({divided->first, below * divided->second});
  }
  return all;
}

// Of "thread / 32", be it by a local's name, what is divided and by what: less than n of it is less than 32 * n of that.
std::optional<std::pair<Polynomial, Polynomial>> KernelScope::quotient_of(const CTerm& term) {
  const CTerm* whole = &term;
  constexpr int kSteps = 4;  // locals made of locals
  for (int step = 0; step < kSteps && whole->kind == CTerm::Kind::name; ++step) {
    const auto local = launch_.body.locals.find(whole->text);
    if (local == launch_.body.locals.end() || !local->second.first || local->second.changes) break;
    whole = &*local->second.first;
  }
  if (whole->kind != CTerm::Kind::binary || (whole->text != "/" && whole->text != ">>")) return std::nullopt;
  const auto value = to_polynomial(whole->parts[0], *this);
  const auto by = to_polynomial(whole->parts[1], *this);
  if (!value || !by || !is_constant(*by)) return std::nullopt;
  if (whole->text == "/") return std::pair(*value, *by);
  constexpr std::int64_t kMostBits = 40;
  if (!by->is_number() || by->number() < 0 || by->number() > kMostBits) return std::nullopt;
  return std::pair(*value, Polynomial(std::int64_t{1} << by->number()));
}

std::vector<Polynomial> KernelScope::coordinates() {
  std::vector<Polynomial> all;
  const auto add = [&](const CTerm& term) {
    const auto value = to_polynomial(term, *this);
    if (value && is_thread_or_block(*value)) all.push_back(*value);
  };
  for (const Guard& guard : launch_.body.guards) add(guard.left);
  for (const auto& [name, local] : launch_.body.locals)
    if (local.first) add(*local.first);
  for (const MemoryAccess& access : launch_.body.accesses)
    if (access.index) add(*access.index);
  return all;
}

// Threads, blocks and iterations begin at 0.
Polynomial KernelScope::constant_part(const Polynomial& value) {
  Polynomial constant;
  for (const Polynomial& product : value.products())
    if (is_constant(product)) constant = constant + product;
  return constant;
}

// The largest limit of what differs from it by a number; exclusive.
std::optional<Polynomial> KernelScope::limit_of(const Polynomial& value) {
  std::optional<Polynomial> most;
  for (const Limit& limit : limits()) {
    const Polynomial apart = value - limit.value;
    if (!apart.is_number()) continue;
    const Polynomial below = limit.below + apart;
    most = most ? larger(*most, below) : below;
  }
  return most;
}

Polynomial KernelScope::larger(const Polynomial& left, const Polynomial& right) const {
  const Values defaults = draft_.defaults();
  return left.value(defaults).value_or(0) >= right.value(defaults).value_or(0) ? left : right;
}

std::optional<KernelScope::Range> KernelScope::range(const CTerm& term) {
  constexpr int kDeepest = 40;  // terms in terms, and locals made of locals
  if (depth_ > kDeepest) return std::nullopt;
  if (depth_ == 0) is_loose_ = false;
  ++depth_;
  std::optional<Range> found;
  const auto value = to_polynomial(term, *this);
  if (value && is_constant(*value)) {
    found = Range{*value, *value};
  } else if (const auto limit = value ? limit_of(*value) : std::nullopt) {
    found = Range{constant_part(*value), *limit - 1};
  } else if (term.kind == CTerm::Kind::name) {
    found = range_of_name(term.text);
  } else if (term.kind == CTerm::Kind::binary) {
    found = range_of_binary(term);
  } else if (term.kind == CTerm::Kind::call) {
    found = range_of_call(term);
  } else if (term.kind == CTerm::Kind::conditional) {
    const auto then = range(term.parts[1]), otherwise = range(term.parts[2]);
    if (then && otherwise) found = Range{0, larger(then->high, otherwise->high)};
  }
  --depth_;
  if (found && depth_ == 0) found->is_loose = is_loose_;
  return found;
}

std::optional<KernelScope::Range> KernelScope::range_of_name(const std::string& name) {
  if (const auto direction = direction_of(kThreadNumbers, name))
    return Range{0, launch_.block[*direction] - 1};
  if (const auto direction = direction_of(kBlockNumbers, name)) return Range{0, launch_.grid[*direction] - 1};
  const auto local = launch_.body.locals.find(name);
  if (local == launch_.body.locals.end() || !local->second.first || local->second.changes)
    return std::nullopt;
  return range(*local->second.first);
}

std::optional<KernelScope::Range> KernelScope::range_of_binary(const CTerm& term) {
  const auto left = range(term.parts[0]), right = range(term.parts[1]);
  const std::string& op = term.text;
  if (op == "%" && right) return Range{0, right->high - 1};
  if (op == "&" && (left || right)) return Range{0, right ? right->high : left->high};
  if (!left || !right) return std::nullopt;
  if (op == "+") return Range{left->low + right->low, left->high + right->high};
  if (op == "-") return Range{left->low - right->high, left->high - right->low};
  if (op == "*") return Range{left->low * right->low, left->high * right->high};
  if (op == "<<" && right->high.is_number() && right->high.number() < 40)
    return Range{0, left->high * Polynomial(std::int64_t{1} << right->high.number())};
  if (op == "/" || op == ">>") return range_of_quotient(*left, least_divisor(*right, op == ">>"));
  return std::nullopt;
}

// The smallest divisor makes the largest quotient: 1 where the divisor is not known before.
Polynomial KernelScope::least_divisor(const Range& range, bool is_shift) {
  constexpr std::int64_t kMostBits = 40;
  const bool is_known = range.low == range.high;
  is_loose_ = is_loose_ || !is_known;
  if (!is_shift && is_known) return range.high;
  if (!range.low.is_number()) return 1;
  const std::int64_t low = range.low.number();
  if (is_shift) return std::int64_t{1} << std::clamp<std::int64_t>(low, 0, kMostBits);
  return std::max<std::int64_t>(low, 1);
}

KernelScope::Range KernelScope::range_of_quotient(const Range& whole, const Polynomial& divisor) {
  const auto exact = (whole.high + 1).divided_by(divisor);
  return {0, exact ? *exact - 1 : whole.high};
}

std::optional<KernelScope::Range> KernelScope::range_of_call(const CTerm& term) {
  const auto colons = term.text.rfind(':');
  const std::string name = colons == std::string::npos ? term.text : term.text.substr(colons + 1);
  if (term.parts.size() == 1 && element_named(term.text, draft_.aliases)) return range(term.parts[0]);
  if (term.parts.size() != 2) return std::nullopt;
  const auto left = range(term.parts[0]), right = range(term.parts[1]);
  // The limit that holds is the one that is known before.
  if (name == "min") {
    if (!left || !right) return left ? left : right;
    return left->low == left->high ? left : right;
  }
  if (name == "max") {
    if (!left || !right) return std::nullopt;
    return Range{0, larger(left->high, right->high)};
  }
  return std::nullopt;
}

}  // namespace tailwave
