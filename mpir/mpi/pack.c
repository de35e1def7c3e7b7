/* Packing: native, and in the byte order and sizes of external32. */
#include "mpir/mpi/core.h"
#include "mpir/mpi/type.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

MPL_API(int, Pack_size, int count, MPI_Datatype t, MPI_Comm c, int *size) {
  (void)c;
  if (!t || t->magic != MPL_TYPE || count < 0)
    return mpl_error(c, count < 0 ? MPI_ERR_COUNT : MPI_ERR_TYPE, "MPI_Pack_size");
  *size = (int)(count * t->size);
  return MPI_SUCCESS;
}

MPL_API(int, Pack, const void *in, int count, MPI_Datatype t, void *out, int size, int *position, MPI_Comm c) {
  if (!t || t->magic != MPL_TYPE || count < 0)
    return mpl_error(c, count < 0 ? MPI_ERR_COUNT : MPI_ERR_TYPE, "MPI_Pack");
  if (*position + count * t->size > size)
    return mpl_error(c, MPI_ERR_TRUNCATE, "MPI_Pack");
  mpl_pack(t, count, in, (char *)out + *position);
  *position += (int)(count * t->size);
  return MPI_SUCCESS;
}

MPL_API(int, Unpack, const void *in, int size, int *position, void *out, int count, MPI_Datatype t, MPI_Comm c) {
  if (!t || t->magic != MPL_TYPE || count < 0)
    return mpl_error(c, count < 0 ? MPI_ERR_COUNT : MPI_ERR_TYPE, "MPI_Unpack");
  if (*position + count * t->size > size)
    return mpl_error(c, MPI_ERR_TRUNCATE, "MPI_Unpack");
  mpl_unpack(t, count, out, (const char *)in + *position, (size_t)(count * t->size));
  *position += (int)(count * t->size);
  return MPI_SUCCESS;
}

/* --- external32 (MPI 3.1, 13.5.2): big endian; long has 4 bytes, long double 16, of another format than the processor's --- */

struct external {
  char *at;
  size_t size;
  bool unpacks;
};

static void swap(char *to, const char *from, size_t n) {
  for (size_t i = 0; i < n; i++)
    to[i] = from[n - 1 - i];
}

/* 80 bits of the processor to the 128 of IEEE 754: the mantissa's leading bit is not written there. */
static void quad_from(char *to, const long double *x) {
  unsigned char raw[16] = {0}, q[16] = {0};
  memcpy(raw, x, 10);
  uint64_t mantissa;
  memcpy(&mantissa, raw, 8);
  uint16_t head;
  memcpy(&head, raw + 8, 2);
  mantissa <<= 1;
  q[0] = (unsigned char)(head >> 8), q[1] = (unsigned char)head;
  for (int i = 0; i < 8; i++)
    q[2 + i] = (unsigned char)(mantissa >> (56 - 8 * i));
  memcpy(to, q, 16);
}

static void quad_to(long double *x, const char *from) {
  const unsigned char *q = (const unsigned char *)from;
  unsigned char raw[16] = {0};
  uint16_t head = (uint16_t)(q[0] << 8 | q[1]);
  uint64_t mantissa = 0;
  for (int i = 0; i < 8; i++)
    mantissa = mantissa << 8 | q[2 + i];
  mantissa >>= 1;
  if (head & 0x7fff)
    mantissa |= 1ull << 63;
  memcpy(raw, &mantissa, 8);
  memcpy(raw + 8, &head, 2);
  memcpy(x, raw, sizeof(raw) < sizeof(*x) ? sizeof(raw) : sizeof(*x));
}

static size_t unit_of(enum mpl_basic basic) {
  switch (basic) {
  case MPL_B_CFLOAT: return sizeof(float);
  case MPL_B_CDOUBLE: return sizeof(double);
  case MPL_B_CLDOUBLE: return sizeof(long double);
  default: return mpl_basic_size(basic);
  }
}

static void external_basics(void *arg, char *at, enum mpl_basic basic, size_t n) {
  struct external *e = arg;
  size_t unit = unit_of(basic), units = n * mpl_basic_size(basic) / unit;
  bool quad = basic == MPL_B_LDOUBLE || basic == MPL_B_CLDOUBLE;
  for (size_t i = 0; e->at && i < units; i++) {
    char *native = at + i * unit, *foreign = e->at + i * unit;
    if (quad && e->unpacks)
      quad_to((long double *)native, foreign);
    else if (quad)
      quad_from(foreign, (const long double *)native);
    else
      swap(e->unpacks ? native : foreign, e->unpacks ? foreign : native, unit);
  }
  if (e->at)
    e->at += units * unit;
  e->size += units * unit;
}

static int is_external(const char *representation) { return strcmp(representation, "external32") == 0; }

MPL_API(int, Pack_external_size, const char representation[], int count, MPI_Datatype t, MPI_Aint *size) {
  if (!is_external(representation))
    return mpl_error(NULL, MPI_ERR_ARG, "MPI_Pack_external_size");
  *size = count * t->size;
  return MPI_SUCCESS;
}

MPL_API(int, Pack_external, const char representation[], const void *in, int count, MPI_Datatype t, void *out, MPI_Aint size, MPI_Aint *position) {
  if (!is_external(representation))
    return mpl_error(NULL, MPI_ERR_ARG, "MPI_Pack_external");
  if (*position + count * t->size > size)
    return mpl_error(NULL, MPI_ERR_TRUNCATE, "MPI_Pack_external");
  struct external e = {(char *)out + *position, 0, false};
  mpl_type_basics(t, count, in, external_basics, &e);
  *position += (MPI_Aint)e.size;
  return MPI_SUCCESS;
}

MPL_API(int, Unpack_external, const char representation[], const void *in, MPI_Aint size, MPI_Aint *position, void *out, int count, MPI_Datatype t) {
  if (!is_external(representation))
    return mpl_error(NULL, MPI_ERR_ARG, "MPI_Unpack_external");
  if (*position + count * t->size > size)
    return mpl_error(NULL, MPI_ERR_TRUNCATE, "MPI_Unpack_external");
  struct external e = {(char *)(uintptr_t)in + *position, 0, true};
  mpl_type_basics(t, count, out, external_basics, &e);
  *position += (MPI_Aint)e.size;
  return MPI_SUCCESS;
}
