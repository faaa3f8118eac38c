// Prints a table of conversions as the C library writes them: format, bits of the value, text.
// `cargo xtask record printf` compiles and runs it.
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static const double REALS[] = {
    0.0, -0.0, 0.5, 1.5, 2.5, 1.0, -1.0, 3.14159265358979, 0.1, 1e-5, 0.0001, 99999.95, 999999.5,
    123456789.0, 1e6, 1e10, 1e22, 1e100, 1e-100, 1.7976931348623157e308, 2.2250738585072014e-308,
    5e-324, 4.9406564584124654e-320, 12345.678, 0.000012345, 1024.0, 1.9999999999, 0.3, -2.75,
    1.0 / 0.0, -1.0 / 0.0,
};
static const char *REAL_FORMATS[] = {
    "%f", "%.0f", "%.1f", "%.3f", "%10.2f", "%-10.2f|", "%+f", "% f", "%010.3f", "%#.0f", "%.20f",
    "%e", "%.0e", "%.2e", "%12.3e", "%#.0e", "%E", "%G", "%g", "%.0g", "%.1g", "%.3g", "%.10g",
    "%.17g", "%#g", "%#.3g", "%12g", "%-12g|", "%+g", "%012g", "%a", "%.0a", "%.1a", "%.3a", "%.15a",
    "%A", "%20a", "%020a", "%+a",
};
static const long long INTEGERS[] = {
    0, 1, -1, 7, 8, 42, -42, 255, 256, 65535, -65536, 2147483647LL, -2147483648LL, 4294967295LL,
    1099511627776LL, 9223372036854775807LL, -9223372036854775807LL - 1,
};
static const char *INTEGER_FORMATS[] = {
    "%d", "%i", "%5d", "%-5d|", "%05d", "%+d", "% d", "%.5d", "%8.3d", "%-8.3d|", "%08.3d", "%.0d", "%u",
    "%10u", "%x", "%X", "%#x", "%#X", "%08x", "%#010x", "%.4x", "%#.4x", "%o", "%#o", "%#.4o", "%hd",
    "%hhd", "%hu", "%hhx",
};
static const char *WIDE_FORMATS[] = {
    "%lld", "%ld", "%20lld", "%-20lld|", "%020lld", "%+lld", "%llu", "%llx", "%#llx", "%lo", "%.20lld", "%zu", "%jd",
};

#define EACH(at, array) for (size_t at = 0; at < sizeof array / sizeof *array; at++)

int main(void) {
    puts("# Format, bits of the value, and what the C library prints: `cargo xtask record printf`.");
    EACH(f, REAL_FORMATS) EACH(v, REALS) {
        // glibc 2.36 loses zeros where rounding carries into a new digit.
        if (strstr(REAL_FORMATS[f], "#") && (REALS[v] == 999999.5 || REALS[v] == 99999.95)) continue;
        uint64_t bits;
        memcpy(&bits, &REALS[v], sizeof bits);
        printf("%s\t%016llx\t", REAL_FORMATS[f], (unsigned long long)bits);
        printf(REAL_FORMATS[f], REALS[v]);
        puts("");
    }
    EACH(f, INTEGER_FORMATS) EACH(v, INTEGERS) {
        uint32_t bits = (uint32_t)INTEGERS[v];
        printf("%s\t%016llx\t", INTEGER_FORMATS[f], (unsigned long long)bits);
        printf(INTEGER_FORMATS[f], bits);
        puts("");
    }
    EACH(f, WIDE_FORMATS) EACH(v, INTEGERS) {
        printf("%s\t%016llx\t", WIDE_FORMATS[f], (unsigned long long)INTEGERS[v]);
        printf(WIDE_FORMATS[f], INTEGERS[v]);
        puts("");
    }
    return 0;
}
