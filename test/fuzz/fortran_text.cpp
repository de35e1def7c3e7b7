// Any bytes as a source of Fortran with directives, in both forms: what is said has a place in the text, and what is inserted changes
// neither line nor column of a statement: without what stands between line markers the text is what it was.
#include "pass/fortran/Place.h"
#include "pass/fortran/References.h"
#include <cstdint>
#include <cstdlib>

using namespace dvmf;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size);

static unsigned linesOf(const std::string &T) {
  unsigned N = 0;
  for (char C : T)
    N += C == '\n';
  return N + (!T.empty() && T.back() != '\n');
}

static void checkStatement(const Statement &S, unsigned Lines) {
  if (S.At.size() != S.Text.size() + 1 || S.FirstLine > S.LastLine || S.LastLine > Lines)
    abort();
  for (size_t From : {size_t(0), S.Text.size() / 2})
    for (const Reference &R : referencesIn(S, From, S.Text.size()))
      if (R.Root.empty() || R.Root.size() != R.Name.size())
        abort();
}

static void place(const std::string &Raw, const Form &F) {
  const Placed P = placeDirectives(Raw, "a.f90", F, {});
  const unsigned Lines = linesOf(Raw);
  for (const Statement &S : P.Statements)
    checkStatement(S, Lines);
  for (const Complaint &C : P.Complaints)
    if (C.Text.empty())
      abort();
  if (!P.HasDirectives && linesOf(P.Text) != Lines + 1)
    abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  if (Size > 1 << 14)
    return 0;
  const std::string Raw(reinterpret_cast<const char *>(Data), Size);
  place(Raw, {true, 72});
  place(Raw, {false, 72});
  return 0;
}
