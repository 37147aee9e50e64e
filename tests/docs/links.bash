# Links of the manual; sourced by the tests of the source tree and of what is installed.

# The names of the headings of a page in links: lower case, spaces as hyphens, without other marks.
anchors() {
    sed -n '/^```/,/^```/!s/^#\{1,6\} \(.*\)/\1/p' "$1" | tr 'A-Z' 'a-z' | sed 's/`//g; s/[^a-z0-9 _-]//g; s/ /-/g'
}

# broken_links: the links in README.md and docs/*.md of the present folder that lead nowhere, one line for each.
broken_links() {
    local page link file target
    for page in README.md docs/*.md; do
        sed '/^```/,/^```/d' "$page" | grep -oE '\]\([^)]+\)' | sed 's/^](//; s/)$//' | while read -r link; do
            case $link in http://* | https://* | mailto:*) continue ;; esac
            file=${link%%#*}
            target=$page
            [ -z "$file" ] || target=$(dirname "$page")/$file
            [ -e "$target" ] || { echo "$page: $link: there is no such file"; continue; }
            case $link in *'#'*) anchors "$target" | grep -qxF -- "${link#*#}" || echo "$page: $link: there is no such heading" ;; esac
        done
    done
}
