/* SPDX-License-Identifier: Apache-2.0
 * Stored .npz archives: the central directory at the end says where the members are; each is an .npy of version 1, 2 or 3. */
#include "npz.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int refuse(const char *path, const char *why) {
  fprintf(stderr, "%s: %s\n", path, why);
  return -1;
}

static uint32_t get(const unsigned char *p, int bytes) {
  uint32_t x = 0;
  for (int i = 0; i < bytes; ++i) x |= (uint32_t)p[i] << (8 * i);
  return x;
}

static unsigned char *read_file(const char *path, size_t *size) {
  FILE *file = fopen(path, "rb");
  if (!file) return NULL;
  unsigned char *bytes = NULL;
  if (fseek(file, 0, SEEK_END) == 0) {
    const long end = ftell(file);
    rewind(file);
    bytes = end < 0 ? NULL : malloc((size_t)end + 1);
    *size = (size_t)end;
    if (bytes && fread(bytes, 1, *size, file) != *size) {
      free(bytes);
      bytes = NULL;
    }
    if (bytes) bytes[*size] = 0; /* headers are searched as text */
  }
  fclose(file);
  return bytes;
}

/* The text behind `key` in a header: {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }. */
static const char *behind(const char *header, const char *key) {
  const char *at = strstr(header, key);
  at = at ? strchr(at + strlen(key), ':') : NULL;
  return at ? at + 1 + strspn(at + 1, " ") : NULL;
}

static int parse_npy(const unsigned char *bytes, size_t size, npz_array *a) {
  if (size < 12 || memcmp(bytes, "\x93NUMPY", 6) != 0) return -1;
  const size_t prefix = bytes[6] == 1 ? 10 : 12, length = get(bytes + 8, bytes[6] == 1 ? 2 : 4);
  if (prefix + length > size) return -1;
  char *header = malloc(length + 1);
  if (!header) return -1;
  memcpy(header, bytes + prefix, length);
  header[length] = 0;
  const char *type = behind(header, "'descr'"), *order = behind(header, "'fortran_order'"), *shape = behind(header, "'shape'");
  int good = type && order && shape && *type == '\'' && strncmp(order, "False", 5) == 0 && *shape == '(';
  if (good) {
    snprintf(a->type, sizeof a->type, "%.*s", (int)strcspn(type + 1, "'"), type + 1);
    a->width = (size_t)strtoul(a->type + 2, NULL, 10);
    a->count = 1;
    for (const char *at = shape + 1; (at += strspn(at, " ,"), *at != ')'); ) {
      char *end;
      const long long extent = strtoll(at, &end, 10);
      if (end == at || extent < 0 || a->rank == NPZ_MOST_AXES) {
        good = 0;
        break;
      }
      a->shape[a->rank++] = extent;
      a->count *= (size_t)extent;
      at = end;
    }
    good = good && a->width > 0 && prefix + length + a->count * a->width <= size;
  }
  free(header);
  if (!good) return -1;
  a->data = malloc(a->count * a->width + 1);
  if (!a->data) return -1;
  memcpy(a->data, bytes + prefix + length, a->count * a->width);
  return 0;
}

int npz_read(const char *path, npz_archive *out) {
  memset(out, 0, sizeof *out);
  size_t size = 0;
  unsigned char *bytes = read_file(path, &size);
  if (!bytes) return refuse(path, "cannot be read");
  const char *fault = NULL;
  size_t end = size;
  while (end >= 22 && get(bytes + end - 22, 4) != 0x06054b50) --end; /* the record at the end */
  if (end < 22) fault = "is no zip archive";
  const uint32_t members = fault ? 0 : get(bytes + end - 22 + 10, 2);
  size_t at = fault ? 0 : get(bytes + end - 22 + 16, 4);
  if (members > NPZ_MOST_ARRAYS) fault = "has too many members";
  for (uint32_t i = 0; i < members && !fault; ++i) {
    if (at + 46 > size || get(bytes + at, 4) != 0x02014b50) {
      fault = "has a damaged directory";
      break;
    }
    const unsigned char *entry = bytes + at;
    const uint32_t method = get(entry + 10, 2), length = get(entry + 24, 4), name = get(entry + 28, 2), local = get(entry + 42, 4);
    at += 46 + name + get(entry + 30, 2) + get(entry + 32, 2);
    npz_array *a = &out->arrays[out->count++];
    if (method != 0) fault = "has a packed member";
    else if (name < 5 || name - 4 >= sizeof a->name || at > size || (size_t)local + 30 > size) fault = "has a damaged member";
    if (fault) break;
    snprintf(a->name, sizeof a->name, "%.*s", (int)name - 4, (const char *)entry + 46);
    const size_t data = (size_t)local + 30 + get(bytes + local + 26, 2) + get(bytes + local + 28, 2);
    if (data + length > size || parse_npy(bytes + data, length, a) != 0) fault = "has a member that is no array";
  }
  free(bytes);
  if (!fault) return 0;
  npz_free(out);
  return refuse(path, fault);
}

