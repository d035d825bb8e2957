#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "cluster/submission.h"

namespace tailwave {

// One attempt at a shard: `tailwave run --shard K/N` as a child, into a database on this machine's own disk, of which a
// snapshot is published in the submission's folder now and then, at the end, and when this process is asked to stop.
//
// It goes on from where the last attempt was: from the local database where that attempt was on this machine and its
// database is whole, which has all that was published and perhaps more; else from the snapshot. A shard has one attempt at a
// time: on one machine by a lock that the child holds, too, among several by the attempt's number, which is looked at before
// anything is published.
//
// `note` gets remarks, a line each. Returns when the shard is finished. Throws Error where the attempt ended without: in bad
// usage where no other attempt would end otherwise, since the spec or tailwave has changed. What `run` refuses may be
// for this machine alone, as a device that it lacks.
void run_task(const Submission& submission, std::size_t shard,
              const std::function<void(const std::string& line)>& note);

}  // namespace tailwave
