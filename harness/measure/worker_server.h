#pragma once

#include "device/print_capture.h"
#include "measure/turn_note.h"
#include "measure/watch.h"
#include "measure/worker.h"

namespace tailwave {

// What a worker's process is sent, with a repetition or a task and its request.
enum class WorkerRequest : unsigned char { repetition, task };
// How its answers begin; then follow whether it can go on, and the result, or outcome and text, or text.
enum class WorkerAnswer : unsigned char { result, failure, error };

constexpr double kLongestCallS = 120;  // of what has no limit of its own

// What a worker's process does: opens the device and carries out what comes through the socket, until the other side closes
// that or the device is no longer usable.
void serve_worker(int socket, const WorkerSetup& setup, Watch& watch, TurnNote& turn, PrintCapture& printed);

}  // namespace tailwave
