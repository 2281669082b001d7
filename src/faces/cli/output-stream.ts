// Standard output of this process as it really is: a disk that fills up, a reader that goes away. What can't be written is
// told to whoever runs on without it, and fails every other command.
import { writeSync } from 'node:fs';

export interface OutputStream {
  write(text: string): void;
  /** Resolves when the reader took what was written; false when nobody takes any more. */
  taken(): Promise<boolean>;
  /** Calls `listener` when output can't be written, with the reason, and with null when it can again. */
  onTrouble(listener: (reason: string | null) => void): () => void;
}

const OUT = 1;
// A reader that went away; EIO is what a terminal that was closed answers.
const GONE = new Set(['EPIPE', 'EIO']);
/** `io` of the exit codes. */
const FAILED = 6;

/** @param onGone the reader went away */
export function createOutputStream(onGone: () => void): OutputStream {
  const { stdout, stderr } = process;
  const listeners = new Set<(reason: string | null) => void>();
  let state: 'open' | 'full' | 'gone' = 'open';

  function tell(reason: string | null): void {
    for (const listener of listeners) listener(reason);
  }

  function fail({ code, message }: NodeJS.ErrnoException): void {
    state = GONE.has(code ?? '') ? 'gone' : 'full';
    if (listeners.size > 0) tell(message);
    else if (state === 'full') {
      stderr.write(`standard output can't be written: ${message}\n`);
      process.once('exit', () => {
        if (!process.exitCode) process.exitCode = FAILED;
      });
    }
    if (state === 'gone') onGone();
  }

  // A stream that failed once takes nothing more: the file behind it may, when there is room again.
  function tryAgain(text: string): void {
    try {
      writeSync(OUT, `\n${text}`);
    } catch {
      return;
    }
    // The line that was cut off is ended once; from now on lines stand as they are.
    state = 'open';
    tell(null);
  }

  stdout.on('error', fail);
  stderr.on('error', () => {});
  return {
    write(text) {
      if (state === 'full') tryAgain(text);
      else if (state === 'open' && stdout.writable) stdout.write(text);
      else if (state === 'open') writeOn(text, fail);
    },
    taken: () =>
      new Promise((resolve) => {
        const done = () => {
          stdout.off('drain', done);
          stdout.off('close', done);
          resolve(state !== 'gone');
        };
        if (state !== 'open' || !stdout.writableNeedDrain) return done();
        stdout.once('drain', done);
        stdout.once('close', done);
      }),
    onTrouble(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

/** Past a stream that is over for good. */
function writeOn(text: string, fail: (error: NodeJS.ErrnoException) => void): void {
  try {
    writeSync(OUT, text);
  } catch (error) {
    fail(error as NodeJS.ErrnoException);
  }
}
