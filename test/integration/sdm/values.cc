// What an editor unfolds: classes with bases, nested arrays, containers, pointers, large arrays; and what it stops at.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <list>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

struct Base {
  int id = 7;
  virtual ~Base() = default;
};

struct Other {
  double weight = 2.5;
};

struct Derived : Base, Other {
  int grid[2][3] = { { 1, 2, 3 }, { 4, 5, 6 } };
  std::string name = "derived";
  unsigned low : 3, high : 5;
  Derived() : low(6), high(9) {}
};

static double big[1 << 20];

static int fill(int count) {
  int sum = 0;
  for (int i = 0; i < count; i++)
    sum += i; // passed
  return sum;
}

static void complain(const char *why) { throw std::runtime_error(why); }

static int weigh(Derived d, int n) { return d.id + n; }

int main(int argc, char **argv) {
  Derived d;
  Base *b = &d;
  Derived &r = d;
  std::vector<int> v = { 10, 20, 30 };
  std::map<std::string, std::vector<double>> m = { { "one", { 1.5 } }, { "two", { 2.5, 3.5 } } };
  auto owner = std::make_unique<Derived>();
  std::list<int> l = { 1, 2 };
  int x = 5, *px = &x, **ppx = &px;
  const char *text = "hello";
  big[1000000] = 42;
  x = fill(3) + static_cast<int>(v.size() + m.size() + l.size()) + r.id + b->id; // all are there
  std::printf("%d %s %d\n", **ppx, text, owner->id);
  if (argc > 1 && !std::strcmp(argv[1], "throw"))
    try {
      complain(weigh(d, 2) ? "too much" : "");
    } catch (const std::exception &e) {
      std::printf("caught %s\n", e.what());
    }
  if (argc > 1 && !std::strcmp(argv[1], "crash"))
    std::abort();
  return 0;
}
