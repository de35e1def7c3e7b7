// The text of a Fortran source as statements and directive lines, with the place of each character.  Knows fixed, tab and free
// form, continuation, comments and sentinels; knows nothing of flang.
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
  std::string Text;          // without sentinel, label, comments and continuation marks
  std::vector<Position> At;  // of each character of Text, and of its end
  std::string Label;
  Position Start;            // of the label, if there is one
  unsigned FirstLine = 0, LastLine = 0;
  bool Alone = true;         // no other statement stands on its lines
  std::string File;          // a directive of an included file: At and Start are places there, FirstLine that of the INCLUDE
};

struct Form {
  bool Fixed = false;
  unsigned Columns = 72; // of fixed form
};

std::vector<Statement> readStatements(std::string_view Raw, const Form &F);

// Small letters; without blanks outside of character constants.
std::string lower(std::string_view S);
std::string squeezed(std::string_view S);
bool isNameStart(char C);
bool isNameChar(char C);
} // namespace dvmf
#endif
