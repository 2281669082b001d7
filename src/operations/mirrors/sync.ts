import { type SyncReportJson, syncReport } from '../../core/chore-shapes.ts';
import { type Problem, RoomError } from '../../core/errors.ts';
import type { RoomHandle } from '../../tasks/task-room.ts';
import { flag, operation, optional, text, z } from '../operation.ts';

export const sync = operation({
  summary: 'sync mirrors with their trackers now',
  about:
    'What changed upstream comes into the files, what changed here goes up. Without a chore all of them, one after the other; one that fails does not stop the others.',
  needs: 'person',
  http: { method: 'post', path: '/api/sync' },
  input: () =>
    z
      .strictObject({
        chore: optional(text(), 'all of them when absent'),
        direction: optional(z.enum(['both', 'pull', 'push'])),
        full: optional(flag(), 'list everything, to find what vanished upstream'),
        dry_run: optional(flag(), 'write nothing, neither here nor upstream'),
        force: optional(flag(), 'go on where a guard stops'),
        same_room: optional(flag(), "comments upstream that bear this room's id are its own"),
        new_room: optional(flag(), 'this is a copy of another room: give it an id of its own'),
      })
      .meta({ id: 'SyncAsked' }),
  output: () => ({ reports: z.array(syncReport()) }),
  async run(on, { chore, direction = 'both', ...asked }, _actor, { signal, onProgress } = {}) {
    const mirrors = await on.ports.mirrors!();
    const names = chore === undefined ? mirrors.sources() : [chore];
    if (names.length === 0) throw await nothingToSync(on);
    const stop = signal ?? new AbortController().signal;
    const { full = false, dry_run: dryRun = false, force = false } = asked;
    const { same_room: sameRoom = false, new_room: isNew = false } = asked;
    const wish = { full, dryRun, force, sameRoom, ...(onProgress && { onProgress }) };
    const ways = { pull: direction !== 'push', push: direction !== 'pull' };
    const reports: SyncReportJson[] = [];
    for (const [index, name] of names.entries()) {
      if (stop.aborted && index > 0) break;
      reports.push(await mirrors.sync(name, { ...ways, ...wish, newRoom: isNew && index === 0 }, stop));
    }
    return { reports };
  },
});

/** A chore that can't be read may have a mirror. */
async function nothingToSync(deps: RoomHandle): Promise<RoomError> {
  const { listChores } = await import('../../chores/chore-list.ts');
  const { invalid } = await listChores(deps, deps.ports.daemonRuns());
  const [first] = invalid;
  const hint = 'write one: chores/NAME.md with `mirror:` (docs/chores.md)';
  if (first === undefined) return new RoomError('not_found', 'no chore of this room has a mirror', hint);
  const message = `no chore that can be read has a mirror, and ${first.path} can't be read`;
  return new RoomError('invalid_file', message, {
    problems: invalid.flatMap(({ problems }) => problems as Problem[]),
  });
}
