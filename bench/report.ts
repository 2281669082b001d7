// The figures as text: a table for the terminal, and the same between two markers of docs/performance.md.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Bench, Figure } from './figures.ts';

const HEAD = ['what', 'taskroom', 'beside it', 'figure', 'bound', ''];
const DOCUMENT = join(import.meta.dirname, '..', 'docs', 'performance.md');
const BEGIN = '<!-- bench: written by `npm run bench -- --write` -->';
const END = '<!-- /bench -->';

function cells({ what, ours, peer, value, bound, pass }: Figure): string[] {
  return [what, ours, peer, value, bound, pass === null ? '' : pass ? 'PASS' : 'FAIL'];
}

/** Columns of equal width. */
export function showTable(figures: readonly Figure[]): string {
  const rows = [HEAD, ...figures.map(cells)];
  const widths = HEAD.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  const line = (row: string[]) =>
    row
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join('  ')
      .trimEnd();
  return `${rows.map(line).join('\n')}\n`;
}

/** Puts the results between the markers. Throws when the document has none. */
export function writeReport(machine: string, results: readonly { bench: Bench; figures: Figure[] }[]): void {
  const text = readFileSync(DOCUMENT, 'utf8');
  const [from, to] = [text.indexOf(BEGIN), text.indexOf(END)];
  if (from < 0 || to < from) throw new Error(`${DOCUMENT} has no markers to write between`);
  const row = (cellsOfRow: readonly string[]) => `| ${cellsOfRow.join(' | ')} |`;
  const rows = results.flatMap(({ figures }) => figures).map((figure) => row(cells(figure)));
  const how = results.map(({ bench }) => `- **${bench.name}**: ${bench.how.replaceAll('\n', '\n  ')}`);
  const table = [row(HEAD), row(HEAD.map(() => '---')), ...rows].join('\n');
  const report = `Measured on: ${machine}.\n\n${table}\n\n### How each is measured\n\n${how.join('\n')}`;
  writeFileSync(DOCUMENT, `${text.slice(0, from)}${BEGIN}\n\n${report}\n\n${text.slice(to)}`);
}
