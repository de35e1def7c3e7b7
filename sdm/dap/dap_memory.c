/* Memory and machine code for the DAP adapter.  A reference to memory is "RANK:ADDRESS", or an address of the lowest rank that stands. */
#include <stdlib.h>
#include <string.h>

#include "sdm/dap/base64.h"
#include "sdm/dap/dap_private.h"

#define MEMORY_MAX (16 << 20) /* bytes at once */
#define PIECE (256 << 10)      /* .. of one answer of a server */
#define CODE_MAX 5000        /* instructions at once */

/* Rank and expression of the address; false: there is no reference. */
static bool place_of(struct dap *d, const json_t *args, json_int_t *rank, struct dvm_text *address) {
  const char *at = sdm_dap_text(args, "memoryReference"), *colon = at ? strchr(at, ':') : NULL;
  if (!at || !*at) {
    sdm_dap_fail(d, "'memoryReference' is missing");
    return false;
  }
  bool ranked = colon && strspn(at, "0123456789") == (size_t)(colon - at);
  *rank = ranked ? atoll(at) : (json_int_t)sdm_dap_lowest(d->s.stopped);
  dvm_text_printf(address, "(char *)(%s)", ranked ? colon + 1 : at);
  return true;
}

static void add_offset(struct dvm_text *address, const json_t *args) {
  dvm_text_printf(address, " + %lld", (long long)sdm_dap_number(args, "offset", 0));
}

static size_t bytes_of_hex(const char *hex, struct sdm_bytes *out) {
  size_t n = hex ? strlen(hex) / 2 : 0;
  for (size_t i = 0; i < n; i++) {
    char two[3] = {hex[2 * i], hex[2 * i + 1], 0};
    uint8_t b = (uint8_t)strtoul(two, NULL, 16);
    sdm_bytes_add(out, &b, 1);
  }
  return n;
}

/* Adds what can be read, piece by piece.  Its address, or NULL with the reason in d->why. */
static char *read_pieces(struct dap *d, json_int_t rank, const char *address, json_int_t count, struct sdm_bytes *bytes) {
  char *first = NULL;
  struct dvm_text at = DVM_TEXT_INIT;
  for (size_t n = PIECE; n == PIECE && (json_int_t)bytes->len <= count;) {
    json_int_t left = count - (json_int_t)bytes->len;
    dvm_text_clear(&at);
    dvm_text_printf(&at, "%s + %zu", address, bytes->len);
    json_t *result = sdm_dap_ask_one(d, rank,
                                     json_pack("{s:s, s:s, s:s, s:I}", "cmd", "inspect", "what", "memory", "address", dvm_text_str(&at),
                                               "count", left < PIECE ? left : PIECE));
    if (!first && sdm_dap_text(result, "address"))
      first = sdm_strdup(sdm_dap_text(result, "address"));
    n = bytes_of_hex(sdm_dap_text(result, "bytes"), bytes);
    json_decref(result);
  }
  dvm_text_fini(&at);
  return first;
}

json_t *sdm_dap_read_memory(struct dap *d, const json_t *args) {
  struct dvm_text address = DVM_TEXT_INIT, data = DVM_TEXT_INIT;
  struct sdm_bytes bytes = {0};
  json_int_t rank, count = sdm_dap_number(args, "count", 64);
  json_t *body = NULL;
  if (count < 0 || count > MEMORY_MAX)
    return sdm_dap_fail(d, "at most %d bytes can be read at once", MEMORY_MAX);
  if (!place_of(d, args, &rank, &address))
    return NULL;
  add_offset(&address, args);
  char *first = read_pieces(d, rank, dvm_text_str(&address), count, &bytes);
  if (first) {
    sdm_base64(bytes.p, bytes.len, &data);
    body = json_pack("{s:s, s:s, s:I}", "address", first, "data", dvm_text_str(&data), "unreadableBytes", count - (json_int_t)bytes.len);
  }
  free(first);
  sdm_bytes_fini(&bytes);
  dvm_text_fini(&address);
  dvm_text_fini(&data);
  return body;
}

json_t *sdm_dap_write_memory(struct dap *d, const json_t *args) {
  struct dvm_text address = DVM_TEXT_INIT, hex = DVM_TEXT_INIT;
  const char *data = sdm_dap_text(args, "data");
  json_int_t rank;
  json_t *result = NULL;
  if (!data || !sdm_base64_hex(data, &hex))
    sdm_dap_fail(d, "'data' is missing or is not base64");
  else if (place_of(d, args, &rank, &address)) {
    add_offset(&address, args);
    result =
        hex.len
            ? sdm_dap_ask_one(d, rank,
                              json_pack("{s:s, s:s, s:s}", "cmd", "memory", "address", dvm_text_str(&address), "bytes", dvm_text_str(&hex)))
            : json_object();
  }
  json_t *body = result ? json_pack("{s:I}", "bytesWritten", (json_int_t)hex.len / 2) : NULL;
  json_decref(result);
  dvm_text_fini(&address);
  dvm_text_fini(&hex);
  return body;
}

static json_t *instruction(const json_t *i) {
  const char *bytes = sdm_dap_text(i, "bytes"), *symbol = sdm_dap_text(i, "symbol"), *path = sdm_dap_text(i, "path");
  json_t *one = json_pack("{s:s, s:s}", "address", sdm_dap_text(i, "address") ? sdm_dap_text(i, "address") : "0x0", "instruction",
                          sdm_dap_text(i, "asm") ? sdm_dap_text(i, "asm") : "??");
  if (bytes && *bytes)
    json_object_set_new(one, "instructionBytes", json_string(bytes));
  else
    json_object_set_new(one, "presentationHint", json_string("invalid"));
  if (symbol)
    json_object_set_new(one, "symbol", json_string(symbol));
  if (path) {
    json_object_set_new(one, "location",
                        json_pack("{s:s, s:s}", "name", sdm_dap_text(i, "file") ? sdm_dap_text(i, "file") : path, "path", path));
    json_object_set_new(one, "line", json_integer(sdm_dap_number(i, "line", 0)));
  }
  return one;
}

json_t *sdm_dap_disassemble(struct dap *d, const json_t *args) {
  struct dvm_text address = DVM_TEXT_INIT;
  json_int_t rank, count = sdm_dap_number(args, "instructionCount", 50);
  json_t *list = json_array(), *i;
  size_t k;
  if (count < 0 || count > CODE_MAX || !place_of(d, args, &rank, &address)) {
    json_decref(list);
    return d->why[0] ? NULL : sdm_dap_fail(d, "at most %d instructions are shown at once", CODE_MAX);
  }
  json_t *result = sdm_dap_ask_one(d, rank,
                                   json_pack("{s:s, s:s, s:s, s:I, s:I, s:I}", "cmd", "inspect", "what", "disassemble", "address",
                                             dvm_text_str(&address), "offset", sdm_dap_number(args, "offset", 0), "skip",
                                             sdm_dap_number(args, "instructionOffset", 0), "count", count));
  json_array_foreach(json_object_get(result, "instructions"), k, i) json_array_append_new(list, instruction(i));
  bool good = result != NULL;
  json_decref(result);
  dvm_text_fini(&address);
  if (good)
    return json_pack("{s:o}", "instructions", list);
  json_decref(list);
  return NULL;
}
