/* What the kernel says of a process of this machine (proc(5)). */
#ifndef DVM_BASE_PROCESS_H
#define DVM_BASE_PROCESS_H
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum {
  DVM_STAT_PARENT = 4,
  DVM_STAT_FOREGROUND = 8 /* -1: no terminal */,
  DVM_STAT_THREADS = 20,
  DVM_STAT_START = 22, /* when it began: with its number, the same for no other process */
  DVM_STAT_EXIT_SIGNAL = 38, /* that its parent gets when it ends */
  DVM_STAT_EXIT_CODE = 52 /* as wait(2) gives it */
};
/* Field of /proc/PID/stat as proc(5) numbers them, from 4 on; 0 if there is no such process. */
long dvm_process_stat(pid_t pid, int field);
/* The name of its program, cut to 'size'; "?" if there is no such process. */
void dvm_process_name(pid_t pid, char *name, size_t size);
/* The letter of its state: 'R', 'S', 'T' stopped, 't' held by a debugger, 'Z' ended and not waited for...; 0 if there is no such process. */
char dvm_process_state(pid_t pid);
/* The line of /proc/PID/status that begins with 'label' ("NSpid:"), starting after the white space that follows; false if there is no such line. */
bool dvm_process_status(pid_t pid, const char *label, char *text, size_t size);
/* The last number of that line, which in "NSpid:", "NSpgid:", "NSsid:" is the one in the process's own namespace; 'otherwise' if there is none. */
long dvm_process_last(pid_t pid, const char *label, long otherwise);
/* Ends the process 'pid' that began at 'start' (DVM_STAT_START) by SIGKILL, and returns when it has ended.  A later one with its number is let alone. */
void dvm_process_end(pid_t pid, long start);
#endif
