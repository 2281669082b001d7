// `taskroom run`: asks for a turn on a task now, or lets held tasks go.
import { RoomError } from '../../../../core/errors.ts';
import { sleep } from '../../../../effects.ts';
import type { Runtime } from '../../../../runtime.ts';
import type { TurnRecord } from '../../../../tasks/contract/operations.ts';
import { turnJson } from '../../../shapes/json-shapes.ts';
import type { Call, CommandModule } from '../../command.ts';
import { OK, TURN_FAILED } from '../../exit-codes.ts';
import { refuseInsideTurn, taskOf } from '../../invocation/caller.ts';
import { cleanLine } from '../../lines/display-text.ts';
import { turnEnd } from '../../lines/turn-lines.ts';
import { TASK } from '../../parse/task-argument.ts';

const POLL_MS = 150;
// A daemon starts an asked turn within moments; when it neither waits nor runs for this long, it never will.
const LOST_AFTER_MS = 15_000;
const RECENT = 20;
const ASKED: ReadonlySet<string> = new Set(['run', 'run_forced']);

export const command: CommandModule = {
  about: 'Asks for a turn on a task now, though nothing changed in it and though earlier attempts failed.',
  arguments: [TASK],
  options: [
    { flags: '--force', about: 'also when the task is paused, blocked or a draft' },
    { flags: '--wait', about: 'wait for the end of the turn; exit code 1 when it fails' },
    { flags: '--all', about: 'release every held task instead' },
  ],
  examples: [
    ['taskroom run "Fix the build"', 'once more'],
    ['taskroom run 3npr --wait && echo fine', 'and wait for how it ends'],
    ['taskroom run --all', 'release tasks held after a mass edit'],
  ],
  notes:
    'With --json: {"id","name","daemon"}, with --wait the turn as in turns; with --all: {"released","daemon"}.\nWithout a daemon the turn is noted, and runs with the next taskroom up or once.',
  async run(call) {
    const runtime = await call.openRoom();
    if (call.options.flag('all')) return releaseAll(call, runtime);
    const ref = taskOf(call);
    const actor = runtime.caller;
    const wait = call.options.flag('wait');
    if (wait && runtime.holder() === null) {
      throw new RoomError('unavailable', 'nothing runs this room, so there is no turn to wait for', {
        hint: 'start it first: taskroom up; or run all that is due: taskroom once',
      });
    }
    const before = wait ? await runtime.tasks.turns({ ref, limit: RECENT }) : [];
    const asked = await runtime.tasks.run(ref, { force: call.options.flag('force') }, actor);
    if (wait) return waitForTurn(call, runtime, asked.id, before);
    const { whyNot } = await runtime.tasks.show(asked.id);
    const waits = whyNot?.reason === 'budget' ? `waits: ${whyNot.text}; ${whyNot.hint}` : null;
    if (call.json)
      call.terminal.write(`${JSON.stringify({ id: asked.id, name: asked.name, daemon: asked.daemon })}\n`);
    else
      call.terminal.write(
        `${call.paint('green', '✓')} ${cleanLine(asked.name)} ${call.paint('dim', asked.id)} ${waits ?? said(asked.daemon)}\n`,
      );
    return OK;
  },
};

function said(daemon: boolean): string {
  return daemon ? 'gets a turn' : 'gets a turn with the next taskroom up or taskroom once';
}

async function releaseAll({ json, terminal, paint }: Call, runtime: Runtime): Promise<number> {
  refuseInsideTurn(runtime, 'release the held tasks of');
  const { released, daemon } = await runtime.tasks.release();
  const tasks = `${released} task${released === 1 ? '' : 's'}`;
  if (json) terminal.write(`${JSON.stringify({ released, daemon })}\n`);
  else if (released === 0) terminal.write(`${paint('dim', 'no task is held')}\n`);
  else
    terminal.write(
      `${paint('green', '✓')} ${tasks} released${daemon ? '' : '; the next taskroom up or once runs them'}\n`,
    );
  return OK;
}

async function waitForTurn(
  call: Call,
  runtime: Runtime,
  id: string,
  before: readonly TurnRecord[],
): Promise<number> {
  const turn = await nextTurn(call, runtime, id, before);
  if (call.json) call.terminal.write(`${JSON.stringify(turnJson(turn))}\n`);
  else {
    const sign = turn.state === 'completed' ? call.paint('green', '✓') : call.paint('red', '✗');
    call.terminal.write(
      `${sign} ${cleanLine(turn.description)} ${call.paint('dim', turn.id)} ${turnEnd(turn)} ${cleanLine(turn.message ?? '')}`
        .trimEnd()
        .concat('\n'),
    );
  }
  return turn.state === 'completed' ? OK : TURN_FAILED;
}

async function nextTurn(
  { effects }: Call,
  runtime: Runtime,
  id: string,
  before: readonly TurnRecord[],
): Promise<TurnRecord> {
  const known = new Set(before.map((turn) => turn.id));
  let lostAt = effects.monotonicMs() + LOST_AFTER_MS;
  for (;;) {
    const recent = await runtime.tasks.turns({ ref: id, limit: RECENT });
    // A turn that something else asked for may come first.
    const turn = recent.findLast(
      (each) => !known.has(each.id) && each.reasons.some((reason) => ASKED.has(reason)),
    );
    if (turn && turn.state !== 'running') return turn;
    const { pending, whyNot } = await runtime.tasks.show(id);
    if (pending && whyNot?.reason === 'budget')
      throw new RoomError('refused', `it does not run now: ${whyNot.text}`, { hint: whyNot.hint ?? '' });
    if (pending || recent[0]?.state === 'running') lostAt = effects.monotonicMs() + LOST_AFTER_MS;
    if (runtime.holder() === null)
      throw new RoomError('unavailable', 'the daemon stopped before the turn ended', {
        hint: 'start it again: taskroom up',
      });
    if (effects.monotonicMs() > lostAt)
      throw new RoomError('unavailable', 'the daemon did not start the turn', {
        hint: 'see why: taskroom status',
      });
    await sleep(effects, POLL_MS);
  }
}
