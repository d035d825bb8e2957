#pragma once

#include <string>
#include <vector>

namespace tailwave {

struct RenderedChart {
  std::string svg;      // a whole file; the same spec gives the same bytes
  std::string failure;  // why there is no picture, no full stop; "": there is one
};

// Turns Vega-Lite into pictures. That needs a program which a machine may lack: then every chart fails with the reason.
class ChartRenderer {
 public:
  virtual ~ChartRenderer() = default;
  // One result for each spec, in their order. Throws nothing for a spec that cannot be drawn.
  virtual std::vector<RenderedChart> render(const std::vector<std::string>& specs) = 0;
  // False: nobody asked for pictures, so that none is missing; those of an earlier report stay.
  [[nodiscard]] virtual bool draws() const { return true; }
  // Changes where the same spec may give another picture.
  [[nodiscard]] virtual std::string version() const { return ""; }
};

}  // namespace tailwave
