// Keys of the terminal, as node:readline decodes them; text that is pasted comes as one key.
import { emitKeypressEvents, type Interface } from 'node:readline';
import type { ReadStream } from 'node:tty';
import type { Key } from '../model/line-input.ts';

export type KeyReader = ReturnType<typeof createKeyReader>;

interface Pressed {
  name?: string;
  sequence?: string;
  ctrl?: boolean;
  meta?: boolean;
  shift?: boolean;
}

/** What comes later than this after Esc is a key of its own; a slow line needs some of it. */
const ESCAPE_MS = 50;
const MAX_PASTED = 10_000;

export function createKeyReader(stdin: ReadStream, onKey: (key: Key) => void) {
  // Of an interface it reads nothing else.
  emitKeypressEvents(stdin, { escapeCodeTimeout: ESCAPE_MS } as unknown as Interface);
  let pasted: string | null = null;
  const press = (text: string | undefined, { name = '', sequence = '', ctrl, meta, shift }: Pressed) => {
    if (name === 'paste-start') pasted = '';
    else if (name === 'paste-end') {
      onKey({ name: 'paste', text: pasted ?? '', ctrl: false, meta: false });
      pasted = null;
    } else if (pasted !== null) pasted = (pasted + (text ?? sequence)).slice(0, MAX_PASTED);
    else onKey(keyOf(name, text, ctrl === true, meta === true, shift === true));
  };
  return {
    open() {
      stdin.setRawMode(true);
      stdin.on('keypress', press);
      stdin.resume();
    },
    close() {
      stdin.removeListener('keypress', press);
      stdin.pause();
      try {
        stdin.setRawMode(false);
      } catch {
        // The terminal is gone.
      }
    },
  };
}

function keyOf(name: string, text: string | undefined, ctrl: boolean, meta: boolean, shift: boolean): Key {
  if (name === 'tab' && shift) return { name: 'backtab', text: '', ctrl, meta };
  // What has a name of its own beside a letter types nothing.
  const types = text !== undefined && !ctrl && !meta && !/[\u0000-\u001f\u007f]/.test(text);
  // Esc alone is told as if it were held together with itself.
  return {
    name: name === 'enter' ? 'return' : name,
    text: types ? text : '',
    ctrl,
    meta: meta && name !== 'escape',
  };
}
