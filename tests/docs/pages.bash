# Runs what the pages of the manual tell their reader to run; sourced by pages.sh and by the long test.
#
#   ```console        lines that start with "$ " are commands, run one after another in a folder of the page's own; what
#                     follows a command is its expected output: these lines, in this order. A line "..." stands for any
#                     lines, "..." in a line for any text; spaces are compared loosely.
#   ```console long   the same in the long test; here in a short form: less simulated time, one experiment instead of all, and
#                     its output is not compared
#   ```yaml           a block whose first line is "# NAME.yaml" becomes that file; one that has a task is checked
#   indented blocks   lines that start with "actio ", "make " or "$ " are commands
#
# "actio live" runs until it is interrupted: here for a moment, and not at all in a build without it.
# Of "make TARGET" only the existence of the target is tested here.

# matches EXPECTED OUTPUT: the lines of the first file are found in the second, in their order.
matches() {
    awk -v expected="$1" '
        function tidy(text) { gsub(/[ \t]+/, " ", text); sub(/^ /, "", text); sub(/ $/, "", text); return text }
        # the parts between dots follow one another in the text
        function like(text, pattern,    part, n, i, at) {
            if (index(pattern, "...") == 0) return text == pattern
            n = split(pattern, part, /\.\.\./)
            for (i = 1; i <= n; ++i) {
                if (part[i] == "") continue
                at = index(text, part[i])
                if (i == n && i > 1) return at > 0 && substr(text, length(text) - length(part[n]) + 1) == part[n]
                if (at == 0 || (i == 1 && at != 1)) return 0
                text = substr(text, at + length(part[i]))
            }
            return part[n] == "" || text == ""
        }
        BEGIN { while ((getline line < expected) > 0) wanted[++count] = tidy(line) }
        { seen[++lines] = tidy($0) }
        END {
            at = 0
            for (i = 1; i <= count; ++i) {
                if (wanted[i] == "..." || wanted[i] == "") continue
                do ++at; while (at <= lines && !like(seen[at], wanted[i]))
                if (at > lines) { print wanted[i]; exit 1 }
            }
        }' "$2"
}

# What a command printed, cut to a size that can be read.
show() {
    head -n 30 "$1" | cut -c 1-200 | sed 's/^/    /'
}

# flush_command: runs the command that was read and compares its output.
flush_command() {
    local call=$command status=0 missing
    [ -n "$call" ] || return 0
    command=
    case $call in
    make\ * | sudo\ * | apt\ *)
        local target=${call#*make }
        target=${target%% *}
        [ "${call#*make }" = "$call" ] || make -C "$ACTIO_SOURCE" -n "$target" >/dev/null 2>&1 || fail "$page: there is no target: $call"
        return
        ;;
    esac
    if [ $block_long -eq 1 ] && [ "${DOCS_LONG:-0}" -eq 0 ]; then
        call=${call/--all/pendulum-circle}
        case $call in 'actio run '*) call="$call --set simulate.duration=1" ;; esac
        : >expected
    fi
    case $call in
    'actio live '*)
        call="$call --seconds 0.5"
        ! $call 2>&1 | grep -q 'without libmicrohttpd' || return 0
        ;;
    esac
    commands=$((commands + 1))
    bash -c "$call" >out 2>&1 </dev/null || status=$?
    # a command that is shown failing says so
    if [ $status -ne 0 ] && ! grep -q "^exit status $status\$" expected; then
        fail "$page: exit status $status: $call"
        show out
        return
    fi
    grep -v '^exit status [0-9]*$' expected >wanted
    missing=$(matches wanted out) || { fail "$page: $call: no line \"$missing\" in:"; show out; }
}

flush_yaml() {
    local name=block.yaml
    if [[ $(head -1 yaml) =~ ^#\ ([a-z0-9-]+\.yaml) ]]; then
        name=${BASH_REMATCH[1]}
        cp yaml "$name"
    else
        cp yaml "$name"
    fi
    grep -qE '^(simulate|equilibrium|optimize|track):' "$name" || return 0
    commands=$((commands + 1))
    actio check "$name" >out 2>&1 || { fail "$page: this block is not in order:"; show yaml; show out; }
}

# run_page FILE
run_page() {
    local page=$1 kind=none command= block_long=0 blank=1 line text
    mkdir -p "$work/$(basename "$page" .md)"
    cd "$work/$(basename "$page" .md)" || exit 1
    cp "$ACTIO_SOURCE"/examples/c/*.c .
    : >expected
    while IFS= read -r line || [ -n "$line" ]; do
        case $kind:$line in
        none:'```'*)
            kind=other
            block_long=0
            case $line in
            '```console'*) kind=console; [ "$line" != '```console long' ] || block_long=1 ;;
            '```yaml'*) kind=yaml; : >yaml ;;
            esac
            continue
            ;;
        console:'```' | yaml:'```' | other:'```')
            if [ $kind = console ]; then flush_command; fi
            if [ $kind = yaml ]; then flush_yaml; fi
            kind=none
            blank=1
            continue
            ;;
        esac
        case $kind in
        yaml) printf '%s\n' "$line" >>yaml ;;
        console | none)
            text=$line
            if [ $kind = none ]; then
                block_long=0
                if [ -z "$line" ]; then blank=1; flush_command; continue; fi
                if [ "${line#    }" = "$line" ]; then blank=0; flush_command; continue; fi
                [ $blank -eq 1 ] || continue
                text=${line#    }
                case $text in 'actio '* | 'make '*) text="$ $text" ;; esac
            fi
            case $text in
            '$ '*) flush_command; command=${text#'$ '}; : >expected ;;
            *) printf '%s\n' "$text" >>expected ;;
            esac
            ;;
        esac
    done <"$ACTIO_SOURCE/$page"
    flush_command
}

# The command, and a pkg-config that names this build.
mkdir "$work/bin"
ln -s "$ACTIO" "$work/bin/actio"
cat >"$work/bin/pkg-config" <<SH
#!/bin/sh
echo "-I$ACTIO_SOURCE/include -L$ACTIO_BUILD -Wl,-rpath,$ACTIO_BUILD -lactio"
SH
chmod +x "$work/bin/pkg-config"
PATH="$work/bin:$PATH"
commands=0

run_pages() {
    local page
    for page in README.md $(cd "$ACTIO_SOURCE" && ls docs/*.md); do run_page "$page"; done
    echo "$commands commands and files"
}
