// A terminal of the tests: what was written is kept, what is read is given, signals are sent by hand.
import type { StopSignal, Terminal } from '../../src/cli/terminal.ts';

export interface FakeOptions {
  env?: Record<string, string>;
  cwd?: string;
  input?: string;
  columns?: number | null;
}

export function createFakeTerminal({ env = {}, cwd = '/', input = '', columns = null }: FakeOptions = {}) {
  let out = '';
  let err = '';
  const lines = input.split('\n');
  const listeners = new Set<(signal: StopSignal) => void>();
  const waiting = new Set<{ text: string; resolve: () => void }>();
  const terminal: Terminal = {
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
  };
  return {
    ...terminal,
    out: () => out,
    err: () => err,
    send(signal: StopSignal): void {
      for (const listener of listeners) listener(signal);
    },
    /** How many listeners wait for signals. */
    listening: () => listeners.size,
    /** Resolves as soon as what was written to stdout contains `text`. */
    seen(text: string): Promise<void> {
      if (out.includes(text)) return Promise.resolve();
      return new Promise((resolve) => waiting.add({ text, resolve }));
    },
  };
}
