// What a person sees of a sync: a progress line while it works, and a table at the end.
import type { MirrorView, SyncReport } from '../../../runtime.ts';
import type { Paint } from '../paint.ts';
import { cleanLine, displayWidth, fit } from './display-text.ts';
import { withDocsFolder } from './docs-address.ts';
import { lengthOf } from './time-text.ts';

const COLUMNS: readonly (readonly [head: string, (report: SyncReport) => number | string])[] = [
  ['created', (report) => report.created],
  ['updated', (report) => report.updated],
  ['pushed', (report) => report.pushed],
  ['comments in', (report) => report.commentsIn],
  ['out', (report) => report.commentsOut],
  ['conflicts', (report) => report.conflicts],
  ['detached', (report) => report.detached],
  ['skipped', (report) => report.skipped.length],
  ['waiting', (report) => report.waiting],
  [
    'requests',
    (report) =>
      report.notModified > 0 ? `${report.requests} (${report.notModified} free)` : report.requests,
  ],
  ['budget left', (report) => report.remaining ?? '–'],
];

/** The table of several sources, then what was skipped and what failed, and why. */
export function renderReports(reports: readonly SyncReport[], paint: Paint, now: number): string {
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

function detailLines(report: SyncReport, paint: Paint, now: number): string[] {
  const lines: string[] = [];
  if (report.dryRun) {
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
  if (report.resetAt !== null && report.remaining !== null && report.remaining < 100 && report.resetAt > now)
    lines.push(
      paint(
        'dim',
        `  ${report.remaining} requests left until ${new Date(report.resetAt).toISOString().slice(11, 16)} UTC`,
      ),
    );
  return lines;
}

const STATE_COLOURS = {
  in_sync: 'green',
  pending: 'cyan',
  conflict: 'yellow',
  detached: 'dim',
  untrusted: 'yellow',
  error: 'red',
} as const;

const STATE_WORDS: Readonly<Record<MirrorView['state'], string>> = {
  in_sync: 'in sync',
  pending: 'pending',
  conflict: 'conflict',
  detached: 'detached',
  untrusted: 'paused by trust',
  error: 'error',
};

/** One line a mirror: state, reference, task, when it was last synced; why it is not in sync below. */
export function renderMirrors(mirrors: readonly MirrorView[], paint: Paint, now: number): string {
  const wideRef = Math.min(40, Math.max(0, ...mirrors.map(({ ref }) => displayWidth(cleanLine(ref)))));
  const wideState = Math.max(...Object.values(STATE_WORDS).map((word) => word.length));
  const lines = mirrors.flatMap((mirror) => {
    const { state, ref, name, task, message, syncedAt } = mirror;
    const word = fit(STATE_WORDS[state], wideState);
    const when = syncedAt > 0 ? `${lengthOf(now - syncedAt)} ago` : 'never synced';
    const line = `${paint(STATE_COLOURS[state], word)}  ${fit(cleanLine(ref), wideRef)}  ${cleanLine(name ?? '(no file)')} ${paint('dim', `${task} · ${when}`)}`;
    return message === null
      ? [line]
      : [line, `${' '.repeat(wideState)}  ${paint('dim', cleanLine(message))}`];
  });
  return lines.length === 0
    ? `${paint('dim', 'no mirrors; see: taskroom sync --help')}\n`
    : `${lines.join('\n')}\n`;
}
