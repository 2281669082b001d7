// Keys while the person is typing on the last line: a search narrows at once, everything else counts with Enter, Esc takes it back.
import { edit, type Key, textOf } from './line-input.ts';
import type { Ask, Prompt, ScreenState } from './screen-state.ts';

export function prompted(
  state: ScreenState,
  prompt: Prompt,
  key: Key,
): { state: ScreenState; ask: Ask | null } {
  const done = { ...state, prompt: null };
  if (key.name === 'escape' || (key.ctrl && key.name === 'g'))
    return { state: prompt.kind === 'search' ? { ...done, search: '' } : done, ask: null };
  if (prompt.kind === 'confirm') {
    // Enter alone confirms nothing: it may be one that was meant for what stood there before.
    return { state: done, ask: key.text === 'y' || key.text === 'Y' ? prompt.deed : null };
  }
  const isEnter = key.name === 'return' || key.name === 'enter';
  if (isEnter) return entered(done, prompt);
  const input = edit(prompt.input, key);
  const typing = { ...state, prompt: { ...prompt, input } };
  return { state: prompt.kind === 'search' ? { ...typing, search: textOf(input) } : typing, ask: null };
}

function entered(
  state: ScreenState,
  prompt: Exclude<Prompt, { kind: 'confirm' }>,
): { state: ScreenState; ask: Ask | null } {
  const text = textOf(prompt.input).trim();
  switch (prompt.kind) {
    case 'search':
      return { state: { ...state, search: text }, ask: null };
    case 'filter':
      return { state: { ...state, filter: text }, ask: null };
    case 'new':
      return { state, ask: text === '' ? null : { do: 'new', name: text } };
    case 'answer': {
      const { ref, question, name } = prompt;
      return { state, ask: text === '' ? null : { do: 'answer', ref, question, text, name } };
    }
  }
}
