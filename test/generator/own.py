#!/usr/bin/env python3
"""Writes a C program whose nests use data of their own: private arrays, arrays and structs of the body or of its inner loops.

own.py SEED [NESTS]

Some of what they read has no value, some subscripts are outside.  What the checker says must not depend on whether a nest is
proved at its entry ('summaries=0').
"""
import random
import sys

TYPES = ["double", "double", "float", "int", "char", "short", "long", "struct pair"]
N = 5
OPEN = [*range(0, 14), *range(28, 33), *range(298, 303)] # bounds that variables of the file have
HEAD = """#include <stdio.h>
#include <string.h>
#define N %d
struct pair {
  int a;
  double b;
};
#pragma dvm array distribute[block]
static double s[N];
static int zero, two = 2;
%s
static double after;
static void give(double *r) { *r = 3; }
static void give2(double *p, int n) { for (int q = 0; q < n; q++) p[q] = q; }
static double take(const double *p) { return p[0] + p[1]; }
static void set_pair(struct pair *p, int a) { p->a = a; p->b = a; }
static void half_pair(struct pair *p, int a) { p->a = a; }
""" % (N, "\n".join("static int v%d = %d;" % (n, n) for n in OPEN))


class Array:
    def __init__(self, name, type_, dims, place):
        self.name, self.type, self.dims, self.place = name, type_, dims, place
        self.row = False  # its extents are variables

    def declare(self, init=""):
        return "%s %s%s%s;" % (self.type, self.name, "".join("[%s%d]" % ("v" if self.row else "", d) for d in self.dims), init)


