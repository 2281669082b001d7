// The words of a search, which mean the same wherever tasks are listed: `@agent`, `#label`, `status:todo` and the like are asked of
// the task's facts, every other word of its name, title, id and text. Case is ignored.
import type { ListedTask } from './listed-task.ts';
import { isFinished, STATUSES } from './status.ts';

export type SearchedTask = Pick<
  ListedTask,
  | ('id' | 'name' | 'title' | 'status' | 'paused' | 'waiting')
  | ('owner' | 'labels' | 'sprint' | 'scope' | 'priority')
> & { running: string | null; blocked: boolean; nothing_written: boolean };

type Fits = (task: SearchedTask) => boolean;

export interface Search {
  fits: Fits;
  /** What is to be found in name, title, id or text, in small letters. */
  words: string[];
  /** What stands like a key with a value, and is none: no task fits it. */
  unknown: string[];
}

export function readSearch(text: string): Search {
  const tests: Fits[] = [];
  const words: string[] = [];
  const unknown: string[] = [];
  for (const word of text.toLowerCase().split(/\s+/).filter(Boolean)) {
    const test = testOf(word);
    if (test === fitsNone || (/^[a-z_]+:[^/]/.test(word) && test === null)) unknown.push(word);
    if (test === null) words.push(word);
    else tests.push(test);
  }
  return { words, unknown, fits: (task) => tests.every((test) => test(task)) };
}

const fitsNone: Fits = () => false;

const heads = new WeakMap<object, string>();

/** The words that name, title and id do not hold. */
export function wordsNotInHead(
  task: Pick<ListedTask, 'id' | 'name' | 'title'>,
  words: readonly string[],
): string[] {
  const head = heads.get(task) ?? `${task.name}\n${task.title ?? ''}\n${task.id ?? ''}`.toLowerCase();
  heads.set(task, head);
  return words.filter((word) => !head.includes(word));
}

const starts = (text: string | null, value: string) => (text ?? '').toLowerCase().startsWith(value);

function testOf(word: string): Fits | null {
  const [, key, said] = /^(status|owner|label|sprint|scope|priority):(.*)$/.exec(word) ?? [];
  const sign = { '@': 'owner', '#': 'label' }[word[0]!];
  const value = said ?? word.slice(1);
  switch (key ?? sign) {
    case 'owner':
      return ({ owner }) => starts(owner, value);
    case 'label':
      return ({ labels }) => labels.some((label) => starts(label, value));
    case 'sprint':
      return ({ sprint }) => starts(sprint, value);
    case 'scope':
      return ({ scope }) => starts(scope, value);
    case 'priority':
      return ({ priority }) => starts(priority ?? 'medium', value);
    case 'status':
      return statusIs(value);
    default:
      return null;
  }
}

/** A status, or what else a sign says of an open task. */
function statusIs(value: string): Fits {
  if (STATUSES.some((status) => status.startsWith(value))) return ({ status }) => status.startsWith(value);
  const signs: Readonly<Record<string, Fits>> = {
    running: ({ running }) => running !== null,
    paused: ({ paused, status }) => paused && !isFinished(status),
    blocked: ({ blocked }) => blocked,
    waiting: ({ waiting }) => waiting,
    silent: ({ nothing_written }) => nothing_written,
  };
  const sign = Object.keys(signs).find((each) => each.startsWith(value));
  return sign === undefined ? fitsNone : signs[sign]!;
}
