// The outside of the program as one value: streams, signals, environment. Tests hand in their own; everything else
// in this face reads and writes through it. A reader that goes away (EPIPE) ends the output, never the program.

import { writeSync } from 'node:fs';
import { RoomError } from '../core/errors.ts';

// Standard output of this process as it really is: a disk that fills up, a reader that goes away. What can't be written is
// told to whoever runs on without it, and fails every other command.

const OUT = 1;
// A reader that went away; EIO is what a terminal that was closed answers.
const GONE = new Set(['EPIPE', 'EIO']);
/** `io` of the exit codes. */
const FAILED = 6;

/** @param onGone the reader went away */
function createOutputStream(onGone: () => void) {
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
    write(text: string): void {
      if (state === 'full') tryAgain(text);
      else if (state === 'open' && stdout.writable) stdout.write(text);
      else if (state === 'open') writeOn(text, fail);
    },
    /** Resolves when the reader took what was written; false when nobody takes any more. */
    taken: (): Promise<boolean> =>
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
    /** Calls `listener` when output can't be written, with the reason, and with null when it can again. */
    onTrouble(listener: (reason: string | null) => void): () => void {
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

export type StopSignal = 'SIGINT' | 'SIGTERM' | 'SIGHUP' | 'SIGPIPE';

export interface Terminal {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Whether stdout and stderr are terminals. */
  readonly outIsTerminal: boolean;
  readonly errorIsTerminal: boolean;
  /** Width of stdout in cells; null when it is no terminal, which means: cut nothing off. */
  columns(): number | null;
  write(text: string): void;
  /** Resolves when the reader took what was written; false when nobody takes any more. Long outputs wait for it. */
  taken(): Promise<boolean>;
  writeError(text: string): void;
  /** All of stdin. @throws RoomError `bad_input` for more than 1 MiB or bytes that are not UTF-8 */
  readInput(): Promise<string>;
  /** One line of a person's answer to a question; null where no person sits at stdin and stdout. */
  ask(question: string): Promise<string | null>;
  /** Calls `listener` on each signal that asks to stop, until the returned function is called. SIGPIPE stands for a closed stdout. */
  onSignal(listener: (signal: StopSignal) => void): () => void;
  /** Calls `listener` with the reason when stdout can't be written, and with null when it can again. Without a listener the process ends with `io`. */
  onOutputTrouble(listener: (reason: string | null) => void): () => void;
}

const MAX_INPUT_BYTES = 1024 * 1024;
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** The terminal of this process. */
export function createProcessTerminal(): Terminal {
  const { stdout, stderr } = process;
  const pipeListeners = new Set<(signal: StopSignal) => void>();
  const output = createOutputStream(() => {
    for (const listener of pipeListeners) listener('SIGPIPE');
  });
  return {
    env: process.env,
    cwd: process.cwd(),
    outIsTerminal: stdout.isTTY === true,
    errorIsTerminal: stderr.isTTY === true,
    columns: () => (stdout.isTTY ? Math.max(20, stdout.columns || 80) : null),
    write: output.write,
    taken: output.taken,
    writeError(text) {
      stderr.write(text);
    },
    readInput,
    ask,
    onOutputTrouble: output.onTrouble,
    onSignal(listener) {
      for (const signal of SIGNALS) process.on(signal, listener);
      pipeListeners.add(listener);
      return () => {
        for (const signal of SIGNALS) process.removeListener(signal, listener);
        pipeListeners.delete(listener);
      };
    },
  };
}

async function ask(question: string): Promise<string | null> {
  if (!process.stdin.isTTY || !process.stdout.isTTY) return null;
  const { createInterface } = await import('node:readline/promises');
  const lines = createInterface({ input: process.stdin, output: process.stdout });
  // An end of input, or Ctrl-C, is no answer.
  const left = new Promise<null>((resolve) => lines.once('close', () => resolve(null)));
  const answer = await Promise.race([lines.question(question), left]);
  lines.close();
  return answer;
}

async function readInput(): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of process.stdin as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_INPUT_BYTES)
      throw new RoomError('bad_input', 'stdin holds more than 1 MiB', { hint: 'give a shorter text' });
    chunks.push(chunk);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
  } catch (error) {
    throw new RoomError('bad_input', 'stdin is not UTF-8 text', {
      cause: error,
      hint: 'convert it first, for example with iconv',
    });
  }
}
