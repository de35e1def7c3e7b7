// The text of a Fortran source as statements and directive lines, with the
// place of each character.  Knows fixed, tab and free form, continuation,
// comments and sentinels; knows nothing of flang.
#ifndef DVM_FORTRAN_LINES_H
#define DVM_FORTRAN_LINES_H
#include <string>
#include <string_view>
#include <vector>

namespace dvmf {

struct Position {
  unsigned Line = 0, Column = 0; // from 1; byte columns
  bool operator==(const Position &P) const { return Line == P.Line && Column == P.Column; }
  bool operator<(const Position &P) const { return Line != P.Line ? Line < P.Line : Column < P.Column; }
};

struct Statement {
  bool IsDirective = false;
  std::string Text; // without sentinel, label, comments and continuation marks
  std::vector<Position> At; // of each character of Text, and of its end
  std::string Label;
  Position Start; // of the label, if there is one
  unsigned FirstLine = 0,
           LastLine = 0;    // of the text; positions are those that line markers give
  bool Alone = true; // no other statement stands on its lines
  std::string File; // not the text's own: that of a line marker, or an included
                    // one, where FirstLine is that of the INCLUDE
};

struct Form {
  bool Fixed = false;
  unsigned Columns = 72; // of fixed form
};

// What '#line 7 "a.f"' or '# 7 "a.f"' makes of the lines behind it.
struct LineMap {
  std::string Own;   // the file that the text is said to be; empty: no marker
                     // before the first line says it
  std::string File;  // of the line at hand, if it is another one
  unsigned Line = 0; // its number there
  // Takes the next line of the text.  False: it is no line of the program.
  bool next(std::string_view S);

private:
  bool Any = false;
};

// 'Own', if given: the name that line markers give the text, or nothing.
std::vector<Statement> readStatements(std::string_view Raw, const Form &F, std::string *Own = nullptr);

// Small letters; without blanks outside of character constants.
std::string lower(std::string_view S);
std::string squeezed(std::string_view S);
bool isNameStart(char C);
bool isNameChar(char C);
} // namespace dvmf
#endif
