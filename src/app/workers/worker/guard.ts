// The process that watches over a worker: it ends what the worker's turns left running when the worker is gone, however it
// went, and ends their programs when the worker stands still, before the queue gives its turns to others.
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Seconds without a word to the queue, counted in whole ones: the worker itself gives its turns up a moment before. After
 * them what the guard starts needs a second, and a program that does not end one and a half more.
 */
const STILL_SECONDS = 5;
/** For a program that is asked to end because its worker stands still. */
export const STILL_GRACE_MS = 1_500;

/** The file's one line: a number that grows with each word to the queue, all zeros while there is no turn. */
const LINE_CELLS = 12;
const lineOf = (count: number) => `${String(count).padStart(LINE_CELLS, '0')}\n`;

// Counted are sleeps, not the clock: a machine that was suspended as a whole goes on where it was.
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

/**
 * @param clean program and arguments that end what turns left running; with --still, only their programs
 * @param dir absolute path of the worker's folder, in which the two speak through a file
 */
export function watchOver(clean: readonly string[], dir: string) {
  const line = openSync(join(dir, 'guard'), 'w', 0o600);
  let count = 0;
  let isClosed = false;
  // Written over what is there, which a full disk does not refuse.
  const tell = (text: string) => {
    if (!isClosed) writeSync(line, text, 0);
  };
  tell(lineOf(0));
  const guard: ChildProcess = spawn('/bin/sh', ['-c', SCRIPT, 'taskroom-guard', dir, ...clean], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  // Where none can be started the next worker in this folder does it.
  guard.on('error', () => {});
  guard.stdin?.on('error', () => {});
  guard.unref();
  return {
    /** The queue heard just now that the worker lives. */
    heard() {
      count += 1;
      tell(lineOf(count));
    },
    /** It has no turn in hand: nobody has to hear of it. */
    idle: () => tell(lineOf(0)),
    close() {
      isClosed = true;
      closeSync(line);
      if (guard.pid !== undefined) endGroup(guard.pid);
    },
  };
}

function endGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It ended by itself.
  }
}
