// `taskroom once`: runs every turn that is due, and ends.
import type { RoomEvent } from '../../core/events.ts';
import { snakeKeys } from '../../core/snake-keys.ts';
import type { CommandModule } from '../command.ts';
import { INTERRUPTED, OK, TURN_FAILED } from '../exit-codes.ts';
import { driveUntilEnd, watchSyncs } from '../invocation/run-room.ts';
import { renderEvent } from '../lines/event-lines.ts';

type Ended = Extract<RoomEvent, { type: 'turn.ended' }>;

export const command: CommandModule = {
  showsEvents: true,
  hereOnly: 'it runs the turns of its room itself, as the daemon that answers does',
  about: 'Runs every turn that is due, waits for them, and ends. Retries of failed turns are left for later.',
  arguments: [],
  options: [],
  examples: [
    ['taskroom once', 'do what is due now'],
    ['*/10 * * * * taskroom once --room ~/room', 'from cron'],
  ],
  notes:
    'Exit code 0 when every turn and sync went well, 1 when one failed or a due task has no agent that can run.\nWith --json, at the end: {"turns","failed","results":[{"turn","id","name","state","reason","exit_code","took_ms","message"}],"syncs":[{"chore","ok","message"}],"stuck":[{"id","name","reason"}],"invalid":[…]}.',
  async run({ json, terminal, paint, effects, openHere }) {
    const runtime = await openHere();
    const watch = json ? null : watchSyncs({ terminal, paint, effects });
    const results: Ended[] = [];
    const stuck: Extract<RoomEvent, { type: 'task.waiting' }>[] = [];
    const syncs: { chore: string; ok: boolean; message: string }[] = [];
    const end = await driveUntilEnd(
      { runtime, terminal, effects },
      { command: 'once', once: true },
      (event) => {
        watch?.see(event);
        if (event.type === 'turn.ended') results.push(event);
        if (event.type === 'task.waiting') stuck.push(event);
        if ((event.type === 'chore.finished' || event.type === 'chore.failed') && event.kind === 'mirror') {
          syncs.push({ chore: event.name, ok: event.type === 'chore.finished', message: event.message });
        }
        const quiet =
          event.type === 'room.idle' || event.type === 'room.stopping' || event.type === 'room.stopped';
        if (!json && (!quiet || (event.type === 'room.stopping' && event.turns > 0))) {
          terminal.write(renderEvent(event, { paint, columns: terminal.columns(), at: effects.now() }));
        }
      },
    );
    watch?.close();
    const { turns, failed } = end;
    const wrong = failed + stuck.length + syncs.filter(({ ok }) => !ok).length;
    if (json) {
      const { invalid } = await runtime.tasks.call('list', { all: true }, runtime.caller, true);
      const shown = results.map(({ type: _type, ...result }) => snakeKeys(result));
      terminal.write(
        `${JSON.stringify({ turns, failed, results: shown, syncs, stuck: stuck.map(({ id, name, reason }) => ({ id, name, reason })), invalid })}\n`,
      );
    } else {
      const sign = wrong > 0 ? paint('red', '✗') : paint('green', '✓');
      terminal.write(
        `${sign} ${turns} turn${turns === 1 ? '' : 's'}${failed > 0 ? `, ${failed} failed` : ''}${stuck.length > 0 ? `, ${stuck.length} without an agent` : ''}\n`,
      );
    }
    if (end.stopped) return INTERRUPTED;
    return wrong > 0 ? TURN_FAILED : OK;
  },
};