class Nest:
    def __init__(self, r, number):
        self.r, self.number = r, number
        self.lines, self.depth, self.counters, self.arrays = [], 1, [], []
        self.names = 0
        self.shared = "m%d" % number
        self.wrong = r.choice([0, 0, 0.02, 0.06, 0.15])

    def put(self, text):
        self.lines.append("  " * self.depth + text)

    def chance(self, p):
        return self.r.random() < p

    def name(self, stem):
        self.names += 1
        return "%s%d_%d" % (stem, self.number, self.names)

    # ---- Loops ----

    def loop(self, body, low, high, forms="uudnxctTwLUgboooOp"):
        """Calls body in a loop of a counter from low to high - 1, or what a small mistake makes of it."""
        r, k = self.r, self.name("k")
        step = r.choice([1, 1, 1, 1, 2, 3]) if self.chance(0.3) else 1
        if self.chance(self.wrong):
            high += r.choice([-1, 1, -2])
        if self.chance(self.wrong):
            low += r.choice([1, -1])
        form = r.choice(forms) if self.chance(0.5) else "u"
        inc = "%s++" % k if step == 1 else "%s += %d" % (k, step)
        dec = "%s--" % k if step == 1 else "%s -= %d" % (k, step)
        close = "}"
        if form == "d":
            head = "for (int %s = %d; %s >= %d; %s) {" % (k, high - 1, k, low, dec)
        elif form == "n":
            head = "for (int %s = %d; %s <= %d; %s) {" % (k, low, k, high - 1, inc)
        elif form == "x" and low >= step:
            head = "for (unsigned %s = %d; %s > %d; %s) {" % (k, max(high - 1, 0), k, low - 1, dec)
        elif form == "c" and -120 < low and high < 120:
            head = "for (%s %s = %d; %s < %d; %s) {" % (r.choice(["char", "unsigned char", "short"]), k, max(low, 0), k, high, inc)
        elif form == "t" and self.counters:
            head = "for (int %s = %s; %s < %d; %s) {" % (k, r.choice(self.counters)[0], k, high, inc)
        elif form == "T" and self.counters:
            head = "for (int %s = %d; %s <= %s; %s) {" % (k, low, k, r.choice(self.counters)[0], inc)
        elif form == "w":
            self.put("int %s = %d;" % (k, low))
            head, close = "while (%s < %d) {" % (k, high), "  %s;\n%s}" % (inc, "  " * self.depth)
        elif form == "g" and self.shared not in [c[0] for c in self.counters]:
            k = self.shared
            if self.chance(1 - self.wrong * 2):
                self.put("%s = %d;" % (k, low))
            head = "for (; %s < %d; %s += %d) {" % (k, high, k, step)
        elif form == "b" and low == 0 and high > 2:
            type_ = r.choice(["unsigned", "unsigned char", "unsigned long"])
            head = "for (%s %s = %d; %s >= 1; %s) {" % (type_, k, high - 1, k, dec if step == 1 else k + "--")
        elif form == "o" and high in OPEN:
            head = "for (int %s = %d; %s < v%d; %s) {" % (k, low, k, high, inc)
        elif form == "O" and high in OPEN:
            head = "for (int %s = v%d - 1; %s >= %d; %s) {" % (k, high, k, low, dec)
        elif form == "p" and low in OPEN and high in OPEN:
            head = "for (int %s = v%d; %s <= v%d - 1; %s) {" % (k, low, k, high, inc)
        elif form == "L":
            head = "for (long %s = %d; %s < %d; %s) {" % (k, low, k, high, inc)
        elif form == "U":
            head = "for (unsigned %s = %d; %s < %d; %s) {" % (k, max(low, 0), k, max(high, 0), inc)
        else:
            head = "for (int %s = %d; %s < %d; %s) {" % (k, low, k, high, inc)
        self.put(head)
        self.counters.append((k, low, high))
        self.depth += 1
        seen = len(self.arrays)
        if self.chance(self.wrong):
            end = r.choice(["break", "continue"]) if close == "}" else "break" # 'while' counts at its end
            self.put("if (%s %s) %s;" % (k, r.choice(["== 1", "> 3", "== i"]), end))
        body(k)
        if self.chance(self.wrong / 2):
            self.put("if (%s == 2) break;" % k)
        del self.arrays[seen:]
        self.depth -= 1
        self.counters.pop()
        self.put(close)

    def block(self, body):
        self.depth += 1
        seen = len(self.arrays)
        body()
        del self.arrays[seen:]
        self.depth -= 1

    # ---- Subscripts ----

    def subscript(self, extent):
        r, tries = self.r, []
        for k, low, high in self.counters:
            c = r.randrange(-2, 4)
            tries += [(k, low, high), (k, low, high), ("%s + %d" % (k, c), low + c, high + c),
                      ("%d - %s" % (extent - 1, k), extent - high, extent - low), ("2 * %s" % k, 2 * low, 2 * high - 1)]
        if len(self.counters) > 1:
            (k, a, b), (l, c, d) = r.sample(self.counters, 2)
            tries += [("%s + %s" % (k, l), a + c, b + d - 1)]
        r.shuffle(tries)
        for text, low, high in tries:
            if low >= 0 and high <= extent or self.chance(self.wrong / 4) and low >= -1 and high <= extent + 2:
                return text
        if self.chance(self.wrong / 8):
            return str(extent)
        return str(r.choice([0, extent - 1, r.randrange(extent)]))

    def element(self, a):
        text = a.name + "".join("[%s]" % self.subscript(d) for d in a.dims)
        return text

    def scalar(self, a):
        text = self.element(a)
        return text + self.r.choice([".a", ".b"]) if a.type.startswith("struct") else text

    # ---- Statements ----

    def value(self, depth=0):
        r = self.r
        if self.arrays and depth < 2 and self.chance(0.4):
            return self.scalar(r.choice(self.arrays))
        return r.choice(["i", "1", "2"] + [k for k, _, _ in self.counters])

    def assign(self, a, text):
        r = self.r
        if a.type.startswith("struct"):
            if self.chance(0.4):
                self.put("%s = (struct pair){%s, 2};" % (text, "i"))
            elif self.chance(0.3):
                self.put("%s(&%s, i);" % (r.choice(["set_pair", "set_pair", "half_pair"]) if self.wrong else "set_pair", text))
            else:
                self.put("%s.a = i;" % text)
                if not self.chance(self.wrong):
                    self.put("%s.b = 1;" % text)
        elif a.type == "double" and self.chance(0.1):
            self.put("give(&%s);" % text)
        else:
            self.put("%s = i;" % text)

    def fill(self, a):
        """All elements, one loop for each dimension."""
        r = self.r
        if self.chance(0.08):
            return self.put("memset(%s%s, 0, sizeof(%s));" % ("&" if not a.dims else "", a.name, a.name))
        if a.type == "double" and len(a.dims) == 1 and self.chance(0.06):
            return self.put("give2(%s, %d);" % (a.name, a.dims[0] - (self.chance(self.wrong))))
        order = list(range(len(a.dims)))
        r.shuffle(order)
        counters = {}

        def inner(rest):
            if not rest:
                text = a.name + "".join("[%s]" % counters[d] for d in range(len(a.dims)))
                if self.chance(self.wrong):
                    self.put("if (%s)" % r.choice(["i != 2", "two == 2", "zero"]))
                    self.put("{")
                    self.assign(a, text)
                    return self.put("}")
                return self.assign(a, text)

            def within(k):
                d = rest[0]
                counters[d] = k if self.chance(0.8) else "%d - %s" % (a.dims[d] - 1, k)
                inner(rest[1:])

            if self.chance(0.1) and a.dims[rest[0]] < 5:
                for e in range(a.dims[rest[0]]):
                    if not self.chance(self.wrong):
                        counters[rest[0]] = str(e)
                        inner(rest[1:])
                return None
            return self.loop(within, 0, a.dims[rest[0]], "udnnwLUxgb")

        if self.chance(self.wrong * 2) and r.random() < 0.5:
            trips = r.choice(["two", "zero", "1", "0", "2", "i"])
            l = self.name("l")
            self.put("for (int %s = 0; %s < %s; %s++) {" % (l, l, trips, l))
            self.block(lambda: inner(order))
            self.put("}")
        elif self.chance(self.wrong):
            label = self.name("on")
            self.put("if (%s) goto %s;" % (r.choice(["zero", "i == 3", "two == 2"]), label))
            inner(order)
            self.put("%s:;" % label)
        elif self.chance(self.wrong):
            l = self.name("l")
            self.put("int %s = 0;" % l)
            self.put("do {")
            self.block(lambda: inner(order))
            self.put("} while (++%s < %s);" % (l, r.choice(["two", "1", "0"])))
        elif self.chance(self.wrong):
            self.put("switch (%s) {" % r.choice(["two", "i", "zero"]))
            self.put("case %d:;" % r.randrange(4))
            self.block(lambda: inner(order))
            self.put("default:;")
            self.put("}")
        else:
            inner(order)
        return None

    def use(self, a):
        r = self.r

        def leaf():
            kind = r.random()
            text = self.scalar(a)
            if kind < 0.6:
                self.put("sum += %s;" % text)
            elif kind < 0.7:
                self.put("%s %s %s;" % (text, r.choice(["+=", "-="]), self.value()))
            elif kind < 0.8:
                self.put("%s = %s;" % (text, self.value()))
            elif kind < 0.85 and a.type.startswith("struct"):
                self.put("%s = %s;" % (self.element(a), self.element(a)))
            elif kind < 0.9 and a.type == "double" and len(a.dims) == 1 and a.dims[0] > 1:
                self.put("sum += take(%s%s);" % (a.name, "" if self.chance(0.7) else " + %d" % r.randrange(a.dims[0] - 1)))
            elif kind < 0.95:
                self.put("sum += i > 1 ? %s : %s;" % (text, self.scalar(a)))
            else:
                self.put("%s++;" % text)

        levels = r.choice([0, 1, 1, len(a.dims), len(a.dims)])

        def inner(n):
            if n == 0:
                return leaf()
            extent = a.dims[(n - 1) % len(a.dims)] if a.dims else 2
            low = 0 if self.chance(0.8) else min(1, extent - 1)
            return self.loop(lambda k: inner(n - 1), low, extent - (extent > 2 and self.chance(0.2)))

        inner(levels)

    def local(self):
        r = self.r
        a = self.array("t")
        init = ""
        if self.chance(0.15) and len(a.dims) < 2 and not a.type.startswith("struct"):
            init = r.choice([" = {0}", " = {1}"])
        a.row = not init and a.dims and all(d in OPEN for d in a.dims) and self.chance(0.3)
        self.put(a.declare(init))
        self.arrays.append(a)
        if not init and not self.chance(self.wrong):
            self.fill(a)

    def array(self, stem):
        r = self.r
        rank = r.choice([0, 1, 1, 1, 1, 2, 2, 3])
        sizes = [1, 2, 3, 4, 5, 7] if rank > 1 or self.chance(0.85) else [63, 64, 65, 100, 300]
        dims = [r.choice(sizes) for _ in range(rank)]
        return Array(self.name(stem), r.choice(TYPES), dims, stem)

    def statements(self, count, level=0):
        r = self.r
        for _ in range(count):
            kind = r.random()
            if kind < 0.2 and level < 3 or not self.arrays:
                self.local()
            elif kind < 0.4:
                self.fill(r.choice(self.arrays))
            elif kind < 0.5 and level < 2:
                self.loop(lambda k: self.statements(r.randrange(1, 4), level + 1), 0, r.choice([1, 2, 3, 4]))
            else:
                self.use(r.choice(self.arrays))

    def write(self):
        r = self.r
        private = [self.array("g") for _ in range(r.choice([0, 0, 1, 1, 2]))]
        private = [a for a in private if a.dims or a.type.startswith("struct")]
        where = [self.chance(0.75) for _ in private]
        out = ["static " + a.declare() for a, far in zip(private, where) if far]
        out += ["static void n%d(void) {" % self.number]
        out += ["  " + a.declare() for a, far in zip(private, where) if not far]
        clause = " private(%s)" % ", ".join(a.name for a in private) if private else ""
        out += ["#pragma dvm parallel([i] on s[i])" + clause, "  for (int i = 0; i < N; i++) {"]
        self.depth = 2
        self.put("double sum = 0;")
        self.put("int %s = 0;" % self.shared)
        for a in private:
            self.arrays.append(a)
            if not self.chance(self.wrong):
                self.fill(a)
        self.statements(r.randrange(1, 6))
        self.put("s[i] = sum;")
        out += self.lines + ["  }"]
        self.depth, self.lines, self.counters = 1, [], []
        for a in private:
            if self.chance(self.wrong):
                self.put("after += %s;" % self.scalar(a))
        return out + self.lines + ["}"]


def program(seed, nests=20):
    r = random.Random(seed)
    out = [HEAD]
    for n in range(nests):
        out += Nest(r, n).write()
    out += ["int main(void) {", "  double sum;"]
    for n in range(nests):
        out += ["  sum = 0;", "  n%d();" % n, "#pragma dvm parallel([i] on s[i]) reduction(sum(sum))",
                "  for (int i = 0; i < N; i++)", "    sum += s[i];", '  printf("%d %%g\\n", sum);' % n]
    return "\n".join(out + ["  return 0;", "}"]) + "\n"


if __name__ == "__main__":
    sys.stdout.write(program(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 20))
