#include "SiteText.h"
#include "runtime/abi.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace dvmir;

static StringRef nextField(StringRef &Rest) {
  auto [Field, After] = Rest.split(' ');
  Rest = After;
  return Field;
}

template <typename T> static T number(StringRef Field, T Otherwise = 0) {
  T Value;
  return Field.getAsInteger(10, Value) ? Otherwise : Value;
}

static std::optional<int64_t> maybeNumber(StringRef Field) {
  int64_t Value;
  if (Field.getAsInteger(10, Value))
    return std::nullopt;
  return Value;
}

// Calls 'Do(key, rest)' for each line.
template <typename F> static void eachLine(StringRef Text, F Do) {
  while (!Text.empty()) {
    auto [Line, After] = Text.split('\n');
    Text = After;
    if (!Line.empty())
      Do(Line[0], Line.drop_front(std::min<size_t>(2, Line.size())));
  }
}

uint32_t AccessText::touchFlags() const { return (Reads ? DVMRT_READ : 0) | (Writes ? DVMRT_WRITE : 0); }

AccessText AccessText::parse(StringRef Text) {
  AccessText A;
  uint64_t ElementSize = 0;
  eachLine(Text, [&](char Key, StringRef Rest) {
    switch (Key) {
    case 'K': {
      StringRef Kind = nextField(Rest);
      A.Reads = Kind == "r" || Kind == "m";
      A.Writes = Kind == "w" || Kind == "m";
      break;
    }
    case 'S': A.Size = number<uint64_t>(nextField(Rest)); break;
    case 'C': A.Cid = number<unsigned>(nextField(Rest)); break;
    case 'D':
      A.OfDistributed = true;
      if (auto Use = maybeNumber(nextField(Rest)))
        A.Use = *Use;
      break;
    case 'I': A.IndexNumber = number<unsigned>(nextField(Rest)); break;
    case 'x': // these come after all X lines
    case 'X': {
      StringRef Axis = nextField(Rest);
      A.Axes.push_back(Axis.consume_front("c") ? maybeNumber(Axis) : std::nullopt);
      break;
    }
    case 'M': A.Buffered = true, A.Varies = Rest == "?"; break;
    case 'L': A.Whole = true; break;
    case 'E': ElementSize = number<uint64_t>(nextField(Rest)); break;
    case 'b': // likewise
    case 'B': A.Extents.push_back(maybeNumber(nextField(Rest))); break;
    case 'Q':
      A.Declared.Line = number<unsigned>(nextField(Rest));
      A.Declared.Column = number<unsigned>(nextField(Rest));
      A.Declared.File = Rest;
      break;
    }
  });
  A.PartOfElement = ElementSize && ElementSize != A.Size;
  return A;
}

// The part of a line that may hold '#' and '&': free text at its end is left out.
static StringRef withoutFreeText(char Key, StringRef Rest) {
  if (Key == 'F' || Key == 'K' || Key == 'P' || Key == 'Q')
    return "";
  if (Key == 'X' && Rest.starts_with("o"))
    return "";
  return Rest;
}

DirectiveText DirectiveText::parse(StringRef Text) {
  DirectiveText D;
  unsigned Counts[256] = {};
  eachLine(Text, [&](char Key, StringRef Rest) {
    unsigned Count = Counts[static_cast<unsigned char>(Key)]++;
    StringRef Fields = withoutFreeText(Key, Rest);
    for (size_t At = Fields.find_first_of("#&"); At != StringRef::npos; At = Fields.find_first_of("#&", At + 1)) {
      D.Args.push_back({Key, Count, Fields[At] == '&'});
      if (Key == 'R' && Fields[At] == '&' && At != Fields.find('&')) { // '& <bytes> <count>'
        StringRef After = Fields.drop_front(At + 2);
        nextField(After);
        D.Args.back().Location = maybeNumber(nextField(After)).value_or(0);
      }
    }
    switch (Key) {
    case 'K':
      D.Kind = nextField(Rest);
      D.Cid = number<unsigned>(nextField(Rest));
      break;
    case 'F': D.File = Rest; break;
    case 'J': D.Group = true; break;
    case 'O': D.Mapped = D.Kind == "parallel"; break; // a task's variables are shared with the other tasks
    case 'Q':
      D.Loop.Line = number<unsigned>(nextField(Rest));
      D.Loop.Column = number<unsigned>(nextField(Rest));
      break;
    case 'U': {
      StringRef Name = nextField(Rest);
      nextField(Rest); // '&'
      D.Uses.push_back({Name, Rest.empty() ? '?' : Rest[0]});
      break;
    }
    }
  });
  D.Loop.File = D.File;
  return D;
}
