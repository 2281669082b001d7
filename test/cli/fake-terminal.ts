// A terminal of the tests: what was written is kept, what is read is given, signals are sent by hand.
import type { StopSignal, Terminal } from '../../src/cli/terminal.ts';

export interface FakeTerminal extends Terminal {
  out(): string;
  err(): string;
  send(signal: StopSignal): void;
  /** How many listeners wait for signals. */
  listening(): number;
  /** Resolves as soon as what was written to stdout contains `text`. */
  seen(text: string): Promise<void>;
}

export interface FakeOptions {
  env?: Record<string, string>;
  cwd?: string;
  input?: string;
  columns?: number | null;
}

export function createFakeTerminal({
  env = {},
  cwd = '/',
  input = '',
  columns = null,
}: FakeOptions = {}): FakeTerminal {
  let out = '';
  let err = '';
  const lines = input.split('\n');
  const listeners = new Set<(signal: StopSignal) => void>();
  const waiting = new Set<{ text: string; resolve: () => void }>();
  return {
    env,
    cwd,
    outIsTerminal: columns !== null,
    errorIsTerminal: columns !== null,
    columns: () => columns,
    write(text) {
      out += text;
      for (const entry of waiting) {
        if (!out.includes(entry.text)) continue;
        waiting.delete(entry);
        entry.resolve();
      }
    },
    writeError(text) {
      err += text;
    },
    readInput: () => Promise.resolve(input),
    ask(question) {
      out += question;
      return Promise.resolve(columns === null ? null : (lines.shift() ?? ''));
    },
    onSignal(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    taken: () => Promise.resolve(true),
    onOutputTrouble: () => () => {},
    out: () => out,
    err: () => err,
    send(signal) {
      for (const listener of listeners) listener(signal);
    },
    listening: () => listeners.size,
    seen(text) {
      if (out.includes(text)) return Promise.resolve();
      return new Promise((resolve) => waiting.add({ text, resolve }));
    },
  };
}
