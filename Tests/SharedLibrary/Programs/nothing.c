// A program that uses no library but that of C.
int main(void) { return 0; }
