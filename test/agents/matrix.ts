// The table of docs/agents/README.md: what each agent stood with which version of its program, and when. What a run found
// is kept in the cache folder, so that agents may be run one at a time.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CACHE } from './programs.ts';
import { SCENARIOS } from './scenarios.ts';
import { labelOf, provedProgram, SUBJECTS, type Subject, type Way } from './subjects.ts';

export type Found = { scenario: string; state: 'proved' | 'failed' | 'not tried' };

type Kept = { program: string; date: string; found: Found[] };

const PAGE = join(import.meta.dirname, '../../docs/agents/README.md');
const SIGNS = { proved: 'yes', failed: 'no', 'not tried': '–' };
const BEGIN = '<!-- matrix -->';
const END = '<!-- /matrix -->';

const TITLES: Readonly<Record<Way, string>> = {
  command: 'By a preset, `"runner": "command"`:',
  acp: 'Over the [Agent Client Protocol](acp.md), `"runner": "acp"`:',
};

/** Where its turns run. */
export type Place = 'beside' | 'worker';

const AT_WORKER =
  'On a [worker](../scaling.md) through PostgreSQL, with the keys and programs there and none beside the room:';

const fileOf = (subject: Subject, place: Place) => {
  const ending = place === 'worker' ? '-worker' : '';
  return join(CACHE, `found-${labelOf(subject).replace(':', '-')}${ending}.json`);
};

/** Keeps what a run found, beside what earlier ones found of other scenarios with the same version. */
export function keepFound(subject: Subject, found: readonly Found[], place: Place): void {
  const before = readKept(subject, place)?.found ?? [];
  const others = before.filter(({ scenario }) => !found.some((one) => one.scenario === scenario));
  const date = new Date().toISOString().slice(0, 10);
  const kept: Kept = { program: provedProgram(subject), date, found: [...others, ...found] };
  mkdirSync(CACHE, { recursive: true });
  writeFileSync(fileOf(subject, place), JSON.stringify(kept));
}

/** Null where nothing is kept of the version that is proved now. */
function readKept(subject: Subject, place: Place): Kept | null {
  if (!existsSync(fileOf(subject, place))) return null;
  const kept = JSON.parse(readFileSync(fileOf(subject, place), 'utf8')) as Kept;
  return kept.program === provedProgram(subject) ? kept : null;
}

/** Writes the tables of all that was found with the versions that are proved. */
export function writeMatrix(): void {
  const page = readFileSync(PAGE, 'utf8');
  const [start, end] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (start === -1 || end < start) throw new Error(`${PAGE} has no place for the table`);
  const tables = (['command', 'acp'] as const).map((way) => `${TITLES[way]}\n\n${table([way], 'beside')}`);
  tables.push(`${AT_WORKER}\n\n${table(['command', 'acp'], 'worker')}`);
  writeFileSync(PAGE, `${page.slice(0, start)}${BEGIN}\n${tables.join('\n\n')}\n${page.slice(end)}`);
}

function table(ways: readonly Way[], place: Place): string {
  const kept = SUBJECTS.flatMap((subject) => {
    const one = ways.includes(subject.runner) ? readKept(subject, place) : null;
    return one === null ? [] : [{ subject, ...one }];
  });
  const names = new Set(kept.flatMap(({ found }) => found.map(({ scenario }) => scenario)));
  const isNamed = (scenario: (typeof SCENARIOS)[number]) =>
    names.has(scenario.name) || (place === 'worker' && scenario.besideAlone !== undefined);
  const scenarios = SCENARIOS.filter(isNamed);
  const cells = ({ name, of, lesser, besideAlone }: (typeof SCENARIOS)[number]) =>
    kept.map(({ subject, found }) => {
      if (place === 'worker' && besideAlone !== undefined) return besideAlone;
      if ((of ?? subject.runner) !== subject.runner) return '';
      const state = found.find((one) => one.scenario === name)?.state ?? 'not tried';
      return (state === 'proved' ? lesser?.(subject) : null) ?? SIGNS[state];
    });
  const row = (words: readonly string[]) => `| ${words.join(' | ')} |`;
  return [
    row(['', ...kept.map(({ program, subject }) => titleOf(program, subject, ways))]),
    `|---|${kept.map(() => '---|').join('')}`,
    ...scenarios.map((scenario) => row([scenario.name, ...cells(scenario)])),
    row([`on (${process.platform})`, ...kept.map(({ date }) => date)]),
  ].join('\n');
}

/** Where both ways stand side by side, each says which it is. */
function titleOf(program: string, { runner }: Subject, ways: readonly Way[]): string {
  return ways.length > 1 && runner === 'acp' ? `${program} over ACP` : program;
}
