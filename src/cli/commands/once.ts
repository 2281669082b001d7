// `taskroom once`: runs every turn that is due, and ends.
import type { RoomEvent } from '../../core/events.ts';
import { snakeKeys } from '../../core/plain-data.ts';
import type { CommandModule } from '../command.ts';
import { INTERRUPTED, OK, TURN_FAILED } from '../exit-codes.ts';
import { driveUntilEnd, watchSyncs } from '../invocation/run-room.ts';
import { plural } from '../lines/display-text.ts';
import { renderEvent } from '../lines/event-lines.ts';

const QUIET: ReadonlySet<RoomEvent['type']> = new Set(['room.idle', 'room.stopped']);
const KEPT = /^(turn\.ended|task\.waiting|chore\.(finished|failed))$/;

export const command: CommandModule = {
  showsEvents: true,
  hereOnly: 'it runs the turns of its room itself, as the daemon that answers does',
  about: 'Runs every turn that is due, waits for them, and ends. Retries of failed turns are left for later.',
  arguments: [],
  options: [],
  examples: {
    'taskroom once': 'do what is due now',
    '*/10 * * * * taskroom once --room ~/room': 'from cron',
  },
  notes:
    'Exit code 0 when every turn and sync went well, 1 when one failed or a due task has no agent that can run.\nWith --json, at the end: {"turns","failed","results":[{"turn","id","name","state","reason","exit_code","took_ms","message"}],"syncs":[{"chore","ok","message"}],"stuck":[{"id","name","reason"}],"invalid":[…]}.',
  async run({ json, terminal, paint, effects, openHere }) {
    const runtime = await openHere();
    const watch = json ? null : watchSyncs({ terminal, paint, effects });
    const events: RoomEvent[] = [];
    const end = await driveUntilEnd(
      { runtime, terminal, effects },
      { command: 'once', once: true },
      (event) => {
        watch?.see(event);
        if (KEPT.test(event.type)) events.push(event);
        const isQuiet = event.type === 'room.stopping' ? event.turns === 0 : QUIET.has(event.type);
        const style = { paint, columns: terminal.columns(), at: effects.now(), titleOf: runtime.titleOf };
        if (!json && !isQuiet) terminal.write(renderEvent(event, style));
      },
    );
    watch?.close();
    const { turns, failed } = end;
    const stuck = events.flatMap((event) => (event.type === 'task.waiting' ? [event] : []));
    const syncs = events.flatMap((event) =>
      (event.type === 'chore.finished' || event.type === 'chore.failed') && event.kind === 'mirror'
        ? [{ chore: event.name, ok: event.type === 'chore.finished', message: event.message }]
        : [],
    );
    const wrong = failed + stuck.length + syncs.filter(({ ok }) => !ok).length;
    if (json) {
      const { invalid } = await runtime.tasks.call('list', { all: true }, runtime.caller, true);
      const results = events.flatMap(({ type, ...result }) =>
        type === 'turn.ended' ? [snakeKeys(result)] : [],
      );
      const waiting = stuck.map(({ id, name, reason }) => ({ id, name, reason }));
      terminal.write(`${JSON.stringify({ turns, failed, results, syncs, stuck: waiting, invalid })}\n`);
    } else {
      const sign = wrong > 0 ? paint('red', '✗') : paint('green', '✓');
      const bad = failed > 0 ? `, ${failed} failed` : '';
      const idle = stuck.length > 0 ? `, ${stuck.length} without an agent` : '';
      terminal.write(`${sign} ${plural(turns, 'turn')}${bad}${idle}\n`);
    }
    if (end.stopped) return INTERRUPTED;
    return wrong > 0 ? TURN_FAILED : OK;
  },
};
