#include "References.h"
#include <algorithm>
#include <cctype>

using namespace dvmf;

namespace {
struct Walk {
  const Statement &S;
  std::vector<Reference> Out;
  size_t To;
  std::string Around = {}; // the name whose parentheses we are in

  char at(size_t I) const { return I < To ? S.Text[I] : '\0'; }
  size_t skipBlanks(size_t I) const {
    while (at(I) == ' ')
      ++I;
    return I;
  }
  size_t skipQuoted(size_t I) const {
    const char Quote = S.Text[I++];
    while (I < To && S.Text[I] != Quote)
      ++I;
    return std::min(I + 1, To);
  }
  size_t closing(size_t Open) const;
  size_t skipNumber(size_t I) const;
  size_t designator(size_t I, bool Inside);
  void expression(size_t From, size_t End, bool Inside);
  void statement(size_t From);
  size_t assignment(size_t From) const;
  size_t behindMask(size_t From) const;
};
} // namespace

// Behind the parenthesis that closes the one at 'Open'.
size_t Walk::closing(size_t Open) const {
  int Depth = 0;
  for (size_t I = Open; I < To;) {
    const char C = S.Text[I];
    if (C == '\'' || C == '"') {
      I = skipQuoted(I);
      continue;
    }
    Depth += C == '(' || C == '[' ? 1 : C == ')' || C == ']' ? -1 : 0;
    ++I;
    if (!Depth)
      return I;
  }
  return To;
}

// "1", "2.5d0", "1.e-3_8"; not the operator in "1.eq.i".
size_t Walk::skipNumber(size_t I) const {
  auto Digit = [&](size_t K) { return std::isdigit(static_cast<unsigned char>(at(K))) != 0; };
  while (Digit(I))
    ++I;
  if (at(I) == '.') {
    size_t K = I + 1;
    while (std::isalpha(static_cast<unsigned char>(at(K))))
      ++K;
    if (K == I + 1 || at(K) != '.') {
      ++I;
      while (Digit(I))
        ++I;
    }
  }
  const char E = static_cast<char>(std::tolower(static_cast<unsigned char>(at(I))));
  if ((E == 'e' || E == 'd' || E == 'q') && (Digit(I + 1) || ((at(I + 1) == '+' || at(I + 1) == '-') && Digit(I + 2)))) {
    I += 2;
    while (Digit(I))
      ++I;
  }
  if (at(I) == '_')
    while (isNameChar(at(I)))
      ++I;
  return I;
}

static std::string folded(const std::string &T) {
  std::string Out;
  for (char C : T)
    if (C != ' ' || (!Out.empty() && Out.back() != ' '))
      Out += C;
  while (!Out.empty() && Out.back() == ' ')
    Out.pop_back();
  return Out;
}

// A name with what belongs to it; returns what is behind.
size_t Walk::designator(size_t I, bool Inside) {
  Reference R;
  R.At = S.At[I];
  const size_t Begin = I;
  size_t End = I;
  while (isNameChar(at(End)))
    ++End;
  R.Name = S.Text.substr(Begin, End - Begin);
  R.Root = lower(R.Name);
  size_t Behind = skipBlanks(End);
  if (Inside && at(Behind) == '=' && at(Behind + 1) != '=') { // a keyword, or the variable of an implied DO
    return Behind + 1;
  }
  bool First = true;
  for (;;) {
    if (at(Behind) == '(') {
      const size_t Close = closing(Behind);
      if (First) {
        size_t From = Behind + 1;
        for (size_t K = From; K < Close; ++K) {
          if (S.Text[K] == '(' || S.Text[K] == '[')
            K = closing(K) - 1;
          else if (S.Text[K] == '\'' || S.Text[K] == '"')
            K = skipQuoted(K) - 1;
          else if (S.Text[K] == ',' || K + 1 == Close) {
            R.Subscripts.push_back(folded(S.Text.substr(From, K - From)));
            From = K + 1;
          }
        }
      }
      const std::string Outer = std::move(Around);
      Around = R.Root;
      expression(Behind + 1, Close - 1, true);
      Around = Outer;
      R.Subscripted = true;
      End = Close;
      Behind = skipBlanks(End);
      First = false;
      continue;
    }
    if (at(Behind) == '%') {
      Behind = skipBlanks(Behind + 1);
      while (isNameChar(at(Behind)))
        ++Behind;
      R.Subscripted = true;
      End = Behind;
      Behind = skipBlanks(End);
      First = false;
      continue;
    }
    break;
  }
  size_t Front = Begin;
  while (Front && S.Text[Front - 1] == ' ')
    --Front;
  const char Before = Front ? S.Text[Front - 1] : ' ', After = Behind < S.Text.size() ? S.Text[Behind] : ' ';
  if (Inside && (Before == '(' || Before == ',') && (After == ')' || After == ','))
    R.Argument = Around;
  R.Text = folded(S.Text.substr(Begin, End - Begin));
  Out.push_back(std::move(R));
  return End;
}

