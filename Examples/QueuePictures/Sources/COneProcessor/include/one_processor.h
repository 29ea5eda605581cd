// Keeps this process to the first of the processors that it may use. Returns 0 or an errno. To be
// called before it has other threads.
int keep_to_one_processor(void);
