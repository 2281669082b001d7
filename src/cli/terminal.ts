// Streams, signals and environment of this process as one value, which tests replace. A reader that goes away (EPIPE) ends only the output.
import { writeSync } from 'node:fs';
import { RoomError } from '../core/errors.ts';

const OUT = 1;
// The reader went away; a closed terminal answers EIO.
const GONE = new Set(['EPIPE', 'EIO']);
const FAILED = 6; // `io` of the exit codes.

/** Standard output, whose disk may fill up: listeners are told, and without a listener the command fails. */
function createOutputStream(onGone: () => void) {
  const { stdout, stderr } = process;
  const listeners = new Set<(reason: string | null) => void>();
  let state: 'open' | 'full' | 'gone' = 'open';

  const tell = (reason: string | null) => {
    for (const listener of listeners) listener(reason);
  };

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

  // A failed stream takes nothing more, but its file may when there is room again.
  function tryAgain(text: string): void {
    if (writeNow(`\n${text}`) !== null) return;
    state = 'open';
    tell(null);
  }

  stdout.on('error', fail);
  stderr.on('error', () => {});
  return {
    write(text: string): void {
      if (state === 'full') tryAgain(text);
      else if (state === 'open' && stdout.writable) stdout.write(text);
      else if (state === 'open') {
        const error = writeNow(text);
        if (error !== null) fail(error);
      }
    },
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
    onTrouble(listener: (reason: string | null) => void): () => void {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

/** Writes past the stream; returns the error. */
function writeNow(text: string): NodeJS.ErrnoException | null {
  try {
    writeSync(OUT, text);
    return null;
  } catch (error) {
    return error as NodeJS.ErrnoException;
  }
}

export type StopSignal = 'SIGINT' | 'SIGTERM' | 'SIGHUP' | 'SIGPIPE';

export interface Terminal {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly outIsTerminal: boolean;
  readonly errorIsTerminal: boolean;
  columns(): number | null; // Width of stdout in cells; null when it is no terminal: nothing is cut.
  write(text: string): void;
  taken(): Promise<boolean>; // Resolves when the reader took what was written; false when it is gone.
  writeError(text: string): void;
  /** All of stdin. @throws RoomError `bad_input` for more than 1 MiB or bytes that are not UTF-8 */
  readInput(): Promise<string>;
  /** A person's answer, one line; null where stdin or stdout is no terminal. */
  ask(question: string): Promise<string | null>;
  /** Returns how to unsubscribe; SIGPIPE stands for a closed stdout. */
  onSignal(listener: (signal: StopSignal) => void): () => void;
  /** The listener gets the reason when stdout can't be written, and null when it can again. */
  onOutputTrouble(listener: (reason: string | null) => void): () => void;
}

const MAX_INPUT_BYTES = 1024 * 1024;
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** What was deleted under the shell has its name from the shell alone. */
function currentFolder(): string {
  try {
    return process.cwd();
  } catch {
    return process.env.PWD ?? '/';
  }
}

export function createProcessTerminal(): Terminal {
  const { stdout, stderr } = process;
  const pipeListeners = new Set<(signal: StopSignal) => void>();
  const output = createOutputStream(() => {
    for (const listener of pipeListeners) listener('SIGPIPE');
  });
  return {
    env: process.env,
    cwd: currentFolder(),
    outIsTerminal: stdout.isTTY === true,
    errorIsTerminal: stderr.isTTY === true,
    columns: () => (stdout.isTTY ? Math.max(20, stdout.columns || 80) : null),
    ...{ write: output.write, taken: output.taken, onOutputTrouble: output.onTrouble, readInput, ask },
    writeError: (text) => void stderr.write(text),
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
