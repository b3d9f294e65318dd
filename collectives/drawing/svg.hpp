// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace shardstone::collectives {

/// Text as XML takes it, in elements and in attributes.
std::string xml_escaped(std::string_view text);

/// The text in lines of at most so many characters (code points), broken at blanks.
std::vector<std::string> wrapped_lines(std::string_view text, int most_characters);

/// Characters as a reader counts them.
int characters(std::string_view utf8);

/// One SVG drawing, written element by element. Coordinates are whole pixels, so that a drawing is
/// the same file wherever it is made. Looks are in the style sheet, by class.
class Svg {
  public:
    /// `title` is what a reader who sees no picture is told; `fine` makes lines thinner and heads
    /// smaller; `classes` are rules of a drawing's own for the style sheet.
    Svg(int width, int height, std::string_view title, bool fine, std::string_view classes = {});

    void text(int x, int y, std::string_view classes, std::string_view words);
    void line(int x1, int y1, int x2, int y2, std::string_view classes);
    void rectangle(int x, int y, int width, int height, std::string_view classes);
    /// A rectangle with sharp corners and a tooltip, which may be empty.
    void bar(int x, int y, int width, int height, std::string_view classes,
             std::string_view tooltip);
    /// A straight line with whatever ends its classes give it; `tooltip` may be empty.
    void arrow(int x1, int y1, int x2, int y2, std::string_view classes, std::string_view tooltip);

    /// The file; the drawing is spent.
    std::string finish();

  private:
    std::string out_;
};

}  // namespace shardstone::collectives
