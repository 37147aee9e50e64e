# The result of a problem with free parameters is seen with the parameters found, not with those of the file.
. "$(dirname "$0")/common.bash"

expect 0 "$ACTIO" run "$("$ACTIO" examples control/balanced-arm)" -o arm.h5
# the torque acts where the arm is held, whatever its length has become
expect 0 "$ACTIO" export arm.h5 -c actuator/torque/place -o place.csv
awk -F, 'NR > 1 && ($2 ^ 2 + $3 ^ 2 > 1e-20) { print "the torque acts at", $2, $3; exit 1 }' place.csv
# both motions are there, and they are one
expect 0 "$ACTIO" info arm.h5
contains out 'table resimulated: 61 rows'
# times of the nodes go on to the end
expect 0 "$ACTIO" export arm.h5 -c energy/kinetic -o times.csv
awk -F, 'NR > 2 && $1 <= before { print "time", $1, "after", before; exit 1 } { before = $1 }' times.csv
finish
