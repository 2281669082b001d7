// The terminal while the screen holds it: other page, raw keys, no cursor. Whatever ends the program, a signal, a fault or a
// key, the terminal is given back as it was; after Ctrl-Z and fg it is taken again. Only lines that changed are written.
import { EventEmitter } from 'node:events';
import { writeSync } from 'node:fs';
import { emitKeypressEvents, type Interface, type Key as Pressed } from 'node:readline';
import { StringDecoder } from 'node:string_decoder';
import type { ReadStream } from 'node:tty';
import { hasCode } from '../../core/errors.ts';
import type { Key } from '../model/line-input.ts';

// Keys of the terminal, as node:readline decodes them; text that is pasted comes as one key.
type KeyReader = ReturnType<typeof createKeyReader>;

/** What comes later than this after Esc is a key of its own; a slow line needs some of it. */
const ESCAPE_MS = 50;
const MAX_PASTED = 10_000;

// What a terminal answers by itself (its colours, what it is) and what node:readline takes apart into letters is no key: control
// strings, and control sequences of another form than those of keys (ECMA-48 §5.4, §5.6).
const CONTROL_STRING = /\u001b[\]PX^_][^\u001b\u0007]+(?:\u0007|\u001b\\)?/g;
const CONTROL_SEQUENCE = /\u001b\[(?!\[?\d{0,3}(?:;\d{1,2})?[A-Za-z~^$])[0-?]*[ -/]*[@-Z\\-~]/g;

function createKeyReader(stdin: ReadStream, onKey: (key: Key) => void) {
  const typed = new EventEmitter();
  const decoder = new StringDecoder();
  const read = (bytes: Buffer) =>
    void typed.emit('data', decoder.write(bytes).replace(CONTROL_STRING, '').replace(CONTROL_SEQUENCE, ''));
  // Of an interface it reads nothing else, and of a stream only its events.
  emitKeypressEvents(typed as ReadStream, { escapeCodeTimeout: ESCAPE_MS } as unknown as Interface);
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
      typed.on('keypress', press);
      stdin.on('data', read);
      stdin.resume();
    },
    close() {
      typed.removeListener('keypress', press);
      stdin.removeListener('data', read);
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
  const isMeta = meta && name !== 'escape';
  return { name: name === 'enter' ? 'return' : name, text: types ? text : '', ctrl, meta: isMeta };
}

interface ScreenHandlers {
  onKey(key: Key): void;
  onResize(): void;
  onReady(): void; // The terminal takes output again, or was taken again: everything is to be drawn.
  onSignal(signal: NodeJS.Signals): void; // Somebody wants the program to end.
}

export type Screen = ReturnType<typeof openScreen>;

// Alternate page, hidden cursor, pasted text in brackets, no wrapping at the right edge.
const ENTER = '\u001b[?1049h\u001b[?25l\u001b[?2004h\u001b[?7l\u001b[2J';
const LEAVE = '\u001b[?7h\u001b[?2004l\u001b[?25h\u001b[0m\u001b[?1049l';
// Terminals that know it show a frame at once, others pass over it.
const BEGIN_FRAME = '\u001b[?2026h';
const END_FRAME = '\u001b[?2026l';
const SIGNALS = ['SIGTERM', 'SIGHUP', 'SIGINT', 'SIGQUIT'] as const;
const HIDE_CURSOR = '\u001b[?25l';
const SHOW_CURSOR = '\u001b[?25h';
const BUG = 70; // Exit code of a bug.
const AFTER_STOP_MS = 50; // By then a stopped program was stopped; one that can't be goes on.

export function openScreen(handlers: ScreenHandlers) {
  const { stdin, stdout } = process;
  const frames = createFrames(stdout, handlers.onReady);
  const holding = createHolding(createKeyReader(stdin, handlers.onKey), () => {
    frames.forget();
    handlers.onReady();
  });
  const { giveBack, suspend } = holding;
  const broken = () => handlers.onSignal('SIGHUP');
  const signalled = (signal: NodeJS.Signals) => {
    // A Ctrl-C in the program that has the terminal is meant for it.
    if (holding.isLent() && signal === 'SIGINT') return;
    giveBack();
    handlers.onSignal(signal);
  };
  const resized = () => {
    frames.forget();
    handlers.onResize();
  };
  const fault = (error: unknown) => {
    giveBack();
    process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
    process.exit(BUG);
  };
  const unhook = hook([
    ...SIGNALS.map((signal): Hook => [process, signal, signalled]),
    [process, 'exit', giveBack],
    [process, 'uncaughtException', fault],
    [process, 'unhandledRejection', fault],
    [stdout, 'resize', resized],
    [stdout, 'error', broken],
    [stdin, 'error', broken],
    [stdin, 'end', broken],
  ]);
  holding.take();
  return {
    size: () => ({ columns: stdout.columns || 80, rows: stdout.rows || 24 }),
    /** False while the terminal is behind or given back: then nothing is to be drawn. */
    isReady: () => holding.isHeld() && !frames.isBehind(),
    draw: frames.draw,
    forget: frames.forget, // Forgets what is on the terminal: the next frame writes every line.
    /** As the shell's job control does it on Ctrl-Z. */
    suspend,
    lend: holding.lend, // Gives the terminal to a program until that ends.
    /** Gives the terminal back; nothing is drawn any more. */
    close() {
      holding.close();
      unhook();
      stdin.unref();
    },
  };
}

type Hook = readonly [NodeJS.EventEmitter, string, (...args: never[]) => void];

/** Returns how to take them all off. */
function hook(hooks: readonly Hook[]): () => void {
  for (const [emitter, event, run] of hooks) emitter.on(event, run as () => void);
  return () => {
    for (const [emitter, event, run] of hooks) emitter.removeListener(event, run as () => void);
  };
}

/** Taking the terminal and giving it back, as often as job control asks for it. */
function createHolding(keys: KeyReader, onTaken: () => void) {
  const { stdout } = process;
  let isHeld = false;
  let isClosed = false;
  let isLent = false;
  function take(): void {
    if (isHeld || isClosed || isLent) return;
    isHeld = true;
    keys.open();
    stdout.write(ENTER);
    onTaken();
  }
  function giveBack(): void {
    if (!isHeld) return;
    isHeld = false;
    keys.close();
    // At once: the process may be about to end.
    writeAll(stdout.fd, LEAVE);
  }
  // Stopped from elsewhere it had no time to give the terminal back, and the shell set it as it likes it.
  function takeAgain(): void {
    if (isHeld) keys.close();
    isHeld = false;
    take();
  }
  function suspend(): void {
    giveBack();
    process.removeListener('SIGTSTP', suspend);
    // The whole job, as the terminal's own Ctrl-Z.
    process.kill(0, 'SIGTSTP');
    setTimeout(() => {
      if (!isClosed) process.on('SIGTSTP', suspend);
      take();
    }, AFTER_STOP_MS);
  }
  const unhook = hook([
    [process, 'SIGTSTP', suspend],
    [process, 'SIGCONT', takeAgain],
  ]);
  async function lend(run: () => Promise<void>): Promise<void> {
    giveBack();
    isLent = true;
    await run().finally(() => {
      isLent = false;
      take();
    });
  }
  return {
    ...{ take, giveBack, lend, suspend, isHeld: () => isHeld, isLent: () => isLent },
    close() {
      giveBack();
      isClosed = true;
      unhook();
    },
  };
}

/** Writes what is new in a frame, and waits while the terminal is behind. */
function createFrames(stdout: NodeJS.WriteStream, onReady: () => void) {
  let shown: readonly string[] = [];
  let isBehind = false;
  return {
    isBehind: () => isBehind,
    forget() {
      shown = [];
    },
    draw(lines: readonly string[], cursor: { column: number; row: number } | null): void {
      let text = '';
      // Cleared before it is written: after a line that fills its row that would take its last cell.
      for (const [row, line] of lines.entries())
        if (line !== shown[row]) text += `\u001b[${row + 1};1H\u001b[0m\u001b[2K${line}`;
      shown = lines;
      text += cursor === null ? HIDE_CURSOR : `\u001b[${cursor.row + 1};${cursor.column + 1}H${SHOW_CURSOR}`;
      isBehind = !stdout.write(`${BEGIN_FRAME}${text}${END_FRAME}`);
      if (!isBehind) return;
      stdout.once('drain', () => {
        isBehind = false;
        onReady();
      });
    },
  };
}

/** All of it, though the terminal takes it in parts; what a terminal that is gone does not take is nobody's. */
function writeAll(file: number, text: string): void {
  let rest = Buffer.from(text);
  for (let tries = 0; rest.length > 0 && tries < 100; tries += 1) {
    try {
      rest = rest.subarray(writeSync(file, rest));
    } catch (error) {
      if (!hasCode(error, 'EAGAIN')) return;
    }
  }
}
