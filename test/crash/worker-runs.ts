// What the agents of a storm over workers do, and what they leave on record of it themselves: which worker ran which round of
// which task, when, and whether another was at the same task at that moment.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { linesOf } from './worker-site.ts';

/** One start of the agent's program. A turn has several when its worker lost it. */
export interface Run {
  task: string;
  turn: string;
  run: string;
  round: number;
  /** Home of its worker. */
  home: string;
  startedAtMs: number;
  /** Null when it never came to its end. */
  endedAtMs: number | null;
}

/** Who is at a task holds a file of its name; one that finds a living holder, or has lost the file at its end, has met another. */
export const AGENT_WORDS = `dir=$ROOM_OF_TEST
run=$$-$(date +%s%N)
# One in four does not end when it is asked to.
[ $(($$ % 4)) -ne 0 ] || trap '' TERM
round=$(sed -n 's/.*Round \\([0-9]*\\)\\..*/\\1/p' "$TASKROOM_CONTEXT" | head -n 1)
say() { echo "$1 $TASKROOM_TASK $TASKROOM_TURN $run $round $HOME $(date +%s%N)" >> "$dir/runs.log"; }
held=$dir/held-$TASKROOM_TASK
other=$(cat "$held" 2>/dev/null)
if [ -n "$other" ] && grep -qs '^State:.[^ZX]' "/proc/\${other%%-*}/status"; then say "met:$other"; fi
echo "$run" > "$held"
say start
echo "out $run 1"
taskroom progress "said $run 1" > /dev/null
taskroom step --add "step $run" > /dev/null
if git rev-parse --git-dir > /dev/null 2>&1; then
  echo "$run" >> runs.txt
  { git add runs.txt && git commit --quiet -m "run $run"; } 2> "$dir/git-$$" || say "git:$(tr ' \\n' '__' < "$dir/git-$$")"
  rm "$dir/git-$$"
  # A git that is killed while it holds its lock, which is in the way of the next.
  [ $(($$ % 3)) -ne 0 ] || (echo more >> runs.txt; GIT_EDITOR='kill -9 $PPID; true' git commit --quiet --all; true) 2> /dev/null
fi
sleep 0.$((5 + $$ % 5))
taskroom progress "said $run 2" > /dev/null
echo "out $run 2"
taskroom done > /dev/null && say end
[ "$(cat "$held" 2>/dev/null)" = "$run" ] || say "met:$(cat "$held")"
rm -f "$held"
`;

export interface RunLog {
  runs: Run[];
  /** Lines of agents that met another at their task. */
  met: string[];
  /** Lines of agents whose git did not commit. */
  refused: string[];
}

export function readRuns(roomDir: string): RunLog {
  const runs = new Map<string, Run>();
  const met: string[] = [];
  const refused: string[] = [];
  for (const line of linesOf(join(roomDir, 'runs.log'))) {
    const [what = '', task = '', turn = '', run = '', round = '', home = '', at = ''] = line.split(' ');
    const atMs = Number(at) / 1e6;
    if (what === 'start')
      runs.set(run, { task, turn, run, round: Number(round), home, startedAtMs: atMs, endedAtMs: null });
    else if (what === 'end') runs.get(run)!.endedAtMs = atMs;
    else if (what.startsWith('git:')) refused.push(line);
    else met.push(line);
  }
  return { runs: [...runs.values()], met, refused };
}

/** The one that counts, of all that a turn had. */
export function lastRun(runs: readonly Run[], turn: string): Run | undefined {
  return runs.filter((run) => run.turn === turn).sort((a, b) => b.startedAtMs - a.startedAtMs)[0];
}

/** @param pid of an agent's program; one that ended and was not taken note of is not alive */
export function isAlive(pid: string): boolean {
  try {
    return !/\) [ZX]/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}
