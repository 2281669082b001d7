// A source's own words for Linear, checked without network: team key, address, and how statuses and states meet; and
// references as people write them, `ENG-12`, with the addresses that lead to them.
import type * as z from 'zod';
import { type Fault, optionFaults, optionsOf } from '../../core/config/config-problems.ts';
import { setting, settings } from '../../core/config/setting.ts';
import { oneOf } from '../../core/config/values.ts';
import { RoomError } from '../../core/errors.ts';
import type { OwnStatuses } from '../../core/task/status.ts';
import type { RemoteRef, SourceConfig } from '../provider.ts';
import { isSecureAddress, ownNamed, statusNames } from '../tracker-rules.ts';

const ownOptions = (own: OwnStatuses = {}) => {
  const early = (type: string) =>
    setting(oneOf(['draft', 'todo']), `What states of the type ${type} mean.`, 'draft');
  const states = statusNames(own, 'state', 'the team');
  const about =
    'Names of the states that stand for a status; the first of its type by position when left out.';
  return settings({ triage: early('triage'), backlog: early('backlog'), states: setting(states, about, {}) });
};

export interface LinearOptions extends z.output<ReturnType<typeof ownOptions>> {
  own: OwnStatuses; // The room's own statuses that a state is named for.
}

const TEAM_KEY = /^[A-Za-z0-9]{1,10}$/;

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
  return [...faults, ...optionFaults(ownOptions(config.statuses), config)];
}

function isUsable(url: string): boolean {
  const parsed = URL.parse(url);
  return parsed !== null && parsed.username === '' && parsed.password === '' && isSecureAddress(parsed);
}

export function readOptions(config: SourceConfig): LinearOptions {
  const options = optionsOf(ownOptions(config.statuses), config);
  return { ...options, own: ownNamed(options.states, config.statuses) };
}

/** The longest texts Linear takes, in UTF-16 units. */
export const LIMITS = { title: 255, body: 250_000, comment: 250_000 } as const;
const REF = /^([A-Z0-9]{1,10})-([1-9]\d{0,8})$/;
const ISSUE_PATH = /^(?:\/[^/]+)?\/issue\/([A-Za-z0-9]{1,10}-[1-9]\d{0,8})(?:\/[^/]*)?$/;

/** Team key and number. Throws RoomError `bad_input` for anything else. */
export function parseRef(ref: RemoteRef): { team: string; number: number } {
  const found = REF.exec(ref);
  if (!found) throw new RoomError('bad_input', `${JSON.stringify(ref)} is not a Linear issue such as ENG-12`);
  return { team: found[1]!, number: Number(found[2]) };
}

/** The issue a URL names: Linear's own, or any of that form on the host of `url:`. */
export function refOfUrl(text: string, config: SourceConfig): RemoteRef | null {
  const parsed = URL.parse(text);
  if (!parsed) return null;
  const hosts = ['linear.app', ...(config.url === null ? [] : [URL.parse(config.url)?.host])];
  if (!hosts.includes(parsed.host)) return null;
  return ISSUE_PATH.exec(parsed.pathname)?.[1]?.toUpperCase() ?? null;
}

export const owns = (ref: RemoteRef, config: SourceConfig): boolean =>
  REF.exec(ref)?.[1] === config.source.toUpperCase();
