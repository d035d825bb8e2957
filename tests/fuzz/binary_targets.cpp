#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "compile/cubin.h"
#include "core/error.h"
#include "core/trace.h"
#include "device/executor.h"
#include "device/packing.h"
#include "device/wire.h"
#include "measure/repetition.h"
#include "target.h"

namespace tailwave::fuzz {
namespace {

class Cubins : public Subject {
 public:
  std::string feed(const std::string& input) override {
    try {
      static_cast<void>(read_cubin(input));
      return "";
    } catch (const Error& error) {
      return error.what();
    }
  }
};

template <class T>
void use(const std::optional<T>& value);
template <class T>
void use(const std::vector<T>& all);

// What is done with a value from another process: its enums are written as text, its flags are read.
template <class T>
void use(const T& value) {
  if constexpr (std::is_same_v<T, bool>) {
    unsigned char byte = 0;
    std::memcpy(&byte, &value, sizeof value);
    if (byte > 1) throw std::logic_error("a flag that is neither true nor false was taken");
  } else if constexpr (NamedEnum<T>) {
    static_cast<void>(to_string(value));
  } else if constexpr (Record<T>) {
    for_each_member<T, kNotWire>([&](const auto& one) { use(value.*one.place); });
  }
}
template <class T>
void use(const std::optional<T>& value) {
  if (value) use(*value);
}
template <class T>
void use(const std::vector<T>& all) {
  for (const T& one : all) {
    if constexpr (requires { one.has_value(); }) {
      if (one) use(*one);
    } else {
      use(one);
    }
  }
}

// What the processes of a run send one another. The first byte of an input says which of these its others are.
class Packets : public Subject {
 public:
  Packets() { systems_.push_back(&system_); }

  std::string feed(const std::string& input) override {
    if (input.empty()) return "nothing";
    const std::string body = input.substr(1);
    try {
      take_from(static_cast<unsigned char>(input.front()), body);
      return "";
    } catch (const std::out_of_range& error) {
      return error.what();
    } catch (const ConnectionLost& error) {
      return error.what();
    } catch (const Error& error) {
      return error.what();
    }
  }

 private:
  void take_from(unsigned char kind, const std::string& body) {
    constexpr unsigned kKinds = 8;
    if (kind >= kFirstWithHeader) return take_from(kind - kFirstWithHeader, received(body));
    const auto bytes = std::as_bytes(std::span(body));
    take_from(kind % kKinds, Packet(Bytes(bytes.begin(), bytes.end()), descriptors()));
  }

  void take_from(unsigned kind, Packet packet) {
    switch (kind) {
      case 0:
        return use(take<RepetitionResult>(packet));
      case 1:
        return use(take_repetition(packet, systems_));
      case 2:
        return use(take<DeviceDescription>(packet));
      case 3:
        return use(take<Artifact>(packet).kind);
      case 4:
        return use(take<std::vector<std::optional<LaunchTrace>>>(packet));
      case 5:
        return use(take<Trial>(packet));
      case 6:
        return use(take<std::vector<LaunchRecord>>(packet));
      default:
        return use(take<std::vector<std::optional<int>>>(packet));
    }
  }

  // What a process takes that sees these bytes and the end of the connection.
  static Packet received(const std::string& bytes) {
    constexpr std::size_t kMost = std::size_t{1} << 24;
    std::array<int, 2> ends{};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
      throw std::runtime_error("no sockets");
    const Descriptor here(ends[0]);
    Descriptor there(ends[1]);
    if (::send(there.number(), bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL) !=
        static_cast<ssize_t>(bytes.size()))
      throw ConnectionLost("more than a socket holds");
    there.close();
    return *receive(here.number(), {.most_bytes = kMost});
  }

  // Of memory that its sender may still write to, and of a file that is none.
  static std::vector<Descriptor> descriptors() {
    const Blob blob = Blob::shared(256);
    std::vector<Descriptor> all;
    all.emplace_back(dup(blob.descriptor()));
    all.emplace_back(open("/dev/null", O_RDONLY | O_CLOEXEC));
    return all;
  }

  static constexpr unsigned char kFirstWithHeader = 128;

  System system_;
  std::vector<const System*> systems_;
};

std::string seed(unsigned kind, const Packet& packet) {
  const auto bytes = packet.bytes();
  return std::string(1, static_cast<char>(kind)) +
         std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

RepetitionResult sample_result() {
  RepetitionResult result;
  result.detail = "detail";
  result.blocks_per_sm = {std::nullopt, 4};
  result.looks.resize(2);
  result.looks[0].contents["x"] = Blob(std::vector<std::byte>(16));
  result.looks[1].time_ns = 1.5;
  result.samples.resize(3);
  result.fresh_ns = 12;
  result.back_to_back = BackToBack{1, 2, 0.5, 3, 4};
  return result;
}

// A value of each kind; the one of results also with the header that a socket needs.
std::vector<std::string> packet_seeds() {
  Repetition repetition;
  repetition.configuration = {"system", "variant", {{"BLOCK_SIZE", std::int64_t{128}}}, {{"N", 0.5}}};
  repetition.steps.resize(2);
  DeviceDescription device;
  device.name = "GPU";
  device.properties = {{"ratio", 0.5}, {"note", std::string("text")}, {"flag", true}};
  Artifact artifact;
  artifact.file = "/cache/a.cubin";
  artifact.symbols = {{"step", "_Z4step"}};
  Trial trial;
  trial.configuration = repetition.configuration;
  trial.launches.resize(1);
  trial.samples.resize(2);
  trial.verifications.resize(1);
  std::array<Packet, 8> packets;
  packets[0] << sample_result();
  packets[1] << std::size_t{0} << repetition;
  packets[2] << device;
  packets[3] << artifact;
  packets[4] << std::vector<std::optional<LaunchTrace>>{std::nullopt, LaunchTrace{{{1, 2, 2, 3}}, 5, 32, 8}};
  packets[5] << trial;
  packets[6] << trial.launches;
  packets[7] << std::vector<std::optional<int>>{1, std::nullopt};
  std::vector<std::string> seeds;
  for (unsigned kind = 0; kind < packets.size(); ++kind) seeds.push_back(seed(kind, packets[kind]));
  Packet with_header;
  with_header << packets[0].bytes().size() << std::size_t{0};
  with_header.append(packets[0].bytes());
  seeds.push_back(seed(128, with_header));
  Packet beside;
  beside << true << std::size_t{256};
  seeds.push_back(seed(4, beside));
  return seeds;
}

}  // namespace

std::vector<Target> binary_targets() {
  return {
      {"cubins", {Form::binary, {}}, {}, [] { return std::make_unique<Cubins>(); }, {}},
      {"packets", {Form::binary, {}}, {}, [] { return std::make_unique<Packets>(); }, packet_seeds},
  };
}

}  // namespace tailwave::fuzz
