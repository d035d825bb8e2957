#pragma once

#include <filesystem>
#include <string>

#include "core/descriptor.h"
#include "core/device.h"

namespace tailwave {

// One process at a time uses a device while times are taken there: it holds a lock on the device's file in a folder
// that all users of the machine share. The operating system frees the lock when the holder dies. Who wants the lock
// waits for a second file's first, the queue's, so that a holder that takes it again at once comes after those who
// wait.
//
// A process that is forked while this one holds it has it too, until this one releases it or both have ended.
class Lease {
 public:
  // What a folder, a device and a process are called there.
  struct Terms {
    std::filesystem::path folder;  // made if it is missing, for everybody to write
    std::string device;            // see lease_name()
    std::string holder;            // see lease_holder_here()
  };
  // Throws Error, in one line, for a folder or file that cannot be made, opened or locked, or is not what it should be:
  // a symbolic link, a file that has other names.
  explicit Lease(Terms terms);

  // Waits until nobody else holds it. It may not be held already.
  void take() noexcept;
  void release() noexcept;

  // From now on this process can lock the files but not write to them, not even its name as the holder.
  void give_up_writing() noexcept { name_.close(); }

 private:
  std::string holder_;
  Descriptor queue_, device_;  // to read
  Descriptor name_;            // the device's file to write
};

// $TAILWAVE_LEASES, else /tmp/tailwave-leases.
std::filesystem::path default_lease_folder();

// Of a GPU by its UUID: its number is another one in each container. All CPU cores of a machine are one device.
std::string lease_name(const DeviceDescription& device);

// This process, for those who wait: its number and its command line.
std::string lease_holder_here();

// Who held it last, or does: "process 1234 (tailwave run x.json)", printable; "another process" where the file does not
// tell.
std::string lease_holder(const std::filesystem::path& folder, const std::string& device);

}  // namespace tailwave
