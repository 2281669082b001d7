// A source's own words for Linear, checked without network: team key, address, and how statuses and states meet.
import { FIELDS, type Field } from '../../core/chore/chore.ts';
import type { Problem } from '../../core/errors.ts';
import { STATUSES, type Status } from '../../core/task/status.ts';
import type { SourceConfig } from '../provider.ts';

export interface LinearOptions {
  /** What the state types before `unstarted` mean. */
  triage: 'draft' | 'todo';
  backlog: 'draft' | 'todo';
  /** Name of the state that stands for a status; absent: the first of its type by position. */
  states: Readonly<Partial<Record<Status, string>>>;
}

type Fault = Pick<Problem, 'message' | 'expected' | 'hint'>;

const TEAM_KEY = /^[A-Za-z0-9]{1,10}$/;
const LOCAL_HOSTS = ['localhost', '127.0.0.1', '[::1]'];
const OPTION_KEYS = ['triage', 'backlog', 'states'] as const;

/** Everything that is wrong with the source's words. */
export function checkSource({ source, url, options }: SourceConfig): Fault[] {
  const faults: Fault[] = [];
  if (!TEAM_KEY.test(source)) {
    faults.push({
      message: `${JSON.stringify(source)} is not a team`,
      expected: 'the key of a Linear team, such as `ENG`',
      hint: 'the key stands before the number of every issue of the team',
    });
  }
  if (url !== null && !isUsable(url)) {
    faults.push({
      message: `url: ${JSON.stringify(url)} can't be used`,
      expected: 'the address of a GraphQL endpoint, with https (http on this machine only)',
    });
  }
  return [...faults, ...Object.entries(options).flatMap(([key, value]) => checkOption(key, value))];
}

function isUsable(url: string): boolean {
  const parsed = URL.parse(url);
  if (parsed === null) return false;
  if (parsed.username !== '' || parsed.password !== '') return false;
  return (
    parsed.protocol === 'https:' || (parsed.protocol === 'http:' && LOCAL_HOSTS.includes(parsed.hostname))
  );
}

function checkOption(key: string, value: unknown): Fault[] {
  const says = `${key}: ${JSON.stringify(value)}`;
  switch (key) {
    case 'triage':
    case 'backlog':
      return value === 'draft' || value === 'todo'
        ? []
        : [{ message: `${says} is no status`, expected: 'draft or todo' }];
    case 'states':
      return checkStates(value);
    default:
      return [{ message: `unknown key ${JSON.stringify(key)}`, expected: OPTION_KEYS.join(', ') }];
  }
}

function checkStates(value: unknown): Fault[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return [
      { message: 'states: is not a map', expected: 'statuses with the names of states, `done: Shipped`' },
    ];
  }
  return Object.entries(value).flatMap(([status, name]): Fault[] => {
    if (!(STATUSES as readonly string[]).includes(status)) {
      return [{ message: `states: ${JSON.stringify(status)} is no status`, expected: STATUSES.join(', ') }];
    }
    if (typeof name === 'string' && name.trim() !== '') return [];
    return [{ message: `states.${status}: is no name`, expected: 'the name of a state of the team' }];
  });
}

/** The options of a source that `checkSource` found nothing wrong with; others count as absent. */
export function readOptions({ options }: SourceConfig): LinearOptions {
  const early = (value: unknown) => (value === 'todo' ? 'todo' : 'draft');
  const { states } = options;
  return {
    triage: early(options.triage),
    backlog: early(options.backlog),
    states: checkStates(states).length === 0 ? { ...(states as Partial<Record<Status, string>>) } : {},
  };
}

/** What is asked of the server. */
export function fieldsOf({ fields }: SourceConfig): ReadonlySet<Field> {
  return new Set(fields ?? FIELDS);
}
