# Prints the structs that have more than `most` members: FILE: NAME has N members.
{
    gsub(/\/\/.*/, "")
    if ($0 ~ /^[ \t]*#/) next
    text[FILENAME] = text[FILENAME] $0 "\n"
}
END {
    for (file in text) read(file, text[file])
}

# Members are what ';' and ',' end between the braces of a struct, outside parentheses and inner braces.
function read(file, s, depth, round, word, name, c, i) {
    while (i = index(s, "/*")) s = substr(s, 1, i - 1) " " substr(s, i + 2 + index(substr(s, i + 2), "*/") + 1)
    depth = round = 0
    name = ""
    while (match(s, /[A-Za-z_0-9]+|[{}(),;]/)) {
        word = substr(s, RSTART, RLENGTH)
        s = substr(s, RSTART + RLENGTH)
        if (word == "struct" || word == "union") name = word
        else if (word == "{") {
            ++depth
            inside[depth] = name
            members[depth] = 0
            name = ""
        } else if (word == "}") {
            if (members[depth] > most) print file ": " inside[depth] " has " members[depth] " members"
            --depth
            name = ""
        } else if (word == "(") ++round
        else if (word == ")") --round
        else if (word == ";" || word == ",") {
            if (inside[depth] != "" && !round) ++members[depth]
            name = ""
        } else if (name == "struct" || name == "union") name = word
        else name = ""
    }
}
