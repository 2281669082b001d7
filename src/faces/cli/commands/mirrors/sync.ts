// `taskroom sync`: syncs mirrors with their trackers.
import type { SyncReportJson } from '../../../../core/chore-shapes.ts';
import type { InputOf } from '../../../../operations/client.ts';
import type { Call, CommandModule } from '../../command.ts';
import { exitCodeOf, INTERRUPTED, OK } from '../../exit-codes.ts';
import { tasksFor } from '../../invocation/tracker.ts';
import { createSyncLine } from '../../lines/progress-line.ts';
import { renderReports } from '../../lines/sync-lines.ts';

export const command: CommandModule = {
  about:
    'Syncs mirrors with their trackers now: what changed upstream comes into the files, what changed here goes up.\nWithout a chore all of them, one after the other; one that fails does not stop the others.',
  arguments: [{ name: 'chore', about: 'name of a file in chores/, without .md', optional: true }],
  options: [
    { flags: '--dry-run', about: 'print what would be done; writes nothing, neither here nor upstream' },
    { flags: '--pull', about: 'only bring in what changed upstream' },
    { flags: '--push', about: 'only send what changed here' },
    { flags: '--full', about: 'list everything, to find what vanished upstream' },
    {
      flags: '--force',
      about: 'go on where a guard stops: a side that looks empty, very many changes at once',
    },
    {
      flags: '--same-room',
      about: "comments upstream that bear this room's id are its own: an older ledger was restored, say",
    },
    { flags: '--new-room', about: 'this is a copy of another room: give it an id of its own' },
  ],
  examples: [
    ['taskroom sync', 'sync every source'],
    ['taskroom sync web-issues --dry-run', 'see what one source would do'],
    ['taskroom sync --pull --json', 'only bring things in, and print a report'],
  ],
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
      return abort.signal.aborted ? INTERRUPTED : codeOf(reports);
    } finally {
      line.clear();
      off();
    }
  },
};

function wishOf({ words, options }: Call): InputOf<'sync'> {
  const [pull, push] = [options.flag('pull'), options.flag('push')];
  return {
    ...(words[0] === undefined ? {} : { chore: words[0] }),
    direction: pull === push ? 'both' : pull ? 'pull' : 'push',
    full: options.flag('full'),
    dry_run: options.flag('dry-run'),
    force: options.flag('force'),
    same_room: options.flag('same-room'),
    new_room: options.flag('new-room'),
  };
}

function codeOf(reports: readonly SyncReportJson[]): number {
  const failed = reports.find(({ error }) => error !== null);
  return failed?.error ? exitCodeOf(failed.error.code) : OK;
}
