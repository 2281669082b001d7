// A source's own words for Taskwarrior: which configuration, which data, and which attribute holds a task's body.
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import type { Problem } from '../../core/errors.ts';
import type { Effects } from '../../effects.ts';
import type { SourceConfig } from '../provider.ts';
import { BUILT_IN, OWN_ATTRIBUTE } from './record.ts';

export interface TaskwarriorOptions {
  /** Configuration file; null for Taskwarrior's own choice. */
  taskrc: string | null;
  /** Data folder; null for what the configuration says. */
  taskdata: string | null;
  /** Attribute (UDA) that holds the body; null: bodies stay in the room. */
  body: string | null;
}

type Fault = Pick<Problem, 'message' | 'expected' | 'hint'>;

const KEYS = ['taskrc', 'taskdata', 'body'] as const;
const ATTRIBUTE = /^[a-z][a-z0-9_]{0,31}$/;
const CONTROL = /\p{Cc}/u;

/** Everything that is wrong with the source's words. */
export function checkSource({ source, filter, url, options }: SourceConfig): Fault[] {
  const faults: Fault[] = [];
  if (source.trim() === '' || CONTROL.test(source)) {
    faults.push({
      message: `${JSON.stringify(source)} is no Taskwarrior filter`,
      expected: 'a filter on one line',
      hint: 'write `status.any:` to mirror every task',
    });
  }
  if (filter.assignee !== null) {
    faults.push({ message: 'Taskwarrior tasks have no assignee', hint: 'leave out filter.assignee' });
  }
  if (url !== null) {
    faults.push({
      message: 'Taskwarrior is a program on this machine and has no url',
      hint: 'leave out url',
    });
  }
  return [...faults, ...Object.entries(options).flatMap(([key, value]) => checkOption(key, value))];
}

function checkOption(key: string, value: unknown): Fault[] {
  if (!(KEYS as readonly string[]).includes(key)) {
    return [{ message: `unknown key ${JSON.stringify(key)}`, expected: KEYS.join(', ') }];
  }
  const text = typeof value === 'string' ? value : '';
  if (key !== 'body') {
    if (isPath(text)) return [];
    return [
      {
        message: `${key}: ${JSON.stringify(value)} is no path`,
        expected: 'an absolute path, or one after ~/',
      },
    ];
  }
  if (ATTRIBUTE.test(text) && !BUILT_IN.has(text) && text !== OWN_ATTRIBUTE) return [];
  return [
    {
      message: `body: ${JSON.stringify(value)} can't hold a body`,
      expected: 'the name of a string attribute (UDA) of yours, such as `body`',
    },
  ];
}

function isPath(text: string): boolean {
  return !CONTROL.test(text) && (isAbsolute(text) || text.startsWith('~/'));
}

/** The options of a source that `checkSource` found nothing wrong with; others count as absent. */
export function readOptions({ options }: SourceConfig, effects: Effects): TaskwarriorOptions {
  const read = (key: (typeof KEYS)[number]): string | null => {
    const value = options[key];
    return typeof value === 'string' && checkOption(key, value).length === 0 ? value : null;
  };
  const path = (text: string | null): string | null =>
    text?.startsWith('~/') ? join(homeOf(effects), text.slice(2)) : text;
  return { taskrc: path(read('taskrc')), taskdata: path(read('taskdata')), body: read('body') };
}

export function homeOf(effects: Effects): string {
  return effects.env.HOME || homedir();
}
