// The table of docs/agents/README.md: what each preset stood with which version of its program, and when. What a run found
// is kept in the cache folder, so that agents may be run one at a time.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PRESET_NAMES, type PresetName } from '../../src/core/config/agent-config.ts';
import { PRESETS } from '../../src/runners/command/presets.ts';
import { CACHE } from './programs.ts';
import { SCENARIOS } from './scenarios.ts';

export interface Found {
  scenario: string;
  state: 'proved' | 'failed' | 'not tried';
}

interface Kept {
  version: string;
  date: string;
  found: Found[];
}

const PAGE = join(import.meta.dirname, '../../docs/agents/README.md');
const SIGNS = { proved: 'yes', failed: 'no', 'not tried': '–' };
const BEGIN = '<!-- matrix -->';
const END = '<!-- /matrix -->';

const fileOf = (agent: PresetName) => join(CACHE, `found-${agent}.json`);

export function keepFound(agent: PresetName, found: Found[]): void {
  const kept: Kept = {
    version: PRESETS[agent].proved,
    date: new Date().toISOString().slice(0, 10),
    found,
  };
  mkdirSync(CACHE, { recursive: true });
  writeFileSync(fileOf(agent), JSON.stringify(kept));
}

/** Writes the table of all that was found with the versions that the presets name. */
export function writeMatrix(): void {
  const page = readFileSync(PAGE, 'utf8');
  const [start, end] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (start === -1 || end < start) throw new Error(`${PAGE} has no place for the table`);
  writeFileSync(PAGE, `${page.slice(0, start)}${BEGIN}\n${table()}\n${page.slice(end)}`);
}

function table(): string {
  const kept = PRESET_NAMES.flatMap((agent) => {
    if (!existsSync(fileOf(agent))) return [];
    const one = JSON.parse(readFileSync(fileOf(agent), 'utf8')) as Kept;
    return one.version === PRESETS[agent].proved ? [{ agent, ...one }] : [];
  });
  const scenarios = [...new Set(kept.flatMap(({ found }) => found.map(({ scenario }) => scenario)))];
  const cells = (name: string) => {
    const scenario = SCENARIOS.find((one) => one.name === name);
    return kept.map(({ agent, found }) => {
      const state = found.find((one) => one.scenario === name)?.state ?? 'not tried';
      return (state === 'proved' ? scenario?.lesser?.(agent) : null) ?? SIGNS[state];
    });
  };
  const row = (words: readonly string[]) => `| ${words.join(' | ')} |`;
  return [
    row(['', ...kept.map(({ agent, version }) => `${agent} ${version}`)]),
    `|---|${kept.map(() => '---|').join('')}`,
    ...scenarios.map((scenario) => row([scenario, ...cells(scenario)])),
    row([`on (${process.platform})`, ...kept.map(({ date }) => date)]),
  ].join('\n');
}
