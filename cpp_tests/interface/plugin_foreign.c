/* A program that knows nothing of admpi loads a plugin that was linked with it. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv) {
  double (*derivative)(double) = NULL;
  void *plugin = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
  void *symbol = plugin != NULL ? dlsym(plugin, "plugin_derivative_of_square") : NULL;
  if (symbol == NULL) {
    fprintf(stderr, "interface_plugin_foreign: %s\n", argc > 1 ? dlerror() : "no plugin given");
    return 1;
  }
  memcpy(&derivative, &symbol, sizeof derivative);
  return derivative(3.0) == 6.0 ? 0 : 1;
}
