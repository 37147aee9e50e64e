/* actio: structure-preserving simulation and optimal control of mechanical systems. All public headers. */
#ifndef ACTIO_ACTIO_H
#define ACTIO_ACTIO_H

#include "actio/adjoint.h"
#include "actio/beam.h"
#include "actio/certify.h"
#include "actio/channel.h"
#include "actio/contact.h"
#include "actio/context.h"
#include "actio/design.h"
#include "actio/equilibrium.h"
#include "actio/experiment.h"
#include "actio/expression.h"
#include "actio/gradient.h"
#include "actio/json.h"
#include "actio/live.h"
#include "actio/model.h"
#include "actio/optimize.h"
#include "actio/plan.h"
#include "actio/problem.h"
#include "actio/replay.h"
#include "actio/report.h"
#include "actio/result.h"
#include "actio/run.h"
#include "actio/signal.h"
#include "actio/simulate.h"
#include "actio/state.h"
#include "actio/track.h"
#include "actio/values.h"

#endif
