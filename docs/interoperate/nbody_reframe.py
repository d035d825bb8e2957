# The n-body variants of tailwave as a ReFrame test (ReFrame 4):
#
#   reframe -c nbody_reframe.py -r --performance-report                     on the CPU
#   reframe -c nbody_reframe.py -r -S nbody_variants.device=cuda:0          on the first GPU
#
# The program is the `tailwave` of the PATH.

import os

import reframe as rfm
import reframe.utility.sanity as sn

SPEC = os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../experiments/nbody/variants.json')


@rfm.simple_test
class nbody_variants(rfm.RunOnlyRegressionTest):
    descr = 'The fastest n-body variant, verified and timed by tailwave'
    device = variable(str, value='cpu')
    valid_systems = ['*']
    valid_prog_environs = ['*']
    sourcesdir = None
    executable = 'tailwave'
    # Any system that is not named has the bounds of '*': no variant may win that loses to the baseline, the tuned one has to
    # reach a share of what one core does, and there is no bound on the time. Add systems of your own with times of theirs:
    # 'cluster:gpu': {'time': (8500, None, 0.05, 'ns')} fails above 8925 ns.
    reference = {
        '*': {
            'time': (0, None, None, 'ns'),
            'interactions_per_second': (1e8, -0.99, None, 'interactions/s'),
            'times_baseline': (1, -0.01, None, '1'),
        }
    }

    @run_before('run')
    def set_arguments(self):
        self.executable_opts = ['run', SPEC, '--device', self.device, '--db', 'nbody.db', '--fom']

    # The only line of this figure: the experiment has one problem.
    def figure(self, name, unit, conversion=float):
        return sn.extractsingle(rf'^FOM \S+ \S+ \S+ figure={name} value=(\S+) unit={unit}$', self.stdout, 1,
                                conversion)

    @sanity_function
    def all_are_right(self):
        return sn.all([
            sn.assert_eq(self.job.exitcode, 0),
            sn.assert_eq(self.figure('failed', 'count', int), 0, 'configurations failed: {0}'),
            sn.assert_ge(self.figure('correct', 'count', int), 2, 'configurations that are correct: {0}'),
        ])

    @performance_function('ns')
    def time(self):
        return self.figure('time', 'ns')

    @performance_function('interactions/s')
    def interactions_per_second(self):
        return self.figure('metric.interactions_per_second', 'interactions/s')

    @performance_function('1')
    def times_baseline(self):
        return self.figure('times_baseline', '1')
