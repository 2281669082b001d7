// The outside of the program as one value: streams, signals, environment. Tests hand in their own; everything else
// in this face reads and writes through it. A reader that goes away (EPIPE) ends the output, never the program.
import { RoomError } from '../../core/errors.ts';
import { createOutputStream } from './output-stream.ts';

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