void npz_free(npz_archive *archive) {
  for (int i = 0; i < archive->count; ++i) free(archive->arrays[i].data);
  archive->count = 0;
}

npz_array *npz_find(npz_archive *archive, const char *name) {
  for (int i = 0; i < archive->count; ++i)
    if (strcmp(archive->arrays[i].name, name) == 0) return &archive->arrays[i];
  return NULL;
}

typedef struct {
  FILE *file;
  uint32_t crc;
  size_t written;
  int counting; /* bytes belong to the member whose checksum is kept */
} sink;

static void put(sink *s, const void *data, size_t size) {
  const unsigned char *p = data;
  for (size_t i = 0; s->counting && i < size; ++i) {
    s->crc ^= p[i];
    for (int k = 0; k < 8; ++k) s->crc = (s->crc >> 1) ^ (0xedb88320u & (0u - (s->crc & 1)));
  }
  s->written += fwrite(data, 1, size, s->file);
}
static void put_number(sink *s, uint32_t x, int bytes) {
  unsigned char p[4];
  for (int i = 0; i < bytes; ++i) p[i] = (unsigned char)(x >> (8 * i));
  put(s, p, (size_t)bytes);
}

static uint32_t put_npy(sink *s, const npz_array *a) {
  char header[256];
  int n = snprintf(header, sizeof header, "{'descr': '%s', 'fortran_order': False, 'shape': (", a->type);
  for (int d = 0; d < a->rank; ++d) n += snprintf(header + n, sizeof header - (size_t)n, "%lld,", (long long)a->shape[d]);
  n += snprintf(header + n, sizeof header - (size_t)n, "), }");
  while ((10 + n + 1) % 64 != 0) header[n++] = ' ';
  header[n++] = '\n';
  const size_t begin = s->written;
  put(s, "\x93NUMPY\x01\x00", 8);
  put_number(s, (uint32_t)n, 2);
  put(s, header, (size_t)n);
  put(s, a->data, a->count * a->width);
  return (uint32_t)(s->written - begin);
}

static void put_sizes(sink *s, uint32_t crc, uint32_t size, uint32_t name) {
  put_number(s, crc, 4);
  put_number(s, size, 4);
  put_number(s, size, 4);
  put_number(s, name, 2);
  put_number(s, 0, 2);
}

int npz_write(const char *path, const npz_archive *archive) {
  sink s = {fopen(path, "w+b"), 0, 0, 0};
  if (!s.file) return refuse(path, "cannot be written");
  uint32_t offsets[NPZ_MOST_ARRAYS], crcs[NPZ_MOST_ARRAYS], sizes[NPZ_MOST_ARRAYS];
  char name[80];
  for (int i = 0; i < archive->count; ++i) {
    const uint32_t length = (uint32_t)snprintf(name, sizeof name, "%s.npy", archive->arrays[i].name);
    offsets[i] = (uint32_t)s.written;
    put(&s, "PK\x03\x04\x14\x00\x00\x00\x00\x00\x00\x00\x21\x00", 14); /* stored, 1980-01-01 */
    put_sizes(&s, 0, 0, length); /* filled in below */
    put(&s, name, length);
    s.crc = 0xffffffffu;
    s.counting = 1;
    sizes[i] = put_npy(&s, &archive->arrays[i]);
    s.counting = 0;
    crcs[i] = s.crc ^ 0xffffffffu;
    if (fseek(s.file, (long)offsets[i] + 14, SEEK_SET) != 0) break;
    const size_t here = s.written;
    put_sizes(&s, crcs[i], sizes[i], length);
    s.written = here;
    if (fseek(s.file, 0, SEEK_END) != 0) break;
  }
  const uint32_t directory = (uint32_t)s.written;
  for (int i = 0; i < archive->count; ++i) {
    const uint32_t length = (uint32_t)snprintf(name, sizeof name, "%s.npy", archive->arrays[i].name);
    put(&s, "PK\x01\x02\x14\x00\x14\x00\x00\x00\x00\x00\x00\x00\x21\x00", 16);
    put_sizes(&s, crcs[i], sizes[i], length);
    put(&s, "\0\0\0\0\0\0\0\0\0\0", 10); /* comment, disk, attributes */
    put_number(&s, offsets[i], 4);
    put(&s, name, length);
  }
  const uint32_t end = (uint32_t)s.written;
  put(&s, "PK\x05\x06\x00\x00\x00\x00", 8);
  put_number(&s, (uint32_t)archive->count, 2);
  put_number(&s, (uint32_t)archive->count, 2);
  put_number(&s, end - directory, 4);
  put_number(&s, directory, 4);
  put_number(&s, 0, 2);
  const int failed = ferror(s.file);
  return (fclose(s.file) != 0 || failed) ? refuse(path, "cannot be written") : 0;
}
