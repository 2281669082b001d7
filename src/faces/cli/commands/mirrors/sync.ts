// `taskroom sync`: syncs mirrors with their trackers.
import { RoomError } from '../../../../core/errors.ts';
import { snakeKeys } from '../../../../core/snake-keys.ts';
import type { Mirrors, Runtime, SyncOptions, SyncReport } from '../../../../runtime.ts';
import type { Call, CommandModule } from '../../command.ts';
import { exitCodeOf, INTERRUPTED, OK } from '../../exit-codes.ts';
import { mirrorsFor } from '../../invocation/tracker.ts';
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
    const names = words[0] === undefined ? (await runtime.mirrors()).sources() : [words[0]];
    if (names.length === 0) await assertReadable(runtime);
    if (names.length === 0)
      throw new RoomError('not_found', 'no chore of this room has a mirror', {
        hint: 'write one: chores/NAME.md with `mirror:` (docs/chores.md)',
      });
    const mirrors = await mirrorsFor(call, runtime, names);
    const abort = new AbortController();
    const off = terminal.onSignal(() => abort.abort());
    const line = createSyncLine(terminal);
    try {
      const reports: SyncReport[] = [];
      for (const name of names) {
        if (abort.signal.aborted) break;
        reports.push(await syncOne(mirrors, name, options, line, abort.signal, reports.length === 0));
      }
      line.clear();
      terminal.write(
        json
          ? `${JSON.stringify({ reports: snakeKeys(reports) })}\n`
          : renderReports(reports, paint, effects.now()),
      );
      return abort.signal.aborted ? INTERRUPTED : codeOf(reports);
    } finally {
      line.clear();
      off();
    }
  },
};

/** @throws RoomError `invalid_file` where a chore that can't be read may be the one that mirrors */
async function assertReadable({ chores }: Runtime): Promise<void> {
  const { invalid } = await chores.list();
  const [first] = invalid;
  if (first === undefined) return;
  throw new RoomError(
    'invalid_file',
    `no chore that can be read has a mirror, and ${first.path} can't be read`,
    {
      problems: invalid.flatMap(({ problems }) => problems),
    },
  );
}

function syncOne(
  mirrors: Mirrors,
  chore: string,
  options: Call['options'],
  line: ReturnType<typeof createSyncLine>,
  signal: AbortSignal,
  isFirst: boolean,
): Promise<SyncReport> {
  const [pull, push] = [options.flag('pull'), options.flag('push')];
  const asked: SyncOptions = {
    pull: pull || !push,
    push: push || !pull,
    full: options.flag('full'),
    dryRun: options.flag('dry-run'),
    force: options.flag('force'),
    sameRoom: options.flag('same-room'),
    newRoom: options.flag('new-room') && isFirst,
    asked: true,
    wait: true,
    onProgress: line.show,
  };
  return mirrors.syncChore(chore, asked, signal);
}

function codeOf(reports: readonly SyncReport[]): number {
  const failed = reports.find(({ error }) => error !== null);
  return failed?.error ? exitCodeOf(failed.error.code) : OK;
}
