// What the streams are connected to, and the few colours that are used when it is a terminal.
#pragma once
#include "options.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace profkit_tool {

enum class style { plain, heading, dim, good, warning, error };

struct terminal {
  bool is_terminal = false;  // the stream is a terminal
  bool color = false;
  std::size_t columns = 100;
  bool has_width = false;  // `columns` is that of a terminal, or was asked for; else a reader may take wider lines

  // `text` in a style; unchanged where colour is off.
  [[nodiscard]] std::string paint(std::string_view text, style s) const;
};

// Looks at a descriptor. Colour: --color wins, then NO_COLOR and TERM=dumb, then whether it is a terminal. Width: COLUMNS, then the
// terminal's, else 100; from 60 to 200.
terminal look_at_terminal(int descriptor, color_mode mode);

}  // namespace profkit_tool
