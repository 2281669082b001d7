// The program every turn's process runs under: a POSIX sh script that survives the runtime, holds the
// identity of the turn and records its exit code. Invariant: `exit` is written at most once, by the process
// whose identity stands in `pid`, and only after the agent's program has ended.

/** Files of a turn's folder. */
export const PID_FILE = 'pid';
export const EXIT_FILE = 'exit';
export const OUTPUT_FILE = 'output.log';
export const PROMPT_FILE = 'prompt.md';
export const CONTEXT_FILE = 'context.json';

/** Every POSIX system has this path, while PATH belongs to the agent. */
export const SHELL = '/bin/sh';

// - noclobber makes `pid` an O_EXCL claim; reading it back finds a claim that was taken over before it was
//   filled (see claimUnstarted). No external program runs on Linux: PATH may be the agent's own.
// - Both files hold one line written at once; without its line end a file counts as not there.
// - The shell's stderr goes nowhere, so that its "Killed" never stands among the agent's output. The program
//   gets the real one inside a subshell: dash redirects a plain command in the shell itself.
// - The traps are handlers, not "ignore": children start with default signals, while the shell outlives the
//   group's TERM to record. They are set last: a TERM before that ends a wrapper that has run nothing yet.
export const WRAPPER = `set -C
exec 3>&2 2>/dev/null
taskroom_dir=$1
shift
taskroom_field() { set -- \${taskroom_stat##*) }; taskroom_start="linux \${20} $taskroom_boot"; }
taskroom_ps() { shift $#; set -- $(PATH="$PATH:/bin:/usr/bin" LC_ALL=C TZ=UTC ps -o lstart= -p $$); taskroom_start="ps $*"; }
if read -r taskroom_stat < /proc/$$/stat && read -r taskroom_boot < /proc/sys/kernel/random/boot_id
then taskroom_field
else taskroom_ps
fi
printf '%s\\n' "$$ $taskroom_start" > "$taskroom_dir/${PID_FILE}" || exit 75
read -r taskroom_back < "$taskroom_dir/${PID_FILE}" || exit 75
[ "$taskroom_back" = "$$ $taskroom_start" ] || exit 75
trap : TERM INT HUP
( exec "$@" 2>&3 3>&- )
taskroom_code=$?
printf '%s\\n' "$taskroom_code" > "$taskroom_dir/${EXIT_FILE}"
exit "$taskroom_code"
`;
