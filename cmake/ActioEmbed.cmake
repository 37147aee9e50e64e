# Run with cmake -P: writes OUTPUT, a C file with the bytes of INPUT as the array ARRAY, which HEADER declares.
file(READ "${INPUT}" hex HEX)
string(LENGTH "${hex}" length)
math(EXPR size "${length} / 2")
string(REGEX REPLACE "(................................)" "\\1\n" hex "${hex}")
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," hex "${hex}")
file(WRITE "${OUTPUT}" "/* Made from ${NAME} by cmake/ActioEmbed.cmake. */
#include \"${HEADER}\"

const size_t ${ARRAY}_size = ${size};
const unsigned char ${ARRAY}[] = {
${hex}
};
")
