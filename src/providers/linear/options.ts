// A source's own words for Linear, checked without network: team key, address, and how statuses and states meet.
import * as z from 'zod';
import { FIELDS, type Field } from '../../core/chore/fields.ts';
import { type Fault, optionFaults, optionsOf } from '../../core/config/own-options.ts';
import { setting, settings } from '../../core/config/setting.ts';
import { kind, oneOf } from '../../core/config/values.ts';
import { RoomError } from '../../core/errors.ts';
import { once } from '../../core/once.ts';
import { STATUSES } from '../../core/task/status.ts';
import type { SourceConfig } from '../provider.ts';

const ownOptions = once(() => {
  const early = (type: string) =>
    setting(oneOf(['draft', 'todo']), `What states of the type ${type} mean.`, 'draft');
  const name = kind(z.string().regex(/\S/), 'text', 'the name of a state of the team');
  const states = kind(
    z.partialRecord(z.enum(STATUSES), name),
    'map',
    'a map of statuses to the names of states, such as done: Shipped',
  );
  const about =
    'Names of the states that stand for a status; the first of its type by position when left out.';
  return settings({ triage: early('triage'), backlog: early('backlog'), states: setting(states, about, {}) });
});
export type LinearOptions = z.output<ReturnType<typeof ownOptions>>;

const TEAM_KEY = /^[A-Za-z0-9]{1,10}$/;
const LOCAL_HOSTS = ['localhost', '127.0.0.1', '[::1]'];

/** Everything that is wrong with the source's words. */
export function checkSource(config: SourceConfig): Fault[] {
  const { source, url } = config;
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
  return [...faults, ...optionFaults(ownOptions(), config)];
}

function isUsable(url: string): boolean {
  const parsed = URL.parse(url);
  if (parsed === null) return false;
  if (parsed.username !== '' || parsed.password !== '') return false;
  return (
    parsed.protocol === 'https:' || (parsed.protocol === 'http:' && LOCAL_HOSTS.includes(parsed.hostname))
  );
}

export function readOptions(config: SourceConfig): LinearOptions {
  return optionsOf(ownOptions(), config);
}

/** What is asked of the server. */
export function fieldsOf({ fields }: SourceConfig): ReadonlySet<Field> {
  return new Set(fields ?? FIELDS);
}

/** The longest texts Linear takes, in UTF-16 units. */
export const LIMITS = { title: 255, body: 250_000, comment: 250_000 } as const;

/** @throws RoomError `bad_input` when the text is longer */
export function assertLength(what: keyof typeof LIMITS, text: string): void {
  if (text.length <= LIMITS[what]) return;
  throw new RoomError('bad_input', `the ${what} has ${text.length} characters; Linear takes ${LIMITS[what]}`);
}
