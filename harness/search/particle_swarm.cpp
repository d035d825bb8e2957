// Particles fly through the ranks of values, drawn to the best place of their own and to that of all.
#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "search/kinds.h"
#include "search/point_by_point.h"

namespace tailwave::search {
namespace {

class ParticleSwarm : public PointByPoint {
 public:
  ParticleSwarm(const SearchProblem& problem, const StrategyOptions& options)
      : PointByPoint(problem),
        size_(static_cast<std::size_t>(options.at("particles"))),
        inertia_(options.at("inertia")),
        own_(options.at("own")),
        social_(options.at("social")) {}

 protected:
  std::optional<Point> propose() override {
    if (proposed_ < size_ || particles_.size() < 2) {
      ++proposed_;
      return any_point();
    }
    turn_ = (turn_ + 1) % particles_.size();
    fly(particles_[turn_]);
    const Point found = repaired(digits_);
    Point point = found;
    for (std::size_t count = 1; is_asked(point) && count <= digits_.size(); ++count)
      point = mutated(found, count);
    flights_[point] = turn_;
    return point;
  }

  void judge(Point point, double cost) override {
    if (particles_.size() < size_) {
      const auto digits = space().digits(point);
      Particle& particle = particles_.emplace_back();
      for (std::size_t i = 0; i < digits.size(); ++i) particle.ranks.push_back(space().rank(i, digits[i]));
      particle.velocity.assign(digits.size(), 0);
      remember(particle, point, cost);
      return;
    }
    const auto flight = flights_.find(point);
    if (flight == flights_.end()) return;
    remember(particles_[flight->second], point, cost);
    flights_.erase(flight);
  }

 private:
  struct Particle {
    std::vector<double> ranks, velocity;  // of each parameter
    Point best = 0;
    double cost = kFailed;
    bool judged = false;
  };

  void remember(Particle& particle, Point point, double cost) {
    if (!particle.judged || cost <= particle.cost) {
      particle.best = point;
      particle.cost = cost;
      particle.judged = true;
    }
    if (!swarm_judged_ || cost < swarm_cost_) {
      swarm_best_ = point;
      swarm_cost_ = cost;
      swarm_judged_ = true;
    }
  }

  // Leaves the digits of the place nearest to the particle's in digits_.
  void fly(Particle& particle) {
    const auto own = space().digits(particle.best), all = space().digits(swarm_best_);
    digits_.resize(own.size());
    for (std::size_t i = 0; i < own.size(); ++i) {
      const auto last = static_cast<double>(space().parameters()[i].values.size() - 1);
      double& rank = particle.ranks[i];
      if (space().is_ordered(i)) {
        double& velocity = particle.velocity[i];
        velocity = inertia_ * velocity + own_ * random().uniform() * (space().rank(i, own[i]) - rank) +
                   social_ * random().uniform() * (space().rank(i, all[i]) - rank);
        velocity = std::clamp(velocity, -last, last);
        rank = std::clamp(rank + velocity, 0.0, last);
      } else {
        rank = space().rank(i, drawn(static_cast<std::uint16_t>(rank), own[i], all[i], i));
      }
      digits_[i] = space().digit(i, static_cast<std::uint16_t>(std::lround(rank)));
    }
  }

  // Without an order there is no way to go: the value stays, or is one of the best, in proportion to the weights.
  std::uint16_t drawn(std::uint16_t rank, std::uint16_t own, std::uint16_t all, std::size_t parameter) {
    const double draw = random().uniform() * (inertia_ + own_ + social_);
    if (draw < inertia_) return space().digit(parameter, rank);
    return draw < inertia_ + own_ ? own : all;
  }

  std::size_t size_;
  double inertia_, own_, social_;
  std::size_t proposed_ = 0, turn_ = 0;
  std::vector<Particle> particles_;
  std::unordered_map<Point, std::size_t> flights_;  // the particles that are on the way to a point
  std::vector<std::uint16_t> digits_;
  Point swarm_best_ = 0;
  double swarm_cost_ = kFailed;
  bool swarm_judged_ = false;
};

}  // namespace

StrategyKind particle_swarm() {
  return {"particle_swarm",
          "particles fly through the values, drawn to the best place of their own and to that of all",
          "Kennedy & Eberhart, \"Particle swarm optimization\", ICNN 1995; inertia after Shi & Eberhart, "
          "\"A modified particle swarm optimizer\", ICEC 1998",
          {{"particles", 10, 2, 1e6, "in the swarm"},
           {"inertia", 0.5, 0, 2, "share of its velocity that a particle keeps"},
           {"own", 1, 0, 10, "pull of the best place that the particle itself found"},
           {"social", 2, 0, 10, "pull of the best place that any particle found"}},
          [](const SearchProblem& problem, const StrategyOptions& options) {
            return std::make_unique<ParticleSwarm>(problem, options);
          }};
}

}  // namespace tailwave::search
