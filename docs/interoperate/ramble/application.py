# The n-body variants of tailwave as a Ramble application: the folder of this file, named tailwave-nbody, goes into
# `applications` of a Ramble repository (`ramble repo add`). The program is the `tailwave` of the PATH.

from ramble.appkit import *


class TailwaveNbody(ExecutableApplication):
    """The fastest n-body variant, verified and timed by tailwave."""

    name = 'tailwave-nbody'

    tags('gpu', 'n-body')

    executable(
        'run',
        'tailwave run {project}/experiments/nbody/variants.json --device {device}'
        ' --db {experiment_run_dir}/nbody.db --fom',
        use_mpi=False,
    )

    workload('variants', executables=['run'])

    workload_variable('project', default='.', description="tailwave's source folder", workloads=['variants'])
    workload_variable('device', default='cpu', description='cpu, or a GPU: cuda:0', workloads=['variants'])

    # What stands in the lines for all problems is under `all`.
    figure_of_merit_context(
        'problem',
        regex=r'FOM experiment=\S+ device=\S+ problem=(?P<problem>\S+) ',
        output_format='{problem}',
    )

    for title, figure, unit in [
        ('Time', 'time', 'ns'),
        ('Time, low', 'time_low', 'ns'),
        ('Time, high', 'time_high', 'ns'),
        ('Interactions', 'metric.interactions_per_second', 'interactions/s'),
        ('Winner', 'winner', 'text'),
        ('Times the baseline', 'times_baseline', '1'),
        ('Tied', 'tied', 'count'),
        ('Correct', 'correct', 'count'),
        ('Failed', 'failed', 'count'),
        ('Seconds', 'seconds', 's'),
    ]:
        figure_of_merit(
            title,
            fom_regex=r'FOM .* figure=' + figure + r' value=(?P<value>\S+) unit=' + unit,
            group_name='value',
            units=unit,
            contexts=['problem'],
        )

    success_criteria('has_figures', mode='string', match=r'FOM .* figure=time value=\S+ unit=ns')
    success_criteria('none_failed', mode='string', match=r'FOM .* figure=failed value=0 unit=count')
