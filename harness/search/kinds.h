#pragma once

#include "search/strategy.h"

namespace tailwave::search {

// Each in a file of its own, but for the two of unguided.cpp. The list of strategies() is in strategy.cpp.
StrategyKind exhaustive();
StrategyKind random();
StrategyKind iterated_local_search();
StrategyKind annealing();
StrategyKind genetic();
StrategyKind differential_evolution();
StrategyKind particle_swarm();
StrategyKind hybrid_vndx();
StrategyKind bayesian();
StrategyKind wave_guided();

}  // namespace tailwave::search
