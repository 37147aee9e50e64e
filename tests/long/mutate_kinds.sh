# Every term and every kind of element has an oracle outside of the action, in every task in which it acts: each is changed by one per
# cent in a copy of the sources, and the tests that must notice it must fail. A row of the tables (src/action/terms.c, kinds.c)
# without such a change is an error.
# Not instrumented: the copy of the sources is built plainly.
set -euo pipefail
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
cp -r "$ACTIO_SOURCE"/{CMakeLists.txt,CMakePresets.json,cmake,include,src,share,examples,docs,viewer,scripts} "$copy"
mkdir -p "$copy/tests/support" "$copy/bench"
cp "$ACTIO_SOURCE"/tests/test.h "$copy/tests"
cp "$ACTIO_SOURCE"/tests/leaks-of-others.txt "$copy/tests" 2>/dev/null || true
cp "$ACTIO_SOURCE"/tests/support/* "$copy/tests/support"
cp -r "$ACTIO_SOURCE"/tests/targets "$copy/tests"
sources=(task/test_oracles action/test_loops action/test_dual_beam equilibrium/test_energy integrate/test_beam_energy)
programs=()
for program in "${sources[@]}"; do
    programs+=("test_${program/\/test_/_}")
    mkdir -p "$copy/tests/$(dirname $program)"
    cp "$ACTIO_SOURCE/tests/$program.c" "$copy/tests/$program.c"
done
cd "$copy"
launcher=$(command -v ccache || true)
cmake -S . -B build --log-level=WARNING -DCMAKE_BUILD_TYPE=Release ${launcher:+-DCMAKE_C_COMPILER_LAUNCHER=$launcher} >/dev/null

failed=0
build() {
    cmake --build build --parallel 2 --target "${programs[@]}" >build.log 2>&1 ||
        { tail -20 build.log >&2; exit 1; }
}

build
for program in "${programs[@]}"; do
    build/tests/$program >plain.log || { echo "$program fails without any change" >&2; cat plain.log >&2; exit 1; }
done

# mutate ROW NAME 'PROGRAM CASE...' FILE SED [FILE SED]: every case must fail.
mutated=" "
mutate() {
    mutated+="$1 "
    name=$2 expected=$3
    shift 3
    files=()
    while [ $# -gt 0 ]; do
        [ -e "$1.kept" ] || { cp "$1" "$1.kept"; files+=("$1"); }
        sed -i "$2" "$1"
        cmp -s "$1" "$1.kept" && { echo "$name: nothing is changed in $1" >&2; failed=1; }
        shift 2
    done
    build
    set -- $expected
    build/tests/"$1" >run.log && { echo "$name: $1 does not notice it" >&2; failed=1; }
    program=$1
    shift
    for case in "$@"; do
        grep -q "^FAIL $case$" run.log || { echo "$name: $case of $program does not notice it" >&2; failed=1; }
    done
    echo "$name: noticed by $# cases of $program"
    for file in "${files[@]}"; do
        mv "$file.kept" "$file"
        touch "$file" # newer than the object of the changed one, which would stay otherwise
    done
}

mutate spring "stiffness of springs" "test_task_oracles spring_and_damper_in_simulation spring_in_equilibrium \
spring_and_damper_in_optimal_control" src/action/spring.c 's/{s->stiffness, s->rest}/{1.01 * s->stiffness, s->rest}/'
mutate spring "dampers" "test_task_oracles spring_and_damper_in_simulation spring_and_damper_in_optimal_control" \
    src/action/spring.c 's/\.damping = s->damping/.damping = 1.01 * s->damping/'
mutate gravity "gravity" "test_task_oracles inertia_gravity_and_load_in_simulation gravity_and_load_in_equilibrium \
inertia_gravity_and_load_in_optimal_control" \
    src/action/inertia.c 's/gravity_force\[block->row + k\] += coefficient/gravity_force[block->row + k] += 1.01 * coefficient/'
mutate inertia "masses" "test_task_oracles spring_and_damper_in_simulation inertia_gravity_and_load_in_simulation \
inertia_gravity_and_load_in_optimal_control" \
    src/action/inertia.c 's/node->dimension ? node->mass/node->dimension ? 1.01 * node->mass/'
mutate inertia "inertia" "test_task_oracles inertia_and_torque_in_simulation" \
    src/action/inertia.c 's/scaled(E\[\([04]\)\], d/scaled(1.01 * E[\1], d/'
mutate inputs "loads" "test_task_oracles inertia_gravity_and_load_in_simulation gravity_and_load_in_equilibrium \
inertia_gravity_and_load_in_optimal_control" \
    src/action/force_map.c 's/^\( *\)factor \* point.part\[i\]/\11.01 * factor * point.part[i]/'
mutate inputs "torques" "test_task_oracles inertia_and_torque_in_simulation beams_in_equilibrium" \
    src/action/torque.c 's/+= 0.5 \* factor \* turned/+= 0.505 * factor * turned/'
mutate beam "strains of beams, loop" "test_task_oracles beams_in_equilibrium beams_in_simulation" \
    src/action/beam/beam.c 's/w\[i\] = 0.5 \* factor \* e->stiffness/w[i] = 0.505 * factor * e->stiffness/'
mutate high_beam "strains of beams of order 2, loop" "test_task_oracles beams_in_simulation" \
    src/action/beam/beam_order.c 's/stress\[i\] = point->stiffness\[i\]/stress[i] = 1.01 * point->stiffness[i]/'
mutate beam "strains of rods, loop" "test_task_oracles beams_in_equilibrium beams_in_simulation" \
    src/action/beam/rod.c 's/e->length > 0.0 ? e->stiffness/e->length > 0.0 ? 1.01 * e->stiffness/' \
    src/action/beam/rod.c 's/stress\[3 + i\] = e->stiffness/stress[3 + i] = 1.01 * e->stiffness/'
for program in "test_task_oracles beams_in_optimal_control" test_action_loops; do
    mutate beam "strains of beams and rods, described" "$program" src/action/beam/beam_describe.c \
        's/\.data = {weight \* stiffness, reference}/.data = {1.01 * weight * stiffness, reference}/'
done
mutate dual_beam "strains of dual quaternions" "test_action_dual_beam the_cantilever_of_the_reference" \
    src/action/beam/dual.c 's/\*stiffness = scalar ? beam->ambient\[i - STRAINS\] : e->/*stiffness = scalar ? beam->ambient[i - STRAINS] : 1.01 * e->/'
for program in "test_equilibrium_energy a_bar_with_a_cubic_law pure_bending_with_a_hardening_law a_potential_pulls_along_the_beam" \
    "test_integrate_beam_energy a_rod_swings_in_a_field"; do
    mutate function "energies given as functions" "$program" src/action/beam/function.c 's/functions\[k\]\.weight}/functions[k].weight * 1.01}/'
done
mutate inertia "inertia of an interval" "test_task_oracles inertia_gravity_and_load_in_optimal_control" \
    src/action/describe/term_inertia.c 's/side\[\([01]\)\]\[i\] \([+-]\)= d->momentum\[i\];/side[\1][i] \2= 1.01 * d->momentum[i];/'
mutate gravity "gravity of an interval" "test_task_oracles inertia_gravity_and_load_in_optimal_control" \
    src/action/describe/term_inertia.c 's/ac_gravity_add(d->system, 0.5 \* p->h/ac_gravity_add(d->system, 0.505 * p->h/'
mutate elements "elements of an interval" "test_task_oracles spring_and_damper_in_optimal_control beams_in_optimal_control" \
    src/action/describe/term_elements.c 's/add_forces(d, p, 0.5 \* p->h/add_forces(d, p, 0.505 * p->h/'
mutate inputs "inputs of an interval" "test_task_oracles inertia_gravity_and_load_in_optimal_control" \
    src/action/describe/term_inputs.c 's/add_forces(d, p, p->tau, 0.5 \* p->h/add_forces(d, p, p->tau, 0.505 * p->h/'

for row in $(grep -oh '&ac_\(element\|term\)_[a-z_]*' src/action/terms.c src/action/kinds.c | sed 's/&ac_[a-z]*_//'); do
    case "$mutated" in *" $row "*) ;; *) echo "$row: no change of it is tried" >&2; failed=1 ;; esac
done
exit $failed
