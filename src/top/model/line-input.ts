// One line that is being typed, with a cursor in it. Steps over characters as a person sees them, not over parts of them.

export type LineInput = { before: string; after: string };

export interface Key {
  name: string; // Name of a key as node:readline gives it: `up`, `return`, `a`; `paste` for pasted text.
  text: string; // What it types; '' for keys that type nothing.
  ctrl: boolean;
  meta: boolean;
}

export const EMPTY_INPUT: LineInput = { before: '', after: '' };
const MAX_INPUT = 10_000;
export const textOf = ({ before, after }: LineInput): string => before + after;

/** The line after a key; the same one for keys that mean nothing in it. */
export function edit(input: LineInput, key: Key): LineInput {
  const { before, after } = input;
  const { name, text, ctrl, meta } = key;
  if (!ctrl && !meta && text !== '') {
    const typed = text.replace(/[\r\n\t]+/g, ' ').replace(/\p{Cc}/gu, '');
    return { before: (before + typed).slice(0, MAX_INPUT), after };
  }
  const word = ctrl ? `ctrl-${name}` : meta ? `meta-${name}` : name;
  return MOVES[SAME_KEYS[word] ?? word]?.(input, before + after) ?? input;
}

const SAME_KEYS: Readonly<Record<string, string>> = {
  ...{ 'ctrl-a': 'home', 'ctrl-e': 'end', 'ctrl-h': 'backspace', 'ctrl-w': 'meta-backspace' },
};

const MOVES: Readonly<Record<string, (input: LineInput, all: string) => LineInput>> = {
  left: ({ before }, all) => split(all, before.length - lastOf(before).length),
  right: ({ before, after }, all) => split(all, before.length + firstOf(after).length),
  home: (_, all) => split(all, 0),
  end: (_, all) => split(all, all.length),
  backspace: ({ before, after }) => ({
    before: before.slice(0, before.length - lastOf(before).length),
    after,
  }),
  delete: ({ before, after }) => ({ before, after: after.slice(firstOf(after).length) }),
  'meta-backspace': ({ before, after }) => ({ before: before.replace(/\S+\s*$/, ''), after }),
  'ctrl-u': ({ after }) => ({ before: '', after }),
  'ctrl-k': ({ before }) => ({ before, after: '' }),
};

const split = (text: string, at: number): LineInput => ({ before: text.slice(0, at), after: text.slice(at) });

let segmenter: Intl.Segmenter | null = null;
const graphemes = (text: string) => {
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  return [...segmenter.segment(text)].map(({ segment }) => segment);
};
const firstOf = (text: string) => graphemes(text.slice(0, 64))[0] ?? '';
const lastOf = (text: string) => graphemes(text.slice(-64)).at(-1) ?? '';
