// Calls a function that no Dispatch has, if it has an argument.
#include <stdio.h>

extern void dispatch_unheard_of(void);

int main(int count, char **arguments) {
  (void)arguments;
  puts("started");
  if (count > 1) dispatch_unheard_of();
}
