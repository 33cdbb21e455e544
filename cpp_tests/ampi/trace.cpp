// ADMPI_TRACE: a program on ranks, and the file that rank 0 has written when the library has ended: valid JSON, spans that nest,
// calls with peer, tag and bytes, the ways of messages, regions, time loops. Also a file that cannot be written.
#include <admpi.hpp>
#include <admpi/time_loop.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

#include "harness/check.h"
#include "harness/ranks.hpp"

using admpi::region;
using admpi::var;

namespace {

constexpr int sweeps = 2;
constexpr int rounds = 3;

/// Checks that a text is one value of JSON.
class parser {
 public:
  explicit parser(const std::string &text) : at_(text.c_str()) {}
  bool is_value() {
    space();
    const bool is = value();
    space();
    return is && *at_ == '\0';
  }

 private:
  void space() {
    while (*at_ == ' ' || *at_ == '\n') ++at_;
  }
  bool take(char c) {
    space();
    if (*at_ != c) return false;
    ++at_;
    return true;
  }
  bool string() {
    if (!take('"')) return false;
    for (; *at_ != '"'; ++at_) {
      if (static_cast<unsigned char>(*at_) < 32) return false;
      if (*at_ == '\\') ++at_;
    }
    ++at_;
    return true;
  }
  bool number() {
    char *end = nullptr;
    std::strtod(at_, &end);
    const bool is = end != at_;
    at_ = end;
    return is;
  }
  template <class Item>
  bool list(char open, char close, Item item) {
    if (!take(open)) return false;
    if (take(close)) return true;
    do {
      if (!item()) return false;
    } while (take(','));
    return take(close);
  }
  bool value() {
    space();
    if (*at_ == '{') return list('{', '}', [this] { return string() && take(':') && value(); });
    if (*at_ == '[') return list('[', ']', [this] { return value(); });
    return *at_ == '"' ? string() : number();
  }

  const char *at_;
};

/// An event of the file, which has one on a line.
struct event {
  std::string phase, name, category;
  int rank, thread, peer, tag;
  long long begin, end, bytes, id;  // nanoseconds
};

std::string field(const std::string &line, const std::string &name) {
  const std::string key = "\"" + name + "\":";
  const std::size_t at = line.find(key);
  if (at == std::string::npos) return "";
  const std::size_t start = at + key.size();
  if (line[start] == '"') return line.substr(start + 1, line.find('"', start + 1) - start - 1);
  return line.substr(start, line.find_first_of(",}", start) - start);
}

long long number(const std::string &line, const std::string &name) {
  const std::string text = field(line, name);
  return text.empty() ? -1 : std::atoll(text.c_str());
}

/// Microseconds with three digits behind the point.
long long nanoseconds(const std::string &line, const std::string &name) {
  std::string text = field(line, name);
  const std::size_t point = text.find('.');
  if (point == std::string::npos) return 0;
  text.erase(point, 1);
  return std::atoll(text.c_str());
}

/// The first thread has no number; those of others are none of a process.
int thread_of(const std::string &line) {
  const long long thread = number(line, "tid");
  CHECK(thread == -1 || thread >= 1 << 16);
  return static_cast<int>(thread);
}

std::vector<event> events_of(const std::string &text) {
  std::vector<event> events;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.find("\"ph\"") == std::string::npos || field(line, "ph") == "M") continue;
    const long long begin = nanoseconds(line, "ts"), duration = nanoseconds(line, "dur");
    events.push_back({field(line, "ph"), field(line, "name"), field(line, "cat"), static_cast<int>(number(line, "pid")),
                      thread_of(line), static_cast<int>(number(line, "peer")), static_cast<int>(number(line, "tag")),
                      begin, begin + duration, number(line, "bytes"), number(line, "id")});
  }
  return events;
}

/// The spans of a rank with that name.
std::vector<event> named(const std::vector<event> &events, int rank, const std::string &name) {
  std::vector<event> found;
  std::copy_if(events.begin(), events.end(), std::back_inserter(found),
               [&](const event &e) { return e.phase == "X" && e.rank == rank && e.name == name; });
  return found;
}

