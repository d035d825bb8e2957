# A Slurm of one node with two GPUs that are none, for as long as a test takes; sourced. Debian's packages lie unpacked in
# .deps/slurm (cmake/setup.sh slurm): nothing of the machine is touched, and nothing is mounted.
#
#   begin_site FOLDER   starts munged, slurmctld and slurmd with all their files in FOLDER, and sets what Slurm's commands
#                       need. Fails with what the daemons said.
#   restart_node        ends slurmd, not its jobs, and starts it again
#   end_site            ends them, and what jobs have left; may be called at any time

unpacked=$PWD/.deps/slurm
site=""

# Daemons are known by the files of their numbers.
site_process() { cat "$site/$1.pid" 2>/dev/null; }

end_site() {
  [ -n "$site" ] || return 0
  local daemon pid
  # those of jobs know the site by their environment
  for pid in $(grep -lsF "SLURM_CONF=$site/slurm.conf" /proc/[0-9]*/environ | cut -d/ -f3); do
    case $(readlink "/proc/$pid/exe") in
      */slurmstepd*|*/tailwave*) kill -9 "$pid" 2>/dev/null || true ;;
    esac
  done
  for daemon in slurmd slurmctld munged; do
    pid=$(site_process $daemon) && kill "$pid" 2>/dev/null || true
  done
  for daemon in slurmd slurmctld munged; do
    pid=$(site_process $daemon) || continue
    for _ in $(seq 50); do kill -0 "$pid" 2>/dev/null || break; sleep 0.1; done
    kill -9 "$pid" 2>/dev/null || true
  done
  site=""
}

# free_port: one that nobody listens to now
free_port() {
  python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

write_site() {
  local host plugins
  host=$(hostname -s)
  plugins=$(echo "$unpacked"/usr/lib/*/slurm-wlm)
  mkdir -p "$site"/{munge,state,spool}
  chmod 700 "$site/munge"
  (umask 077 && head -c 1024 /dev/urandom >"$site/munge.key")
  ln -sf /dev/null "$site/gpu0"
  ln -sf /dev/zero "$site/gpu1"
  printf 'AutoDetect=off\nName=gpu File=%s\nName=gpu File=%s\n' "$site/gpu0" "$site/gpu1" >"$site/gres.conf"
  cat >"$site/slurm.conf" <<CONF
ClusterName=tailwave
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$(free_port)
SlurmdPort=$(free_port)
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$site/munge/socket,cred_expire=5
PluginDir=$plugins
MpiDefault=none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
GresTypes=gpu
StateSaveLocation=$site/state
SlurmdSpoolDir=$site/spool
SlurmctldPidFile=$site/slurmctld.pid
SlurmdPidFile=$site/slurmd.pid
SlurmctldLogFile=$site/slurmctld.log
SlurmdLogFile=$site/slurmd.log
ReturnToService=2
MailProg=/bin/true
SlurmdTimeout=10
KillWait=5
BatchStartTimeout=1
MessageTimeout=3
SchedulerParameters=sched_interval=1,batch_sched_delay=0
NodeName=$host NodeAddr=127.0.0.1 CPUs=2 Gres=gpu:2 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
CONF
}

start_node() { slurmd -d "$unpacked/usr/sbin/slurmstepd"; }

# As after a crash: the controller sees then which jobs are gone.
restart_node() {
  local pid
  pid=$(site_process slurmd)
  kill "$pid"
  while kill -0 "$pid" 2>/dev/null; do sleep 0.1; done
  start_node
}

site_answers() { [ "$(sinfo --noheader --format=%T 2>/dev/null)" = idle ]; }

begin_site() {
  local libraries
  site=$1
  libraries=$(echo "$unpacked"/usr/lib/*-linux-gnu)
  export PATH=$unpacked/usr/sbin:$unpacked/usr/bin:$PATH SLURM_CONF=$site/slurm.conf
  export LD_LIBRARY_PATH=$libraries:$libraries/slurm-wlm
  write_site
  munged --force --socket="$site/munge/socket" --pid-file="$site/munged.pid" --log-file="$site/munged.log" \
    --seed-file="$site/munge/seed" --key-file="$site/munge.key" || return 1
  slurmctld && start_node || return 1
  for _ in $(seq 100); do
    if site_answers; then return 0; fi
    sleep 0.2
  done
  tail -n 5 "$site"/*.log
  return 1
}
