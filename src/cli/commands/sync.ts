// `taskroom sync`: syncs mirrors with their trackers.
import type { SyncReportJson } from '../../core/chore-shapes.ts';
import { defined } from '../../core/plain-data.ts';
import type { InputOf } from '../../operations/client.ts';
import type { Call, CommandModule } from '../command.ts';
import { exitCodeOf, INTERRUPTED, OK } from '../exit-codes.ts';
import { tasksFor } from '../invocation/changes.ts';
import { cleanLine, displayWidth, fit } from '../lines/display-text.ts';
import { createSyncLine } from '../lines/progress.ts';
import type { Paint } from '../paint.ts';
import { withDocsFolder } from '../version.ts';

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
  ['requests', ({ requests, not_modified: free }) => (free > 0 ? `${requests} (${free} free)` : requests)],
  ['budget left', (report) => report.remaining ?? '–'],
];

/** A table of the sources, then what was skipped or failed, and why. */
function renderReports(reports: readonly SyncReportJson[], paint: Paint, now: number): string {
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
  const { chore, plan, error, reset_at: until, remaining } = report;
  const lines: string[] = [];
  if (report.dry_run) {
    const planned = plan.map((line) => `  ${cleanLine(line)}`);
    lines.push('', `${cleanLine(chore)} would:`);
    lines.push(...(planned.length === 0 ? [paint('dim', '  do nothing')] : planned));
  }
  for (const { ref, what, why } of report.skipped) {
    const about = [ref, what].filter(Boolean).join(' ');
    lines.push(`  ${paint('yellow', 'skipped')} ${cleanLine(about)}: ${cleanLine(why)}`);
  }
  if (error) lines.push(`  ${paint('red', chore)}: ${cleanLine(error.message)}`);
  if (error?.hint) lines.push(`    ${cleanLine(withDocsFolder(error.hint))}`);
  if (until !== null && remaining !== null && remaining < 100 && until > now) {
    const when = new Date(until).toISOString().slice(11, 16);
    lines.push(paint('dim', `  ${remaining} requests left until ${when} UTC`));
  }
  return lines;
}

export const command: CommandModule = {
  about:
    'Syncs mirrors with their trackers now: what changed upstream comes into the files, what changed here goes up.\nWithout a chore all of them, one after the other; one that fails does not stop the others.',
  arguments: [{ name: 'chore', about: 'name of a file in chores/, without .md', optional: true }],
  options: [
    ['--dry-run', 'print what would be done; writes nothing, neither here nor upstream'],
    ['--pull', 'only bring in what changed upstream'],
    ['--push', 'only send what changed here'],
    ['--full', 'list everything, to find what vanished upstream'],
    ['--force', 'go on where a guard stops: a side that looks empty, very many changes at once'],
    [
      '--same-room',
      "comments upstream that bear this room's id are its own: an older ledger was restored, say",
    ],
    ['--new-room', 'this is a copy of another room: give it an id of its own'],
  ],
  examples: {
    'taskroom sync': 'sync every source',
    'taskroom sync web-issues --dry-run': 'see what one source would do',
    'taskroom sync --pull --json': 'only bring things in, and print a report',
  },
  notes:
    'With --json: {"reports":[{"chore","provider","source","dry_run","created","updated","pushed","comments_in","comments_out","conflicts","detached","skipped":[{"ref","task","what","why"}],"plan","requests","not_modified","remaining","reset_at","waiting","error"}]}.\nThe exit code is that of the first error. When a running room syncs the same source, this waits for it; where this shell lacks the token, the daemon that runs here syncs, and it is said.',
  async run(call) {
    const { words, options, json, terminal, paint, effects } = call;
    const runtime = await call.openRoom({ readOnly: options.flag('dry-run') });
    const tasks = await tasksFor(call, runtime, words.slice(0, 1));
    const abort = new AbortController();
    const off = terminal.onSignal(() => abort.abort());
    const line = createSyncLine(terminal);
    try {
      const passing = { signal: abort.signal, onProgress: line.show };
      const { reports } = await tasks.call('sync', wishOf(call), runtime.caller, false, passing);
      line.clear();
      terminal.write(
        json ? `${JSON.stringify({ reports })}\n` : renderReports(reports, paint, effects.now()),
      );
      const failed = reports.find(({ error }) => error !== null);
      const code = failed?.error ? exitCodeOf(failed.error.code) : OK;
      return abort.signal.aborted ? INTERRUPTED : code;
    } finally {
      line.clear();
      off();
    }
  },
};

function wishOf({ words, options }: Call): InputOf<'sync'> {
  const [pull, push] = [options.flag('pull'), options.flag('push')];
  return {
    ...defined({ chore: words[0] }),
    direction: pull === push ? 'both' : pull ? 'pull' : 'push',
    full: options.flag('full'),
    dry_run: options.flag('dry-run'),
    force: options.flag('force'),
    same_room: options.flag('same-room'),
    new_room: options.flag('new-room'),
  };
}