/// Of a thread any two spans are apart, or one is in the other.
void check_nesting(std::vector<event> events) {
  events.erase(std::remove_if(events.begin(), events.end(), [](const event &e) { return e.phase != "X"; }), events.end());
  std::sort(events.begin(), events.end(), [](const event &a, const event &b) {
    return std::make_tuple(a.rank, a.thread, a.begin, -a.end) < std::make_tuple(b.rank, b.thread, b.begin, -b.end);
  });
  std::vector<event> open;
  for (const event &e : events) {
    while (!open.empty() && (open.back().rank != e.rank || open.back().thread != e.thread || open.back().end <= e.begin)) open.pop_back();
    CHECK(open.empty() || e.end <= open.back().end);
    open.push_back(e);
  }
}

bool is_in_a_span(const std::vector<event> &events, const event &hop) {
  return std::any_of(events.begin(), events.end(), [&](const event &e) {
    return e.phase == "X" && e.rank == hop.rank && e.thread == hop.thread && e.begin <= hop.begin && hop.begin <= e.end &&
           (e.category.empty() || e.category == "wait" || e.category == "adjoint");
  });
}

/// The way of each message: from its send to its receive, and in each sweep from the receive back to the send.
void check_flows(const std::vector<event> &events, int ranks) {
  std::map<long long, std::vector<event>> flows;
  for (const event &e : events)
    if (e.phase != "X") flows[e.id].push_back(e);
  CHECK(static_cast<int>(flows.size()) == rounds * ranks);
  for (auto &flow : flows) {
    std::vector<event> &hops = flow.second;
    std::stable_sort(hops.begin(), hops.end(), [](const event &a, const event &b) { return a.begin < b.begin; });
    CHECK(hops.size() == 2 + 2 * sweeps);
    const int from = hops[0].rank, to = (from + 1) % ranks;
    for (std::size_t i = 0; i < hops.size(); ++i) {
      CHECK(hops[i].phase == (i == 0 ? "s" : i + 1 == hops.size() ? "f" : "t"));
      const bool at_sender = i == 0 || (i > 1 && i % 2 == 1);
      CHECK(hops[i].rank == (at_sender ? from : to));
      CHECK(is_in_a_span(events, hops[i]));
    }
  }
}

/// What each rank does: a ring of messages in regions, a reduction, a time loop, two sweeps.
void program() {
  admpi::tape tape;
  tape.start();
  std::vector<var> x(3, 1.0 + test::rank()), from(3);
  tape.input(x);
  for (int i = 0; i < rounds; ++i) {
    region halo("halo");
    AMPI_Request request;
    AMPI_Irecv(from.data(), 3, AMPI_ADOUBLE, test::left(), 5, test::world, &request);
    AMPI_Send(x.data(), 3, AMPI_ADOUBLE, test::right(), 5, test::world);
    AMPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int k = 0; k < 3; ++k) x[k] = x[k] * from[k] / static_cast<double>(1 + test::size());
  }
  double plain[2] = {1.0, 2.0};
  if (test::size() > 1) {
    AMPI_Request request;
    AMPI_Isend(plain, 2, MPI_DOUBLE, test::right(), 9, test::world, &request);
    AMPI_Recv(plain, 2, MPI_DOUBLE, test::left(), 9, test::world, MPI_STATUS_IGNORE);
    AMPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  std::vector<var> u(1, x[0]);
  admpi::time_loop loop(tape);
  loop.binomial(1);
  loop.state(u);
  loop.run(4, [&](std::int64_t) { u[0] = sin(u[0]); });
  var y = u[0] + x[1], all;
  AMPI_Allreduce(&y, &all, 1, AMPI_ADOUBLE, MPI_SUM, test::world);
  for (int i = 0; i < sweeps; ++i) {
    tape.seed(all);
    tape.reverse();
  }
}

