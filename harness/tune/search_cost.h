#pragma once

#include <optional>

#include "core/value.h"
#include "spec/experiment.h"
#include "store/result_store.h"
#include "store/sweeps.h"

namespace tailwave {

// What a search minimises, as the view sample_cost has it, of a median time and the metric `time` or a rate; kFailed where
// that is no finite number above 0.
double cost_of(const Metric& metric, double time_ns, const Values& work);

// Of a stored trial; kFailed where it is not correct, or its metric has no value.
double stored_cost(const Metric& metric, const StoredResult& result);

// Of what a database has of a configuration.
double swept_cost(const SweptConfiguration& known);

// Of a stored trial that was given up: what its least time costs, which a search is told and nobody ranks; else kFailed.
double stored_least_cost(const Metric& metric, const StoredResult& result);

// Of a nanosecond in which so much work is done; none where a shorter time is not the better one.
std::optional<double> cost_of_a_ns(const Metric& metric, const Values& work);

// The inverse of cost_of() for one unit of work: the metric in SI units, or one by an expression in its own.
double value_of(const Metric& metric, double cost);

}  // namespace tailwave
