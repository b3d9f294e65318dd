// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace shardstone::collectives {

/// The text in lines of at most this many characters (code points), broken at blanks.
std::vector<std::string> wrapped_lines(std::string_view text, int most_characters);

/// Number of visible characters.
int characters(std::string_view utf8);

/// One SVG drawing, written element by element. Coordinates are whole pixels, so that a drawing is
/// the same file on every machine. Styles are in the style sheet, by class.
class Svg {
  public:
    /// `title` is the text alternative; `fine` makes lines thinner and arrowheads smaller;
    /// `classes` are additional rules for the style sheet.
    Svg(int width, int height, std::string_view title, bool fine, std::string_view classes = {});

    void text(int x, int y, std::string_view classes, std::string_view words);
    void line(int x1, int y1, int x2, int y2, std::string_view classes);
    void rectangle(int x, int y, int width, int height, std::string_view classes);
    /// A rectangle with sharp corners and a tooltip, which may be empty.
    void bar(int x, int y, int width, int height, std::string_view classes,
             std::string_view tooltip);
    /// A straight line with the ends given by its classes; `tooltip` may be empty.
    void arrow(int x1, int y1, int x2, int y2, std::string_view classes, std::string_view tooltip);

    /// The file; the drawing must not be used afterwards.
    std::string finish();

  private:
    std::string out_;
};

}  // namespace shardstone::collectives
