// The signs of the kinds of things that need the person.
import type { InboxKind } from '../../../core/config/inbox-kinds.ts';
import type { Color } from '../paint.ts';

const SIGNS: Readonly<Record<InboxKind, readonly [sign: string, color: Color]>> = {
  question: ['?', 'yellow'],
  paused: ['⏸', 'yellow'],
  trust: ['⚿', 'yellow'],
  rights: ['⚿', 'red'],
  held: ['⏸', 'yellow'],
  conflict: ['⇅', 'red'],
  invalid: ['✗', 'red'],
  setup: ['!', 'red'],
  trouble: ['!', 'red'],
  tracker: ['⇅', 'yellow'],
  notice: ['✉', 'magenta'],
};

/** The sign of a kind, and its colour. */
export const inboxSign = (kind: InboxKind) => SIGNS[kind];
