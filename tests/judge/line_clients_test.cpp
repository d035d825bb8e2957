#include "judge/line_clients.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "fakes/error_of.h"
#include "fakes/scratch_folder.h"

namespace tailwave {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

std::pair<Descriptor, Descriptor> pipe_ends() {
  std::array<int, 2> ends{};
  EXPECT_EQ(pipe(ends.data()), 0);
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

void write_all(const Descriptor& to, const std::string& text) {
  ASSERT_EQ(write(to.number(), text.data(), text.size()), static_cast<ssize_t>(text.size()));
}

// What has come so far.
std::string read_some(const Descriptor& from) {
  std::string text(1 << 16, ' ');
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(0, read(from.number(), text.data(), text.size()))));
  return text;
}

Descriptor connected_to(const fs::path& path) {
  Descriptor socket(::socket(AF_UNIX, SOCK_STREAM, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strcpy(address.sun_path, path.c_str());  // NOLINT: a path of this test's own
  EXPECT_EQ(connect(socket.number(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  return socket;
}

class PipeClient : public testing::Test {
 protected:
  PipeClient() {
    auto [requests_out, requests_in] = pipe_ends();
    auto [answers_out, answers_in] = pipe_ends();
    input_ = std::move(requests_out);
    requests_ = std::move(requests_in);
    answers_ = std::move(answers_out);
    output_ = std::move(answers_in);
    clients_.emplace(input_.number(), output_.number());
  }
  // The texts of all lines that are there, each with a ';'.
  std::string lines() {
    std::string all;
    for (int turn = 0; turn < 3; ++turn) {
      clients_->transfer();
      while (const auto line = clients_->next()) all += (line->is_too_long ? "too long" : line->text) + ";";
    }
    return all;
  }

  Descriptor input_, requests_, answers_, output_;
  std::optional<LineClients> clients_;
};

TEST_F(PipeClient, LinesComeWholeHoweverTheyAreWritten) {
  write_all(requests_, "one\ntw");
  EXPECT_EQ(lines(), "one;");
  write_all(requests_, "o\r\n\n  \nthree");
  EXPECT_EQ(lines(), "two;");
  requests_.close();
  EXPECT_EQ(lines(), "three;") << "the last line need not end";
}

TEST_F(PipeClient, IsOverWhenTheInputHasEndedAndAllIsAnswered) {
  write_all(requests_, "one\ntwo\n");
  clients_->transfer();
  const auto one = clients_->next(), two = clients_->next();
  requests_.close();
  clients_->transfer();
  clients_->answer(two->client, "2");
  clients_->transfer();
  EXPECT_FALSE(clients_->is_over());
  clients_->answer(one->client, "1");
  EXPECT_FALSE(clients_->is_over());
  clients_->transfer();
  EXPECT_TRUE(clients_->is_over());
  EXPECT_EQ(read_some(answers_), "2\n1\n");
}

TEST_F(PipeClient, ALineThatIsTooLongIsOneRequestWithoutItsText) {
  const std::string piece(1 << 15, 'x');
  std::string all;
  for (std::size_t sent = 0; sent < LineClients::kMostLineBytes + 2 * piece.size(); sent += piece.size()) {
    write_all(requests_, piece);
    all += lines();
  }
  EXPECT_EQ(all, "too long;");
  write_all(requests_, "its end\nnext\n");
  EXPECT_EQ(lines(), "next;");
}

TEST_F(PipeClient, OneWhoDoesNotReadItsAnswersIsNotReadFromAndHoldsNobodyUp) {
  write_all(requests_, "one\n");
  clients_->transfer();
  const auto line = clients_->next();
  clients_->answer(line->client, std::string(std::size_t{20} << 20, 'x'));
  write_all(requests_, "two\n");
  EXPECT_EQ(lines(), "");
  while (!read_some(answers_).ends_with("\n")) clients_->transfer();
  EXPECT_EQ(lines(), "two;");
}

TEST_F(PipeClient, AnswersForWhoHasGoneAreForgotten) {
  signal(SIGPIPE, SIG_IGN);
  write_all(requests_, "one\n");
  clients_->transfer();
  const auto line = clients_->next();
  answers_.close();
  clients_->answer(line->client, "1");
  clients_->transfer();
  EXPECT_TRUE(clients_->is_over());
}

TEST_F(PipeClient, AfterTheEndOfItsInputNothingMoreIsRead) {
  write_all(requests_, "one\ntwo\n");
  clients_->transfer();
  const auto line = clients_->next();
  clients_->end_input();
  write_all(requests_, "three\n");
  EXPECT_EQ(lines(), "");
  clients_->answer(line->client, "1");
  clients_->transfer();
  EXPECT_TRUE(clients_->is_over());
  EXPECT_EQ(read_some(answers_), "1\n");
}

TEST(LineClients, TakeTurnsHoweverMuchOneSends) {
  const ScratchFolder folder;
  const ListeningSocket socket(folder / "judge");
  LineClients clients(socket.number());
  const Descriptor greedy = connected_to(folder / "judge");
  clients.transfer();
  const Descriptor modest = connected_to(folder / "judge");
  write_all(greedy, "a1\na2\na3\n");
  write_all(modest, "b1\nb2\n");
  clients.transfer();
  std::string order;
  while (const auto line = clients.next()) {
    order += line->text + ";";
    clients.answer(line->client, "to " + line->text);
  }
  EXPECT_EQ(order, "a1;b1;a2;b2;a3;");
  clients.transfer();
  EXPECT_EQ(read_some(greedy), "to a1\nto a2\nto a3\n");
  EXPECT_EQ(read_some(modest), "to b1\nto b2\n");
}

TEST(LineClients, OneWhoSendsNoMoreIsLetGoWhenAllIsAnswered) {
  const ScratchFolder folder;
  const ListeningSocket socket(folder / "judge");
  LineClients clients(socket.number());
  const Descriptor client = connected_to(folder / "judge");
  write_all(client, "one\n");
  shutdown(client.number(), SHUT_WR);
  clients.transfer();
  clients.transfer();
  const auto line = clients.next();
  clients.transfer();
  clients.answer(line->client, "1");
  clients.transfer();
  EXPECT_EQ(read_some(client), "1\n");
  EXPECT_EQ(read_some(client), "") << "the end";
  clients.answer(line->client, "too late");
  EXPECT_FALSE(clients.is_over()) << "others may come";
  EXPECT_EQ(clients.descriptors().size(), 1U);
}

TEST(LineClients, WhatSomebodyAskedForWhoHasGoneIsForgotten) {
  const ScratchFolder folder;
  const ListeningSocket socket(folder / "judge");
  LineClients clients(socket.number());
  Descriptor client = connected_to(folder / "judge");
  write_all(client, "one\ntwo\n");
  clients.transfer();
  const auto line = clients.next();
  client.close();
  clients.transfer();
  EXPECT_FALSE(clients.next());
  clients.answer(line->client, "1");
  EXPECT_EQ(clients.descriptors().size(), 1U) << "others may come";
}

TEST_F(PipeClient, WhatWaitsOfOneIsNotMoreThanAFewLongLines) {
  const std::string line = std::string(LineClients::kMostLineBytes - 1, 'x') + '\n';
  constexpr std::size_t kMany = 10, kPiece = 1 << 15;
  fcntl(requests_.number(), F_SETFL, O_NONBLOCK);
  std::size_t sent = 0;
  for (int turn = 0; turn < 5000 && sent < kMany * line.size(); ++turn) {
    const std::size_t begin = sent % line.size(), size = std::min(kPiece, line.size() - begin);
    sent +=
        static_cast<std::size_t>(std::max<ssize_t>(0, write(requests_.number(), line.data() + begin, size)));
    clients_->transfer();
  }
  EXPECT_LT(sent, 6 * line.size());
  while (clients_->next()) continue;
  clients_->transfer();
  EXPECT_EQ(write(requests_.number(), line.data(), 1), 1) << "it is read from again";
}

TEST(ListeningSocket, IsItsOwnersAloneAndGoesWithItsObject) {
  const ScratchFolder folder;
  {
    const ListeningSocket socket(folder / "judge");
    struct stat status {};
    ASSERT_EQ(stat((folder / "judge").c_str(), &status), 0);
    EXPECT_EQ(status.st_mode, static_cast<mode_t>(S_IFSOCK | 0600));
  }
  EXPECT_FALSE(fs::exists(folder / "judge"));
}

TEST(ListeningSocket, ReplacesOneThatNobodyAnswersAt) {
  const ScratchFolder folder;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strcpy(address.sun_path, (folder / "judge").c_str());  // NOLINT: a path of this test's own
  Descriptor abandoned(::socket(AF_UNIX, SOCK_STREAM, 0));
  ASSERT_EQ(bind(abandoned.number(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  abandoned.close();
  const ListeningSocket socket(folder / "judge");
  EXPECT_GE(connected_to(folder / "judge").number(), 0);
}

TEST(ListeningSocket, LeavesOneThatHasTakenItsPlace) {
  const ScratchFolder folder;
  auto first = std::make_unique<ListeningSocket>(folder / "judge");
  fs::remove(folder / "judge");
  const ListeningSocket second(folder / "judge");
  first.reset();
  EXPECT_GE(connected_to(folder / "judge").number(), 0);
}

TEST(ListeningSocket, DoesNotWaitForWhoHasTooManyThatWait) {
  const ScratchFolder folder;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strcpy(address.sun_path, (folder / "judge").c_str());  // NOLINT: a path of this test's own
  const Descriptor busy(::socket(AF_UNIX, SOCK_STREAM, 0));
  ASSERT_EQ(bind(busy.number(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  ASSERT_EQ(listen(busy.number(), 0), 0);
  const Descriptor waiting = connected_to(folder / "judge");
  EXPECT_THAT(samples::error_of([&] { const ListeningSocket other(folder / "judge"); }),
              HasSubstr(": another service answers there"));
}

TEST(ListeningSocket, TakesNobodyElsesPlace) {
  const ScratchFolder folder;
  const std::string path = (folder / "judge").string();
  const ListeningSocket socket(path);
  EXPECT_EQ(samples::error_of([&] { const ListeningSocket other(path); }),
            path + ": another service answers there\n  name another socket");
  folder.write("file", "");
  EXPECT_EQ(samples::error_of([&] { const ListeningSocket other(folder / "file"); }),
            (folder / "file").string() + ": is there already and no socket");
  EXPECT_TRUE(fs::exists(folder / "file"));
  EXPECT_EQ(samples::error_of([&] { const ListeningSocket other(folder / "none/judge"); }),
            (folder / "none/judge").string() + ": cannot be made: No such file or directory");
  EXPECT_THAT(samples::error_of([&] { const ListeningSocket other(folder / std::string(200, 'x')); }),
              HasSubstr(": the path of a socket has at most 107 bytes"));
  EXPECT_EQ(samples::error_of([&] { const ListeningSocket other(""); }),
            "--socket: the path of a socket is empty");
}

}  // namespace
}  // namespace tailwave
