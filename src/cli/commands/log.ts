// `taskroom log`: shows a turn's output, and follows it.

import type { RoomClient } from '../../app/open-room.ts';
import { RoomError } from '../../core/errors.ts';
import { isOver } from '../../core/rules/turn.ts';
import { sleep } from '../../effects.ts';
import type { TurnJson } from '../../tasks/shapes/turn.ts';
import type { Call, CommandModule } from '../command.ts';
import { OK } from '../exit-codes.ts';
import { type Following, followOutput, POLL_MS } from '../invocation/follow-output.ts';
import { turnEnd } from '../lines/turn-lines.ts';

// What --json holds in one answer; the rest is read from `next`.
const JSON_BYTES = 4 * 1024 * 1024;

export const command: CommandModule = {
  about: 'Shows the output of a turn or a job. A task stands for its newest turn.',
  arguments: [
    { name: 'turn', about: 'id of a turn, or a task; inside a turn its own when left out', optional: true },
  ],
  options: [
    { flags: '-f, --follow', about: 'go on until the turn ends' },
    { flags: '--wait <seconds>', about: 'wait at most this long for the end of the turn' },
    { flags: '--raw', about: "the program's own bytes, also where its format is known" },
    { flags: '--offset <bytes>', about: 'begin at this byte of the output' },
  ],
  examples: [
    ['taskroom log "Fix the build" -f', 'follow the output until the turn ends'],
    ['taskroom log b4k2m9x1q --wait 60', 'wait up to a minute for its end, then show all'],
    ['taskroom log 3npr --offset 4096 --json', 'from a byte on, with where to go on'],
  ],
  notes:
    'Of a preset it shows what its agent said, called and used as text; with --raw the lines of JSON.\nWith --json: {"turn","state","reason","offset","next","size","text","format"}; ask again with --offset <next> while next is below size.',
  async run(call) {
    const { options, json, terminal, openRoom } = call;
    const ref = call.words[0] ?? terminal.env.TASKROOM_TURN ?? terminal.env.TASKROOM_TASK;
    if (!ref)
      throw new RoomError('bad_input', 'no turn was given', {
        hint: 'give its id or its task; see: taskroom turns',
      });
    const waitSeconds = options.whole('wait', 0);
    const offset = options.whole('offset', 0) ?? 0;
    const follow = options.flag('follow');
    const runtime = await openRoom({ readOnly: true });
    const turn = await runtime.tasks.call('showTurn', { turn: ref }, runtime.caller, true);
    const deadline =
      waitSeconds === null
        ? follow
          ? Number.POSITIVE_INFINITY
          : 0
        : call.effects.monotonicMs() + waitSeconds * 1000;
    if (!follow || json) await waitForEnd(call, runtime, turn, deadline);
    if (json) await printJson(call, runtime, turn, offset);
    else {
      const raw = options.flag('raw');
      await print(call, runtime, turn, { offset, deadline: follow ? deadline : 0, raw });
    }
    return OK;
  },
};

async function waitForEnd(
  { effects }: Call,
  { tasks, caller }: RoomClient,
  { id: turn }: TurnJson,
  deadline: number,
): Promise<void> {
  const isRunning = async () => !isOver((await tasks.call('showTurn', { turn }, caller, true)).state);
  while (effects.monotonicMs() < deadline && (await isRunning())) await sleep(effects, POLL_MS);
}

async function printJson(
  { terminal }: Call,
  { tasks, caller }: RoomClient,
  { id: turn }: TurnJson,
  offset: number,
): Promise<void> {
  const said = await tasks.call('turnOutput', { turn, offset, limit: JSON_BYTES }, caller, true);
  terminal.write(`${JSON.stringify(said)}\n`);
}

async function print(call: Call, runtime: RoomClient, turn: TurnJson, following: Following): Promise<void> {
  const { terminal, paint } = call;
  const end = await followOutput(call, runtime, turn, following);
  if (!terminal.errorIsTerminal) return;
  const empty = end.next === following.offset ? 'no output; ' : '';
  terminal.writeError(paint('dim', `${empty}turn ${turn.id}: ${turnEnd(end.turn)}\n`));
}
