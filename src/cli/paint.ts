// Colours, only on a terminal, unless NO_COLOR or --no-color says otherwise.
import type { Terminal } from './terminal.ts';

type Style = 'gray' | 'dim' | 'bold' | 'inverse';
export type Color = 'red' | 'green' | 'yellow' | 'blue' | 'cyan' | 'magenta' | Style;

/** Wraps text in a colour, or returns it as it is. */
export type Paint = (color: Color, text: string) => string;

export const plain: Paint = (_color, text) => text;
const colored: Paint = (color, text) =>
  // Loaded when first used, as most output is read by programs.
  text === '' ? '' : process.getBuiltinModule('node:util').styleText(color, text, { validateStream: false });

/** Decides on colours: `--no-color`, then NO_COLOR, then FORCE_COLOR, then whether the stream is a terminal.
 * An empty NO_COLOR counts as not set (https://no-color.org). */
export function choosePaint(wanted: boolean, env: Terminal['env'], isTerminal: boolean): Paint {
  if (!wanted || env.NO_COLOR) return plain;
  const { FORCE_COLOR: force } = env;
  if (force !== undefined) return force === '0' || force === 'false' ? plain : colored;
  return isTerminal && env.TERM !== 'dumb' ? colored : plain;
}
