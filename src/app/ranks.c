/* Ranks of a parallel run: Open MPI, loaded only when mpirun started the command.
 *
 * The library is opened at run time with its own names bound first: the sequential MUMPS that comes with Ipopt brings
 * dummy functions of the same names, which must neither be called nor be found by MPI itself. */
#define _GNU_SOURCE 1
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "app/workers.h"

typedef struct app_ranks {
    void *library;
    void *world, *number; /* MPI_COMM_WORLD, MPI_DOUBLE of Open MPI */
    int (*gather)(const void *, int, void *, void *, int, void *, void *);
    int (*finalize)(void);
} app_ranks;

/* A function of the library; data and function pointers have the same size on POSIX. */
static bool find_function(const app_ranks *ranks, const char *name, void *function)
{
    void *found = dlsym(ranks->library, name);
    memcpy(function, &found, sizeof found);
    return found != NULL;
}

static int gather(void *user, const double *mine, long count, double *all)
{
    const app_ranks *ranks = user;
    if (count > 1 << 30) return 1;
    return ranks->gather(mine, (int)count, ranks->number, all, (int)count, ranks->number, ranks->world);
}

static bool begin(app_ranks *ranks, ac_certify_work *work)
{
    int (*initialize)(int *, char ***);
    int (*rank)(void *, int *);
    int (*size)(void *, int *);
    ranks->library = dlopen("libmpi.so.40", RTLD_NOW | RTLD_GLOBAL | RTLD_DEEPBIND);
    if (!ranks->library) return false;
    ranks->world = dlsym(ranks->library, "ompi_mpi_comm_world");
    ranks->number = dlsym(ranks->library, "ompi_mpi_double");
    if (!ranks->world || !ranks->number || !find_function(ranks, "MPI_Init", &initialize) ||
        !find_function(ranks, "MPI_Comm_rank", &rank) || !find_function(ranks, "MPI_Comm_size", &size) ||
        !find_function(ranks, "MPI_Allgather", &ranks->gather) ||
        !find_function(ranks, "MPI_Finalize", &ranks->finalize))
        return false;
    return initialize(NULL, NULL) == 0 && rank(ranks->world, &work->rank) == 0 &&
           size(ranks->world, &work->ranks) == 0;
}

app_ranks *app_ranks_begin(ac_certify_work *work, bool *wanted)
{
    const char *size = getenv("OMPI_COMM_WORLD_SIZE");
    *wanted = size && strcmp(size, "1") != 0;
    if (!*wanted) return NULL;
    app_ranks *ranks = calloc(1, sizeof *ranks);
    if (ranks && begin(ranks, work)) {
        work->gather = gather;
        work->gather_user = ranks;
        return ranks;
    }
    free(ranks);
    return NULL;
}

void app_ranks_end(app_ranks *ranks)
{
    if (!ranks) return;
    ranks->finalize();
    free(ranks);
}