void Walk::expression(size_t From, size_t End, bool Inside) {
  const size_t Whole = To;
  To = std::min(To, End);
  for (size_t I = From; I < To;) {
    const char C = S.Text[I];
    if (C == '\'' || C == '"') {
      I = skipQuoted(I);
    } else if (C == '.' && std::isalpha(static_cast<unsigned char>(at(I + 1)))) { // .and.
      for (++I; I < To && S.Text[I] != '.';)
        ++I;
      ++I;
    } else if (std::isdigit(static_cast<unsigned char>(C)) || (C == '.' && std::isdigit(static_cast<unsigned char>(at(I + 1))))) {
      I = skipNumber(I);
    } else if (isNameStart(C)) {
      I = designator(I, Inside);
    } else if (C == '(') { // items in parentheses: implied DO
      const size_t Close = closing(I);
      expression(I + 1, Close - 1, true);
      I = Close;
    } else {
      ++I;
    }
  }
  To = Whole;
}

size_t Walk::assignment(size_t From) const {
  for (size_t I = From; I < To; ++I) {
    const char C = S.Text[I];
    if (C == '(' || C == '[') {
      I = closing(I) - 1;
      continue;
    }
    if (C == '\'' || C == '"') {
      I = skipQuoted(I) - 1;
      continue;
    }
    if (C != '=')
      continue;
    return at(I + 1) == '=' ? std::string::npos : I;
  }
  return std::string::npos;
}

// Behind the head of a WHERE or FORALL of one line; From: it is none.
size_t Walk::behindMask(size_t From) const {
  const std::string Word = lower(std::string_view(S.Text).substr(From, 6));
  size_t Open = From + (Word.rfind("where", 0) == 0 ? 5 : Word == "forall" ? 6 : S.Text.size());
  while (Open < To && S.Text[Open] == ' ')
    ++Open;
  return Open < To && S.Text[Open] == '(' ? closing(Open) : From;
}

// As it is executed: masks, right sides, targets.
void Walk::statement(size_t From) {
  if (const size_t Behind = behindMask(From); Behind != From) {
    expression(From, Behind, false);
    From = Behind;
  }
  const size_t Is = assignment(From);
  if (Is == std::string::npos)
    return expression(From, To, false);
  const bool Pointer = at(Is + 1) == '>';
  expression(Is + 1 + Pointer, To, false);
  expression(From, Is, false);
}

std::vector<Reference> dvmf::referencesIn(const Statement &S, size_t From, size_t To) {
  Walk W{S, {}, std::min(To, S.Text.size())};
  const std::string Before = lower(std::string_view(S.Text).substr(0, From));
  bool Items = false; // of input or output: '=' belongs to an implied DO
  for (const char *Word : {"print", "write", "read"})
    Items |= Before.find(Word) != std::string::npos;
  Items ? W.expression(From, W.To, true) : W.statement(From);
  return std::move(W.Out);
}
