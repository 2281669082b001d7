// The table of docs/agents/README.md: what each preset stood with which version of its program, and when.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PresetName } from '../../src/core/config/agent-config.ts';
import { PRESETS } from '../../src/runners/command/presets.ts';

export interface Found {
  agent: PresetName;
  scenario: string;
  state: 'proved' | 'failed' | 'not tried';
}

const PAGE = join(import.meta.dirname, '../../docs/agents/README.md');
const SIGNS = { proved: 'yes', failed: 'no', 'not tried': 'not tried' };
const BEGIN = '<!-- matrix -->';
const END = '<!-- /matrix -->';

/** Writes the table with today's date; agents that were not run keep no row. */
export function writeMatrix(found: readonly Found[]): void {
  const page = readFileSync(PAGE, 'utf8');
  const [start, end] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (start === -1 || end < start) throw new Error(`${PAGE} has no place for the table`);
  const today = new Date().toISOString().slice(0, 10);
  const text = `${BEGIN}\nProved on ${today}, on ${process.platform}.\n\n${table(found)}\n`;
  writeFileSync(PAGE, page.slice(0, start) + text + page.slice(end));
}

function table(found: readonly Found[]): string {
  const agents = [...new Set(found.map(({ agent }) => agent))];
  const scenarios = [...new Set(found.map(({ scenario }) => scenario))];
  const cell = (agent: PresetName, scenario: string) =>
    SIGNS[found.find((one) => one.agent === agent && one.scenario === scenario)!.state];
  return [
    `| | ${agents.map((agent) => `${agent} ${PRESETS[agent].proved}`).join(' | ')} |`,
    `|---|${agents.map(() => '---|').join('')}`,
    ...scenarios.map(
      (scenario) => `| ${scenario} | ${agents.map((agent) => cell(agent, scenario)).join(' | ')} |`,
    ),
  ].join('\n');
}
