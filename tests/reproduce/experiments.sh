# Every published experiment again: all its checks must pass. Under the sanitizers only the short ones are run.
set -u
export ACTIO_DATA="$ACTIO_SOURCE"
status=0
for file in "$ACTIO_SOURCE"/examples/reproduce/*.yaml; do
    id=$(basename "$file" .yaml)
    case "$ACTIO_SANITIZE:$id" in
    1:pendulum-*) ;;
    1:*) continue ;;
    esac
    "$ACTIO" reproduce "$id" >/tmp/actio-reproduce.$$ 2>&1 || { status=1; grep -A1 -E 'FAIL|actio:' /tmp/actio-reproduce.$$; }
    echo "$id: $(tail -1 /tmp/actio-reproduce.$$)"
done
rm -f /tmp/actio-reproduce.$$
exit $status