void check_rank(const std::vector<event> &events, int rank, int ranks) {
  const int right = (rank + 1) % ranks, left = (rank + ranks - 1) % ranks;
  const std::vector<event> sends = named(events, rank, "AMPI_Send"), waits = named(events, rank, "AMPI_Wait");
  CHECK(sends.size() == rounds);
  for (const event &e : sends) {
    CHECK(e.category.empty());
    CHECK(e.peer == right && e.tag == 5 && e.bytes == 24);
  }
  CHECK(waits.size() == rounds + (ranks > 1 ? 1 : 0));
  CHECK(waits[0].category == "wait");
  CHECK(waits[0].peer == left && waits[0].tag == 5 && waits[0].bytes == 24);
  CHECK(named(events, rank, "AMPI_Irecv").size() == rounds);
  CHECK(named(events, rank, "AMPI_Allreduce").size() == 1);
  if (ranks > 1) {
    const std::vector<event> passive = named(events, rank, "AMPI_Recv");
    CHECK(passive.size() == 1 && passive[0].peer == left && passive[0].tag == 9 && passive[0].bytes == 16);
  }
  // The adjoint of a send is awaited from where it went; that of a receive goes to where it came from.
  const std::vector<event> awaited = named(events, rank, "Send (adjoint)"), sent = named(events, rank, "Recv (adjoint)");
  CHECK(awaited.size() == rounds * sweeps && sent.size() == rounds * sweeps);
  for (const event &e : awaited) CHECK(e.category == "wait" && e.peer == right && e.bytes == 24);
  for (const event &e : sent) CHECK(e.category == "adjoint" && e.peer == left && e.bytes == 24);
  CHECK(named(events, rank, "Allreduce (adjoint)").size() == sweeps);
  CHECK(named(events, rank, "time_loop").size() == sweeps);
  CHECK(named(events, rank, "record block").size() == 4 * sweeps);
  CHECK(named(events, rank, "reverse block").size() == 4 * sweeps);
  CHECK(!named(events, rank, "advance").empty());
  const std::vector<event> halos = named(events, rank, "halo");
  CHECK(halos.size() == rounds);
  CHECK(named(events, rank, "halo (adjoint)").size() == rounds * sweeps);
  CHECK(halos[0].begin <= sends[0].begin && sends[0].end <= halos[0].end);
  // It began before the trace, which begins on all ranks within a minute.
  const std::vector<event> early = named(events, rank, "under way");
  CHECK(early.size() == 1 && early[0].begin > -6e7);
  // Two of the program's, and those of the loop's nests.
  CHECK(named(events, rank, "reverse").size() == sweeps * (1 + 4));
}

void check_file(const std::string &file, int ranks) {
  std::ifstream in(file);
  std::stringstream text;
  text << in.rdbuf();
  CHECK(in.good());
  CHECK(parser(text.str()).is_value());
  const std::vector<event> events = events_of(text.str());
  check_nesting(events);
  for (int rank = 0; rank < ranks; ++rank) check_rank(events, rank, ranks);
  check_flows(events, ranks);
}

/// A file in a directory that is not there: an error that names it, on all ranks.
void check_unwritable() {
  setenv("ADMPI_TRACE", "/nowhere/at/all", 1);
  CHECK(admpi_init(MPI_COMM_WORLD) == ADMPI_ERR_DISK);
  const std::string text = admpi_last_error();
  CHECK(text.find("ADMPI_TRACE") != std::string::npos);
  CHECK(test::rank() != 0 || text.find("/nowhere/at/all: ") != std::string::npos);
}

}  // namespace

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  const int rank = test::rank(), ranks = test::size();
  check_unwritable();
  // Rank 0 decides; what the others have in their environment does not matter.
  const std::string file = "trace_of_" + std::to_string(ranks) + ".json";
  unsetenv("ADMPI_TRACE");
  {
    admpi::tape tape;
    tape.set_profile(true);
    const region under_way("under way");
    if (rank == 0) setenv("ADMPI_TRACE", file.c_str(), 1);
    CHECK(admpi_init(MPI_COMM_WORLD) == ADMPI_SUCCESS);
  }
  program();
  CHECK(admpi_finalize() == ADMPI_SUCCESS);
  if (rank == 0) {
    check_file(file, ranks);
    if (failures == 0) std::remove(file.c_str());
  }
  int all = 0;
  MPI_Allreduce(&failures, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  return all != 0;
}
