// A process that watches over a worker: when the worker is gone, it ends what the worker's turns left running; when the worker stands still, it
// ends their programs before the queue gives the turns to others.
import { spawn } from 'node:child_process';
import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/** Whole seconds without a heartbeat; the worker itself gives its turns up a moment before. After them the guard's program needs a second to
 * start, and a program that does not end is killed after the grace. */
const STILL_SECONDS = 5;
export const STILL_GRACE_MS = 1_500;

/** The file's one line: a number that grows with each heartbeat, all zeros while there is no turn. */
const LINE_CELLS = 12;
const lineOf = (count: number) => `${String(count).padStart(LINE_CELLS, '0')}\n`;

// It counts sleeps, not the clock: a machine that was suspended goes on where it was.
const SCRIPT = `trap "" INT HUP TERM
file=$1/guard; shift
( last=; still=0
  while sleep 1; do
    now=; read -r now < "$file"
    if [ "$now" != "$last" ]; then last=$now; still=0
    elif [ -n "$now" ] && [ "$now" != ${'0'.repeat(LINE_CELLS)} ]; then
      still=$((still + 1))
      if [ $still -eq ${STILL_SECONDS} ]; then "$@" --still; fi
    fi
  done ) &
cat > /dev/null
kill -9 $!
exec "$@"`;

export type Guard = ReturnType<typeof watchOver>;

/** @param clean program and arguments that end what turns left running; with --still, only their programs
 * @param dir absolute path of the worker's folder, which holds the guard's file */
export function watchOver(clean: readonly string[], dir: string) {
  const line = openSync(join(dir, 'guard'), 'w', 0o600);
  let count = 0;
  let isClosed = false;
  // A full disk refuses no write over bytes that are there.
  const tell = (text: string) => {
    if (!isClosed) writeSync(line, text, 0);
  };
  tell(lineOf(0));
  const guard = spawn('/bin/sh', ['-c', SCRIPT, 'taskroom-guard', dir, ...clean], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  // Without a guard the next worker in this folder ends what is left.
  guard.on('error', () => {});
  guard.stdin.on('error', () => {});
  guard.unref();
  return {
    /** The queue got a heartbeat just now. */
    heard() {
      count += 1;
      tell(lineOf(count));
    },
    idle: () => tell(lineOf(0)), // The worker has no turn, and needs no heartbeat.
    close() {
      isClosed = true;
      closeSync(line);
      try {
        if (guard.pid !== undefined) process.kill(-guard.pid, 'SIGKILL');
      } catch {
        // It ended by itself.
      }
    },
  };
}
