// What a person sees of a sync: a progress line while it works, and a table at the end.
import type { SyncReportJson } from '../../../core/chore-shapes.ts';
import type { Paint } from '../paint.ts';
import { cleanLine, displayWidth, fit } from './display-text.ts';
import { withDocsFolder } from './docs-address.ts';

const COLUMNS: readonly (readonly [head: string, (report: SyncReportJson) => number | string])[] = [
  ['created', (report) => report.created],
  ['updated', (report) => report.updated],
  ['pushed', (report) => report.pushed],
  ['comments in', (report) => report.comments_in],
  ['out', (report) => report.comments_out],
  ['conflicts', (report) => report.conflicts],
  ['detached', (report) => report.detached],
  ['skipped', (report) => report.skipped.length],
  ['waiting', (report) => report.waiting],
  [
    'requests',
    (report) =>
      report.not_modified > 0 ? `${report.requests} (${report.not_modified} free)` : report.requests,
  ],
  ['budget left', (report) => report.remaining ?? '–'],
];

/** The table of several sources, then what was skipped and what failed, and why. */
export function renderReports(reports: readonly SyncReportJson[], paint: Paint, now: number): string {
  const names = reports.map(({ chore, source }) => cleanLine(`${chore} (${source})`));
  const wide = Math.max(6, ...names.map(displayWidth));
  const shown = COLUMNS.filter(
    ([head, read]) => head === 'requests' || reports.some((report) => ![0, '–'].includes(read(report))),
  );
  const head = [fit('chore', wide), ...shown.map(([title]) => title)].join('  ');
  const rows = reports.map((report, index) => {
    const cells = shown.map(([title, read]) => String(read(report)).padStart(title.length));
    const sign = report.error ? paint('red', '✗') : paint('green', '✓');
    return `${sign} ${[fit(names[index]!, wide), ...cells].join('  ')}`;
  });
  const lines = reports.length === 0 ? [] : [paint('dim', `  ${head}`), ...rows];
  for (const report of reports) lines.push(...detailLines(report, paint, now));
  return lines.map((line) => `${line.trimEnd()}\n`).join('');
}

function detailLines(report: SyncReportJson, paint: Paint, now: number): string[] {
  const lines: string[] = [];
  if (report.dry_run) {
    lines.push('', `${cleanLine(report.chore)} would:`);
    lines.push(
      ...(report.plan.length === 0
        ? [paint('dim', '  do nothing')]
        : report.plan.map((line) => `  ${cleanLine(line)}`)),
    );
  }
  for (const { ref, what, why } of report.skipped)
    lines.push(
      `  ${paint('yellow', 'skipped')} ${cleanLine([ref, what].filter(Boolean).join(' '))}: ${cleanLine(why)}`,
    );
  if (report.error) {
    lines.push(`  ${paint('red', report.chore)}: ${cleanLine(report.error.message)}`);
    if (report.error.hint) lines.push(`    ${cleanLine(withDocsFolder(report.error.hint))}`);
  }
  if (
    report.reset_at !== null &&
    report.remaining !== null &&
    report.remaining < 100 &&
    report.reset_at > now
  )
    lines.push(
      paint(
        'dim',
        `  ${report.remaining} requests left until ${new Date(report.reset_at).toISOString().slice(11, 16)} UTC`,
      ),
    );
  return lines;
}
