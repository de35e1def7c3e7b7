/* The standard message-queue interface of MPI debuggers ("The MPI Message Queue Dumping Interface", version 1.0), as far as queues.c has it: a debugger
   loads the library that MPIR_dll_name of the program names, and lends it functions that read the program. */
#ifndef MPL_MQS_H
#define MPL_MQS_H
#include <stddef.h>

enum { MQS_OK, MQS_NO_INFORMATION, MQS_END_OF_LIST, MQS_FIRST_USER_CODE = 100 };
enum { MQS_COMPATIBILITY = 2, MQS_INVALID_PROCESS = -1 };
enum mqs_queue { MQS_SENDS, MQS_RECEIVES, MQS_UNEXPECTED };
enum mqs_status { MQS_PENDING, MQS_MATCHED, MQS_COMPLETE };

typedef unsigned long mqs_address;
typedef long mqs_word;
struct mqs_image;   /* the debugger's own */
struct mqs_process;

struct mqs_basic_callbacks {
  void *(*allocate)(size_t n);
  void (*release)(void *p);
  void (*print)(const char *text);
  char *(*error_text)(int code);
  void (*put_image_info)(struct mqs_image *image, void *info);
  void *(*image_info)(struct mqs_image *image);
  void (*put_process_info)(struct mqs_process *process, void *info);
  void *(*process_info)(struct mqs_process *process);
};
struct mqs_image_callbacks {
  void (*type_sizes)(struct mqs_process *process, void *sizes);
  int (*find_function)(struct mqs_image *image, char *name, int language, mqs_address *at);
  int (*find_symbol)(struct mqs_image *image, char *name, mqs_address *at);
  void *(*find_type)(struct mqs_image *image, char *name, int language);
  int (*field_offset)(void *type, char *name);
  int (*size_of)(void *type);
};
struct mqs_process_callbacks {
  int (*global_rank)(struct mqs_process *process);
  struct mqs_image *(*image)(struct mqs_process *process);
  int (*fetch)(struct mqs_process *process, mqs_address at, int bytes, void *to);
  void (*to_host)(struct mqs_process *process, const void *from, void *to, int bytes);
};

struct mqs_communicator {
  mqs_address unique_id;
  mqs_word local_rank, size;
  char name[64];
};
struct mqs_operation {
  int status;
  mqs_word local_rank, global_rank; /* -1: any */
  int any_tag;
  mqs_word tag, bytes;
  int system_buffer;
  mqs_address buffer;
  mqs_word actual_local_rank, actual_global_rank, actual_tag, actual_bytes;
  char extra_text[5][64];
};
/* What the debugger calls. */
int mqs_version_compatibility(void);
char *mqs_version_string(void);
int mqs_dll_taddr_width(void);
char *mqs_dll_error_string(int code);
void mqs_setup_basic_callbacks(const struct mqs_basic_callbacks *calls);
int mqs_setup_image(struct mqs_image *image, const struct mqs_image_callbacks *calls);
int mqs_image_has_queues(struct mqs_image *image, char **message);
void mqs_destroy_image_info(void *info);
int mqs_setup_process(struct mqs_process *process, const struct mqs_process_callbacks *calls);
int mqs_process_has_queues(struct mqs_process *process, char **message);
void mqs_destroy_process_info(void *info);
int mqs_update_communicator_list(struct mqs_process *process);
int mqs_setup_communicator_iterator(struct mqs_process *process);
int mqs_next_communicator(struct mqs_process *process);
int mqs_get_communicator(struct mqs_process *process, struct mqs_communicator *to);
int mqs_get_comm_group(struct mqs_process *process, int *to); /* as many as the communicator has ranks */
int mqs_setup_operation_iterator(struct mqs_process *process, int queue);
int mqs_next_operation(struct mqs_process *process, struct mqs_operation *to);

/* Beyond the standard, of the communicator at hand: how many collective operations this rank has begun on it; .. and the number, from 1, of the first of
   them that goes on, or 0. */
long dvm_mqs_begun(struct mqs_process *process);
long dvm_mqs_under_way(struct mqs_process *process);
#endif
