// A cursor over the text of a directive.
#ifndef DVM_FORTRAN_CURSOR_H
#define DVM_FORTRAN_CURSOR_H
#include "Directive.h"

namespace dvmf {

class Cursor {
  const std::string &S;

public:
  size_t At = 0;
  Mistake &M;

  Cursor(const std::string &Text, Mistake &Mistake) : S(Text), M(Mistake) {}
  void blanks();
  bool atEnd();
  bool at(char C);
  bool take(char C); // false: it is not there, and nothing is said
  bool expect(char C, const std::string &Where);
  bool fail(const std::string &Text, const std::string &Help = "");
  bool fail(size_t At, const std::string &Text, const std::string &Help = "");
  std::string found(); // "found 'x'"
  // A name in small letters, or nothing.
  std::string peekWord();
  bool takeWord(const char *Word); // in small letters
  bool name(std::string &Out, const std::string &What);
  // Up to a ',', ':' or closing parenthesis outside of parentheses; may be
  // empty.
  std::string expression();
  size_t position() {
    blanks();
    return At;
  }
};

// 'coef * name + add' of the expression, where it is of that form.
void splitAffine(const std::string &Text, const std::vector<std::string> &Names, Axis &X);
} // namespace dvmf
#endif
