/* No directives at all: a program of lists, strings and function pointers. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct node {
  struct node *left, *right;
  char word[12];
  int count;
};

static struct node *insert(struct node *n, const char *word) {
  int order;
  if (!n) {
    n = malloc(sizeof *n);
    if (!n)
      exit(1);
    n->left = n->right = NULL;
    strncpy(n->word, word, sizeof n->word - 1);
    n->word[sizeof n->word - 1] = 0;
    n->count = 1;
    return n;
  }
  order = strcmp(word, n->word);
  if (order < 0)
    n->left = insert(n->left, word);
  else if (order > 0)
    n->right = insert(n->right, word);
  else
    n->count++;
  return n;
}

static void walk(const struct node *n, void (*visit)(const struct node *)) {
  if (n) {
    walk(n->left, visit);
    visit(n);
    walk(n->right, visit);
  }
}

static void show(const struct node *n) {
  printf("%s %d\n", n->word, n->count);
}

static void release(struct node *n) {
  if (n) {
    release(n->left);
    release(n->right);
    free(n);
  }
}

int main(void) {
  const char *text = "the cat and the dog and the bird; A cat!";
  struct node *root = NULL;
  char word[12];
  int n = 0;
  for (; *text; text++)
    if (isalpha((unsigned char)*text)) {
      if (n < 11)
        word[n++] = (char)tolower((unsigned char)*text);
    } else if (n) {
      word[n] = 0;
      root = insert(root, word);
      n = 0;
    }
  walk(root, show);
  release(root);
  return 0;
}
