// `npm run bench`: every figure the product promises, measured and held against its bound. Exit code 1 when one is missed.
//   --quick       small sizes, few rounds, no bounds where they would mean nothing
//   --only NAME   one bench (may be given again)
//   --write       the table into docs/performance.md
import { parseArgs } from 'node:util';
import { board } from './board.ts';
import { bridge } from './bridge.ts';
import { burst } from './burst.ts';
import { commands } from './commands.ts';
import { coverage } from './coverage.ts';
import type { Bench, Figure } from './figures.ts';
import { hooks } from './hooks.ts';
import { http } from './http.ts';
import { list } from './list.ts';
import { describeMachine } from './machine.ts';
import { output } from './output.ts';
import { showTable, writeReport } from './report.ts';
import { save } from './save.ts';
import { scan } from './scan.ts';
import { storm } from './storm.ts';
import { sync } from './sync.ts';
import { top } from './top.ts';
import { turns } from './turns.ts';
import { up } from './up.ts';
import { workers } from './workers.ts';

const BENCHES: readonly Bench[] = [
  scan,
  up,
  save,
  coverage,
  burst,
  storm,
  list,
  commands,
  turns,
  bridge,
  sync,
  hooks,
  output,
  http,
  top,
  workers,
  board,
];

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      quick: { type: 'boolean', default: false },
      write: { type: 'boolean', default: false },
      only: { type: 'string', multiple: true, default: [] },
    },
  });
  const unknown = values.only.filter((name) => !BENCHES.some((bench) => bench.name === name));
  if (unknown.length > 0) {
    const known = BENCHES.map(({ name }) => name).join(', ');
    process.stderr.write(`no bench ${unknown.join(', ')}; there are: ${known}\n`);
    return 2;
  }
  const chosen =
    values.only.length === 0 ? BENCHES : BENCHES.filter(({ name }) => values.only.includes(name));
  const machine = describeMachine();
  const results: { bench: Bench; figures: Figure[] }[] = [];
  for (const bench of chosen) {
    process.stderr.write(`${bench.name} …\n`);
    const figures = await bench.run({
      quick: values.quick,
      note: (text) => process.stderr.write(`  ${text}\n`),
    });
    results.push({ bench, figures });
    // What was measured stays known when a later bench fails.
    process.stderr.write(`${showTable(figures)}\n`);
  }
  process.stdout.write(`${machine}\n\n${showTable(results.flatMap(({ figures }) => figures))}`);
  if (values.write) writeReport(machine, results);
  return results.some(({ figures }) => figures.some(({ pass }) => pass === false)) ? 1 : 0;
}

process.exit(await main());
