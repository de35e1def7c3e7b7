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
  const char *At = Text.begin();
  for (dvmrt_site_line Line; dvmrt_site_next_line(&At, Text.end(), &Line);)
    Do(Line.key, StringRef(Line.s, Line.n));
}

StringRef dvmir::siteLine(StringRef Text, char Key) {
  const char *At = Text.begin();
  for (dvmrt_site_line Line; dvmrt_site_next_line(&At, Text.end(), &Line);)
    if (Line.key == Key)
      return StringRef(Line.s, Line.n);
  return "";
}

uint32_t AccessText::touchFlags() const { return (Reads ? DVMRT_READ : 0) | (Writes ? DVMRT_WRITE : 0); }

AccessText AccessText::parse(StringRef Text) {
  AccessText A;
  uint64_t ElementSize = 0;
  eachLine(Text, [&](char Key, StringRef Rest) {
    switch (Key) {
    case DVMRT_ANY_KIND: {
      StringRef Kind = nextField(Rest);
      A.Reads = Kind == "r" || Kind == "m";
      A.Writes = Kind == "w" || Kind == "m";
      break;
    }
    case DVMRT_ACCESS_SIZE: A.Size = number<uint64_t>(nextField(Rest)); break;
    case DVMRT_ACCESS_CONSTRUCT: A.Cid = number<unsigned>(nextField(Rest)); break;
    case DVMRT_ACCESS_DISTRIBUTED:
      A.OfDistributed = true;
      if (auto Use = maybeNumber(nextField(Rest)))
        A.Use = *Use;
      break;
    case DVMRT_ACCESS_INDEX_VARIABLE: A.IndexNumber = number<unsigned>(nextField(Rest)); break;
    case DVMRT_ACCESS_INNER_SUBSCRIPT: // these come after all X lines
    case DVMRT_ACCESS_SUBSCRIPT: {
      StringRef Axis = nextField(Rest);
      A.Axes.push_back(Axis.consume_front("c") ? maybeNumber(Axis) : std::nullopt);
      break;
    }
    case DVMRT_ACCESS_BUFFERED: A.Buffered = true, A.Varies = Rest == "?"; break;
    case DVMRT_ACCESS_WHOLE: A.Whole = true; break;
    case DVMRT_ACCESS_LOOSE: A.Loose = true; break;
    case DVMRT_ACCESS_ELEMENT: ElementSize = number<uint64_t>(nextField(Rest)); break;
    case DVMRT_ACCESS_INNER_EXTENT: // likewise
    case DVMRT_ACCESS_EXTENT: A.Extents.push_back(maybeNumber(nextField(Rest))); break;
    case DVMRT_ACCESS_DECLARED:
      A.Declared.Line = number<unsigned>(nextField(Rest));
      A.Declared.Column = number<unsigned>(nextField(Rest));
      A.Declared.File = Rest;
      break;
    }
  });
  A.PartOfElement = ElementSize && ElementSize != A.Size;
  return A;
}

DirectiveText DirectiveText::parse(StringRef Text) {
  DirectiveText D;
  unsigned Counts[256] = {};
  eachLine(Text, [&](char Key, StringRef Rest) {
    unsigned Count = Counts[static_cast<unsigned char>(Key)]++;
    const dvmrt_site_line Line = {Key, Rest.data(), Rest.size()};
    StringRef Fields = Rest.take_front(dvmrt_site_signs(&Line));
    for (size_t At = Fields.find_first_of("#&"); At != StringRef::npos; At = Fields.find_first_of("#&", At + 1)) {
      D.Args.push_back({Key, Count, Fields[At] == '&'});
      if (Key == DVMRT_DIRECTIVE_REDUCTION && Fields[At] == '&' && At != Fields.find('&')) { // '& <bytes> <count>'
        StringRef After = Fields.drop_front(At + 2);
        nextField(After);
        D.Args.back().Location = maybeNumber(nextField(After)).value_or(0);
      }
    }
    switch (Key) {
    case DVMRT_ANY_KIND:
      D.Kind = nextField(Rest);
      D.Cid = number<unsigned>(nextField(Rest));
      break;
    case DVMRT_ANY_FILE: D.File = Rest; break;
    case DVMRT_DIRECTIVE_GROUP: D.Group = true; break;
    case DVMRT_DIRECTIVE_ON: D.Mapped = D.Kind == "parallel"; break; // a task's variables are shared with the other tasks
    case DVMRT_DIRECTIVE_LOOP:
      D.Loop.Line = number<unsigned>(nextField(Rest));
      D.Loop.Column = number<unsigned>(nextField(Rest));
      break;
    case DVMRT_DIRECTIVE_USE: {
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
