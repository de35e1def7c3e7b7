/* All ranks are threads of one process, each with its own copy of the program's data: the end of a rank is no end of a process. */
void dvmp_job_close(void);
int dvm_program_main(int argc, char **argv);

int main(int argc, char **argv) {
  int status = dvm_program_main(argc, argv);
  dvmp_job_close();
  return status;
}
