#!/bin/sh
#SBATCH --job-name=tuning
#SBATCH --array=1-50
#SBATCH --cpus-per-task=4
#SBATCH --mem=8G
#SBATCH --time=04:00:00
#SBATCH --signal=B:TERM@120
#SBATCH --output=tuning-%A_%a.log
#
# Fifty workers of one study as a Slurm array. First, once, on any machine that can reach the database:
#
#   export NEURALBO_STORAGE='postgres://me@db.example.org/studies'     # the password: ~/.pgpass
#   neuralbo run --study tuning --param 'x=float(-5,10)' --param 'y=float(0,15)' --trials 2000
#   sbatch examples/slurm_array.sh
#
# Workers may start and end at any time: others take over their unfinished trials. Two minutes before the time limit
# Slurm sends SIGTERM, which `exec` passes to neuralbo: it ends its program, releases the trial and prints the state of
# the study.
set -eu

STUDY=${STUDY:-tuning}
# A trial must not take longer than the job; the worker starts no new one when too little time is left.
TRIAL_TIMEOUT=${TRIAL_TIMEOUT:-30m}
TIMEOUT=${TIMEOUT:-3h}

# The program of a trial: its last output line is the value.
if [ $# -eq 0 ]; then
    set -- sh examples/branin.sh '{x}' '{y}'
fi

exec neuralbo worker "$STUDY" --threads "${SLURM_CPUS_PER_TASK:-1}" --timeout "$TIMEOUT" --trial-timeout "$TRIAL_TIMEOUT" --quiet -- "$@"
