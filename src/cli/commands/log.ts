// `taskroom log`: shows a turn's output, and follows it.
import { RoomError } from '../../core/errors.ts';
import { isOver } from '../../core/rules/turn.ts';
import { sleep } from '../../effects.ts';
import type { CommandModule } from '../command.ts';
import { OK } from '../exit-codes.ts';
import { followOutput, POLL_MS } from '../invocation/follow-output.ts';
import { turnEnd } from '../lines/turn-lines.ts';

const JSON_BYTES = 4 * 1024 * 1024; // What --json holds in one answer; the rest is read from `next`.

export const command: CommandModule = {
  about: 'Shows the output of a turn or a job. A task stands for its newest turn.',
  arguments: [
    { name: 'turn', about: 'id of a turn, or a task; inside a turn its own when left out', optional: true },
  ],
  options: [
    ['-f, --follow', 'go on until the turn ends'],
    ['--wait <seconds>', 'wait at most this long for the end of the turn'],
    ['--raw', "the program's own bytes, also where its format is known"],
    ['--offset <bytes>', 'begin at this byte of the output'],
  ],
  examples: {
    'taskroom log "Fix the build" -f': 'follow the output until the turn ends',
    'taskroom log b4k2m9x1q --wait 60': 'wait up to a minute for its end, then show all',
    'taskroom log 3npr --offset 4096 --json': 'from a byte on, with where to go on',
  },
  notes:
    'Of a preset it shows what its agent said, called and used as text; with --raw the lines of JSON.\nWith --json: {"turn","state","reason","offset","next","size","text","format"}; ask again with --offset <next> while next is below size.',
  async run(call) {
    const { options, json, terminal, openRoom, effects, paint } = call;
    const ref = call.words[0] ?? terminal.env.TASKROOM_TURN ?? terminal.env.TASKROOM_TASK;
    if (!ref)
      throw new RoomError('bad_input', 'no turn was given', 'give its id or its task; see: taskroom turns');
    const seconds = options.whole('wait', 0);
    const offset = options.whole('offset', 0) ?? 0;
    const follow = options.flag('follow');
    const runtime = await openRoom({ readOnly: true });
    const { tasks, caller } = runtime;
    const shown = await tasks.call('showTurn', { turn: ref }, caller, true);
    const turn = shown.id;
    const forever = follow ? Number.POSITIVE_INFINITY : 0;
    const deadline = seconds === null ? forever : effects.monotonicMs() + seconds * 1000;
    if (!follow || json)
      while (effects.monotonicMs() < deadline) {
        if (isOver((await tasks.call('showTurn', { turn }, caller, true)).state)) break;
        await sleep(effects, POLL_MS);
      }
    if (json) {
      const said = await tasks.call('turnOutput', { turn, offset, limit: JSON_BYTES }, caller, true);
      terminal.write(`${JSON.stringify(said)}\n`);
      return OK;
    }
    const following = { offset, deadline: follow ? deadline : 0, raw: options.flag('raw') };
    const end = await followOutput(call, runtime, shown, following);
    if (!terminal.errorIsTerminal) return OK;
    const empty = end.next === offset ? 'no output; ' : '';
    terminal.writeError(paint('dim', `${empty}turn ${turn}: ${turnEnd(end.turn)}\n`));
    return OK;
  },
};
